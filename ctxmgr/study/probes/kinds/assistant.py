"""Turns a history into probes of what the assistant said and noted: attempts, decisions, next, tasks, values.

1. An attempt is a sentence that says what did not work or what the cause was; a decision one that names an
   alternative, or chooses and has a reason; a next step one that announces what comes. By patterns, in English.
2. A value is used where its next mention is the assistant's: it had to know it. A task is while it is not done.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from ctxmgr.study.probes.evidence import Exact, Probe, ProbeKind, ProbePart, TextState, Wording
from ctxmgr.study.probes.reading import SessionHistory, mentioned_again, wording

ATTEMPTS = 15
DECISIONS = 20
VALUES = 40
NEXT_WITHIN = 20  # replies: what was announced before that is no next step any more
LEAST_WORDS = 5

_ATTEMPT = re.compile(
    r"\broot cause\b|\b(?:the|this|real|actual) (?:problem|issue|bug|cause|culprit|failure|error) (?:is|was|here"
    r"|comes)\b"
    r"|\b(?:did not|didn'?t|does not|doesn'?t|won'?t|will not|wouldn'?t|can'?t|cannot|not) (?:work|help|compile|fix"
    r"|apply|match|support|pass|exist|include|handle|find)\w*\b"
    r"|\b(?:failed|fails|failing) (?:because|since|due|with|on|for|as)\b"
    r"|\bcaused by\b|\bdue to\b|\bturns out\b|\btried\b|\bthat'?s why\b|\bbroke\b",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
_CHOICE = re.compile(
    r"\b(?:decided|settled|opted|chose|chosen|going with|go with|sticking with)\b"
    r"|\b(?:i'll|i will|i'm going to|let's)\b|\bsince\b.*\b(?:use|keep|skip|leave)\b"
    r"|\b(?:better|best|simplest|cleaner|cleanest|safer|right|simple) (?:approach|option|way|fix|solution|choice)\b"
    r"|\bthe (?:simple |right |best )?(?:fix|solution|approach) is\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so|to avoid|to keep|otherwise)\b", re.IGNORECASE)
_NEXT = re.compile(
    r"(?:^|[.;:,] |\band )(?:now |next,? |then |so )?(?:i'll|i will|i'm going to|i am going to|let me|let's"
    r"|i'm (?:now )?(?!not)\w+ing|next (?:step|up|i)|next:|i need to|now i need)\b",
    re.IGNORECASE,
)


def probes(of: SessionHistory, end: int) -> Iterator[Probe]:
    yield from _stated(of, end, "attempts", _attempts, ATTEMPTS)
    yield from _stated(of, end, "decisions", _decides, DECISIONS)
    yield from _next(of, end)
    yield from _tasks(of, end)
    yield from _values(of, end)


def _attempts(sentence: str) -> bool:
    return bool(_ATTEMPT.search(sentence))


def _decides(sentence: str) -> bool:
    return bool(_ALTERNATIVE.search(sentence) or (_CHOICE.search(sentence) and _REASON.search(sentence)))


def _stated(
    of: SessionHistory, end: int, kind: ProbeKind, says: Callable[[str], bool], most: int
) -> Iterator[Probe]:
    found: dict[str, None] = {}
    for one in reversed(of.turns[:end]):
        if one.role == "assistant":
            for sentence in reversed(_sentences(one.text)):
                if says(sentence) and not sentence.endswith("?"):
                    found.setdefault(sentence)
            if len(found) >= most:
                break
    question = {"attempts": "What did not work, and why?", "decisions": "What was chosen, and why?"}[kind]
    for sentence in list(found)[:most]:
        used = any(mentioned_again(of, name, end) for name in wording.references(sentence))
        yield Probe(kind, question, sentence, (ProbePart(1.0, (Wording(wording.pieces(sentence)),)),), used)


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


def _values(of: SessionHistory, end: int) -> Iterator[Probe]:
    newest = []
    for value, places in of.values.items():
        before = [one for one in places if one.message_index < end]
        if any(one.is_statement for one in before):
            newest.append((before[-1].message_index, value))
    for _, value in sorted(newest, reverse=True)[:VALUES]:
        after = next((one for one in of.values[value] if one.message_index >= end), None)
        used = after is not None and after.by_assistant
        yield Probe("values", "Which exact values were met?", value, (ProbePart(1.0, (Exact(value),)),), used)
