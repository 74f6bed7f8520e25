"""Turns prices that somebody told into prices of requests however long they are, and of a start kept for longer.

1. A host or the policy may tell what longer requests cost. What is left out there is dearer as input is.
2. Who tells the plain prices alone has told nothing of longer requests: what is known of this very model holds, in
   proportion to its plain prices.
3. Who tells a part of the plain prices has told nothing of the rest: what is known of this very model holds, in
   proportion to its input. What is known of nobody, as many a price of reading, stays untold.
4. A start that is kept for longer than usual is dearer to write. What is known is written at the price that is
   known of the longer life, in each tier as many times its input.
5. A told write is dearer where it is the known one of the usual life, as many times the told input: price lists of
   hosts have one write a model. So is one that nobody told, of a model that is known itself. Any other is a word
   of its own, and stays.
6. A life that no provider keeps says that the host keeps its cache warm by itself: its writes are the usual ones.
"""

from collections.abc import Iterable

import msgspec

from ctxmgr.known_models.registry import ModelFacts
from ctxmgr.model import BasePrices, BaseTier, PriceTier, TieredPrices
from ctxmgr.model import prices as model_prices


def with_tiers(given: BasePrices | None, known: TieredPrices | None) -> BasePrices | None:
    """`known`: of the model itself, not of one that is like it. What is not told of the plain prices is as rates
    are where nobody tells; without tiers `given` comes back as it is."""
    if given is None or not given.input:
        return given
    plain = _plain(given)
    if given.tiers:
        return _with(plain, (_price_tier(tier, plain) for tier in given.tiers))
    if known is None or not known.tiers or not known.input > 0:
        return given
    return _with(plain, (_in_proportion(tier, plain, known) for tier in known.tiers))


def completed(given: BasePrices | None, facts: ModelFacts, batch: bool = False) -> BasePrices | None:
    """Rule 3. `batch`: by the prices of requests that may wait, where these are known. With nothing to add `given`
    comes back as it is; a price of 0 is not told, but of reading the cache."""
    known = itself(facts, batch)
    if given is None or not given.input or known is None:
        return given
    times = given.input / known.input
    missing: dict[str, float] = {}
    if not given.output:
        missing["output"] = _rounded(times * known.output)
    if given.cache_read is None and facts.has_read_price:
        missing["cache_read"] = _rounded(times * known.cache_read)
    if not given.cache_write:
        missing["cache_write"] = _rounded(times * known.cache_write)
    return msgspec.structs.replace(given, **missing) if missing else given


def itself(facts: ModelFacts, batch: bool = False) -> TieredPrices | None:
    """What is known of the very model's prices, not of one that is like it."""
    own = nearest(facts) if facts.matched == "model" else None
    return facts.batch if own is not None and batch and facts.batch is not None else own


def nearest(facts: ModelFacts) -> TieredPrices | None:
    """What is known of the model's prices, else of those of the nearest of its family."""
    return facts.prices if facts.prices is not None and facts.prices.input > 0 else None


def tiered(given: BasePrices, facts: ModelFacts) -> TieredPrices:
    """Rules 1 to 3, with nothing that is not told."""
    whole = completed(given, facts) or given
    held = with_tiers(whole, itself(facts))
    return held if isinstance(held, TieredPrices) else _plain(whole)


def _rounded(dollars: float) -> float:
    return round(dollars, 6)


def _plain(given: BasePrices) -> TieredPrices:
    by, input = model_prices.rates(given), given.input or 0.0
    return TieredPrices(input, given.output or 0.0, by.cache_read * input, by.cache_write * input)


def _with(plain: TieredPrices, tiers: Iterable[PriceTier]) -> TieredPrices:
    return TieredPrices(plain.input, plain.output, plain.cache_read, plain.cache_write, tuple(tiers))


def _price_tier(tier: BaseTier, plain: TieredPrices) -> PriceTier:
    times = tier.input / plain.input
    return PriceTier(
        tier.above_tokens,
        tier.input,
        tier.output or times * plain.output,
        times * plain.cache_read if tier.cache_read is None else tier.cache_read,
        tier.cache_write or times * plain.cache_write,
    )


def _in_proportion(tier: PriceTier, plain: TieredPrices, known: TieredPrices) -> PriceTier:
    def dearer(of: float, than: float) -> float:
        return of / than if than > 0 else 1.0

    return PriceTier(
        tier.above_tokens,
        plain.input * dearer(tier.input, known.input),
        plain.output * dearer(tier.output, known.output),
        plain.cache_read * dearer(tier.cache_read, known.cache_read),
        plain.cache_write * dearer(tier.cache_write, known.cache_write),
    )


ROUNDING = 0.005  # of the known share: two digits of a price that is less than a dollar


def is_long(facts: ModelFacts, lifetime_ms: int) -> bool:
    """Whether a start is kept for a lifetime that costs more to write than the usual one."""
    longer = facts.long_cache
    return (
        longer is not None
        and facts.cache.lifetime_ms < longer.lifetime_ms <= lifetime_ms <= model_prices.MOST_LIFETIME_MS
    )


def long_prices(prices: TieredPrices, cache_write: float) -> TieredPrices:
    """Rule 4. The input is never free."""
    times = cache_write / prices.input
    tiers = tuple(msgspec.structs.replace(tier, cache_write=times * tier.input) for tier in prices.tiers)
    return msgspec.structs.replace(prices, cache_write=cache_write, tiers=tiers)


def with_long_write(given: BasePrices | None, known: TieredPrices, cache_write: float) -> BasePrices | None:
    """Rule 5, of each tier too."""
    if given is None:
        return None
    usual, times = known.cache_write / known.input, cache_write / known.input
    dearer = _dearer(given, usual, times)
    if not isinstance(given, TieredPrices):
        return msgspec.structs.replace(given, cache_write=dearer)
    tiers = tuple(msgspec.structs.replace(tier, cache_write=_dearer(tier, usual, times)) for tier in given.tiers)
    return msgspec.structs.replace(given, cache_write=dearer, tiers=tiers)


def _dearer(tier: BasePrices | PriceTier, usual: float, times: float) -> float | None:
    if not tier.input or not tier.cache_write:
        return tier.cache_write
    is_usual = abs(tier.cache_write / tier.input - usual) <= ROUNDING * usual
    return times * tier.input if is_usual else tier.cache_write
