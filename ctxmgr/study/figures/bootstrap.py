"""An interval over recordings, by drawing as many of them again and again: the same in every run."""

import random
from collections.abc import Callable, Sequence

DRAWS = 2_000  # of which the 50 lowest and highest are left out: the ends move by about .002 of a spread
OUTSIDE = 0.025  # share of the draws on either side of the interval
SEED = 7


def interval(count: int, statistic: Callable[[Sequence[int]], float]) -> tuple[float, float]:
    """The middle 95 % of what `statistic` is of `count` recordings that were drawn from them, each as often as it
    was drawn. It gets their indices."""
    chance, every = random.Random(SEED), range(count)
    drawn = sorted(statistic(chance.choices(every, k=count)) for _ in range(DRAWS))
    out = int(OUTSIDE * DRAWS)
    return drawn[out], drawn[-1 - out]
