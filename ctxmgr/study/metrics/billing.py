"""Turns what a model was shown into what its input costs where the provider caches prompts by prefix.

Rules (DESIGN section 6):

1. A call reads from the cache the longest start that its list has in common with the list of the call before,
   message by message, and writes the rest. Both have a price of their own, as a share of the input price.
2. Cold: where more time than the cache's lifetime has passed since the call before, all is written. A call
   refreshes what it reads. Without both times it counts as warm.
3. The first call writes all. Only one list is cached: providers keep older ones too, but no projection goes back.
4. Weights are those of the conversation, uncalibrated: no system prompt, no tools, no output. They are the same
   for every preset, so a saving here is a larger share than on a bill.
"""

from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.study.metrics.observations import Shown, Sight, same_start

MILLION = 1_000_000


class Prices(msgspec.Struct, frozen=True):
    """`input` in dollars a million tokens; `read` and `write` as shares of it; `ttl_ms`: how long the
    cache lives, in milliseconds.

    The defaults are the provider's of most recorded sessions, Anthropic's: 3 $, a tenth, five quarters, 5 minutes.
    """

    input: float = 3.0
    read: float = 0.1
    write: float = 1.25
    ttl_ms: int = 300_000


class Billed(msgspec.Struct, frozen=True, gc=False):
    """One call. Weights in tokens, money in dollars. `cached`: of the start in common with the call before, cold
    or not; `cached_bytes` the same in bytes. `warm`: the money, were the cache never cold.

    `broke`: the list before is no start of this one. `announced`: the report named a new epoch.
    """

    tokens: int
    cached: int
    cached_bytes: int
    money: float
    warm: float
    cold: bool
    broke: bool
    announced: bool


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


def bill(sights: Sequence[Sight], prices: Prices, weigh: Callable[[bytes], int]) -> Bill:
    """`weigh`: bytes of a message to tokens."""
    calls: list[Billed] = []
    before: Sight | None = None
    for sight in sights:
        calls.append(_billed(before, sight, prices, weigh))
        before = sight
    return Bill(tuple(calls))


def _billed(before: Sight | None, sight: Sight, prices: Prices, weigh: Callable[[bytes], int]) -> Billed:
    old: Sequence[Shown] = before.shown if before else ()
    common = same_start(old, sight.shown)
    weights = [weigh(one.raw) for one in sight.shown]
    tokens, cached = sum(weights), sum(weights[:common])
    cold = before is not None and is_cold(before.at, sight.at, prices.ttl_ms)
    warm = money(cached, tokens - cached, prices)
    return Billed(
        tokens=tokens,
        cached=cached,
        cached_bytes=sum(len(one.raw) for one in sight.shown[:common]),
        money=money(0, tokens, prices) if cold else warm,
        warm=warm,
        cold=cold,
        broke=common < len(old),
        announced=before is not None and before.epoch != sight.epoch,
    )


def is_cold(before: int | None, now: int | None, ttl_ms: int) -> bool:
    """Rule 2; both times in milliseconds."""
    return before is not None and now is not None and now - before > ttl_ms


def money(read: int, written: int, prices: Prices) -> float:
    """Dollars for so many tokens read from the cache and written to it."""
    return (read * prices.read + written * prices.write) * prices.input / MILLION
