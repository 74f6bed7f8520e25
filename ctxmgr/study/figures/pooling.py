"""Turns figures of several recordings into one row a policy, and into how sure a difference of two policies is.

1. In totals dollars are summed, and what was asked is pooled: each byte or question counts the same. A policy is
   held against `off` on the recordings that it was measured on. The floor has a row of its own.
2. In means each recording counts the same, whatever its length; one without a figure (no edit in it) is left out.
3. The bootstrap: recordings are drawn with repetition, as many as there are, `DRAWS` times; the interval holds the
   middle 95 % of what comes out. The numbers drawn are the same in every run.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

import msgspec

from ctxmgr.study.figures.registry import PER_100, SHARE, Figures, Metric, put, rounded, share, value_at
from ctxmgr.study.figures.table import METRICS

FLOOR = "floor"
LONG_TOKENS = 100_000  # weight of a recorded conversation from which on a session is one that outgrows windows
DRAWS = 2_000  # of which the 50 lowest and highest are left out: the ends move by about .002 of a spread
OUTSIDE = 0.025  # share of the draws on either side of the interval
SEED = 7

T = TypeVar("T")


def totals(parts: Sequence[Sequence[Figures]], base: str) -> list[Figures]:
    """Rule 1. `parts`: for each recording a row a policy, with "preset" and "measures"; "floor" in the first."""
    measured = [{row["preset"]: row["measures"] for row in part} for part in parts]
    names = dict.fromkeys(name for part in measured for name in part)
    rows = []
    for name in names:
        both = [(part[name], part[base]) for part in measured if name in part]
        rows.append(_total(name, [mine for mine, _ in both], [whole for _, whole in both]))
    floor = sum(part[0]["floor"]["money"] for part in parts)
    of_base = {key: share(floor, _sum([part[base] for part in measured], key)) for key in ("billed", "closed")}
    return [
        *rows,
        {
            "preset": FLOOR,
            "recordings": len(parts),
            "money": {"billed": floor},
            "together": {**of_base, "all": None},
        },
    ]


def _total(name: str, mine: Sequence[Figures], bases: Sequence[Figures]) -> Figures:
    calls = sum(measures["closedLoop"]["calls"] for measures in mine)
    row: Figures = {"preset": name, "recordings": len(mine), "calls": calls}
    for metric in METRICS:
        if metric.total:
            put(row, metric.total, _pooled(metric, mine, bases))
    averaged = {key: f"closedLoop.{key}OfOff" for key in ("billed", "closed", "all")} | {"kept": "kept.share"}
    row["mean"] = {key: _mean(value_at(measures, path) for measures in mine) for key, path in averaged.items()}
    row["worstKept"] = _least(mine)
    return row


def _pooled(metric: Metric, mine: Sequence[Figures], bases: Sequence[Figures]) -> float | None:
    if metric.unit is PER_100:
        return share(100 * _sum(mine, "fetches"), _sum(mine, "calls"))
    if metric.part_of:
        key = metric.total.rpartition(".")[2]
        return share(_sum(mine, key), _sum(bases, key))
    values = [value_at(measures, metric.path) for measures in mine]
    if metric.unit is SHARE:
        return share(sum(value["held"] for value in values), sum(value["of"] for value in values))
    return rounded(sum(values), metric.unit)


def _sum(some: Iterable[Figures], key: str) -> float:
    return float(sum(value_at(measures["closedLoop"], key) for measures in some))


def means(rows: Sequence[tuple[str, Figures]]) -> list[Figures]:
    """Rule 2: a row a preset and range, of (preset, figures of one recording): from LONG_TOKENS on, and all.

    `dearest` is the largest `ofOff`, `worstKept` the least `kept`.
    """
    presets = dict.fromkeys(preset for preset, _ in rows)
    out = []
    for least in (LONG_TOKENS, 0):
        for preset in presets:
            mine = [measures for name, measures in rows if name == preset and measures["rawTokens"] >= least]
            if not mine:
                continue
            row: Figures = {"preset": preset, "fromTokens": least, "recordings": len(mine)}
            row |= {metric.mean: _mean(map(metric.number, mine)) for metric in METRICS if metric.mean}
            row["worstKept"] = _least(mine)
            row["dearest"] = max(
                (measures["ofOff"] for measures in mine if measures["ofOff"] is not None), default=None
            )
            row["unannouncedBreaks"] = sum(measures["unannouncedBreaks"] for measures in mine)
            out.append(row)
    return out


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 5) if known else None


def _least(some: Sequence[Figures]) -> float | None:
    return min(
        (measures["kept"]["share"] for measures in some if measures["kept"]["share"] is not None), default=None
    )


class PairedDifference(msgspec.Struct, frozen=True):
    """Of a pair of policies, first less second, over so many recordings: the mean, and its interval."""

    recording_count: int
    mean: float
    low: float
    high: float


def difference(pairs: Sequence[tuple[float, float]]) -> PairedDifference | None:
    """Rule 3. None where there are no recordings. A single one has no interval but itself."""
    if not pairs:
        return None
    deltas = [first - second for first, second in pairs]
    return PairedDifference(len(deltas), fmean(deltas), *_interval(deltas, fmean))


def _interval(recordings: Sequence[T], figure: Callable[[Sequence[T]], float]) -> tuple[float, float]:
    chance = random.Random(SEED)
    drawn = sorted(figure(chance.choices(recordings, k=len(recordings))) for _ in range(DRAWS))
    out = int(OUTSIDE * DRAWS)
    return drawn[out], drawn[-1 - out]
