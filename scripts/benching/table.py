"""Turns measured rounds into figures, and figures into a table for people or JSON for programs.

Each round measures ctxmgr and the floor in turn, and a figure's ratio is the median of the rounds' ratios, since a
slow machine slows both.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any, Literal

import msgspec
from rich.table import Table

Unit = Literal["/s", "ms", "MB"]


class Spread(msgspec.Struct, frozen=True):
    """The spread of several rounds."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(rounds: Sequence[float]) -> "Spread":
        return Spread(median(rounds), min(rounds), max(rounds))


class Goal(msgspec.Struct, frozen=True):
    """`of`: what the limit applies to, the ratio to the floor or ctxmgr's own figure."""

    of: Literal["ratio", "ours"]
    sense: Literal["at most", "at least"]
    limit: float

    def met(self, value: float) -> bool:
        return value <= self.limit if self.sense == "at most" else value >= self.limit


class Figure(msgspec.Struct, frozen=True):
    """`floor` and `ratio` are None if there is nothing to compare with."""

    name: str
    unit: Unit
    ours: Spread
    floor: Spread | None = None
    ratio: Spread | None = None
    goal: Goal | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """None without a goal."""
        if self.goal is None:
            return None
        held = self.ours if self.goal.of == "ours" else self.ratio
        return held is not None and self.goal.met(held.middle)


def figure(
    name: str,
    unit: Unit,
    ours: Sequence[float],
    floor: Sequence[float] = (),
    goal: Goal | None = None,
    note: str = "",
) -> Figure:
    """The figure of rounds. Each round of `floor` was measured beside the same round of `ours`."""
    if not floor:
        return Figure(name, unit, Spread.of(ours), goal=goal, note=note)
    ratios = [mine / theirs for mine, theirs in zip(ours, floor, strict=True)]
    return Figure(name, unit, Spread.of(ours), Spread.of(floor), Spread.of(ratios), goal, note)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    rank = max(1, -int(-share * len(ordered) // 1))
    return ordered[rank - 1]


def number(value: float) -> str:
    """Three significant digits, with thousands separators."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread(value: Spread | None, unit: str = "") -> str:
    if value is None:
        return ""
    text = f"{number(value.middle)} {unit}".rstrip()
    if value.low == value.high:
        return text
    return f"{text} [dim]({number(value.low)}..{number(value.high)})[/dim]"


def verdict(figure: Figure) -> str:
    if figure.met is None:
        return ""
    return "[green]met[/green]" if figure.met else "[red]missed[/red]"


def goal_text(figure: Figure) -> str:
    if figure.goal is None:
        return ""
    sign = "<=" if figure.goal.sense == "at most" else ">="
    unit = f" {figure.unit}" if figure.goal.of == "ours" else " x floor"
    return f"{sign} {number(figure.goal.limit)}{unit}"


def table(figures: Sequence[Figure]) -> Table:
    out = Table(title="ctxmgr beside a bare asyncio + msgspec loop: median (lowest..highest round)")
    out.add_column("figure")
    for title in ("ctxmgr", "floor", "ratio", "goal"):
        out.add_column(title, justify="right")
    out.add_column("")
    for row in figures:
        name = f"{row.name} [dim]{row.note}[/dim]" if row.note else row.name
        ours, floor = spread(row.ours, row.unit), spread(row.floor, row.unit)
        out.add_row(name, ours, floor, spread(row.ratio), goal_text(row), verdict(row))
    return out


def as_json(figures: Sequence[Figure]) -> str:
    rows: list[dict[str, Any]] = [{**msgspec.to_builtins(row), "met": row.met} for row in figures]
    return msgspec.json.format(msgspec.json.encode(rows)).decode()
