"""Turns prices and the window into how long a block is worth its place.

1. A token in place costs `read` a call: the price of reading the cache, as a part of the input price.
2. What it is worth a call is the yield of its kind and age (`reuse_table`, stretches per 1,000 tokens and call)
   times what a stretch costs that the model wants to repeat and no longer has: `keep`, in tokens of input. So a
   block stays until its age is that at which `yield x keep = 1000 x read`. Between the table's columns yields fall
   as a power of age.
3. Long results yield less a token than short ones: one of `w` tokens stays sqrt(1000 / w) times as long, at least
   half and at most twice.
4. Words (calls, text, thinking) are held by one room: what accrues of them until a call is no longer worth its
   place. Once they are over it, the oldest steps leave, down to a fifth of it: each such change writes nearly all
   of the list anew, so it has to last.
5. What a picture or a document is worth no stretch of text can tell: one leaves for want of room alone, and then
   at the age of a command's output.
6. `keep` is told for a window of 200,000 tokens. Less room is dearer: in a smaller one it is less in proportion.
   Where a list is pressed it is less by a step at a time, from `careful` down, and words are held to their room.
"""

import itertools
import math
from collections.abc import Mapping

import msgspec

from ctxmgr.engine.retention.reuse_table import AGES, WORDS_PART, YIELDS, Kind
from ctxmgr.model import KeepPoint, Policy, Rates

KEEP: Mapping[str, int] = {"lean": 330, "balanced": 1_700, "careful": 3_400}
USUAL_SIZE, LEAST_TIMES, MOST_TIMES = 1_000, 0.5, 2.0  # rule 3
FULL_TOKENS = 180_000  # usable tokens of a window of 200,000 (rule 6)
ROOM_AFTER = 0.2  # of the room for words: what an epoch leaves of them
PRESSED_STEP = 0.7  # of `keep` (rule 6)


class Retention(msgspec.Struct, frozen=True):
    """`ages`: tokens of conversation that a block of each kind stays; `words_tokens`: the room of rule 4, and
    `words_left`: down to how many the oldest steps leave, once words are over it."""

    ages: Mapping[Kind, float]
    words_tokens: float
    words_left: float

    def age(self, kind: Kind, weight: int) -> float:
        """How long a block of so many tokens stays, in tokens of conversation."""
        if kind in ("arguments", "call"):
            return self.ages[kind]
        times = math.sqrt(USUAL_SIZE / max(1, weight))
        return self.ages[kind] * min(MOST_TIMES, max(LEAST_TIMES, times))

    @property
    def keeps_media(self) -> bool:
        """Whether pictures and documents stay, however old."""
        return math.isinf(self.ages.get("media", math.inf))

    @property
    def least_age(self) -> float:
        """No result, and no arguments, leave before."""
        results = (age for kind, age in self.ages.items() if kind not in ("arguments", "call"))
        return min(self.ages["arguments"], LEAST_TIMES * min(results))


KINDS: tuple[Kind, ...] = (*YIELDS, "media")
NOTHING = Retention(dict.fromkeys(KINDS, 0.0), 0.0, 0.0)
"""Nothing is worth its place."""


def told_tokens(keep: KeepPoint | int) -> int:
    """The number that a value of `keep` stands for."""
    return keep if isinstance(keep, int) else KEEP[keep]


def keep_tokens(policy: Policy, usable: float) -> float:
    """What a stretch costs that is no longer there, in tokens of input (rules 2 and 6)."""
    return max(1.0, told_tokens(policy.keep) * min(1.0, usable / FULL_TOKENS))


class Worth(msgspec.Struct, frozen=True):
    """`keep`: what a stretch of text costs that is no longer there, in tokens of input."""

    keep: float
    rates: Rates

    def retention(self) -> Retention:
        """Where reading the cache is free nothing leaves for its price."""
        if not self.rates.cache_read:
            return Retention(dict.fromkeys(KINDS, math.inf), math.inf, math.inf)
        threshold = 1_000 * self.rates.cache_read / self.keep
        ages: dict[Kind, float] = {kind: age_of(yields, threshold) for kind, yields in YIELDS.items()}
        ages["media"] = math.inf
        words = WORDS_PART * ages["call"]
        return Retention(ages, words, ROOM_AFTER * words)

    def pressed(self, steps: int) -> Retention:
        """After so many steps of rule 6. Where reading is free what leaves is said by the usual price."""
        by = self if self.rates.cache_read else msgspec.structs.replace(self, rates=Rates())
        if not steps:
            return by.retention()
        keep = min(self.keep, KEEP["careful"]) * PRESSED_STEP**steps
        pressed = msgspec.structs.replace(by, keep=keep).retention()
        ages = {**pressed.ages, "media": pressed.ages["command"]}
        return msgspec.structs.replace(pressed, ages=ages, words_left=pressed.words_tokens)


def age_of(yields: tuple[float, ...], threshold: float) -> float:
    """The age at which the yield has fallen to this threshold, in tokens. A straight line between the logarithms
    of age and yield; before the first column and past the last one the yield falls as fast as age grows."""
    points = list(zip(AGES, yields, strict=True))
    if threshold >= yields[0]:
        return AGES[0] * yields[0] / threshold
    for (age, before), (next_age, after) in itertools.pairwise(points):
        if threshold >= after:
            part = math.log(before / threshold) / math.log(before / after)
            return age * float((next_age / age) ** part)
    return AGES[-1] * yields[-1] / threshold
