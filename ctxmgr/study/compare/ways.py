"""Turns a compaction of a recorded session into what it costs a model to write it, both ways: with a copy of the
conversation, and at the end of the list that the session's model was asked with.

Rules:
1. The arithmetic is the engine's (`ctxmgr.summarize.on_context`), so what is cheaper here is what it would choose.
2. Whatever wrote the summary, one call is billed, and its output is as long as the summary is.
3. The provider's cache holds what the last reply was asked with: overhead and the list before it. What came since,
   and the message that asks, are written to it. A pause longer than the cache lives leaves nothing in it.
4. Only in a chain a window bounds the list. Elsewhere nobody knows that of the session's model, and it was asked.
"""

from collections.abc import Sequence

import msgspec

from ctxmgr.model import WeighMessage, prices
from ctxmgr.model.compaction import BranchEntry, CompactionPlan, places_in_list
from ctxmgr.study.observations import PriceSheet
from ctxmgr.summarize import HostContext, SummaryInput, WayCosts, writing

UNBOUNDED = 1 << 40  # tokens


class BilledList(msgspec.Struct, frozen=True):
    """A list before a compaction: its tokens, and those that its last reply was asked with; the times of that reply
    and of its last entry, in milliseconds, None where they are not known."""

    tokens: int
    sent_tokens: int
    asked_ms: int | None = None
    ended_ms: int | None = None


class BothWays(msgspec.Struct, frozen=True, rename="camel"):
    """The costs of `total_count` compactions in all. `cheaper_cost`: of each the way that costs less, `warm_count`
    of them at the end of the list. In dollars, or in tokens of input where that has no price. `warm_cost` and
    `cold_cost` None: for one of them that way was not open."""

    warm_cost: float | None = msgspec.field(name="warm")
    cold_cost: float | None = msgspec.field(name="cold")
    cheaper_cost: float = msgspec.field(name="cheaper")
    warm_count: int = msgspec.field(name="warmCompactions")
    total_count: int = msgspec.field(name="compactions")
    counted_in: str = msgspec.field(name="unit")
    arithmetic: str = ""


def sent(path: Sequence[BranchEntry], weigh: WeighMessage) -> BilledList:
    """Of a branch path, its system prompts not weighed. Rule 3: a reply older than the newest compaction was asked
    with another list."""
    places = places_in_list(path)
    start = places[0] if places and path[places[0]].kind == "compaction" else -1
    replies = (index for index in range(len(path) - 1, start, -1) if path[index].answers)
    reply = next(replies, None)
    before = 0 if reply is None else reply
    weights = {
        index: sum(weigh(message) for message in path[index].messages if not message.system)
        for number, index in enumerate(places)
        if not number or path[index].kind != "compaction"
    }
    return BilledList(
        sum(weights.values()),
        sum(weight for index, weight in weights.items() if index < before),
        None if reply is None else path[reply].time_ms,
        path[-1].time_ms if path else None,
    )


def costs(
    brief: SummaryInput[CompactionPlan],
    listed: BilledList,
    summary_tokens: int,
    sheet: PriceSheet,
    window: int | None = None,
) -> WayCosts | None:
    """Of one compaction; None where there is nothing to ask a model. `window` of the session's model, in tokens."""
    if not (brief.preparation.history or brief.preparation.prefix):
        return None
    cached = sheet.overhead_tokens + listed.sent_tokens
    context = HostContext(
        0 if prices.is_cold(listed.asked_ms, listed.ended_ms, sheet.ttl_ms) else cached,
        sheet.overhead_tokens + listed.tokens,
        window or UNBOUNDED,
        prices=sheet.prices,
    )
    return writing.both_ways(brief, context, summary_tokens)


def together(bills: Sequence[WayCosts]) -> BothWays | None:
    """None of none."""
    if not bills:
        return None
    open_ways = [[cost for cost in (bill.warm_cost, bill.cold_cost) if cost is not None] for bill in bills]
    return BothWays(
        _sum([bill.warm_cost for bill in bills]),
        _sum([bill.cold_cost for bill in bills]),
        round(sum(min(some, default=0.0) for some in open_ways), 6),
        sum(bill.way == "warm" for bill in bills),
        len(bills),
        bills[0].counted_in,
        bills[0].arithmetic if len(bills) == 1 else "",
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None
