"""What a model's tokens cost, and the rates derived from it: the price of the cache as a fraction of the input
price.

This is the only definition of a price. A host reports prices with the model (`wire`); the policy may set those that
the host does not. Both use these structs, with the names and limits of their own interface. Anything else that a
price depends on, such as the length of the prompt, belongs here, as another field and another argument of `rates`.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

CacheKind = Literal["marks", "implicit", "none"]

READ, WRITE = 0.1, 1.25  # of the input price, if no price is known: Anthropic's, 5 minutes
OUTPUT = 5.0  # of the input price, if no price is known: that of Anthropic and most others
MILLION = 1_000_000
DEAREST_SHARE = 10.0  # of the input price; no provider is near it, so a larger share is a mistake


class BaseTier(msgspec.Struct, frozen=True, omit_defaults=True):
    """Dollars per million tokens of a request with more than `above_tokens` input tokens, for all its tokens. None:
    unknown, and then in the same proportion as `input`.
    """

    above_tokens: int
    input: float
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class BasePrices(msgspec.Struct, frozen=True, omit_defaults=True):
    """Dollars per million tokens. None: unknown. 0 also means unknown, except for `cache_read`, which may be free.
    `tiers`: prices of longer requests. Stored in snapshots.
    """

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    tiers: tuple[BaseTier, ...] = ()


class PriceTier(BaseTier, frozen=True, omit_defaults=False):
    """A tier in which every price is known."""

    above_tokens: int = 0
    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0


class TieredPrices(BasePrices, frozen=True, omit_defaults=True):
    """Prices of requests of any length. `tiers`: the prices of longer ones. A missing price is 0."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    tiers: tuple[PriceTier, ...] = ()

    def tier(self, input_tokens: int) -> PriceTier:
        """The prices for a request with this much input: those of the highest tier that it exceeds."""
        below = [tier for tier in self.tiers if input_tokens > tier.above_tokens]
        if below:
            return max(below, key=lambda tier: tier.above_tokens)
        return PriceTier(0, self.input, self.output, self.cache_read, self.cache_write)


class Rates(msgspec.Struct, frozen=True):
    """The prices of a token read from the cache and of one written to it, as fractions of the input price."""

    cache_read: float = READ
    cache_write: float = WRITE


class CallTokens(msgspec.Struct, frozen=True):
    """The tokens of one request: read from the cache, written to it, other input, and output."""

    read_tokens: int = 0
    written_tokens: int = 0
    new_tokens: int = 0
    output_tokens: int = 0

    @property
    def input_tokens(self) -> int:
        return self.read_tokens + self.written_tokens + self.new_tokens


def at_length(prices: BasePrices | None, input_tokens: int) -> BasePrices | None:
    """The prices for a request with this much input: those of its tier, if there are tiers."""
    if not isinstance(prices, TieredPrices):
        return prices
    tier = prices.tier(input_tokens)
    return BasePrices(tier.input, tier.output, tier.cache_read, tier.cache_write)


def call_cost(tokens: CallTokens, prices: BasePrices | None) -> float:
    """The cost of a request, in tokens of uncached input."""
    by, output = rates(prices), output_share(prices)
    return (
        tokens.read_tokens * by.cache_read
        + tokens.written_tokens * by.cache_write
        + tokens.new_tokens
        + tokens.output_tokens * output
    )


def dollars(tokens: CallTokens, known: BasePrices | None, whole_tokens: int = 0) -> float | None:
    """The cost of these tokens. `whole_tokens`: the input tokens of the whole request, if it has more. Returns None
    if no price is known.
    """
    by = at_length(known, max(tokens.input_tokens, whole_tokens))
    if by is None or not by.input:
        return None
    return round(call_cost(tokens, by) * by.input / MILLION, 6)


def spelled_out(tokens: CallTokens, prices: BasePrices | None) -> str:
    """The cost as a sum that a person can check: `9,000 read x 0.1 + 200 written x 1.25`."""
    by = rates(prices)
    parts = (
        (tokens.read_tokens, "read", by.cache_read),
        (tokens.written_tokens, "written", by.cache_write),
        (tokens.new_tokens, "new", 1.0),
        (tokens.output_tokens, "put out", output_share(prices)),
    )
    return " + ".join(f"{count:,} {what} x {price:g}" for count, what, price in parts if count) or "nothing"


def output_share(prices: BasePrices | None) -> float:
    """The price of output, as a fraction of the input price."""
    if prices is None or prices.input is None or not prices.input > 0 or not prices.output:
        return OUTPUT
    return prices.output / prices.input


def base_prices(prices: BasePrices | None) -> BasePrices | None:
    """These prices without the fields of an interface's subclass. A price of 0 becomes None, except for cache
    reads.
    """
    if prices is None:
        return None
    return BasePrices(
        prices.input or None,
        prices.output or None,
        prices.cache_read if prices.input else prices.cache_read or None,
        prices.cache_write or None,
        tuple(_base_tier(tier) for tier in prices.tiers),
    )


def _base_tier(tier: BaseTier) -> BaseTier:
    rest = tier.output or None, tier.cache_read, tier.cache_write or None
    return BaseTier(int(tier.above_tokens), tier.input, *rest)


def double_tier(tiers: Sequence[BaseTier]) -> int | None:
    """The index of the first tier with the same bound as an earlier one, or None."""
    bounds = [tier.above_tokens for tier in tiers]
    return next((number for number, bound in enumerate(bounds) if bound in bounds[:number]), None)


def in_force(host: BasePrices | None, policy: BasePrices | None) -> BasePrices | None:
    """The host's prices if it reports one for input, otherwise the policy's."""
    return host if policy is None or (host is not None and (host.input or 0) > 0) else policy


def rates(prices: BasePrices | None) -> Rates:
    """The rates of a model. For missing prices: reading the cache for nothing is free; if the read price is known
    and the write price is not, a write costs as much as input; otherwise the defaults above. A price that no
    provider asks counts as missing.
    """
    if prices is None or prices.input is None or not prices.input > 0:
        return Rates()
    read, write = _share(prices.cache_read, prices.input), _share(prices.cache_write, prices.input)
    if prices.cache_read == 0:
        read = 0.0
    if write is None:
        write = WRITE if read is None else 1.0
    return Rates(min(READ if read is None else read, write), write)


def _share(price: float | None, of: float) -> float | None:
    """The fraction, or None if the price is missing or absurd (also infinite or not a number)."""
    share = price / of if price is not None and of < float("inf") else 0.0
    return share if 0 < share <= DEAREST_SHARE else None


MOST_LIFETIME_MS = 86_400_000  # no provider keeps an entry longer; a day is OpenAI's longest
LIFETIME_MS = 300_000  # of a cache entry since its last read: Anthropic's, and close to most others'


class CacheRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a provider caches.

    `kind`: "marks": a prefix is cached up to each mark that a request sets; "implicit": every prefix is cached;
    "none": nothing. `most_marks`: in one request. `look_back_blocks`: an earlier entry is found if it ends fewer
    content blocks before a mark; 0: no limit. `least_tokens`: shorter prefixes are not cached. `step_tokens`: reads
    are a multiple of this. `lifetime_ms`: of an entry that is not read. `renews`: whether each read restarts the
    lifetime.
    """

    kind: CacheKind = "implicit"
    most_marks: int = 0
    look_back_blocks: int = 0
    least_tokens: int = 0
    step_tokens: int = 1
    lifetime_ms: int = LIFETIME_MS
    renews: bool = True


MARKS = CacheRule("marks", most_marks=4, look_back_blocks=20, least_tokens=1_024)  # Anthropic's
IMPLICIT = CacheRule("implicit", least_tokens=1_024, step_tokens=128)  # OpenAI's
OWN_MARKS = 2  # marks that hosts set outside of a list, on system prompt and tools, if they do not say
NO_CACHE = CacheRule("none", lifetime_ms=0, renews=False)


def is_cold(before_ms: int | None, now_ms: int | None, lifetime_ms: int) -> bool:
    """Whether a cache entry has expired between these times. Without both times, it has not."""
    return before_ms is not None and now_ms is not None and now_ms - before_ms > lifetime_ms
