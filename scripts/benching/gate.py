"""Measures in under a minute the figures that every change must keep within the table of limits.

Speed is a multiple of the floor in the same run, for lists and starts in CPU time, since wall-clock time depends on
other load. CPU time does not show waiting, such as for a disk; so events are measured as answers per second. Of
three rounds ctxmgr's best counts, divided by the floor's best. Memory is the same in each round, so it has one
round.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from rich.table import Table

from benching import footprint, long, memory, proxied, small, steady
from benching.limits import LIMITS, Limit
from benching.pair import Options
from benching.table import Figure, number, spread

ROUNDS = 3
MEASURES: tuple[Callable[[Options], list[Figure]], ...] = (
    steady.measure,
    long.first_of_ten_thousand,
    footprint.first_contexts,
    small.events,
    memory.briefly,
    proxied.briefly,
)


class Judged(msgspec.Struct, frozen=True):
    """`best`: the best of the figure's rounds, compared with its limit."""

    figure: Figure
    limit: Limit
    best: float

    @property
    def holds(self) -> bool:
        return self.limit.holds(self.best)


def judged(figures: Sequence[Figure], limits: Mapping[str, Limit] = LIMITS) -> list[Judged]:
    """Each figure with its limit. Raises ValueError if a figure has no limit, or a limit no figure."""
    odd = {figure.name for figure in figures} ^ set(limits)
    if odd:
        raise ValueError(f"without a figure or without a limit: {', '.join(sorted(odd))}")
    found = ((figure, limits[figure.name]) for figure in figures)
    return [Judged(figure, limit, limit.best(figure)) for figure, limit in found]


def measure(options: Options) -> list[Judged]:
    return judged([figure for group in MEASURES for figure in group(options)])


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
            spread(row.figure.ours, row.figure.unit),
            spread(row.figure.floor, row.figure.unit),
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
