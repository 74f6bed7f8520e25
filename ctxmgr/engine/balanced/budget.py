"""Turns the policy, the window and the zone into how much of a list an epoch leaves: the tokens of its old part.

1. Each part has a key of the policy: `oldTokens`, `newestTokens`, `indexTokens`. Where the first is not set, one
   knob says it, `costVersusRecall`: from 0, the cheapest, to 1, which keeps most; each tenth keeps about 1.4 times
   as much. The middle was chosen where recorded sessions cost about half of doing nothing. Where the last is not
   set, the index of what left has a share of the old part; a budget of its own does not shrink with that.
2. A small window keeps less, so that there is room to grow before the next epoch: of what is usable a tenth for
   the newest steps, a tenth for an index with a budget of its own, and for the old part a tenth at the knob's cheap
   end, half of it at the other and where it is set.
3. Red halves the old part, compact takes all of it and leaves the last two steps: the smallest safe suffix.
"""

import math

import msgspec

from ctxmgr.model import Policy, Zone

CHEAPEST, DEAREST = 2_500, 62_500  # tokens of the old part at the knob's ends
OLD_SHARE_LEAST, OLD_SHARE_MOST = 0.1, 0.5  # of the usable window, at the knob's ends
NEWEST_SHARE = 0.1
USER_SHARE = 0.1  # of the usable window: user messages in place
STEPS_LOSSLESS = 2  # newest steps that no epoch touches
INDEX_SHARE = 0.12  # of the old part: what the index of what left may weigh
INDEX_MOST_SHARE = 0.1  # of the usable window: an index with a budget of its own


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


def room(policy: Policy, usable: float, zone: Zone, window: float = math.inf) -> Budget:
    """`usable` and `window`, what a call may hold at most, in tokens, uncalibrated."""
    old = _old(policy, usable)
    newest = min(policy.newest_tokens, NEWEST_SHARE * usable)
    index = INDEX_SHARE * old
    if policy.index_tokens is not None:
        index = min(policy.index_tokens, INDEX_MOST_SHARE * usable)
    if zone == "red":
        old /= 2
    if zone == "compact":
        old, newest = 0, 0
    return Budget(int(old), int(newest), int(index), USER_SHARE * usable, window)


def _old(policy: Policy, usable: float) -> float:
    """Tokens of the old part before the zone takes of it."""
    if policy.old_tokens is not None:
        return min(policy.old_tokens, OLD_SHARE_MOST * usable)
    knob = policy.cost_versus_recall
    wanted: float = CHEAPEST * (DEAREST / CHEAPEST) ** knob
    return min(wanted, (OLD_SHARE_LEAST + (OLD_SHARE_MOST - OLD_SHARE_LEAST) * knob) * usable)
