"""What a change of the list costs, in tokens of uncached input.

Providers cache a prompt by its exact prefix. Changing old text makes everything after it be written anew; leaving
it makes every call read it.

Changing now writes what is left after the first change, and saves what keeping would have cost for the same
stretch: reading what is cached of it, writing what is not. Where nothing is cached the cost is below zero.
"""

import msgspec

from ctxmgr.model import BasePrices, CacheRule, Rates, prices

NO_CACHE_RATES = Rates(1.0, 1.0)
CACHE_TTL = 300_000  # milliseconds
UNIT = "(all in tokens of uncached input)"


class PrefixBreak(msgspec.Struct, frozen=True):
    """A change from the row `row_index` on: `before_tokens` tokens stood there, `cached_tokens` of them cached,
    `remaining_tokens` remain. `cost` and `saves` (a call) in tokens of uncached input."""

    row_index: int
    before_tokens: int
    cached_tokens: int
    remaining_tokens: int
    cost: float
    saves: float


def is_cold(at: int | None, last_at: int | None, ttl: int | None) -> bool:
    """Has the provider's cache been dropped since the last call? Times in milliseconds; unknown counts as warm."""
    return at is not None and last_at is not None and at - last_at > (CACHE_TTL if ttl is None else ttl)


def rates_by(rule: CacheRule, known: BasePrices | None) -> Rates:
    """What tokens cost where a provider caches so, at these prices. Without a cache each call pays for all of its
    list what input costs: that is what regret adds up, and what changing it is paid by too."""
    return NO_CACHE_RATES if rule.kind == "none" else prices.rates(known)


def cost(after: int, cached: int, left: int, by: Rates) -> float:
    """Of writing `left` tokens where `after` stand, `cached` of them in the cache."""
    return left * by.cache_write - cached * by.cache_read - (after - cached) * by.cache_write


def arithmetic(found: PrefixBreak, by: Rates, regret: float, calls: int) -> str:
    """The sum in one line, for a person to check."""
    return f"{summed_up(found, by)}; regret of {calls} calls {regret:,.0f} {UNIT}"


def summed_up(found: PrefixBreak, by: Rates) -> str:
    """What the change costs, without what waiting for it has cost."""
    before, remaining = found.before_tokens, found.remaining_tokens
    uncached = before - found.cached_tokens
    kept = f"{found.cached_tokens:,} x {by.cache_read:g} + {uncached:,} x {by.cache_write:g}"
    return (
        f"{before:,} tokens from the first change on become {remaining:,}: written {remaining:,} x "
        f"{by.cache_write:g}, kept {kept}, so changing costs {found.cost:,.0f} now and saves {found.saves:,.0f} a "
        f"call"
    )
