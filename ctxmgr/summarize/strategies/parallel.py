"""Parallel-stitch: slices are summarised side by side, then one call makes one text of theirs.

Where the merge can not be had, the slices' texts are put together by their sections (`outline.together`): they
are whole and accepted, so this is no half-done summary, only a longer and less smooth one.
"""

import msgspec

from ctxmgr.model.compaction import Asking
from ctxmgr.summarize.prompts import PromptParts
from ctxmgr.summarize.request import (
    LEAST_TOKENS,
    AcceptedAnswer,
    PromptTask,
    RejectedAnswer,
    ShapedRequest,
    SummaryFailed,
    SummaryTerms,
    answers,
    give_up,
    merge_question,
    outline,
    question,
)
from ctxmgr.summarize.strategies.single import written as single_shot
from ctxmgr.summarize.strategies.slicing import lead_text, sliced, texts


def written(terms: SummaryTerms, job: PromptTask) -> Asking[AcceptedAnswer]:
    """Ask for all slices at once, then for the merge; one slice is asked for as a whole. Raises SummaryFailed."""
    slices = sliced(terms, job)
    if len(slices) < 2:
        return (yield from single_shot(terms, job))
    asked: list[ShapedRequest] = []
    shown = texts(terms, job, slices)
    for number, one in enumerate(slices, 1):
        asked.append(
            question(
                terms,
                job,
                one.messages,
                PromptParts(shown[number - 1], before=lead_text(terms, one)),
                output=min(one.max_output_tokens, job.max_tokens),
                place=(number, len(slices)),
            )
        )
    accepted = yield from answers(asked, retries=terms.retries, weigh=terms.weigh, account=terms.usage)
    try:
        merge = merge_question(terms, job, tuple(one.text for one in accepted))
        (merged,) = yield from answers((merge,), retries=terms.retries, weigh=terms.weigh, account=terms.usage)
    except SummaryFailed as gave_up:
        terms.usage.joined = gave_up.failure.reason
        most = sum(one.max_tokens for one in asked) + terms.weigh(job.previous)
        return joined(terms, job, (job.previous, job.earlier, job.notes, *(one.text for one in accepted)), most)
    if merged.short or not job.shape.short:
        return merged
    return msgspec.structs.replace(merged, short=accepted[-1].short)


def joined(
    terms: SummaryTerms, job: PromptTask, texts: tuple[str, ...], most: int, short: str = ""
) -> AcceptedAnswer:
    """The texts put together by their sections, oldest first. Raises SummaryFailed where that is too long."""
    text = outline.together([one for one in texts if one.strip()], job.shape)
    weight = terms.weigh(text)
    if weight > max(most, LEAST_TOKENS):
        give_up(RejectedAnswer("too long", f"{weight} tokens for {most}"), "slices put together")
    return AcceptedAnswer(text, short)
