"""What a metric is, and what it is computed from.

Each metric is an entry in `METRICS` of a file of this package, with its name, unit, meaning and computation. Text
tables, `--json`, the page and the Parquet rows of a corpus are generated from these entries (`table.METRICS`).
"""

import random
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, Literal, TypeVar

import msgspec

from ctxmgr.study.figures.code_length import CodeLengths
from ctxmgr.study.observations import MessageCache, Observation, PriceSheet, Ratio

Figures = dict[str, Any]
Value = Ratio | float | int | None
View = Literal["brief", "page"]
T = TypeVar("T")


class Measures:
    """One session under one policy: what its metrics are computed from. `lengths`: of the recording, shared by its
    policies.
    """

    def __init__(
        self,
        observations: Sequence[Observation],
        known: MessageCache,
        sheet: PriceSheet,
        lengths: CodeLengths | None = None,
    ) -> None:
        self.observations = observations
        self.known = known
        self.sheet = sheet
        self.lengths = lengths or CodeLengths()
        self._taken: dict[Callable[..., Any], Any] = {}

    def once(self, measure: Callable[["Measures"], T]) -> T:
        """The result of this function for the session, computed once and shared by all metrics."""
        if measure not in self._taken:
            self._taken[measure] = measure(self)
        taken: T = self._taken[measure]
        return taken


class Unit(msgspec.Struct, frozen=True):
    """`json_digits` and `digits`: decimals in `--json` and in tables."""

    json_digits: int
    digits: int


DOLLARS = Unit(4, 2)
SHARE = Unit(5, 3)  # 0 to 1
TOKENS = Unit(1, 0)  # a mean number of tokens
COUNT = Unit(0, 0)
PER_100 = Unit(3, 1)  # per 100 calls


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """`path`: its key in `--json`, with a dot for each level. `title`: its heading in tables. `about`: its meaning,
    a sentence.

    `of` returns a `Ratio` for a share. `part_of`: the path of another metric; the value is then the share of that
    metric's value under preset `off` on the same recording. `shown`: the tables that have it. `total`: its path in
    a row of totals over recordings, where numerators and denominators, or amounts, are summed; "" if it is in none.
    `columns`: of a Parquet row; for a ratio its share, numerator and denominator.
    """

    path: str
    title: str
    unit: Unit
    about: str
    of: Callable[[Measures], Value]
    part_of: str = ""
    shown: tuple[View, ...] = ()
    total: str = ""
    columns: tuple[str, ...] = ()

    def plain(self, session: Measures, base: Measures | None) -> Any:
        """The value for `--json`; a ratio with its parts. `base`: the same recording under preset `off`."""
        value = self.of(session)
        if self.part_of:
            return share(value, self.of(base) if base else None)
        if isinstance(value, Ratio):
            return {"share": share(value.part, value.total), "held": value.part, "of": value.total}
        return rounded(value, self.unit)

    def number(self, figures: Figures) -> float | None:
        """The value in the plain figures of one recording; None if they do not have it."""
        value = value_at(figures, self.path)
        number: float | None = value["share"] if isinstance(value, dict) else value
        return number

    def text(self, value: float | None) -> str:
        return "-" if value is None else f"{value:,.{self.unit.digits}f}"


def of_base(metric: Metric, **changed: Any) -> Metric:
    """A metric's value as a share of its value under preset `off`."""
    return msgspec.structs.replace(
        metric, **{"part_of": metric.path, "unit": SHARE, "total": "", "columns": (), **changed}
    )


def value_at(figures: Figures, path: str) -> Any:
    """The value at `path`; None if there is none."""
    value: Any = figures
    for key in path.split("."):
        value = None if value is None else value.get(key)
    return value


def put(figures: Figures, path: str, value: Any) -> None:
    *above, last = path.split(".")
    for key in above:
        figures = figures.setdefault(key, {})
    figures[last] = value


def share(part: Any, whole: Any) -> float | None:
    """None if `whole` is 0 or None."""
    return round(part / whole, SHARE.json_digits) if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def rounded(value: float | int | None, unit: Unit) -> float | int | None:
    return value if value is None or isinstance(value, int) else round(value, unit.json_digits)


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
