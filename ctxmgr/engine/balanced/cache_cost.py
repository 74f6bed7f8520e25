"""Turns prices and weights into when an epoch begins, and where the prefix breaks.

Providers cache a prompt by its exact prefix. Changing old text makes everything after it be written anew; leaving
it makes every call read it. Rules (design, section 6), in tokens of uncached input:

1. *Regret*: each call pays `read` for every token that a choice would have taken away. It adds up since the last
   epoch. Where a price step makes all of a request dearer that a choice would leave below it, each call pays that
   too, for system prompt and tools and for what is new in it as well; what a reply costs there in addition is left
   out.
2. *Cost*: changing now writes what is left after the first change, and saves what keeping would have cost for the
   same stretch: reading what is cached of it, writing what is not.
3. An epoch begins when regret has reached the cost: whoever waits so long pays never more than twice what the
   best schedule would, whatever comes (as with renting skis). Where nothing is cached the cost is below zero, and
   so it is where it must be written anyway.
4. *Where*: taking less away after a later place keeps more of the prefix. Of all places the one is taken whose
   savings, over as many calls as the last epoch had, exceed its cost by most.
"""

from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.model import BasePrices, CacheRule, PriceTier, Rates, TieredPrices, prices

NO_CACHE_RATES = Rates(1.0, 1.0)
CACHE_TTL = 300_000  # milliseconds
UNIT = "(all in tokens of uncached input)"
CALLS_AT_LEAST = 4  # an epoch is expected to last so many calls, whatever the last one did


class PriceStep(msgspec.Struct, frozen=True):
    """Where the list weighs more than `above`, in tokens, uncalibrated, reading costs `times` as much as below all
    steps, and writing `write_times` as much."""

    above: float
    times: float
    write_times: float


class PriceSteps(msgspec.Struct, frozen=True):
    """`overhead`: what is in each request beside the list, in the same tokens."""

    steps: tuple[PriceStep, ...] = ()
    overhead: float = 0.0

    def at(self, weight: float) -> PriceStep:
        """What a list that weighs so much pays; under all steps once what it pays there."""
        passed = [one for one in self.steps if weight > one.above]
        return max(passed, key=lambda one: one.above, default=PriceStep(-1.0, 1.0, 1.0))

    def parts(self, weight: float, kept: float) -> bool:
        """Is a list of this weight over a step that one of `kept` is below?"""
        return bool(self.steps) and self.at(weight).above > self.at(kept).above


NO_STEPS = PriceSteps()


class Row(msgspec.Struct, frozen=True, gc=False):
    """One message of the projection as it stands: its weight `now_tokens` and after the choice, in tokens;
    whether the provider may hold it. `may_break` says whether the prefix may break before it."""

    message_index: int
    now_tokens: int
    then_tokens: int
    is_cached: bool
    may_break: bool


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


def pressed_rates(by: Rates) -> Rates:
    """What a place is found by where room is needed, or a step is to be left: reading costs the usual price at
    least. Where it is free, or nearly so, no break saves anything, and the smallest would be the best."""
    return Rates(max(Rates().cache_read, by.cache_read), by.cache_write)


def price_steps(known: BasePrices | None, weight_at: Callable[[float], float]) -> PriceSteps:
    """Those of prices with tiers. `weight_at`: the list's weight at which a request has so many tokens."""
    if not isinstance(known, TieredPrices) or not known.tiers or not known.input > 0:
        return NO_STEPS
    return PriceSteps(
        tuple(_step(weight_at(one.above_tokens), one, known) for one in known.tiers), max(0.0, -weight_at(0))
    )


def _step(above: float, tier: PriceTier, known: TieredPrices) -> PriceStep:
    """What is free below is as many times dearer as input is."""
    times = tier.input / known.input
    return PriceStep(
        above,
        tier.cache_read / known.cache_read if tier.cache_read > 0 and known.cache_read > 0 else times,
        tier.cache_write / known.cache_write if tier.cache_write > 0 and known.cache_write > 0 else times,
    )


def regret(weight: int, kept: int, by: Rates, steps: PriceSteps = NO_STEPS, new_tokens: int = 0) -> float:
    """Rule 1, of one call: `kept` tokens of the list's would be left by a choice, `new_tokens` the provider does
    not hold yet. In tokens of input, at what input costs where the choice would be."""
    if kept >= weight:
        return 0.0
    now, then = steps.at(weight), steps.at(kept)
    dearer = max(0.0, now.times / then.times - 1) * (weight + steps.overhead)
    dearer_new = max(0.0, now.write_times / then.write_times - 1) * new_tokens
    return by.cache_read * (weight - kept + dearer) + by.cache_write * dearer_new


def cost(after: int, cached: int, left: int, by: Rates) -> float:
    """Rule 2: of writing `left` tokens where `after` stand, `cached` of them in the cache."""
    return left * by.cache_write - cached * by.cache_read - (after - cached) * by.cache_write


def best_break(rows: Sequence[Row], inserted: int, calls: int, by: Rates, must: bool = False) -> PrefixBreak | None:
    """Rule 4. `inserted`: tokens of what is put in anew after the break (the packet). None where nothing is
    removed; `must`: a place is wanted all the same."""
    best: tuple[float, PrefixBreak] | None = None
    after = cached = left = 0
    for place in range(len(rows) - 1, -1, -1):
        row = rows[place]
        after += row.now_tokens
        cached += row.now_tokens if row.is_cached else 0
        left += row.then_tokens
        removed = after - left - inserted
        if not row.may_break or (removed <= 0 and not must):
            continue
        found = PrefixBreak(
            place, after, cached, left + inserted, cost(after, cached, left + inserted, by), removed * by.cache_read
        )
        gain = max(CALLS_AT_LEAST, calls) * found.saves - found.cost
        if best is None or gain > best[0]:
            best = gain, found
    return best[1] if best is not None else None


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
