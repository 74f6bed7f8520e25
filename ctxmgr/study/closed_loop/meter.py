"""What a model was shown in a driven session as its closed-loop cost (`ctxmgr.closed_loop`), call by call; and
where the money for the input goes, were no cache ever cold.

`closed`: input of all calls, as if no cache were ever cold, and the re-fetches. `all`: the same with cold caches,
with summaries as if a model had written them, and with the recorded output of all calls. Where the money goes:

1. Overhead is read at each call; so is what the provider's cache has of a list (`closed_loop.prompt_cache`).
2. All else of a list is a message of the conversation, as it came, for the first time; or it is *rewritten*: one
   that was sent before, or one that a policy or the host made (packet, shortened result, summary). What of it is
   written to the cache, and what is new input, is the same share of both.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ctxmgr.closed_loop import KeyedMessage, ListMessage, LoopCall, LoopMeter, MeasuredCall
from ctxmgr.model import PriceTier
from ctxmgr.study.hosts import HostMessage
from ctxmgr.study.metrics import (
    SUMMARY,
    MessageCache,
    Observation,
    PriceSheet,
    ProjectedMessage,
    PromptCache,
    dollars,
    in_place,
    input_dollars,
    marker,
    new_messages,
    same_start,
    without,
)


class BillParts(msgspec.Struct, frozen=True):
    """All in dollars."""

    overhead: float = 0.0
    first_writes: float = 0.0
    rewritten: float = 0.0
    reads: float = 0.0

    @property
    def total(self) -> float:
        return self.overhead + self.first_writes + self.rewritten + self.reads


class ClosedLoop(msgspec.Struct, frozen=True):
    """One session under one policy. `parts`: of the input alone of lists without what came back, warm."""

    parts: BillParts
    calls: tuple[LoopCall, ...]

    @property
    def billed(self) -> float:
        return self.parts.total

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
    calls = tuple(meter.call(one, sheet) for one in _seen(sights, known))
    return ClosedLoop(bill_parts(sights, known, sheet), calls)


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


def bill_parts(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> BillParts:
    """All calls of one session, oldest first. Tiers count the overhead and the list."""
    overhead = first_writes = rewritten = reads = 0.0
    before: tuple[ProjectedMessage, ...] = ()
    sent: set[tuple[str, bytes]] = set()
    cache = PromptCache(known.size, (made := marker(sheet)) and made())
    for sight in sights:
        same = same_start(before, sight.projected_messages)
        first = 0
        for one in sight.projected_messages[same:]:
            key = (sight.items[one.index].id, one.raw) if in_place(sight, one) else None
            if key is not None and key not in sent:
                sent.add(key)
                first += known.weight(one.raw)
        tokens = cache.call([one.raw for one in sight.projected_messages], sheet, sight.time_ms)
        tier = sheet.prices.tier(tokens.input_tokens)
        listed = without(tokens, sheet.overhead_tokens)
        unread = listed.written_tokens + listed.new_tokens
        share = listed.written_tokens / unread if unread else 0.0
        read = dollars(tier, read=listed.read_tokens)
        reads += read
        overhead += input_dollars(sheet, tokens) - read - _unread(tier, unread, share)
        first_writes += _unread(tier, first, share)
        rewritten += _unread(tier, unread - first, share)
        before = sight.projected_messages
    return BillParts(overhead, first_writes, rewritten, reads)


def _unread(tier: PriceTier, tokens: int, share: float) -> float:
    """Dollars for so many tokens, of which this share is written to the cache."""
    return share * dollars(tier, written=tokens) + (1 - share) * dollars(tier, new=tokens)
