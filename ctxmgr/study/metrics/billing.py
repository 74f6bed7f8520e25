"""Turns what a model was shown into what its input costs where the provider caches prompts by prefix.

Rules (DESIGN section 6):

1. A call reads from the cache what its provider keeps (`closed_loop.prompt_cache`): as the sheet has it that says
   nothing, the longest start that its list has in common with the list of the call before, message by message. It
   writes the rest. Both have a price of their own, as a share of the input price.
2. Cold: where more time than the cache's lifetime has passed since the call before. A call refreshes what it reads.
   Without both times it counts as warm.
3. The first call writes all.
4. Weights are those of the conversation, uncalibrated: no system prompt, no tools, no output. They are the same
   for every preset, so a saving here is a larger share than on a bill.
5. A request that is longer than a tier's bound (the overhead counts) pays that tier's prices for all of it.
"""

from collections.abc import Callable, Hashable, Sequence

import msgspec

from ctxmgr.closed_loop import PriceSheet, PromptCache, dollars, is_cold, without
from ctxmgr.model import CallTokens
from ctxmgr.study.metrics.marking import marker
from ctxmgr.study.metrics.observations import Observation, ProjectedMessage, same_start


class Billed(msgspec.Struct, frozen=True, gc=False):
    """One call. Weights in tokens, money in dollars. `cached`: of the start in common with the call before, cold
    or not; `cached_bytes` the same in bytes. `warm`: the money, were the cache never cold.

    `broke`: the list before is no start of this one. `announced`: the report named a new epoch.
    """

    tokens: int
    cached: int
    cached_bytes: int
    cold: bool
    broke: bool
    announced: bool
    money: float = 0.0
    warm: float = 0.0


class Bill(msgspec.Struct, frozen=True):
    """All calls of a session. `money` and `warm` in dollars."""

    calls: tuple[Billed, ...]

    @property
    def money(self) -> float:
        return sum(call.money for call in self.calls)

    @property
    def warm(self) -> float:
        return sum(call.warm for call in self.calls)

    @property
    def tokens(self) -> int:
        return sum(call.tokens for call in self.calls)

    @property
    def breaks(self) -> int:
        return sum(call.broke for call in self.calls)

    @property
    def unannounced(self) -> int:
        """Breaks without a new epoch."""
        return sum(call.broke and not call.announced for call in self.calls)

    @property
    def cold(self) -> int:
        return sum(call.cold for call in self.calls)


def _one(raw: bytes) -> int:
    return 1


def bill(
    sights: Sequence[Observation],
    sheet: PriceSheet,
    weigh: Callable[[bytes], int],
    blocks: Callable[[bytes], int] = _one,
) -> Bill:
    """`weigh`: bytes of a message to tokens; `blocks`: to its content blocks."""

    def size(raw: Hashable) -> tuple[int, int]:
        assert isinstance(raw, bytes), "a message goes by its bytes"
        return weigh(raw), blocks(raw)

    calls: list[Billed] = []
    before: Observation | None = None
    made = marker(sheet)
    warm, timed = (PromptCache(size, made and made(), timed) for timed in (False, True))
    for sight in sights:
        raws = [one.raw for one in sight.projected_messages]
        with_warm, money = (_list_dollars(sheet, cache.call(raws, sheet, sight.time_ms)) for cache in (warm, timed))
        billed = _told(before, sight, sheet, weigh)
        calls.append(msgspec.structs.replace(billed, money=money, warm=with_warm))
        before = sight
    return Bill(tuple(calls))


def _list_dollars(sheet: PriceSheet, tokens: CallTokens) -> float:
    """Rules 4 and 5."""
    listed, tier = without(tokens, sheet.overhead_tokens), sheet.prices.tier(tokens.input_tokens)
    return dollars(tier, read=listed.read_tokens, written=listed.written_tokens, new=listed.new_tokens)


def _told(
    before: Observation | None, sight: Observation, sheet: PriceSheet, weigh: Callable[[bytes], int]
) -> Billed:
    """Without the money."""
    old: Sequence[ProjectedMessage] = before.projected_messages if before else ()
    common = same_start(old, sight.projected_messages)
    weights = [weigh(one.raw) for one in sight.projected_messages]
    tokens, cached = sum(weights), sum(weights[:common])
    cold = before is not None and is_cold(before.time_ms, sight.time_ms, sheet.ttl_ms)
    return Billed(
        tokens=tokens,
        cached=cached,
        cached_bytes=sum(len(one.raw) for one in sight.projected_messages[:common]),
        cold=cold,
        broke=common < len(old),
        announced=before is not None and before.epoch_number != sight.epoch_number,
    )
