"""The calls at which leaving out what is dead costs least, by how long each message is needed.

Rules, for messages in their order, each there from the call it `arrives` at:

1. An epoch opens before a call and leaves out all messages whose last use was before it. Between two epochs the
   list only grows.
2. A call reads what its list has in common with the list before, from the start on, and writes the rest.
3. Found by dynamic programming over (epoch, the epoch before it): exact for these rules, at the prices of the
   lowest tier, in O(calls x (calls + messages)).
"""

from collections.abc import Sequence
from itertools import accumulate
from math import inf

import msgspec

from ctxmgr.model import PriceTier


class Life(msgspec.Struct, frozen=True, gc=False):
    """Of one message: the first call that has it, the last that needs it, its weight in tokens."""

    arrives: int
    last_use: int
    tokens: int


def epochs(lives: Sequence[Life], calls: int, tier: PriceTier) -> tuple[int, ...]:
    """The calls, ascending, before which an epoch opens. No life ends before it arrives."""
    if not calls:
        return ()
    ground = _Ground(lives, calls, tier)
    best = [0.0] * (calls + 1)  # by epoch: the least that all before its call and the call itself cost
    before = [0] * (calls + 1)
    for call in range(1, calls + 1):
        opening = ground.opening(call) if call < calls else [0.0] * call
        ways = [best[last] + ground.stretch(last, call) + opening[last] for last in range(call)]
        best[call] = min(ways)
        before[call] = ways.index(best[call])
    out = []
    call = before[calls]
    while call:
        out.append(call)
        call = before[call]
    return tuple(reversed(out))


class _Ground:
    def __init__(self, lives: Sequence[Life], calls: int, tier: PriceTier) -> None:
        self.lives, self.tier = lives, tier
        new, gone = [0] * calls, [0] * (calls + 1)
        self.first_expired = [len(lives)] * calls  # by call of the last use: the first message with it
        for place, life in enumerate(lives):
            new[life.arrives] += life.tokens
            if life.last_use < calls:
                gone[life.last_use + 1] += life.tokens
                self.first_expired[life.last_use] = min(place, self.first_expired[life.last_use])
        self.arrived_tokens = list(accumulate(new))
        self.sums = list(accumulate(self.arrived_tokens, initial=0))
        self.alive = [came - left for came, left in zip(self.arrived_tokens, accumulate(gone), strict=False)]

    def stretch(self, last: int, until: int) -> float:
        """The calls after epoch `last`'s own and before `until`: what they read, what they write."""
        more = until - 1 - last
        if more <= 0:
            return 0.0
        read = more * (self.alive[last] - self.arrived_tokens[last]) + self.sums[until - 1] - self.sums[last]
        return self.tier.cache_read * read + self.tier.cache_write * (
            self.arrived_tokens[until - 1] - self.arrived_tokens[last]
        )

    def opening(self, call: int) -> list[float]:
        """What this call costs where an epoch opens before it, by the epoch before."""
        stays = (one.tokens if one.last_use >= call > one.arrives else 0 for one in self.lives)
        common = list(accumulate(stays, initial=0))
        out = [inf] * call
        first = len(self.lives)
        for last in range(call - 1, -1, -1):
            first = min(first, self.first_expired[last])
            cached = common[first]
            written = self.alive[call] - cached
            out[last] = self.tier.cache_read * cached + self.tier.cache_write * written
        return out
