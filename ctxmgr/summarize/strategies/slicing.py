"""Turns the messages of a job into slices that the summarising model has room for."""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.compaction import FOR_MODEL, Slice, scoring, slices, truncation
from ctxmgr.summarize.request import PromptTask, SummaryTerms, prompt_task

WINDOW_SHARE = 0.5
"""Of the room for input that a slice is cut to: beside it stand its lead, the outline, and what precedes it."""

LEAD_SHARE = 10  # a lead is at most a tenth of its slice in a small window, as it is of the slices by default
GOAL_CHARACTERS = 2_000  # of a previous summary, whose goal stands first
LEAST_SLICE = 1_000  # tokens; smaller ones say less than their outline


def sliced(terms: SummaryTerms, job: PromptTask, cap: int | None = None) -> tuple[Slice, ...]:
    """The slices, oldest first. `cap`: most tokens of output of all together."""
    settings = terms.slices
    most = max(LEAST_SLICE, int(prompt_task.room(terms, job.max_tokens) * WINDOW_SHARE))
    if settings.tokens > most:
        overlap = min(settings.overlap, most // LEAD_SHARE)
        settings = msgspec.structs.replace(settings, tokens=most, overlap=overlap)
    if terms.depths is None:
        return slices.cut(job.messages, settings, terms.weigh, cap=cap)
    return slices.cut(job.messages, settings, terms.weigh, cap=cap, depths=terms.depths)


def texts(terms: SummaryTerms, job: PromptTask, cut: Sequence[Slice]) -> tuple[str, ...]:
    """What is shown of each slice: as many tokens as the slice was weighed at, and more of them for what matters
    to the goal than for what does not. "" where the policy wants each message shown alike."""
    if not terms.slices.weighted:
        return ("",) * len(cut)
    goal = f"{job.instructions}\n{job.previous[:GOAL_CHARACTERS]}"
    weights = scoring.importances(job.messages, goal)
    shown, at = [], 0
    for one in cut:
        of_slice = weights[at : at + len(one.messages)]
        at += len(one.messages)
        units = scoring.shares(one.messages, of_slice, one.weight, terms.weigh)
        parts = (scoring.within(*each, FOR_MODEL) for each in zip(one.messages, units, strict=True))
        shown.append("\n\n".join(filter(None, parts)))
    return tuple(shown)


def lead_text(terms: SummaryTerms, one: Slice) -> str:
    """What is right before a slice, as a model is shown it."""
    return truncation.fit(one.lead, one.lead_weight, terms.weigh, shown=FOR_MODEL).text if one.lead else ""
