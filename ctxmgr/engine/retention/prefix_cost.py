"""What a change of the list costs, in tokens of uncached input, and so when an epoch begins and where.

Providers cache a prompt by its exact prefix. Changing old text makes everything after it be written anew; leaving
it makes every call read it.

Changing now writes what is left after the first change, and saves what keeping would have cost for the same
stretch: reading what is cached of it, writing what is not. Where nothing is cached the cost is below zero.

1. *Accrued*: each call since an offer is due paid `read` for every token that it would have taken away.
2. *When*: an epoch begins when what accrued after some place has reached the cost of a change there. Who waits so
   long never pays more than twice what the best schedule would, whatever comes (as with renting skis).
3. *Where*: of all places the one is taken at which what accrued exceeds the cost by most. What stands before it
   waits for a later epoch.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from ctxmgr.model import BasePrices, CacheRule, Decision, Rates, TieredPrices, prices

NO_CACHE_RATES = Rates(1.0, 1.0)
UNIT = "(all in tokens of uncached input)"


class PrefixBreak(msgspec.Struct, frozen=True):
    """A change: from its place on `before_tokens` tokens stood, `cached_tokens` of them cached,
    `remaining_tokens` remain. `cost` and `saves` (a call) in tokens of uncached input."""

    before_tokens: int
    cached_tokens: int
    remaining_tokens: int
    cost: float
    saves: float


def rates_by(rule: CacheRule, known: BasePrices | None) -> Rates:
    """What tokens cost where a provider caches so, at these prices. Without a cache each call pays for all of its
    list what input costs: that is what regret adds up, and what changing it is paid by too."""
    return NO_CACHE_RATES if rule.kind == "none" else prices.rates(known)


def cost(after: int, cached: int, left: int, by: Rates) -> float:
    """Of writing `left` tokens where `after` stand, `cached` of them in the cache."""
    return left * by.cache_write - cached * by.cache_read - (after - cached) * by.cache_write


def session_cost(sent_tokens: int, last_tokens: float, by: Rates) -> float:
    """Of calls whose lists came to `sent_tokens` in all, the last one to `last_tokens`, where each list goes on
    from the one before: each token is written once, and read by every later call."""
    return sent_tokens * by.cache_read + last_tokens * (by.cache_write - by.cache_read)


def arithmetic(change: PrefixBreak, by: Rates, waited: str) -> str:
    """The sum in one line, for a person to check. `waited`: what waiting for it has cost."""
    before, remaining = change.before_tokens, change.remaining_tokens
    uncached = before - change.cached_tokens
    kept = f"{change.cached_tokens:,} x {by.cache_read:g} + {uncached:,} x {by.cache_write:g}"
    return (
        f"{before:,} tokens from the first change on become {remaining:,}: written {remaining:,} x "
        f"{by.cache_write:g}, kept {kept}, so changing costs {change.cost:,.0f} now and saves {change.saves:,.0f} "
        f"a call; {waited} {UNIT}"
    )


class Offer(msgspec.Struct, frozen=True):
    """`position`: the index of the message from which on the list would change; `saved` tokens; `due_calls`: since
    so many calls. `decisions` by key; `why` it is offered."""

    position: int
    saved: int
    due_calls: float
    decisions: Mapping[str, Decision]
    why: str


Behind = Callable[[int], tuple[int, int]]
"""The index of a message -> what is shown from it on, and how much of that the provider may hold, in tokens."""


class PrefixChange(msgspec.Struct, frozen=True):
    """A change from the message `position` on, which takes `saved` tokens away. `cost` and `accrued` in tokens of
    uncached input; `count` of the offers, newest first, are taken."""

    position: int
    saved: int
    cost: float
    accrued: float
    count: int

    @property
    def gain(self) -> float:
        """By how much what accrued exceeds the cost."""
        return self.accrued - self.cost


def step_above(known: BasePrices | None, weight_at: Callable[[float], float]) -> float:
    """The weight of the largest list that no price step makes dearer, in tokens; infinite without steps.
    `weight_at`: the list's weight at which a request has so many tokens."""
    tiers = known.tiers if isinstance(known, TieredPrices) else ()
    return min((weight_at(tier.above_tokens) for tier in tiers), default=math.inf)


def best_change(behind: Behind, offers: Sequence[Offer], by: Rates, every: bool = False) -> PrefixChange | None:
    """Rule 3, of offers newest first; None where there is none. `every`: all of them are taken."""
    best: PrefixChange | None = None
    saved, accrued = 0, 0.0
    for number, offer in enumerate(offers, 1):
        after, cached = behind(offer.position)
        saved += offer.saved
        accrued += by.cache_read * offer.saved * offer.due_calls
        change = PrefixChange(offer.position, saved, cost(after, cached, after - saved, by), accrued, number)
        if best is None or every or change.gain >= best.gain:
            best = change
    return best
