"""What a clairvoyant would show: a policy that is possible with hindsight alone.

It knows what each recorded reply acts on, keeps the messages that have it until their last use (`uses`), and leaves
the rest out at the calls that cost least (`epochs`). Its lists go through the same meter as any policy's; of
several patiences that which is cheapest by the meter is taken. So its closed-loop cost is one that can be reached:
an upper bound of the optimum, not the optimum. Under tiers it plans at the lowest one's prices, and is billed at
all.

`floor` is the lower end: overhead read at each call, and every message of the recorded conversation written once.
No policy that shows each message once costs less.
"""

from collections.abc import Sequence
from math import inf

import msgspec

from ctxmgr.study.closed_loop.epochs import Life, epochs
from ctxmgr.study.closed_loop.meter import ClosedLoop, closed_loop
from ctxmgr.study.closed_loop.uses import Uses, acted_on
from ctxmgr.study.metrics import MessageCache, Observation, PriceSheet, Timeline, dollars, new_messages, timeline

PATIENCES = (0.7, 1.0, 1.5, inf)


class Foresight(msgspec.Struct, frozen=True):
    """What is shown, and what that costs. `free`: dollars of the same plan, if leaving out broke no prefix.

    `patience`: that it was planned with. `tried`: what each patience came to, this one's included.
    """

    sights: tuple[Observation, ...]
    loop: ClosedLoop
    free: float
    patience: float
    tried: tuple[tuple[float, ClosedLoop], ...] = ()


def clairvoyant(
    found: Timeline, known: MessageCache, sheet: PriceSheet, patiences: Sequence[float] = PATIENCES
) -> Foresight:
    """The cheapest over these patiences; (inf,): the one that nothing is missed by."""
    whole = timeline.whole(found)
    uses = Uses(found, acted_on(whole, known), known)
    plans = [_plan(found, uses, patience, known, sheet) for patience in patiences]
    best = min(plans, key=lambda one: one.loop.closed)
    return msgspec.structs.replace(best, tried=tuple((one.patience, one.loop) for one in plans))


def floor(sights: Sequence[Observation], known: MessageCache, sheet: PriceSheet) -> float:
    """Dollars, at the prices of the lowest tier."""
    tokens = sum(known.weight(one.raw) for came in new_messages(sights) for one in came)
    return dollars(sheet.prices.tier(0), read=len(sights) * sheet.overhead_tokens, written=tokens)


def _plan(found: Timeline, uses: Uses, patience: float, known: MessageCache, sheet: PriceSheet) -> Foresight:
    lives = uses.lives(sheet, patience)
    tier = sheet.prices.tier(0)
    opened = epochs(lives, len(found.asked), tier)
    sights = observations(found, lives, opened)
    loop = closed_loop(sights, known, sheet)
    return Foresight(tuple(sights), loop, _free(lives, len(found.asked), sheet), patience)


def observations(found: Timeline, lives: Sequence[Life], opened: Sequence[int]) -> list[Observation]:
    """The lists of these epochs; `epoch` counts them."""
    out = []
    number = 0
    for call, asked in enumerate(found.asked):
        number += call in opened[number : number + 1]
        last = opened[number - 1] if number else 0
        kept = tuple(found.wholes[place] for place in range(asked.end_index) if lives[place].last_use >= last)
        out.append(timeline.observation(found, asked, kept, number))
    return out


def _free(lives: Sequence[Life], calls: int, sheet: PriceSheet) -> float:
    """Each message is written once, and read at each later call up to its last use."""
    written = sum(one.tokens for one in lives)
    read = sum(one.tokens * (min(one.last_use, calls - 1) - one.arrives) for one in lives)
    return dollars(sheet.prices.tier(0), read=read + calls * sheet.overhead_tokens, written=written)
