"""Turns figures of the same recordings into how sure they are: of one policy, and of two held against each other.

The bootstrap: recordings are drawn with repetition, as many as there are, `DRAWS` times; the interval holds the
middle 95 % of what comes out. The numbers drawn are the same in every run.
"""

import random
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TypeVar

import msgspec

DRAWS = 2_000  # of which the 50 lowest and highest are left out: the ends move by about .002 of a spread
OUTSIDE = 0.025  # share of the draws on either side of the interval
SEED = 7

T = TypeVar("T")


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
    return PairedDifference(len(deltas), fmean(deltas), *interval(deltas, fmean))


def interval(recordings: Sequence[T], figure: Callable[[Sequence[T]], float]) -> tuple[float, float]:
    """The ends of the interval of a figure of these recordings, one or more."""
    chance = random.Random(SEED)
    drawn = sorted(figure(chance.choices(recordings, k=len(recordings))) for _ in range(DRAWS))
    out = int(OUTSIDE * DRAWS)
    return drawn[out], drawn[-1 - out]
