"""Turns prices that somebody told into prices of requests however long they are.

1. A host or the policy may tell what longer requests cost. What is left out there is dearer as input is.
2. Who tells the plain prices alone has told nothing of longer requests: what is known of this very model holds, in
   proportion to its plain prices.
"""

from collections.abc import Iterable

from ctxmgr.model import BasePrices, BaseTier, PriceTier, TieredPrices, prices


def with_tiers(told: BasePrices | None, known: TieredPrices | None) -> BasePrices | None:
    """`known`: of the model itself, not of one that is like it. What is not told of the plain prices is as rates
    are where nobody tells; without tiers `told` comes back as it is."""
    if told is None or not told.input:
        return told
    plain = _plain(told)
    if told.tiers:
        return _with(plain, (_told(one, plain) for one in told.tiers))
    if known is None or not known.tiers or not known.input > 0:
        return told
    return _with(plain, (_in_proportion(one, plain, known) for one in known.tiers))


def tiered(told: BasePrices, known: TieredPrices | None) -> TieredPrices:
    """The same, with nothing that is not told."""
    held = with_tiers(told, known)
    return held if isinstance(held, TieredPrices) else _plain(told)


def _plain(told: BasePrices) -> TieredPrices:
    by, input = prices.rates(told), told.input or 0.0
    return TieredPrices(input, told.output or 0.0, by.cache_read * input, by.cache_write * input)


def _with(plain: TieredPrices, tiers: Iterable[PriceTier]) -> TieredPrices:
    return TieredPrices(plain.input, plain.output, plain.cache_read, plain.cache_write, tuple(tiers))


def _told(tier: BaseTier, plain: TieredPrices) -> PriceTier:
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
