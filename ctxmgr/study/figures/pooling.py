"""Turns figures of several recordings into one row a policy, and into how sure a difference of two policies is.

1. In totals dollars are summed, and what was asked is pooled: each byte or question counts the same. A policy is
   held against `off` on the recordings that it was measured on. The floor has a row of its own.
2. In a mean each recording counts the same, whatever its length; one without a figure is left out.
3. The bootstrap: recordings are drawn with repetition, as many as there are, `DRAWS` times; the interval holds the
   middle 95 % of what comes out. The numbers drawn are the same in every run.
"""

import random
from collections.abc import Iterable, Sequence
from statistics import fmean

from rich.table import Table

from ctxmgr.study.console import figure, figures_table, plain
from ctxmgr.study.figures.registry import DOLLARS, PER_100, SHARE, Figures, Metric, put, rounded, share, value_at
from ctxmgr.study.figures.table import METRICS, shown

FLOOR = "floor"
DRAWS = 2_000  # of which the 50 lowest and highest are left out: the ends move by about .002 of a spread
OUTSIDE = 0.025  # share of the draws on either side of the interval
SEED = 7


def totals(parts: Sequence[Sequence[Figures]], base: str) -> list[Figures]:
    """Rule 1. `parts`: for each recording a row a policy, with "preset" and "measures"; "floor" in the first."""
    measured = [{row["preset"]: row["measures"] for row in part} for part in parts]
    names = dict.fromkeys(name for part in measured for name in part)
    floor = sum(part[0]["floor"]["money"] for part in parts)
    of_base = {key: share(floor, _sum([part[base] for part in measured], key)) for key in ("billed", "closed")}
    return [
        *(_total(name, [part for part in measured if name in part], base) for name in names),
        {
            "preset": FLOOR,
            "recordings": len(parts),
            "money": {"billed": floor},
            "together": {**of_base, "all": None},
        },
    ]


def _total(name: str, measured: Sequence[Figures], base: str) -> Figures:
    """`measured`: of each recording that it was measured on, figures by policy."""
    mine, bases = ([part[policy] for part in measured] for policy in (name, base))
    calls = sum(measures["closedLoop"]["calls"] for measures in mine)
    row: Figures = {"preset": name, "recordings": len(mine), "calls": calls}
    for metric in METRICS:
        if metric.total:
            put(row, metric.total, _pooled(metric, mine, bases))
    averaged = {key: f"closedLoop.{key}OfOff" for key in ("billed", "closed", "all")} | {"kept": "kept.share"}
    row["mean"] = {key: _mean(value_at(measures, path) for measures in mine) for key, path in averaged.items()}
    return row | {"worstKept": _worst_kept(mine)}


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


def totals_table(rows: Sequence[Figures]) -> Table:
    """Of `totals`, for a terminal: all recordings together, without the floor."""
    metrics = [metric for metric in shown("brief") if metric.total and metric.unit is not DOLLARS]
    heads = ("policy", "recordings", *(metric.title for metric in metrics), "kept: mean", "worst")
    made = figures_table("all recordings together", heads)
    for row in rows:
        if row["preset"] != FLOOR:
            cells = [metric.text(value_at(row, metric.total)) for metric in metrics]
            kept = [figure(value, SHARE.digits) for value in (row["mean"]["kept"], row["worstKept"])]
            made.add_row(plain(row["preset"]), str(row["recordings"]), *cells, *kept)
    return made


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 5) if known else None


def _worst_kept(some: Sequence[Figures]) -> float | None:
    shares = (measures["kept"]["share"] for measures in some)
    return min((share for share in shares if share is not None), default=None)


def difference(pairs: Sequence[tuple[float, float]]) -> Figures:
    """Rule 3: of a pair of policies, first less second, on each recording: how many there are, the mean, and its
    interval. A single recording has no interval but itself; of none there is no difference."""
    deltas = [first - second for first, second in pairs]
    chance = random.Random(SEED)
    drawn = sorted(fmean(chance.choices(deltas, k=len(deltas))) for _ in range(DRAWS))
    out = int(OUTSIDE * DRAWS)
    return {"recording_count": len(deltas), "mean": fmean(deltas), "low": drawn[out], "high": drawn[-1 - out]}
