"""Turns a preparation and a previous summary into the text of a compaction, with or without a model.

Rules for a model's text:
1. The host's last request is in its provider's cache, so with one more message at its end it is read at the cache
   price, while a copy of the conversation is new input. A shortened copy saves what was cut. The cheaper way is
   used.
2. The host's list is used only if one call writes everything, and list, message and answer fit the window.
3. An answer is judged like any other. If it is unusable, the copy is used, and the details say so; not if the call
   was cancelled, since whoever cancelled has no more time.

Does not handle details, file lists and fallbacks: see `writing`.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from ctxmgr.engine.compaction import render
from ctxmgr.engine.memory import scratchpad_section, summary
from ctxmgr.model import Weigh, prices
from ctxmgr.model.compaction import Asking, BranchMessage, CompactionPlan, CompletionRequest, Result
from ctxmgr.summarize.asks import ShapedRequest, SummaryFailed, answer, give_up
from ctxmgr.summarize.brief import HostContext, PromptTask, SummaryInput, SummaryUsage
from ctxmgr.summarize.formats import STRUCTURED, TURN, Shape, asked_for
from ctxmgr.summarize.outline import together
from ctxmgr.summarize.parse import LEAST_TOKENS, AcceptedAnswer, CompletionFailure
from ctxmgr.summarize.previous_summary import PreviousSummary, with_turn_context
from ctxmgr.summarize.prompts import PromptParts, on_context_prompt
from ctxmgr.summarize.strategies import STRATEGIES, side_by_side

HISTORY_SHARE = 0.8  # of the reserve, for the summary of a history (pi)
TURN_SHARE = 0.5  # of the reserve, for the first part of a turn (pi)
# of a summary's budget without a model; enough for the whole scratchpad if the reserve is pi's
SCRATCHPAD_SHARE = 0.3
LEAST_OUTPUT = 512  # tokens, whatever the reserve; less holds no useful outline
WINDOW_SHARE = 2  # an answer gets at most half of the window; the other half is for its subject
SURELY_SHORTER = 16  # UTF-16 units a token; a text has about four


def from_copy(brief: SummaryInput[CompactionPlan], shape: Shape, past: PreviousSummary) -> Asking[AcceptedAnswer]:
    """The text that a model writes from a copy of the conversation, history and turn concurrently. A history that
    was paid for is kept if the turn's part must be written without a model. Raises SummaryFailed.
    """
    prepared = brief.preparation
    write = STRATEGIES[brief.strategy]
    history = PromptTask(
        "history",
        prepared.history,
        shape,
        history_output(brief, shape),
        brief.instructions,
        PromptParts(previous=past.history, earlier=past.context, notes=past.notes, scratchpad=brief.scratchpad),
    )
    turn = PromptTask(
        "turn-prefix",
        prepared.prefix,
        asked_for(brief.prompts.turn_prefix, TURN),
        output(brief, _share(brief, TURN_SHARE)),
        brief.instructions,
        PromptParts() if prepared.history else PromptParts(earlier=past.context, scratchpad=brief.scratchpad),
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
        give_up(CompletionFailure("too long", "more than what it replaces"), "summary")
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


ON_CONTEXT_STRATEGY = "single-shot"  # the only strategy with a single call
ON_CONTEXT_LABEL = "at the end of the host's list"


class WayCosts(msgspec.Struct, frozen=True):
    """The cost of both ways, and the choice. In dollars if the input price is known, else in tokens of uncached
    input. None: that way is not available.
    """

    way: Literal["warm", "cold"]
    warm_cost: float | None = msgspec.field(name="warm")
    cold_cost: float | None = msgspec.field(name="cold")
    counted_in: Literal["dollars", "inputTokens"] = msgspec.field(name="unit")
    arithmetic: str

    def details(self) -> dict[str, Any]:
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields


def written(brief: SummaryInput[CompactionPlan], shape: Shape, past: PreviousSummary) -> Asking[AcceptedAnswer]:
    """The text, by the cheaper way. Raises SummaryFailed if neither works."""
    copy = from_copy(brief, shape, past)
    context = brief.context if brief.strategy == ON_CONTEXT_STRATEGY else None
    if context is None:
        return (yield from copy)
    usage = brief.usage
    asks, failure = _first(copy)
    ask, copied = _ask(brief, shape), None if asks is None else _weight(brief, asks)
    # the output limit is the same for both
    costs = way_costs(context, brief.weigh(ask.prompt), copied, ask.max_tokens)
    if costs.way == "warm":
        try:
            once = msgspec.structs.replace(brief, retries=0)
            accepted = yield from answer(once, ShapedRequest(ask, shape, context.tokens))
            if is_longer(brief, accepted.text, past):
                give_up(CompletionFailure("too long", "more than what it replaces"), ON_CONTEXT_LABEL)
        except SummaryFailed as gave_up:
            if gave_up.failure.reason == "cancelled":
                copy.close()
                usage.unshortened()
                raise
            usage.warm_failure = gave_up.failure
        else:
            copy.close()
            usage.unshortened()
            usage.bill = costs.details()
            return accepted
    if asks is None:
        raise SummaryFailed(failure or usage.warm_failure or CompletionFailure("does not fit"))
    accepted = yield from _resumed(copy, asks)
    usage.bill = msgspec.structs.replace(costs, way="cold").details()
    return accepted


def both_ways(
    brief: SummaryInput[CompactionPlan], shape: Shape, past: PreviousSummary, context: HostContext, output: int
) -> WayCosts:
    """What one call costs by each way, whichever way writes this summary. `output`: tokens of the answer."""
    single = msgspec.structs.replace(brief, strategy=ON_CONTEXT_STRATEGY, usage=SummaryUsage())
    copy = from_copy(single, shape, past)
    asks, _ = _first(copy)
    copy.close()
    copied = None if asks is None else _weight(brief, asks)
    return way_costs(context, brief.weigh(_ask(single, shape).prompt), copied, output)


def _first(copy: Asking[Any]) -> tuple[tuple[CompletionRequest, ...] | None, CompletionFailure | None]:
    """What a copy would request first, or why it cannot."""
    try:
        return next(copy), None
    except SummaryFailed as gave_up:
        return None, gave_up.failure


def _resumed(asking: Asking[Result], asks: tuple[CompletionRequest, ...]) -> Asking[Result]:
    """The rest of a run after this request."""
    try:
        while True:
            asks = asking.send((yield asks))
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # the run's own result


def _ask(brief: SummaryInput[CompactionPlan], shape: Shape) -> CompletionRequest:
    most = history_output(brief, shape)
    texts = (message.content.text for message in brief.preparation.recent)
    stays = next((" ".join(text.split()) for text in texts if text and text.strip()), "")
    text = on_context_prompt(shape, brief.instructions, stays=stays, scratchpad=brief.scratchpad, most=most)
    return CompletionRequest("history", "", text, most, ON_CONTEXT_LABEL, on_context=True)


def _weight(brief: SummaryInput[CompactionPlan], asks: tuple[CompletionRequest, ...]) -> int:
    return sum(brief.weigh(request.system) + brief.weigh(request.prompt) for request in asks)


def way_costs(context: HostContext, instruction: int, copied: int | None, output: int) -> WayCosts:
    """The cost of each way (rule 1). `instruction` and `copied`, the input with a copy (None: does not fit), by
    `weigh`; `output`: tokens of either answer.
    """
    more = round(context.ratio * instruction)
    warm = prices.CallTokens(
        read_tokens=context.cached_tokens,
        written_tokens=context.tokens - context.cached_tokens + more,
        output_tokens=output,
    )
    all_tokens = warm.input_tokens + output
    is_priced = bool(context.prices is not None and context.prices.input)
    warm_cost, warm_sum = None, f"{all_tokens:,} tokens are above the window of {context.window:,}"
    if all_tokens <= context.window:
        warm_cost, warm_sum = _cost(warm, context, is_priced)
    copy_cost, copy_sum = None, "no copy fits the window"
    if copied is not None:
        cold = prices.CallTokens(new_tokens=round(context.ratio * copied), output_tokens=output)
        copy_cost, copy_sum = _cost(cold, context, is_priced)
    is_warm = warm_cost is not None and (copy_cost is None or warm_cost < copy_cost)
    return WayCosts(
        "warm" if is_warm else "cold",
        _rounded(warm_cost, is_priced),
        _rounded(copy_cost, is_priced),
        "dollars" if is_priced else "inputTokens",
        f"warm: {warm_sum}; cold: {copy_sum}",
    )


def _cost(tokens: prices.CallTokens, context: HostContext, is_priced: bool) -> tuple[float, str]:
    """With the arithmetic. A long request pays the prices of its length."""
    tier = prices.at_length(context.prices, tokens.input_tokens)
    price = ((tier.input if tier else None) or 0) / prices.MILLION if is_priced else 1.0
    return prices.call_cost(tokens, tier) * price, prices.spelled_out(tokens, tier)


def _rounded(cost: float | None, is_priced: bool) -> float | None:
    """In dollars to a millionth if there is a price, else in whole tokens."""
    if cost is None:
        return None
    return round(cost, 6) if is_priced else float(round(cost))
