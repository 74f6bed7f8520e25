"""What a model's tokens cost, and turns that into rates: what the cache costs as parts of the input price.

The one place that says what a price is. A host tells prices with the model (`wire`), the policy may say them where
it does not: both are these, under the names and within the limits of their door. What a price depends on beside
the kind of token, such as the length of the prompt, belongs here: a further field, a further argument of `rates`.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

CacheKind = Literal["marks", "implicit", "none"]

READ, WRITE = 0.1, 1.25  # of the input price, where no price is known: Anthropic's, 5 minutes
OUTPUT = 5.0  # of the input price, where no price is known: Anthropic's, and of most others
MILLION = 1_000_000
DEAREST_SHARE = 10.0  # of the input price: no provider's is near it, so what is above is a slip


class BaseTier(msgspec.Struct, frozen=True, omit_defaults=True):
    """Dollars per million tokens of a request whose input has more than `above_tokens` tokens: of all of it. None:
    not told, as much dearer as input is."""

    above_tokens: int
    input: float
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class BasePrices(msgspec.Struct, frozen=True, omit_defaults=True):
    """Dollars per million tokens; None: not told, and so is 0 but for `cache_read`, which may be free. `tiers`: of
    longer requests. As snapshots have them."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    tiers: tuple[BaseTier, ...] = ()


class PriceTier(BaseTier, frozen=True, omit_defaults=False):
    """The same with nothing that is not told."""

    above_tokens: int = 0
    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0


class TieredPrices(BasePrices, frozen=True, omit_defaults=True):
    """Prices of requests however long they are; `tiers`: what longer ones cost instead. What is not told costs
    nothing."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    tiers: tuple[PriceTier, ...] = ()

    def tier(self, input_tokens: int) -> PriceTier:
        """What a request of so much input pays: the tier with the largest bound that it is above."""
        below = [tier for tier in self.tiers if input_tokens > tier.above_tokens]
        if below:
            return max(below, key=lambda tier: tier.above_tokens)
        return PriceTier(0, self.input, self.output, self.cache_read, self.cache_write)


class Rates(msgspec.Struct, frozen=True):
    """Prices of a cached token and of one written to the cache, as parts of the input price."""

    cache_read: float = READ
    cache_write: float = WRITE


class CallTokens(msgspec.Struct, frozen=True):
    """Of one request: read from a cache, written to one, new input that neither is, and output."""

    read_tokens: int = 0
    written_tokens: int = 0
    new_tokens: int = 0
    output_tokens: int = 0

    @property
    def input_tokens(self) -> int:
        return self.read_tokens + self.written_tokens + self.new_tokens


def at_length(prices: BasePrices | None, input_tokens: int) -> BasePrices | None:
    """What a request of so much input pays: of prices with tiers those of its tier."""
    if not isinstance(prices, TieredPrices):
        return prices
    tier = prices.tier(input_tokens)
    return BasePrices(tier.input, tier.output, tier.cache_read, tier.cache_write)


def call_cost(tokens: CallTokens, prices: BasePrices | None) -> float:
    """What a request comes to, in tokens of input that no cache held."""
    by, output = rates(prices), output_share(prices)
    return (
        tokens.read_tokens * by.cache_read
        + tokens.written_tokens * by.cache_write
        + tokens.new_tokens
        + tokens.output_tokens * output
    )


def dollars(tokens: CallTokens, known: BasePrices | None, whole_tokens: int = 0) -> float | None:
    """What these tokens cost, of a request of so many in all where it has more; None where no price is known."""
    by = at_length(known, max(tokens.input_tokens, whole_tokens))
    if by is None or not by.input:
        return None
    return round(call_cost(tokens, by) * by.input / MILLION, 6)


def spelled_out(tokens: CallTokens, prices: BasePrices | None) -> str:
    """The same as a sum that a person can check: `9,000 read x 0.1 + 200 written x 1.25`."""
    by = rates(prices)
    parts = (
        (tokens.read_tokens, "read", by.cache_read),
        (tokens.written_tokens, "written", by.cache_write),
        (tokens.new_tokens, "new", 1.0),
        (tokens.output_tokens, "put out", output_share(prices)),
    )
    return " + ".join(f"{count:,} {what} x {price:g}" for count, what, price in parts if count) or "nothing"


def output_share(prices: BasePrices | None) -> float:
    """The price of output, as a part of the input price."""
    if prices is None or prices.input is None or not prices.input > 0 or not prices.output:
        return OUTPUT
    return prices.output / prices.input


def base_prices(prices: BasePrices | None) -> BasePrices | None:
    """These prices without what a door adds to them; a price of 0 is none, but of reading the cache."""
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
    """The place of the first that begins above as many tokens as one before it, None where there is none."""
    bounds = [tier.above_tokens for tier in tiers]
    return next((number for number, bound in enumerate(bounds) if bound in bounds[:number]), None)


def in_force(host: BasePrices | None, policy: BasePrices | None) -> BasePrices | None:
    """The host's where it tells the price of input, else the policy's."""
    return host if policy is None or (host is not None and (host.input or 0) > 0) else policy


def rates(prices: BasePrices | None) -> Rates:
    """Of a model. What is not told is as most providers have it: reading the cache for nothing is free, and where
    reading is told and writing is not, writing costs what input does. What no provider asks counts as not told."""
    if prices is None or prices.input is None or not prices.input > 0:
        return Rates()
    read, write = _share(prices.cache_read, prices.input), _share(prices.cache_write, prices.input)
    if prices.cache_read == 0:
        read = 0.0
    if write is None:
        write = WRITE if read is None else 1.0
    return Rates(min(READ if read is None else read, write), write)


def _share(price: float | None, of: float) -> float | None:
    """None where it is not told, or absurd (infinite and no number too)."""
    share = price / of if price is not None and of < float("inf") else 0.0
    return share if 0 < share <= DEAREST_SHARE else None


MOST_LIFETIME_MS = 86_400_000  # no provider keeps a start longer: a day is OpenAI's longest
LIFETIME_MS = 300_000  # of a cached start since it was last read: Anthropic's, and near that of most others


class CacheRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of one provider.

    `kind`: "marks": a start is kept up to each mark that a request sets; "implicit": every start is; "none":
    nothing. `most_marks`: in one request. `look_back_blocks`: a start kept earlier is found where it ends fewer
    content blocks before a mark; 0: however far. `least_tokens`: a shorter start is not kept. `step_tokens`: what
    is read is a multiple of these. `lifetime_ms`: of a start that nobody reads; `renews`: each read begins it anew.
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
OWN_MARKS = 2  # that hosts set outside of a list, on system prompt and tools, where they do not say
NO_CACHE = CacheRule("none", lifetime_ms=0, renews=False)


def is_cold(before_ms: int | None, now_ms: int | None, lifetime_ms: int) -> bool:
    """Whether more time has passed than a cache lives. Without both times it counts as warm."""
    return before_ms is not None and now_ms is not None and now_ms - before_ms > lifetime_ms
