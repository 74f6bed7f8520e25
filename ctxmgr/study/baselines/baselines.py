"""Turns a recording into what stands beside the presets: the control policy, the optimum, and how far that is.

Both are simulated: no ctxmgr runs. They are measured as the presets are. No list of the optimum's is longer than
one of a host that compacts at its window.
"""

from collections.abc import Mapping

import msgspec

from ctxmgr.study.baselines import control, optimum, pareto, timeline
from ctxmgr.study.baselines.last_mention import standing
from ctxmgr.study.baselines.optimum_ground import Ground, ground
from ctxmgr.study.hosts import pi_host
from ctxmgr.study.metrics.billing import MILLION, Prices
from ctxmgr.study.metrics.measures import Measures, measure
from ctxmgr.study.metrics.message_cache import Known
from ctxmgr.study.recordings.recording import Recording

WANTED = 0.975  # the recall that the optimum is shown at: what the project's goals were set beside


class Distance(msgspec.Struct, frozen=True):
    """A preset beside the optimum of the same recall. In dollars; `optimum` and `floor` as `curve.Reached` says,
    None where no schedule of the family has that recall."""

    preset: str
    recall: float
    cost: float
    optimum: float | None
    floor: float | None

    @property
    def dearer(self) -> float | None:
        """By which share of the optimum's cost."""
        return self.cost / self.optimum - 1 if self.optimum else None


class Hindsight(msgspec.Struct, frozen=True):
    """`best`: the optimum at the wanted recall, or at the most there is. `corners`: dollars, recall."""

    best: Measures
    corners: tuple[tuple[float, float], ...]
    distances: tuple[Distance, ...]


def the_control(recorded: Recording, known: Known, prices: Prices) -> Measures:
    return measure(control.sights(timeline.of(recorded), known.weight), known, prices)


def hindsight(
    recorded: Recording, known: Known, prices: Prices, window: int, presets: Mapping[str, Measures]
) -> Hindsight:
    """`window` in tokens; `presets`: what was measured on the same recording, by name."""
    found = timeline.of(recorded)
    limit = window - pi_host.RESERVE if window > pi_host.RESERVE else None
    of = ground(found, tuple(standing(found, known.names)), known.weight, prices, limit)
    corners = pareto.curve(of)
    best = pareto.at_recall(of, WANTED, corners).schedule
    return Hindsight(
        best=measure(optimum.sights(found, best), known, prices),
        corners=tuple((_money(one.cost, prices), one.recall) for one in corners),
        distances=tuple(_distance(of, corners, name, one) for name, one in presets.items()),
    )


def _distance(of: Ground, corners: list[optimum.Schedule], name: str, measures: Measures) -> Distance:
    recall = measures.recall.overall.share
    recall = 1.0 if recall is None else recall
    reached = pareto.at_recall(of, recall, corners)
    there = reached.schedule.recall >= recall
    cost, floor = (_money(one, of.prices) if there else None for one in (reached.schedule.cost, reached.floor))
    return Distance(name, recall, measures.bill.money, cost, floor)


def _money(cost: float, prices: Prices) -> float:
    """Dollars for tokens of uncached input."""
    return cost * prices.input / MILLION
