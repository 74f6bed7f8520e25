"""What a session is billed by, and what tokens come to by it."""

from typing import Literal

import msgspec

from ctxmgr.model import CacheRule, CallTokens, PriceTier, TieredPrices

MILLION = 1_000_000
ANTHROPIC = TieredPrices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)


class PriceSheet(msgspec.Struct, frozen=True):
    """What a session is billed by. `ttl_ms`: how long the cache lives, in milliseconds; `overhead_tokens`: of
    system prompt and tools, which every request has beside its list. `rule`: how the provider caches; None:
    ideally, all that a list has in common with the one before. `marks`: of a provider that takes them, where they
    stand: as ctxmgr says (`ours`), or on the newest message (`host`). `part_tokens`: what a re-fetch brings of an
    original at most, around what was asked for; None: all of it.

    The defaults are the provider's of most recorded sessions, Anthropic's: input at 3 $, output at 15 $ a million,
    reading the cache a tenth of the input price, writing it five quarters, 5 minutes; but cached ideally.
    """

    prices: TieredPrices = ANTHROPIC
    ttl_ms: int = 300_000
    overhead_tokens: int = 5_000
    rule: CacheRule | None = None
    marks: Literal["ours", "host"] = "ours"
    part_tokens: int | None = None

    @property
    def caching(self) -> str:
        """The way of caching, in a word."""
        if self.rule is None:
            return "ideal"
        return "host-marks" if self.rule.kind == "marks" and self.marks == "host" else self.rule.kind


def is_cold(before: int | None, now: int | None, ttl_ms: int) -> bool:
    """Has more time passed than the cache lives? Without both times it counts as warm. All in milliseconds."""
    return before is not None and now is not None and now - before > ttl_ms


def dollars(tier: PriceTier, *, read: int = 0, written: int = 0, new: int = 0, output: int = 0) -> float:
    """For so many tokens read from the cache, written to it, neither, and put out."""
    sums = read * tier.cache_read + written * tier.cache_write + output * tier.output
    return (sums + new * tier.input) / MILLION


def input_dollars(sheet: PriceSheet, tokens: CallTokens) -> float:
    """For the input of a request, all of it at the prices of its length."""
    tier = sheet.prices.tier(tokens.input_tokens)
    return dollars(tier, read=tokens.read_tokens, written=tokens.written_tokens, new=tokens.new_tokens)


def without(tokens: CallTokens, beside: int) -> CallTokens:
    """Of a request what comes to its list alone: the first `beside` tokens, which stand before it, go."""
    read = min(beside, tokens.read_tokens)
    written = min(beside - read, tokens.written_tokens)
    new = beside - read - written
    return CallTokens(tokens.read_tokens - read, tokens.written_tokens - written, tokens.new_tokens - new)
