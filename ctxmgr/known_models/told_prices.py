"""Turns given prices into prices for requests of any length, and for a prefix that the cache keeps longer.

1. A host or the policy may give prices of longer requests. Prices missing there change in proportion to input.
2. If only plain prices are given, the known tiers of exactly this model apply, in proportion to its plain prices.
3. If only some plain prices are given, the known prices of exactly this model supply the rest, in proportion to its
   input. What nobody knows, such as many prices of cache reads, stays missing.
4. Writing a prefix that is kept longer costs more. Known prices use the known write price of the longer lifetime,
   in each tier with the same ratio to its input.
5. A given write price is raised if it is the known price of the usual lifetime in proportion to the given input,
   since hosts' price lists have one write price for each model. The same holds for a write price that nobody gave,
   of a model that is known exactly. Any other write price is the host's own, and stays.
6. A lifetime that no provider offers means that the host keeps its cache warm itself; its writes have the usual
   price.
"""

from collections.abc import Iterable

import msgspec

from ctxmgr.known_models.registry import ModelFacts
from ctxmgr.model import BasePrices, BaseTier, PriceTier, TieredPrices
from ctxmgr.model import prices as model_prices


def with_tiers(given: BasePrices | None, known: TieredPrices | None) -> BasePrices | None:
    """`known`: of exactly this model, not of a similar one. Missing plain prices get the default rates. Without
    tiers `given` is returned unchanged.
    """
    if given is None or not given.input:
        return given
    plain = _plain(given)
    if given.tiers:
        return _with(plain, (_price_tier(tier, plain) for tier in given.tiers))
    if known is None or not known.tiers or not known.input > 0:
        return given
    return _with(plain, (_in_proportion(tier, plain, known) for tier in known.tiers))


def completed(given: BasePrices | None, facts: ModelFacts, batch: bool = False) -> BasePrices | None:
    """Rule 3. `batch`: use the prices of requests that may wait, if they are known. If there is nothing to add,
    `given` is returned unchanged. A price of 0 counts as missing, except for cache reads.
    """
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
    """The known prices of exactly this model, not of a similar one."""
    own = nearest(facts) if facts.matched == "model" else None
    return facts.batch if own is not None and batch and facts.batch is not None else own


def nearest(facts: ModelFacts) -> TieredPrices | None:
    """The known prices of the model, otherwise of the most similar one in its family."""
    return facts.prices if facts.prices is not None and facts.prices.input > 0 else None


def tiered(given: BasePrices, facts: ModelFacts) -> TieredPrices:
    """The prices by rules 1 to 3, all of them set."""
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


ROUNDING = 0.005  # relative to the known ratio: prices below a dollar have two digits


def is_long(facts: ModelFacts, lifetime_ms: int) -> bool:
    """Whether a prefix is kept for a lifetime with a higher write price."""
    longer = facts.long_cache
    return (
        longer is not None
        and facts.cache.lifetime_ms < longer.lifetime_ms <= lifetime_ms <= model_prices.MOST_LIFETIME_MS
    )


def long_prices(prices: TieredPrices, cache_write: float) -> TieredPrices:
    """Rule 4. The input price must not be 0."""
    times = cache_write / prices.input
    tiers = tuple(msgspec.structs.replace(tier, cache_write=times * tier.input) for tier in prices.tiers)
    return msgspec.structs.replace(prices, cache_write=cache_write, tiers=tiers)


def with_long_write(given: BasePrices | None, known: TieredPrices, cache_write: float) -> BasePrices | None:
    """Rule 5, in each tier too."""
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
