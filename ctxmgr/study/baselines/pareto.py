"""Turns a ground into the curve of least cost against recall, and into the optimum at a wanted recall.

Each rate of `optimum.solve` gives a corner of the curve's lower convex hull; the slope between two corners is the
rate at which a corner between them, if there is one, is found. So a few solutions meet the corners, none by chance.
Between two neighbouring corners single schedules may lie, but none under the line that joins them.
"""

from collections.abc import Sequence
from math import inf

import msgspec

from ctxmgr.study.baselines.optimum import Schedule, solve
from ctxmgr.study.baselines.optimum_ground import Ground

SOLUTIONS = 16  # of a curve: as many corners as a plot can show
CORNERS_TRIED = 60  # until a wanted recall is met: a hull between two points halves far sooner
NEAR = 1e-9  # a share of the cost: less is a rounding


class Reached(msgspec.Struct, frozen=True):
    """`schedule`: the cheapest corner with at least the recall that was asked for; the fullest where none has it.
    `floor`, in tokens of uncached input: no schedule of that recall costs less; inf where there is none."""

    schedule: Schedule
    floor: float


def ends(ground: Ground) -> tuple[Schedule, Schedule]:
    """The cheapest schedule, and the cheapest of those that miss least."""
    whole = sum(ground.held) * ground.prices.write + 1  # no schedule costs as much as this
    return solve(ground, 0.0), solve(ground, whole * max(1, ground.names))


def curve(ground: Ground, solutions: int = SOLUTIONS) -> list[Schedule]:
    """Corners by ascending cost, both ends among them; the widest gaps are looked into first."""
    found = sorted(ends(ground), key=_place)
    gaps = [(found[0], found[1])]
    while gaps and solutions > 2:
        low, high = gaps.pop(gaps.index(max(gaps, key=_width)))
        between = _between(ground, low, high)
        solutions -= 1
        if between is not None:
            found.append(between)
            gaps += [(low, between), (between, high)]
    return sorted(found, key=_place)


def at_recall(ground: Ground, wanted: float, known: Sequence[Schedule] = ()) -> Reached:
    """The optimum at a recall. `known`: corners found already, both ends among them, by ascending cost."""
    corners = known or ends(ground)
    high = next((one for one in corners if one.recall >= wanted), corners[-1])
    low = next((one for one in reversed(corners) if one.recall < wanted), high)
    if low.recall >= wanted:
        return Reached(low, low.cost)
    if high.recall < wanted:
        return Reached(high, inf)
    for _ in range(CORNERS_TRIED):
        between = _between(ground, low, high)
        if between is None:
            break
        low, high = (low, between) if between.recall >= wanted else (between, high)
    share = (wanted - low.recall) / (high.recall - low.recall)
    return Reached(high, low.cost + share * (high.cost - low.cost))


def _between(ground: Ground, low: Schedule, high: Schedule) -> Schedule | None:
    """The corner furthest under the line between two schedules; None where there is none."""
    fewer = low.missed - high.missed
    if fewer <= 0:
        return None
    each = (high.cost - low.cost) / fewer  # tokens for one name
    found = solve(ground, each * ground.names)
    under = low.cost + each * low.missed - (found.cost + each * found.missed)
    return found if under > NEAR * low.cost and low.missed > found.missed > high.missed else None


def _width(gap: tuple[Schedule, Schedule]) -> float:
    """The area that a corner between the two may lie in."""
    low, high = gap
    return (high.cost - low.cost) * (low.missed - high.missed)


def _place(one: Schedule) -> tuple[float, int]:
    return one.cost, one.missed
