"""Turns what is known of a session's whole future into the cheapest schedule of cuts.

The family of schedules, fixed so that there is an optimum to speak of:
1. Before any call the list may be cut anew: it is what the user said, and every step from a first kept one on; the
   newest steps always stay. Any older step may be the first kept one; what was cut may come back.
2. A call costs its list: read price for what stands at the start of the list before as well, write price for the
   rest; all at write price where the cache is cold. No packets, no shortened results: other families may do better.
3. A name that the recorded reply uses is missed where it stands in none of the messages shown.
4. Sought is the least of cost + rate x (1 - recall). `rate`, what the whole of recall is worth, is in tokens of
   uncached input, as costs are; each rate gives a point of the curve of cost against recall.

Dynamic programming over (call, first kept step). All ways to a step pay for the list that results; what the prefix
saves depends on the old step alone where steps leave, and on the new one alone where they come back: a running
minimum from either end serves all. So a schedule takes O(calls x steps).
"""

from array import array
from collections.abc import Sequence
from itertools import accumulate
from math import inf
from operator import sub

import msgspec

from ctxmgr.study.baselines import timeline
from ctxmgr.study.baselines.optimum_ground import Ground, starts
from ctxmgr.study.baselines.timeline import Course
from ctxmgr.study.metrics.observations import Sight


class Schedule(msgspec.Struct, frozen=True):
    """`first[call]`: the first kept step. `costs[call]` in tokens of uncached input."""

    first: tuple[int, ...]
    costs: tuple[float, ...]
    missed: int
    names: int

    @property
    def cost(self) -> float:
        return sum(self.costs)

    @property
    def recall(self) -> float:
        return 1 - self.missed / self.names if self.names else 1.0

    @property
    def epochs(self) -> tuple[int, ...]:
        """The calls before which the list was cut anew."""
        return tuple(call for call in range(1, len(self.first)) if self.first[call] != self.first[call - 1])


def solve(ground: Ground, rate: float) -> Schedule:
    """The cheapest at this rate. Of equals the one that keeps more."""
    write = ground.prices.write
    saved = write - ground.prices.read  # for a token of the common prefix
    each = rate / ground.names if ground.names else 0.0
    most = inf if ground.limit is None else ground.limit
    fronts = [saved * front for front in ground.front]
    table: list[array[float]] = []
    for call, held in enumerate(ground.held):
        ways = _ways(ground, call, table[-1], fronts, saved) if table else [0.0]
        rows = zip(ways, ground.gone, ground.missed[call], strict=False)
        costs = array("d", [way + write * (held - gone) + each * missed for way, gone, missed in rows])
        for step in range(ground.choices[call] - 1):
            if held - ground.gone[step] <= most:
                break
            costs[step] = inf
        table.append(costs)
    return priced(ground, _walked_back(ground, table, fronts, saved))


def _ways(ground: Ground, call: int, old: Sequence[float], fronts: Sequence[float], saved: float) -> list[float]:
    """By first kept step: the least that it took to get there, less what the prefix saves."""
    many = ground.choices[call]
    if ground.cold[call]:
        return [min(old)] * many
    before = ground.held[call - 1]
    coming = reversed(list(accumulate(reversed(old), min)))
    left = inf
    ways = []
    for cost, back, gone, front in zip(old, coming, ground.gone, fronts, strict=False):  # the innermost loop
        if cost - front < left:
            left = cost - front
        way = cost - saved * (before - gone)
        if left < way:
            way = left
        ways.append(way if way < back - front else back - front)
    return ways + [left] * (many - len(ways))


def _walked_back(
    ground: Ground, table: Sequence[Sequence[float]], fronts: Sequence[float], saved: float
) -> list[int]:
    """The steps of the schedule, from the last call's cheapest."""
    step = _least(table[-1]) if table else 0
    first = [step] if table else []
    for call in range(len(table) - 1, 0, -1):
        old = table[call - 1]
        if ground.cold[call]:
            step = _least(old)
        else:
            ways = list(map(sub, old[: step + 1], fronts))  # from a step at or before this one
            ways += [cost - fronts[step] for cost in old[step + 1 :]]
            if step < len(old):
                ways[step] = old[step] - saved * (ground.held[call - 1] - ground.gone[step])
            step = _least(ways)
        first.append(step)
    return first[::-1]


def _least(costs: Sequence[float]) -> int:
    return costs.index(min(costs))


def priced(ground: Ground, first: Sequence[int]) -> Schedule:
    """What a schedule costs and misses, call by call."""
    prices, costs, missed = ground.prices, list[float](), 0
    for call, step in enumerate(first):
        shown = ground.held[call] - ground.gone[step]
        common = 0
        if call and not ground.cold[call]:
            was = first[call - 1]
            common = ground.held[call - 1] - ground.gone[step] if was == step else ground.front[min(was, step)]
        costs.append(prices.read * common + prices.write * (shown - common))
        missed += ground.missed[call][step]
    return Schedule(tuple(first), tuple(costs), missed, ground.names)


def sights(found: Course, schedule: Schedule) -> list[Sight]:
    """What the model is shown under a schedule, so that it is measured as any policy is."""
    steps, epoch = starts(found), 0
    said = [place for place, one in enumerate(found.items) if one.role == "user"]
    out = []
    for call, (asked, step) in enumerate(zip(found.asked, schedule.first, strict=True)):
        epoch += call > 0 and step != schedule.first[call - 1]
        start = steps[step]
        kept = tuple(found.wholes[place] for place in said if place < start)
        out.append(timeline.sight(found, asked, kept + found.wholes[start : asked.end], epoch))
    return out
