"""Turns a history into probes of what the assistant announced and noted: next, tasks.

A next step is a sentence that announces what comes, by patterns, in English. A task is used while it is not done.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ctxmgr.study.probes.evidence import Probe, ProbePart, TextState, Wording
from ctxmgr.study.probes.reading import SessionHistory, wording

NEXT_WITHIN = 20  # replies: what was announced before that is no next step any more
LEAST_WORDS = 5

_NEXT = re.compile(
    r"(?:^|[.;:,] |\band )(?:now |next,? |then |so )?(?:i'll|i will|i'm going to|i am going to|let me|let's"
    r"|i'm (?:now )?(?!not)\w+ing|next (?:step|up|i)|next:|i need to|now i need)\b",
    re.IGNORECASE,
)


def probes(of: SessionHistory, end: int) -> Iterator[Probe]:
    yield from _next(of, end)
    yield from _tasks(of, end)


@lru_cache(maxsize=1 << 14)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(wording.sentences(text, LEAST_WORDS))


def _next(of: SessionHistory, end: int) -> Iterator[Probe]:
    replies = [one for one in of.turns[:end] if one.role == "assistant"][-NEXT_WITHIN:]
    for one in reversed(replies):
        announced = [sentence for sentence in _sentences(one.text) if _NEXT.search(sentence)]
        if announced:
            sentence = announced[-1]
            parts = (ProbePart(1.0, (Wording(wording.pieces(sentence)),)),)
            yield Probe("next", "What was announced as the next step?", sentence, parts, used=True)
            return


def _tasks(of: SessionHistory, end: int) -> Iterator[Probe]:
    listed = next((one.tasks for one in reversed(of.tasks) if one.message_index < end), ())
    for task in listed:
        names = (*wording.pieces(task.text)[:1], *((f" taskid {task.id.lower()} ",) if task.id else ()))
        state = TextState(names, "done" if task.done else "open")
        parts = (ProbePart(0.5, (Wording(wording.pieces(task.text)),)), ProbePart(0.5, (state,)))
        answer = "done" if task.done else "not done"
        yield Probe("tasks", f"How does this task stand: {task.text}", answer, parts, not task.done)
