"""Turns the messages of a job into slices that the summarising model has room for."""

import msgspec

from ctxmgr.engine import ladder, slices
from ctxmgr.engine.render import FOR_MODEL
from ctxmgr.engine.slices import Slice
from ctxmgr.summarize.job import Job, Terms, room

WINDOW_SHARE = 0.5
"""Of the room for input that a slice is cut to: beside it stand its lead, the outline, and what precedes it."""

LEAD_SHARE = 10  # a lead is at most a tenth of its slice in a small window, as it is of the slices by default
LEAST_SLICE = 1_000  # tokens; smaller ones say less than their outline


def sliced(terms: Terms, job: Job, cap: int | None = None) -> tuple[Slice, ...]:
    """The slices, oldest first. `cap`: most tokens of output of all together."""
    settings = terms.slices
    most = max(LEAST_SLICE, int(room(terms, job.output) * WINDOW_SHARE))
    if settings.tokens > most:
        overlap = min(settings.overlap, most // LEAD_SHARE)
        settings = msgspec.structs.replace(settings, tokens=most, overlap=overlap)
    if terms.depths is None:
        return slices.cut(job.messages, settings, terms.weigh, cap=cap)
    return slices.cut(job.messages, settings, terms.weigh, cap=cap, depths=terms.depths)


def lead_text(terms: Terms, one: Slice) -> str:
    """What is right before a slice, as a model is shown it."""
    return ladder.fit(one.lead, one.lead_weight, terms.weigh, shown=FOR_MODEL).text if one.lead else ""
