"""Sequential: slices are summarised one after the other, each in the light of what came before.

Accumulated: each slice gets a text of its own and sees the earlier ones; the texts are put together in order, so
what was said of an early slice is never written anew. Rolling: each slice brings one running summary up to date,
which stays short and may lose what is old. With one slice both are a single shot.
"""

import msgspec

from ctxmgr.engine.compaction import Slice
from ctxmgr.model.compaction import Asking
from ctxmgr.summarize.prompts import PromptParts
from ctxmgr.summarize.request import (
    AcceptedAnswer,
    PromptTask,
    ShapedRequest,
    SummaryTerms,
    answers,
    prompt_task,
    question,
)
from ctxmgr.summarize.strategies.parallel import joined
from ctxmgr.summarize.strategies.single import written as single_shot
from ctxmgr.summarize.strategies.slicing import lead_text, sliced, texts

EARLIER_SHARE = 0.3  # of the room for input that summaries of earlier slices may take; the newest stay


def accumulated(terms: SummaryTerms, job: PromptTask) -> Asking[AcceptedAnswer]:
    """One text a slice, put together in order. The first brings the previous summary up to date. Raises GaveUp."""
    slices = sliced(terms, job, cap=job.max_tokens)
    if len(slices) < 2:
        return (yield from single_shot(terms, job))
    written: list[str] = []
    short, most = "", 0
    shown = texts(terms, job, slices)
    for number, one in enumerate(slices, 1):
        given = job.given if number == 1 else PromptParts("", slices=_shown(terms, job, written))
        carried = sum(map(terms.weigh, (job.previous, job.earlier, job.notes))) if number == 1 else 0
        output = min(job.max_tokens, one.max_output_tokens + carried)
        given = msgspec.structs.replace(given, conversation=shown[number - 1])
        asked = _question(terms, job, one, given, (number, len(slices)), output)
        most += asked.max_tokens
        (accepted,) = yield from answers((asked,), retries=terms.retries, weigh=terms.weigh, account=terms.usage)
        written.append(accepted.text)
        short = accepted.short
    return joined(terms, job, tuple(written), most, short)


def rolling(terms: SummaryTerms, job: PromptTask) -> Asking[AcceptedAnswer]:
    """A running summary that each slice brings up to date. Raises GaveUp."""
    slices = sliced(terms, job)
    if len(slices) < 2:
        return (yield from single_shot(terms, job))
    given = job.given
    accepted = AcceptedAnswer("")
    shown = texts(terms, job, slices)
    for number, one in enumerate(slices, 1):
        given = msgspec.structs.replace(given, conversation=shown[number - 1])
        asked = _question(terms, job, one, given, (number, len(slices)), job.max_tokens)
        (accepted,) = yield from answers((asked,), retries=terms.retries, weigh=terms.weigh, account=terms.usage)
        given = PromptParts("", previous=accepted.text)
    return accepted


def _question(
    terms: SummaryTerms, job: PromptTask, one: Slice, given: PromptParts, place: tuple[int, int], output: int
) -> ShapedRequest:
    lead = msgspec.structs.replace(given, before=lead_text(terms, one))
    return question(terms, job, one.messages, lead, output=output, place=place)


def _shown(terms: SummaryTerms, job: PromptTask, texts: list[str]) -> tuple[str, ...]:
    """The earlier texts that a slice is shown: all, or the newest where all are too much."""
    free = int(prompt_task.room(terms, job.max_tokens) * EARLIER_SHARE)
    kept: list[str] = []
    for text in reversed(texts):
        free -= terms.weigh(text)
        if free < 0:
            terms.usage.shortened((f"summaries of {len(texts) - len(kept)} early slices not shown to later ones",))
            break
        kept.append(text)
    return tuple(reversed(kept))
