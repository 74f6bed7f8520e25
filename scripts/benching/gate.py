"""Compares measured figures with the table of limits."""

from collections.abc import Mapping, Sequence

import msgspec
from rich.table import Table

from benching.figures import Figure, number
from benching.limits import LIMITS, Limit


class Judged(msgspec.Struct, frozen=True):
    """`best`: the best of the figure's rounds, compared with its limit."""

    figure: Figure
    limit: Limit
    best: float

    @property
    def holds(self) -> bool:
        return self.limit.holds(self.best)


def judged(figures: Sequence[Figure], limits: Mapping[str, Limit] = LIMITS) -> list[Judged]:
    """Each figure with its limit. Raises ValueError if a figure has no limit."""
    odd = {figure.name for figure in figures} - set(limits)
    if odd:
        raise ValueError(f"without a limit: {', '.join(sorted(odd))}")
    found = ((figure, limits[figure.name]) for figure in figures)
    return [Judged(figure, limit, limit.best(figure)) for figure, limit in found]


def table(rows: Sequence[Judged]) -> Table:
    out = Table(title="The gate: the best of the rounds (of lists and starts in CPU), within its limit or not")
    out.add_column("figure")
    for title in ("ctxmgr", "floor", "held", "goal", "measured last", "limit"):
        out.add_column(title, justify="right")
    out.add_column("")
    for row in rows:
        held = row.limit
        out.add_row(
            row.figure.name,
            row.figure.ours.text(row.figure.unit),
            row.figure.floor.text(row.figure.unit) if row.figure.floor else "",
            number(row.best),
            number(held.goal) if held.goal is not None else "",
            number(held.measured),
            f"{'<=' if held.sense == 'at most' else '>='} {number(held.limit)}",
            verdict(row),
        )
    return out


def verdict(row: Judged) -> str:
    if not row.holds:
        return "[red]beyond its limit[/red]"
    if row.limit.goal is None:
        return "[green]within[/green]"
    return "[green]within[/green]" if row.limit.was_reached else "within, [yellow]short of its goal[/yellow]"


def failures(rows: Sequence[Judged]) -> list[str]:
    """The figures beyond their limits, as text."""
    return [
        f"{row.figure.name}: {number(row.best)}, {row.limit.sense} {number(row.limit.limit)}"
        for row in rows
        if not row.holds
    ]
