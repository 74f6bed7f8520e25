"""What a change of the list costs, in tokens of uncached input, and therefore when an epoch begins and where.

Providers cache a prompt by its exact prefix. Changing old text means that everything behind it is written again;
keeping it means that every call reads it.

A change now writes what remains behind it. It saves what keeping would have cost for the same part: reading the
cached tokens and writing the others. If nothing is cached, the cost is negative.

1. *Accrued*: each call since an offer became due paid `read` for every token that the offer would have removed.
2. *When*: an epoch begins when what accrued behind some place reaches the cost of a change there. This never pays
   more than twice the best possible schedule, whatever comes (the ski rental problem).
3. *Where*: at the place where accrued minus cost is largest. What precedes it waits for a later epoch.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from ctxmgr.model import BasePrices, CacheRule, Decision, Rates, TieredPrices, prices

NO_CACHE_RATES = Rates(1.0, 1.0)
UNIT = "(all in tokens of uncached input)"


class PrefixBreak(msgspec.Struct, frozen=True):
    """A change at one place: `before_tokens` from there on, `cached_tokens` of them cached, `remaining_tokens`
    afterwards. `cost`, and `saves` per call, in tokens of uncached input.
    """

    before_tokens: int
    cached_tokens: int
    remaining_tokens: int
    cost: float
    saves: float

    @property
    def pays_after(self) -> int | msgspec.UnsetType:
        """The number of calls after which it has saved what it cost: 0 where it costs nothing, unset where it saves
        nothing."""
        if self.cost <= 0:
            return 0 if self.before_tokens > self.remaining_tokens else msgspec.UNSET
        return math.ceil(self.cost / self.saves) if self.saves > 0 else msgspec.UNSET


def rates_by(rule: CacheRule, known: BasePrices | None) -> Rates:
    """What tokens cost with this cache rule and these prices. Without a cache each call pays full input for its
    whole list, which is also how its changes are paid.
    """
    return NO_CACHE_RATES if rule.kind == "none" else prices.rates(known)


def cost(after: int, cached: int, left: int, by: Rates) -> float:
    """The cost of writing `left` tokens in place of `after`, of which `cached` are in the cache."""
    return left * by.cache_write - cached * by.cache_read - (after - cached) * by.cache_write


def session_cost(sent_tokens: int, last_tokens: float, by: Rates) -> float:
    """The cost of calls whose lists had `sent_tokens` in total and `last_tokens` at the end, if each list continues
    the previous one: each token is written once, and read by every later call.
    """
    return sent_tokens * by.cache_read + last_tokens * (by.cache_write - by.cache_read)


def arithmetic(change: PrefixBreak, by: Rates, waited: str) -> str:
    """The arithmetic in one line, for a person to check. `waited`: the cost of waiting for it."""
    before, remaining = change.before_tokens, change.remaining_tokens
    uncached = before - change.cached_tokens
    kept = f"{change.cached_tokens:,} x {by.cache_read:g} + {uncached:,} x {by.cache_write:g}"
    return (
        f"{before:,} tokens from the first change on become {remaining:,}: written {remaining:,} x "
        f"{by.cache_write:g}, kept {kept}, so changing costs {change.cost:,.0f} now and saves {change.saves:,.0f} "
        f"a call; {waited} {UNIT}"
    )


class Offer(msgspec.Struct, frozen=True):
    """`position`: the index of the first message that would change. `saved`: tokens. `due_calls`: calls since it
    became due. `decisions` by key. `why`: the reason.
    """

    position: int
    saved: int
    due_calls: float
    decisions: Mapping[str, Decision]
    why: str


Behind = Callable[[int], tuple[int, int]]
"""The index of a message -> what is shown from it on, and how much of that the provider may hold, in tokens."""


class PrefixChange(msgspec.Struct, frozen=True):
    """A change from message `position` on that removes `saved` tokens. `cost` and `accrued` in tokens of uncached
    input. `count`: how many offers, newest first, it includes.
    """

    position: int
    saved: int
    cost: float
    accrued: float
    count: int

    @property
    def gain(self) -> float:
        """Accrued minus cost."""
        return self.accrued - self.cost


def step_above(known: BasePrices | None, weight_at: Callable[[float], float]) -> float:
    """The tokens of the largest list below the next price step; infinite without steps. `weight_at`: the list's
    tokens at which a request has that many.
    """
    tiers = known.tiers if isinstance(known, TieredPrices) else ()
    return min((weight_at(tier.above_tokens) for tier in tiers), default=math.inf)


def best_change(behind: Behind, offers: Sequence[Offer], by: Rates, every: bool = False) -> PrefixChange | None:
    """Rule 3, for offers newest first; None without one. `every`: all of them are included."""
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
