"""What a model was shown in a driven session as its closed-loop cost (`ctxmgr.closed_loop`), call by call.

`billed`: input of all lists, as if no cache were ever cold; `closed`: and the re-fetches. `all`: the same with cold
caches, with summaries as if a model had written them, and with the recorded output of all calls.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.closed_loop import KeyedMessage, ListMessage, LoopCall, LoopMeter, MeasuredCall
from ctxmgr.study.hosts import HostMessage
from ctxmgr.study.observations import (
    SUMMARY,
    MessageCache,
    Observation,
    PriceSheet,
    ProjectedMessage,
    dollars,
    in_place,
    marker,
    new_messages,
)


class ClosedLoop(msgspec.Struct, frozen=True):
    """One session under one policy. All in dollars but the counts."""

    calls: tuple[LoopCall, ...]

    @property
    def billed(self) -> float:
        return sum(call.list_dollars for call in self.calls)

    @property
    def closed(self) -> float:
        return sum(call.warm + call.refetched for call in self.calls)

    @property
    def all(self) -> float:
        return sum(call.actual + call.refetched + call.output + call.summary_dollars for call in self.calls)

    @property
    def fetches(self) -> int:
        return sum(call.fetches for call in self.calls)

    @property
    def in_100(self) -> float | None:
        """Re-fetches in 100 calls."""
        return 100 * self.fetches / len(self.calls) if self.calls else None


def closed_loop(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> ClosedLoop:
    """All calls of one session, oldest first. Weights as `known` weighs."""
    meter = LoopMeter(known, marker=marker(sheet))
    return ClosedLoop(tuple(meter.call(one, sheet) for one in _seen(sights, known)))


def _seen(sights: Sequence[Observation], known: MessageCache) -> Iterator[MeasuredCall]:
    def keyed(one: HostMessage) -> KeyedMessage:
        return KeyedMessage((one.id, one.raw), known.message(one.raw))

    def placed(one: ProjectedMessage, sight: Observation) -> ListMessage:
        item = sight.items[one.index] if in_place(sight, one) else None
        return ListMessage(one.raw, None if item is None else (item.id, item.raw))

    last: Observation | None = None
    for sight, came in zip(sights, new_messages(sights), strict=True):
        summaries: tuple[bytes, ...] = ()
        if last is not None:
            there = {one.raw for one in last.items if one.role == SUMMARY}
            summaries = tuple(one.raw for one in sight.items if one.role == SUMMARY and one.raw not in there)
        yield MeasuredCall(
            tuple(map(keyed, came)),
            tuple(placed(one, sight) for one in sight.projected_messages),
            (keyed(sight.reply),),
            sight.time_ms,
            summaries,
        )
        last = sight


def floor(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> float:
    """Dollars that no policy costs less than that shows each message once: the overhead read at each call, every
    message written once, at the prices of the lowest tier."""
    tokens = sum(known.weight(one.raw) for came in new_messages(sights) for one in came)
    return dollars(sheet.prices.tier(0), read=len(sights) * sheet.overhead_tokens, written=tokens)
