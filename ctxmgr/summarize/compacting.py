"""Turns a preparation and a previous summary into the text of a compaction, by a model or without one.

Knows nothing of details, file lists and fallbacks: see `writing`.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.engine.compaction import render
from ctxmgr.engine.extractive import summary
from ctxmgr.model.compaction import Asking, BranchMessage, CompactionPlan
from ctxmgr.summarize.prompts import TURN, Shape
from ctxmgr.summarize.request import (
    LEAST_TOKENS,
    AcceptedAnswer,
    PreviousSummary,
    PromptTask,
    RejectedAnswer,
    SummaryInput,
    SummaryTerms,
    give_up,
    outline,
    turn_context,
)
from ctxmgr.summarize.strategies import STRATEGIES, side_by_side

HISTORY_SHARE = 0.8  # of the reserve, for the summary of a history (pi)
TURN_SHARE = 0.5  # of the reserve, for the first part of a turn (pi)
LEAST_OUTPUT = 512  # tokens, whatever the reserve: less does not hold an outline that says anything
WINDOW_SHARE = 2  # an answer gets at most half of the window: the other half is for what it is about
SURELY_SHORTER = 16  # UTF-16 units a token; a text has about four


def asked(
    brief: SummaryInput[CompactionPlan], shape: Shape, past: PreviousSummary, terms: SummaryTerms
) -> Asking[AcceptedAnswer]:
    """The text as a model writes it, history and turn side by side. Raises GaveUp."""
    prepared = brief.preparation
    write = STRATEGIES[brief.strategy]
    history = PromptTask(
        "history",
        prepared.history,
        shape,
        _history_output(brief, shape),
        brief.instructions,
        previous=past.history,
        earlier=past.context,
        notes=past.notes,
    )
    turn = PromptTask(
        "turn-prefix",
        prepared.prefix,
        TURN,
        _turn_output(brief),
        brief.instructions,
        earlier="" if prepared.history else past.context,
    )
    # depths are those of the history's steps
    for_turn = terms if callable(terms.depths) else msgspec.structs.replace(terms, depths=None)
    if not prepared.prefix:
        accepted = yield from write(terms, history)
    elif not prepared.history:
        first = yield from write(for_turn, turn)
        accepted = AcceptedAnswer(turn_context.joined(past.before, first.text))
    else:
        accepted, first = yield from side_by_side(write(terms, history), write(for_turn, turn))
        accepted = AcceptedAnswer(turn_context.joined(accepted.text, first.text), accepted.short)
    if _longer(brief, accepted.text, past):
        give_up(RejectedAnswer("too long", "more than what it replaces"), "summary")
    return accepted


def extracted(brief: SummaryInput[CompactionPlan], past: PreviousSummary) -> AcceptedAnswer:
    """The text as it is written without a model, so within no model's window; "" where there is nothing to say."""
    prepared, weigh = brief.preparation, brief.weigh
    messages = (*prepared.history, *prepared.prefix)
    replaced = weigh(render.conversation(messages))
    if prepared.history:
        text = summary.summary(
            prepared.history,
            past.whole or None,
            budget=bounded(max(_share(brief, HISTORY_SHARE), LEAST_OUTPUT), replaced + weigh(past.whole)),
            weigh=weigh,
            format=brief.format,
            prefix=prepared.prefix,
        )
    else:
        text = _carried(
            brief, past, bounded(max(_share(brief, TURN_SHARE), LEAST_OUTPUT), replaced + weigh(past.context))
        )
    short = summary.short(messages, past.whole or None) if brief.format == "continue" else ""
    return AcceptedAnswer(text or past.whole, short)


def _carried(brief: SummaryInput[CompactionPlan], past: PreviousSummary, budget: int) -> str:
    """The previous summary as it is, and the turn's context with what is new; the older gives way."""
    room = budget
    context = past.context
    new = summary.turn_context(brief.preparation.prefix, room, brief.weigh) if brief.preparation.prefix else ""
    both = outline.together([text for text in (context, new) if text], TURN)
    if new and context and brief.weigh(both) > budget:
        half = summary.turn_context(brief.preparation.prefix, budget // 2, brief.weigh)
        both = outline.together([text for text in (context, half) if text], TURN)
    return turn_context.joined(past.before, both) if both else past.before


def output(brief: SummaryInput[Any], tokens: int) -> int:
    """Tokens of an answer: what is wanted, within what the model can give and its window holds."""
    most = min(brief.max_output_tokens or brief.window, brief.window // WINDOW_SHARE)
    return max(1, min(max(tokens, LEAST_OUTPUT), most))


def bounded(budget: int, replaced: int) -> int:
    """Tokens of a summary without a model: never more than what it replaces."""
    return min(budget, max(replaced, LEAST_TOKENS))


def _share(brief: SummaryInput[CompactionPlan], share: float) -> int:
    return int(brief.preparation.settings.reserve_tokens * share)


def _history_output(brief: SummaryInput[CompactionPlan], shape: Shape) -> int:
    return min(output(brief, _share(brief, HISTORY_SHARE)), shape.max_tokens)


def _turn_output(brief: SummaryInput[CompactionPlan]) -> int:
    return output(brief, _share(brief, TURN_SHARE))


def _longer(brief: SummaryInput[CompactionPlan], text: str, past: PreviousSummary) -> bool:
    """Whether a text weighs more than what it replaces. Weighs that only where the answer is not plain to see."""
    prepared = brief.preparation
    messages: Sequence[BranchMessage] = (*prepared.history, *prepared.prefix)
    weight = brief.weigh(text)
    if weight <= max(LEAST_TOKENS, sum(message.utf16_units for message in messages) // SURELY_SHORTER):
        return False
    return weight > brief.weigh(render.conversation(messages)) + brief.weigh(past.whole) + LEAST_TOKENS
