"""A bootstrap interval over recordings; the same in every run."""

import random
from collections.abc import Callable, Sequence

DRAWS = 2_000  # the 50 lowest and 50 highest are outside: the ends are accurate to about .002 of a spread
OUTSIDE = 0.025  # share of the draws outside the interval, on either side
SEED = 7


def interval(count: int, statistic: Callable[[Sequence[int]], float]) -> tuple[float, float]:
    """The ends of the 95 % interval of `statistic` over resampled recordings. `count`: number of recordings.
    `statistic` receives the indices that were drawn, with repetition.
    """
    chance, every = random.Random(SEED), range(count)
    drawn = sorted(statistic(chance.choices(every, k=count)) for _ in range(DRAWS))
    out = int(OUTSIDE * DRAWS)
    return drawn[out], drawn[-1 - out]
