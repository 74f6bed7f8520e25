"""Has the host's model write a summary at the end of its own list, if that is cheaper.

Rules:
1. The host's last request is in its provider's cache, so with one more message it is read at the cache price, while
   a copy of the conversation is new input. A shortened copy saves what was cut. The cheaper way is used.
2. Only if one call writes everything, and list, message and answer fit the window.
3. An answer is judged like any other. If it is unusable, the copy is used, and the details say so; not if the call
   was cancelled, since whoever cancelled has no more time.
"""

from typing import Any, Literal

import msgspec

from ctxmgr.model import prices
from ctxmgr.model.compaction import (
    Asking,
    CompactionPlan,
    CompletionRequest,
    Result,
)
from ctxmgr.summarize import compacting
from ctxmgr.summarize.asks import ShapedRequest, SummaryFailed, answer, give_up
from ctxmgr.summarize.brief import CompletionFailure, HostContext, SummaryInput, SummaryUsage
from ctxmgr.summarize.formats import Shape
from ctxmgr.summarize.parse import AcceptedAnswer, RejectedAnswer
from ctxmgr.summarize.previous_summary import PreviousSummary
from ctxmgr.summarize.prompts import on_context_prompt

STRATEGY = "single-shot"  # the only strategy with a single call
LABEL = "at the end of the host's list"


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
    copy = compacting.written(brief, shape, past)
    context = brief.context if brief.strategy == STRATEGY else None
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
            if compacting.is_longer(brief, accepted.text, past):
                give_up(RejectedAnswer("too long", "more than what it replaces"), LABEL)
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


def copied_tokens(brief: SummaryInput[CompactionPlan], shape: Shape, past: PreviousSummary) -> int | None:
    """The input of the calls with a copy, by `brief.weigh`; None if none fits the window."""
    copy = compacting.written(msgspec.structs.replace(brief, usage=SummaryUsage()), shape, past)
    asks, _ = _first(copy)
    copy.close()
    return None if asks is None else _weight(brief, asks)


def instruction_tokens(brief: SummaryInput[CompactionPlan], shape: Shape) -> int:
    """The message at the end of the host's list."""
    return brief.weigh(_ask(brief, shape).prompt)


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
    output = compacting.history_output(brief, shape)
    texts = (message.content.text for message in brief.preparation.recent)
    stays = next((" ".join(text.split()) for text in texts if text and text.strip()), "")
    text = on_context_prompt(shape, brief.instructions, stays=stays, scratchpad=brief.scratchpad, most=output)
    return CompletionRequest("history", "", text, output, LABEL, on_context=True)


def _weight(brief: SummaryInput[CompactionPlan], asks: tuple[CompletionRequest, ...]) -> int:
    return sum(brief.weigh(request.system) + brief.weigh(request.prompt) for request in asks)


def way_costs(context: HostContext, instruction: int, copied: int | None, output: int) -> WayCosts:
    """Rule 1. `instruction` and `copied`, the input with a copy (None: does not fit), by `weigh`; `output`: tokens
    of either answer.
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
