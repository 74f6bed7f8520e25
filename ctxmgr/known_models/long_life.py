"""Turns prices into those of a start that is kept for longer than usual, which is dearer to write.

1. What is known is written at the price that is known of the longer life, in each tier as many times its input.
2. A told write is dearer where it is the known one of the usual life, as many times the told input: price lists of
   hosts have one write a model. So is one that nobody told, of a model that is known itself. Any other is a word
   of its own, and stays.
3. A life that no provider keeps says that the host keeps its cache warm by itself: its writes are the usual ones.
"""

import msgspec

from ctxmgr.known_models.model_facts import ModelFacts
from ctxmgr.model import BasePrices, PriceTier, TieredPrices
from ctxmgr.model import prices as model_prices

ROUNDING = 0.005  # of the known share: two digits of a price that is less than a dollar


def is_long(facts: ModelFacts, lifetime_ms: int) -> bool:
    """Is a start kept for a life that costs more to write than the usual one?"""
    longer = facts.long_cache
    return (
        longer is not None
        and facts.cache.lifetime_ms < longer.lifetime_ms <= lifetime_ms <= model_prices.MOST_LIFETIME_MS
    )


def long_prices(prices: TieredPrices, cache_write: float) -> TieredPrices:
    """Rule 1. The input is never free."""
    times = cache_write / prices.input
    tiers = tuple(msgspec.structs.replace(one, cache_write=times * one.input) for one in prices.tiers)
    return msgspec.structs.replace(prices, cache_write=cache_write, tiers=tiers)


def with_long_write(told: BasePrices | None, known: TieredPrices, cache_write: float) -> BasePrices | None:
    """Rule 2, of each tier too."""
    if told is None:
        return None
    usual, times = known.cache_write / known.input, cache_write / known.input
    dearer = _dearer(told, usual, times)
    if not isinstance(told, TieredPrices):
        return msgspec.structs.replace(told, cache_write=dearer)
    tiers = tuple(msgspec.structs.replace(one, cache_write=_dearer(one, usual, times)) for one in told.tiers)
    return msgspec.structs.replace(told, cache_write=dearer, tiers=tiers)


def _dearer(one: BasePrices | PriceTier, usual: float, times: float) -> float | None:
    if not one.input or not one.cache_write:
        return one.cache_write
    is_usual = abs(one.cache_write / one.input - usual) <= ROUNDING * usual
    return times * one.input if is_usual else one.cache_write
