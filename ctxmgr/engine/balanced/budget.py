"""Turns the policy, the window and the zone into how much of a list an epoch leaves: the tokens of its old part.

1. Each part has a key of the policy: `oldTokens`, `newestTokens`, `indexTokens`. Where the first is not set, one
   knob says it, `costVersusRecall`: from 0, which keeps least, to 1, which keeps most; each tenth keeps 1.9 times
   as much. In the middle recorded sessions cost least, with all that is fetched again. The index of what left does
   not shrink with the old part.
2. A small window keeps less, so that there is room to grow before the next epoch: of what is usable a tenth for
   the newest steps, a tenth for the index, and for the old part a tenth up to the knob's
   middle, half of it at the end that keeps most and where it is set.
3. Red halves the old part, compact takes all of it and leaves the last two steps: the smallest safe suffix.
"""

import math

import msgspec

from ctxmgr.model import Policy, Zone

LEAST, CHEAPEST, DEAREST = (
    1_000,
    2_500,
    62_500,
)  # tokens of the old part: at least, at the knob's middle, at its end
MIDDLE = 0.5
OLD_SHARE_LEAST, OLD_SHARE_MOST = 0.1, 0.5  # of the usable window, up to the knob's middle and at its end
NEWEST_SHARE = 0.1
USER_SHARE = 0.1  # of the usable window: user messages in place
STEPS_LOSSLESS = 2  # newest steps that no epoch touches
INDEX_MOST_SHARE = 0.1  # of the usable window


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
    past = (policy.cost_versus_recall - MIDDLE) / (1 - MIDDLE)  # the middle, as a share of what is left of the knob
    wanted: float = max(LEAST, CHEAPEST * (DEAREST / CHEAPEST) ** past)
    share = OLD_SHARE_LEAST + (OLD_SHARE_MOST - OLD_SHARE_LEAST) * max(0.0, past)
    return min(wanted, share * usable)
