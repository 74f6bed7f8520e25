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
    return ClosedLoop(tuple(meter.call(call, sheet) for call in _seen(sights, known)))


def _seen(sights: Sequence[Observation], known: MessageCache) -> Iterator[MeasuredCall]:
    def keyed(message: HostMessage) -> KeyedMessage:
        return KeyedMessage((message.id, message.raw), known.message(message.raw))

    def placed(message: ProjectedMessage, sight: Observation) -> ListMessage:
        item = sight.items[message.index] if in_place(sight, message) else None
        return ListMessage(message.raw, None if item is None else (item.id, item.raw))

    last: Observation | None = None
    for sight, came in zip(sights, new_messages(sights), strict=True):
        summaries: tuple[bytes, ...] = ()
        if last is not None:
            there = {shown.raw for shown in last.items if shown.role == SUMMARY}
            summaries = tuple(
                shown.raw for shown in sight.items if shown.role == SUMMARY and shown.raw not in there
            )
        yield MeasuredCall(
            tuple(map(keyed, came)),
            tuple(placed(message, sight) for message in sight.projected_messages),
            (keyed(sight.reply),),
            sight.time_ms,
            summaries,
        )
        last = sight


def floor(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> float:
    """Dollars that no policy costs less than that shows each message once: the overhead read at each call, every
    message written once, at the prices of the lowest tier."""
    tokens = sum(known.weight(message.raw) for came in new_messages(sights) for message in came)
    return dollars(sheet.prices.tier(0), read=len(sights) * sheet.overhead_tokens, written=tokens)
