"""Incremental: only the oldest part of a history is summarised; notes on the newest turns follow the summary.

The budget of output is shared: notes get at most half of it, and at most half of the turns (`recent_turns`);
the summary gets what they leave. At the next compaction the notes are summed up with what was oldest then, so
each turn is told in detail once more after it has left the conversation. Needs at least two turns; one turn, a
turn's first part and a branch are a single shot.
"""

import msgspec

from ctxmgr.model.compaction import Asking
from ctxmgr.summarize.request import AcceptedAnswer, PromptTask, SummaryTerms, recent_turns
from ctxmgr.summarize.strategies.single import written as single_shot

NOTES_SHARE = 0.5  # of the output: a choice of ours, the summary has to stand for far more turns


def written(terms: SummaryTerms, job: PromptTask) -> Asking[AcceptedAnswer]:
    """Ask for the oldest part, and put the notes below it. Raises GaveUp."""
    if job.matter != "history":
        return (yield from single_shot(terms, job))
    older, notes = recent_turns.middle(job.messages, int(job.max_tokens * NOTES_SHARE), terms.weigh)
    if not notes:
        return (yield from single_shot(terms, job))
    output = job.max_tokens - terms.weigh(notes)
    oldest = msgspec.structs.replace(job, messages=job.messages[:older], max_tokens=output)
    accepted = yield from single_shot(terms, oldest)
    text, before = recent_turns.parted(accepted.text)  # a model may have taken notes it was shown for a section
    if before:
        notes = f"{recent_turns.HEADING}\n\n{before}{notes.removeprefix(recent_turns.HEADING)}"
    return AcceptedAnswer(f"{text}\n\n{notes}", accepted.short)
