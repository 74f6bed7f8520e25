"""What a session is billed by, and what tokens come to by it."""

import msgspec

from ctxmgr.model import PriceTier, TieredPrices

MILLION = 1_000_000
ANTHROPIC = TieredPrices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)


class PriceSheet(msgspec.Struct, frozen=True):
    """What a session is billed by. `ttl_ms`: how long the cache lives, in milliseconds; `overhead_tokens`: of
    system prompt and tools, which every request has beside its list.

    The defaults are the provider's of most recorded sessions, Anthropic's: input at 3 $, output at 15 $ a million,
    reading the cache a tenth of the input price, writing it five quarters, 5 minutes.
    """

    prices: TieredPrices = ANTHROPIC
    ttl_ms: int = 300_000
    overhead_tokens: int = 5_000


def is_cold(before: int | None, now: int | None, ttl_ms: int) -> bool:
    """Has more time passed than the cache lives? Without both times it counts as warm. All in milliseconds."""
    return before is not None and now is not None and now - before > ttl_ms


def dollars(tier: PriceTier, *, read: int = 0, written: int = 0, output: int = 0) -> float:
    """For so many tokens read from the cache, written to it, and put out."""
    return (read * tier.cache_read + written * tier.cache_write + output * tier.output) / MILLION
