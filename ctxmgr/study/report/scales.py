"""Turns values into places on paper: scales, the round numbers beside an axis, long series thinned.

Units of paper are those of the drawing's viewBox. Knows no HTML.
"""

from collections.abc import Sequence
from math import ceil, floor, log10

import msgspec

from ctxmgr.model import currency

MOST_POINTS = 600  # of a drawn line: more than its width has pixels
TICKS = 6  # most numbers beside an axis
LEAST = 1e-9  # a range: less is nothing, of dollars as of tokens
ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(msgspec.Struct, frozen=True, gc=False):
    """Values from `low` to `high` on paper from `start` to `end`; what is outside is put on the edge."""

    low: float
    high: float
    start: float
    end: float

    def position(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)


def ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """At most so many round numbers, evenly apart, from the first not below `low` to the last not above `high`."""
    if high - low < LEAST:
        return [low]
    step = _step(high - low, most)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def rounded_range(low: float, high: float) -> tuple[float, float]:
    """The round numbers around a range; a narrow one is made a tenth of its height."""
    step = _step(max(high - low, high / 10, LEAST))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return step * first, step * max(last, first + 1)


def _step(width: float, most: int = TICKS) -> float:
    """The least round number that is in `width` less than `most` times."""
    raw = width / max(1, most - 1)
    power = 10.0 ** floor(log10(raw))
    return power * next(factor for factor in ROUND if factor * power >= raw * (1 - 1e-9))


def thinned(values: Sequence[float], most: int = MOST_POINTS) -> list[int]:
    """The places to draw, ascending. Of a long series each stretch keeps its ends, its least and its most: what
    falls at an epoch still falls."""
    if len(values) <= most:
        return list(range(len(values)))
    size = ceil(len(values) * 4 / most)
    kept: set[int] = set()
    for start in range(0, len(values), size):
        stretch = range(start, min(start + size, len(values)))
        least, greatest = min(stretch, key=values.__getitem__), max(stretch, key=values.__getitem__)
        kept.update((stretch[0], stretch[-1], least, greatest))
    return sorted(kept)


def tokens(value: float) -> str:
    """120k, 1.5M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"


def dollars(value: float) -> str:
    """With as many digits as its size needs."""
    return currency.amount(value, ".2f" if value >= 0.095 or value == 0 else ".3g")


def plain(value: float) -> str:
    return f"{value:.4g}"
