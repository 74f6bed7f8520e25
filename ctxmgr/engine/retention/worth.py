"""How long a block is worth its place, from prices, the window and measured reuse.

1. A token in place costs `read` per call: the cache-read price as a fraction of the input price.
2. Its worth per call is the yield of its kind and age (`YIELDS`) times the cost of a missing run that the model
   wants to repeat: `keep`, in tokens of input. So a block stays until its age reaches `yield x keep = 1000 x read`.
   Between the table's columns yields fall as a power of age.
3. Long results yield less per token than short ones: one of `w` tokens stays sqrt(1000 / w) times as long, between
   half and twice.
4. Words (calls, text, thinking) share one room: what accumulates until a call is no longer worth its place. When
   they exceed it, the oldest steps are removed, down to a fifth of it, because each such change rewrites nearly the
   whole list and must last.
5. Runs of text say nothing about the worth of a picture or document. One is removed only for lack of room, and then
   at the age of a command's output.
6. `keep` is defined for a window of 200,000 tokens. A smaller window has less room, so it is proportionally smaller
   there. When a list is pressed it falls step by step, starting at `careful` or below, and words are held to their
   room.

`YIELDS` says how often the next replies repeat what a list holds, by kind and age. A row is a kind of block. A
figure is the yield: runs of six words that a reply repeats and that are not in the newest 6,000 tokens, per 1,000
tokens of that kind and age, and per call. Ages are tokens of conversation. Source: 42 recorded sessions of pi,
Codex, Claude Code and OpenCode (65,546 runs), in two sets of 26 and 16; a figure is the geometric mean of both.
`python -m scripts.reuse RECORDING...` measures a set.
"""

import itertools
import math
from collections.abc import Mapping
from typing import Literal

import msgspec

from ctxmgr.model import KeepPoint, Policy, Rates

Kind = Literal["arguments", "call", "read", "command", "search", "media"]

AGES = (9_000, 18_000, 36_000, 72_000, 150_000)
"""The middle of each column, in tokens."""

YIELDS: Mapping[Kind, tuple[float, ...]] = {
    "arguments": (1.75, 0.44, 0.34, 0.16, 0.04),  # of a call, over 800 characters
    "call": (0.95, 0.6, 0.36, 0.16, 0.055),  # of a call, shorter ones; they represent all words of a step
    "read": (0.31, 0.095, 0.02, 0.0053, 0.0006),  # the result of a read
    "command": (0.08, 0.046, 0.024, 0.0046, 0.002),  # the output of a command, and of unknown tools
    "search": (0.009, 0.0045, 0.004, 0.0005, 0.0002),  # the result of a search or a listing
}

WORDS_PART = 0.19
"""Of a conversation's tokens: what the assistant says and asks, with a marker for each result."""


KEEP: Mapping[str, int] = {"lean": 330, "balanced": 1_700, "careful": 3_400}
USUAL_SIZE, LEAST_TIMES, MOST_TIMES = 1_000, 0.5, 2.0  # rule 3
FULL_TOKENS = 180_000  # usable tokens of a window of 200,000 (rule 6)
ROOM_AFTER = 0.2  # of the room for words: what an epoch keeps of them
PRESSED_STEP = 0.7  # of `keep` (rule 6)


class Retention(msgspec.Struct, frozen=True):
    """`ages`: tokens of conversation that a block of each kind stays. `words_tokens`: the room of rule 4.
    `words_left`: what removing the oldest steps leaves of the words once they exceed it.
    """

    ages: Mapping[Kind, float]
    words_tokens: float
    words_left: float

    def age(self, kind: Kind, weight: int) -> float:
        """How long a block of this many tokens stays, in tokens of conversation."""
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
        """No result and no arguments are removed before this age."""
        results = (age for kind, age in self.ages.items() if kind not in ("arguments", "call"))
        return min(self.ages["arguments"], LEAST_TIMES * min(results))


KINDS: tuple[Kind, ...] = (*YIELDS, "media")
NOTHING = Retention(dict.fromkeys(KINDS, 0.0), 0.0, 0.0)
"""Nothing is worth its place."""


def told_tokens(keep: KeepPoint | int) -> int:
    """The number of tokens that a value of `keep` means."""
    return keep if isinstance(keep, int) else KEEP[keep]


def keep_tokens(policy: Policy, usable: float) -> float:
    """The cost of a run that is no longer there, in tokens of input (rules 2 and 6)."""
    return max(1.0, told_tokens(policy.keep) * min(1.0, usable / FULL_TOKENS))


class Worth(msgspec.Struct, frozen=True):
    """`keep`: the cost of a run of text that is no longer there, in tokens of input."""

    keep: float
    rates: Rates

    def retention(self) -> Retention:
        """If cache reads are free, nothing is removed for its price."""
        if not self.rates.cache_read:
            return Retention(dict.fromkeys(KINDS, math.inf), math.inf, math.inf)
        threshold = 1_000 * self.rates.cache_read / self.keep
        ages: dict[Kind, float] = {kind: age_of(yields, threshold) for kind, yields in YIELDS.items()}
        ages["media"] = math.inf
        words = WORDS_PART * ages["call"]
        return Retention(ages, words, ROOM_AFTER * words)

    def pressed(self, steps: int) -> Retention:
        """After this many steps of rule 6. If reads are free, the usual price decides what is removed."""
        by = self if self.rates.cache_read else msgspec.structs.replace(self, rates=Rates())
        if not steps:
            return by.retention()
        keep = min(self.keep, KEEP["careful"]) * PRESSED_STEP**steps
        pressed = msgspec.structs.replace(by, keep=keep).retention()
        ages = {**pressed.ages, "media": pressed.ages["command"]}
        return msgspec.structs.replace(pressed, ages=ages, words_left=pressed.words_tokens)


def age_of(yields: tuple[float, ...], threshold: float) -> float:
    """The age at which the yield has fallen to this threshold, in tokens. Interpolates linearly between the
    logarithms of age and yield; before the first column and beyond the last, the yield falls in proportion to age.
    """
    points = list(zip(AGES, yields, strict=True))
    if threshold >= yields[0]:
        return AGES[0] * yields[0] / threshold
    for (age, before), (next_age, after) in itertools.pairwise(points):
        if threshold >= after:
            part = math.log(before / threshold) / math.log(before / after)
            return age * float((next_age / age) ** part)
    return AGES[-1] * yields[-1] / threshold
