"""Turns figures of the same recordings under two policies into the mean difference and how sure it is.

The bootstrap: recordings are drawn with repetition, as many as there are, `DRAWS` times; the interval holds the
middle 95 % of the means. The numbers drawn are the same in every run.
"""

import random
from collections.abc import Sequence
from statistics import fmean

import msgspec

DRAWS = 2_000  # of which the 50 lowest and highest are left out: the ends move by about .002 of a spread
OUTSIDE = 0.025  # share of the means on either side of the interval
SEED = 7


class PairedDifference(msgspec.Struct, frozen=True):
    """Of a pair of policies, first less second, over so many recordings: the mean, and its interval."""

    recording_count: int
    mean: float
    low: float
    high: float


def difference(pairs: Sequence[tuple[float, float]]) -> PairedDifference | None:
    """None where there are no recordings. A single one has no interval but itself."""
    if not pairs:
        return None
    deltas = [first - second for first, second in pairs]
    chance = random.Random(SEED)
    means = sorted(fmean(chance.choices(deltas, k=len(deltas))) for _ in range(DRAWS))
    out = int(OUTSIDE * DRAWS)
    return PairedDifference(len(deltas), fmean(deltas), means[out], means[-1 - out])
