"""Turns the policy, the window, the zone and what the cache costs into how much of a list an epoch leaves.

1. Each part has a key of the policy: `oldTokens`, `newestTokens`, `indexTokens`. Where the first is not set, one
   knob says it, `costVersusRecall`: from 0, which keeps least (a few dozen tokens), to 1, which keeps most. Each
   tenth keeps 2.1 times as much. In the middle recorded sessions cost least, with all that is fetched again. The
   index of what left does not shrink with the old part.
2. What is kept is read at each call: where reading the cache costs twice the usual tenth of input, half as much
   is worth keeping, but it takes the old part under LEAST in no case. That fades towards the end of the knob that
   keeps most. Where reading costs less than usual no more is kept, for at each epoch it is written again.
3. A small window keeps less, so that there is room to grow before the next epoch: of what is usable a tenth for
   the newest steps, a tenth for the index, and for the old part a tenth up to the knob's
   middle, half of it at the end that keeps most and where it is set.
4. All of it together takes at most half of a list at which red begins: each part gives way alike.
5. Red halves the old part, compact takes all of it and leaves the last two steps: the smallest safe suffix.
"""

import math

import msgspec

from ctxmgr.model import Policy, Rates, Zone

LEAST, CHEAPEST, DEAREST = (
    1_000,
    1_500,
    62_500,
)  # tokens of the old part: where prices take of it, at the knob's middle, at its end
MIDDLE = 0.5
USUAL = Rates()
OLD_SHARE_LEAST, OLD_SHARE_MOST = 0.1, 0.5  # of the usable window, up to the knob's middle and at its end
NEWEST_SHARE = 0.1
USER_SHARE = 0.1  # of the usable window: user messages in place
STEPS_LOSSLESS = 2  # newest steps that no epoch touches
INDEX_MOST_SHARE = 0.1  # of the usable window
RED_SHARE = 0.5  # of a list at which red begins: all parts together


class ListLimits(msgspec.Struct, frozen=True):
    """Of one list, in tokens, uncalibrated: `usable` of the window, `red` where red begins, `window` what a call
    may hold at most."""

    usable: float
    red: float = math.inf
    window: float = math.inf


class Budget(msgspec.Struct, frozen=True):
    """In tokens, uncalibrated: `old` for what competes to stay, `newest` for lossless steps, `index` for naming
    what left, `users` for user messages in place, `window` for the whole list."""

    old: int
    newest: int
    index: int
    users: float = math.inf
    window: float = math.inf

    @property
    def total(self) -> int:
        return self.old + self.newest + self.index

    def remaining_tokens(self, last: int) -> int:
        """What a choice would keep: as the last one did; before the first (0), what there is room for."""
        return last or self.total


def room(policy: Policy, limits: ListLimits, zone: Zone, by: Rates = USUAL) -> Budget:
    """`by`: the price of reading what is kept."""
    old = _old(policy, limits.usable, by)
    newest = min(policy.newest_tokens, NEWEST_SHARE * limits.usable)
    index = min(policy.index_tokens, INDEX_MOST_SHARE * limits.usable)
    fits = min(1.0, RED_SHARE * limits.red / max(1.0, old + newest + index))
    if zone == "red":
        old /= 2
    if zone == "compact":
        old, newest = 0, 0
    users = USER_SHARE * limits.usable
    return Budget(int(fits * old), int(fits * newest), int(fits * index), users, limits.window)


def _old(policy: Policy, usable: float, by: Rates) -> float:
    """Tokens of the old part before the zone takes of it."""
    if policy.old_tokens is not None:
        return min(policy.old_tokens, OLD_SHARE_MOST * usable)
    past = (policy.cost_versus_recall - MIDDLE) / (1 - MIDDLE)  # the middle, as a share of what is left of the knob
    priced = (USUAL.cache_read / max(USUAL.cache_read, by.cache_read)) ** min(1.0, 1 - past)
    by_knob: float = CHEAPEST * (DEAREST / CHEAPEST) ** past
    wanted: float = max(min(LEAST, by_knob), by_knob * priced)
    share = OLD_SHARE_LEAST + (OLD_SHARE_MOST - OLD_SHARE_LEAST) * max(0.0, past)
    return min(wanted, share * usable)
