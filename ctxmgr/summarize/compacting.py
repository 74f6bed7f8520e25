"""Turns a preparation and a previous summary into the text of a compaction, with or without a model.

Does not handle details, file lists and fallbacks: see `writing`.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.engine.compaction import render
from ctxmgr.engine.memory import scratchpad_section, summary
from ctxmgr.model import Weigh
from ctxmgr.model.compaction import Asking, BranchMessage, CompactionPlan
from ctxmgr.summarize.asks import SummaryFailed, give_up
from ctxmgr.summarize.brief import CompletionFailure, PromptTask, SummaryInput
from ctxmgr.summarize.formats import STRUCTURED, TURN, Shape, asked_for
from ctxmgr.summarize.outline import together
from ctxmgr.summarize.parse import LEAST_TOKENS, AcceptedAnswer, RejectedAnswer
from ctxmgr.summarize.previous_summary import PreviousSummary, with_turn_context
from ctxmgr.summarize.strategies import STRATEGIES, side_by_side

HISTORY_SHARE = 0.8  # of the reserve, for the summary of a history (pi)
TURN_SHARE = 0.5  # of the reserve, for the first part of a turn (pi)
# of a summary's budget without a model; enough for the whole scratchpad if the reserve is pi's
SCRATCHPAD_SHARE = 0.3
LEAST_OUTPUT = 512  # tokens, whatever the reserve; less holds no useful outline
WINDOW_SHARE = 2  # an answer gets at most half of the window; the other half is for its subject
SURELY_SHORTER = 16  # UTF-16 units a token; a text has about four


def written(brief: SummaryInput[CompactionPlan], shape: Shape, past: PreviousSummary) -> Asking[AcceptedAnswer]:
    """The text written by a model, history and turn concurrently. A history that was paid for is kept if the turn's
    part must be written without a model. Raises SummaryFailed.
    """
    prepared = brief.preparation
    write = STRATEGIES[brief.strategy]
    history = PromptTask(
        "history",
        prepared.history,
        shape,
        history_output(brief, shape),
        brief.instructions,
        previous=past.history,
        earlier=past.context,
        notes=past.notes,
        scratchpad=brief.scratchpad,
    )
    turn = PromptTask(
        "turn-prefix",
        prepared.prefix,
        asked_for(brief.prompts.turn_prefix, TURN),
        output(brief, _share(brief, TURN_SHARE)),
        brief.instructions,
        earlier="" if prepared.history else past.context,
        scratchpad="" if prepared.history else brief.scratchpad,
    )
    # depths are those of the history's steps
    for_turn = brief if callable(brief.depths) else msgspec.structs.replace(brief, depths=None)
    failure: CompletionFailure | None = None
    if not prepared.prefix:
        accepted = yield from write(brief, history)
    elif not prepared.history:
        first = yield from write(for_turn, turn)
        accepted = AcceptedAnswer(with_turn_context(past.before, first.text))
    else:
        accepted, (first, failure) = yield from side_by_side(
            write(brief, history), _or_failed(write(for_turn, turn))
        )
        if failure is not None:
            first = AcceptedAnswer(_context(brief, failure))
        if first.text and first.text.strip() != accepted.text.strip():  # the same text, reported once
            accepted = AcceptedAnswer(with_turn_context(accepted.text, first.text), accepted.short)
    if is_longer(brief, accepted.text, past):
        give_up(RejectedAnswer("too long", "more than what it replaces"), "summary")
    brief.usage.turn_failure = failure
    return accepted


def _or_failed(asking: Asking[AcceptedAnswer]) -> Asking[tuple[AcceptedAnswer, CompletionFailure | None]]:
    try:
        return (yield from asking), None
    except SummaryFailed as gave_up:
        return AcceptedAnswer(""), gave_up.failure


def _context(brief: SummaryInput[CompactionPlan], failure: CompletionFailure) -> str:
    """The turn's first part without a model, beside what the model said of it in prose."""
    prefix, weigh = brief.preparation.prefix, brief.weigh
    replaced = weigh(render.conversation(prefix))
    budget = bounded(max(_share(brief, TURN_SHARE), LEAST_OUTPUT), replaced) - weigh(failure.prose)
    earlier = summary.numbered(brief.preparation.previous, brief.preparation.history)
    text = summary.turn_context(prefix, max(budget, 0), weigh, earlier)
    return with_prose(text, failure.prose, TURN, "## Context Needed to Continue")


def with_prose(text: str, prose: str, shape: Shape, heading: str = "## Critical Context") -> str:
    """The text with a model's prose under this heading."""
    if not prose:
        return text
    return together([text for text in (text, f"{heading}\n{prose}") if text], shape)


def extracted(
    brief: SummaryInput[CompactionPlan], past: PreviousSummary, prose: str = "", shape: Shape = STRUCTURED
) -> AcceptedAnswer:
    """The text written without a model, so limited by no model's window; "" if there is nothing to say. A model's
    `prose` becomes critical context, and the model's own notes go to the end.
    """
    prepared, weigh = brief.preparation, brief.weigh
    messages = (*prepared.history, *prepared.prefix)
    share, before = (HISTORY_SHARE, past.whole) if prepared.history else (TURN_SHARE, past.context)
    replaced = weigh(render.conversation(messages)) + weigh(before)
    budget = bounded(max(_share(brief, share), LEAST_OUTPUT), replaced)
    noted, left = with_notes_room(brief, budget)
    budget = max(left - (weigh(prose) if prose else 0), 0)
    if prepared.history:
        text = summary.compaction(
            prepared.history,
            past.whole or None,
            budget=budget,
            weigh=weigh,
            format=brief.format,
            prefix=prepared.prefix,
        )
    else:
        text = _carried(brief, past, budget)
    short = summary.short(messages, past.whole or None) if brief.format == "continue" else ""
    return AcceptedAnswer(with_notes(with_prose(text or past.whole, prose, shape), noted), short)


def with_notes_room(brief: SummaryInput[Any], budget: int) -> tuple[str, int]:
    """The section of the model's own notes, and the rest of the budget in tokens."""
    noted = notes_within(brief.scratchpad, budget, brief.weigh)
    return noted, budget - (brief.weigh(f"\n\n{noted}") if noted else 0)


def notes_within(notes: str, budget: int, weigh: Weigh) -> str:
    """The section of notes within their share of a summary's budget; "" without notes."""
    return scratchpad_section(notes, int(budget * SCRATCHPAD_SHARE), weigh)


def with_notes(text: str, noted: str) -> str:
    """The text with the section of notes below it."""
    return "\n\n".join(filter(None, (text, noted)))


def _carried(brief: SummaryInput[CompactionPlan], past: PreviousSummary, budget: int) -> str:
    """The previous summary unchanged, and the turn's context with what is new; the older part yields."""
    context, prefix, weigh = past.context, brief.preparation.prefix, brief.weigh
    earlier = summary.numbered(past.whole, ())
    new = summary.turn_context(prefix, budget, weigh, earlier) if prefix else ""
    both = together([text for text in (context, new) if text], TURN)
    if new and context and weigh(both) > budget:
        half = summary.turn_context(prefix, budget // 2, weigh, earlier)
        both = together([text for text in (context, half) if text], TURN)
    return with_turn_context(past.before, both) if both else past.before


def output(brief: SummaryInput[Any], tokens: int) -> int:
    """Tokens of an answer: what is wanted, within the model's limits."""
    most = min(brief.max_output_tokens or brief.window, brief.window // WINDOW_SHARE)
    return max(1, min(max(tokens, LEAST_OUTPUT), most))


def bounded(budget: int, replaced: int) -> int:
    """Tokens of a summary without a model: never more than what it replaces."""
    return min(budget, max(replaced, LEAST_TOKENS))


def _share(brief: SummaryInput[CompactionPlan], share: float) -> int:
    return int(brief.preparation.settings.reserve_tokens * share)


def history_output(brief: SummaryInput[CompactionPlan], shape: Shape) -> int:
    """Tokens of a history's summary."""
    return min(output(brief, _share(brief, HISTORY_SHARE)), shape.max_tokens)


def is_longer(brief: SummaryInput[CompactionPlan], text: str, past: PreviousSummary) -> bool:
    """Whether a text has more tokens than what it replaces. Only counts if the answer is not obvious."""
    prepared = brief.preparation
    messages: Sequence[BranchMessage] = (*prepared.history, *prepared.prefix)
    weight = brief.weigh(text)
    if weight <= max(LEAST_TOKENS, sum(message.utf16_units for message in messages) // SURELY_SHORTER):
        return False
    return (
        weight
        > brief.weigh(render.conversation(messages)) + brief.weigh(past.whole + brief.scratchpad) + LEAST_TOKENS
    )
