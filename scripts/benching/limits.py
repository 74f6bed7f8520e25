"""The gate's goals and limits for the bench's figures, in one table.

A limit is ROOM times the goal if that was reached, otherwise ROOM times the last measurement on a quiet machine. So
nothing gets slower unnoticed, and the table shows what misses its goal. When a change improves a row, update its
measurement here.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from rich.table import Table

from scripts.benching.figures import Figure, Spread, number

ROOM = 1.5  # on top of the goal or the measurement, since machines are noisy


class Limit(msgspec.Struct, frozen=True):
    """`measured`: the last measurement, when the table was written. `of`: what is limited, the ratio to the floor
    or ctxmgr's own figure. `room`: the factor by which it may be worse.
    """

    goal: float | None
    measured: float
    of: Literal["ratio", "ours"] = "ratio"
    sense: Literal["at most", "at least"] = "at most"
    room: float = ROOM

    @property
    def was_reached(self) -> bool:
        """Whether the last measurement meets the goal."""
        return self.goal is not None and self._is_within(self.measured, self.goal)

    @property
    def limit(self) -> float:
        held = self.goal if self.goal is not None and self.was_reached else self.measured
        return held * self.room if self.sense == "at most" else held / self.room

    def best(self, figure: Figure) -> float:
        """The limited value of a figure: its best round, divided by the best of the floor's for a ratio. Raises
        ValueError if it has no floor and needs one.
        """
        ours = self._best_round(figure.ours)
        if self.of == "ours":
            return ours
        if figure.floor is None:
            raise ValueError(f"{figure.name}: there is no floor")
        return ours / self._best_round(figure.floor)

    def _best_round(self, rounds: Spread) -> float:
        return rounds.low if self.sense == "at most" else rounds.high

    def holds(self, value: float) -> bool:
        """Whether the value is within the limit."""
        return self._is_within(value, self.limit)

    def _is_within(self, value: float, bound: float) -> bool:
        return value <= bound if self.sense == "at most" else value >= bound


LIMITS: dict[str, Limit] = {
    # the default answer to a host says that nothing is to be removed; the goals are for this
    "steady context, 1 MB, whole, off": Limit(0.25, 0.40),
    "steady context, 1 MB, whole, tools": Limit(0.25, 0.42),
    "steady context, 1 MB, whole, turns": Limit(0.25, 0.41),
    "steady context, 1 MB, whole, balanced": Limit(0.25, 0.44),
    "steady context, 8 MB, whole, off": Limit(0.20, 0.15),
    "steady context, 8 MB, whole, tools": Limit(0.20, 0.15),
    "steady context, 8 MB, whole, turns": Limit(0.20, 0.15),
    "steady context, 8 MB, whole, balanced": Limit(0.20, 0.15),
    # the same bytes are returned
    "steady context, 1 MB, whole, off, messages": Limit(None, 0.44),
    "steady context, 1 MB, whole, tools, messages": Limit(None, 0.49),
    "steady context, 1 MB, whole, turns, messages": Limit(None, 0.49),
    "steady context, 1 MB, whole, balanced, messages": Limit(None, 0.50),
    "steady context, 8 MB, whole, off, messages": Limit(None, 0.22),
    "steady context, 8 MB, whole, tools, messages": Limit(None, 0.21),
    "steady context, 8 MB, whole, turns, messages": Limit(None, 0.22),
    "steady context, 8 MB, whole, balanced, messages": Limit(None, 0.22),
    # with the preset's defaults, in a window of 200,000 tokens
    "steady context, 1 MB, outgrown, tools": Limit(None, 0.52),
    "steady context, 1 MB, outgrown, turns": Limit(None, 0.49),
    "steady context, 1 MB, outgrown, balanced": Limit(None, 0.53),
    "steady context, 8 MB, outgrown, tools": Limit(None, 0.20),
    "steady context, 8 MB, outgrown, turns": Limit(None, 0.17),
    "steady context, 8 MB, outgrown, balanced": Limit(None, 0.19),
    "first context, 15 MB, 10,000 messages": Limit(8, 11.5),
    "spawn to the first context, CPU": Limit(2.6, 2.5),  # .15 s; the bare loop takes .058
    "turn_end, snapshot line written": Limit(0.30, 0.12, sense="at least"),
    # here the floor answers 75,000 to 290,000 a second, run by run: it wakes once or often for the same events
    "turn_end, many under way": Limit(0.15, 0.054, sense="at least", room=2.5),
    "memory a session": Limit(1.0, 0.98, "ours"),
    "memory after all have ended": Limit(1.15, 1.14),
    "memory at its height, first lists": Limit(300, 290, "ours"),
    "call through the proxy, 1 MB, steady": Limit(4.0, 3.5),  # 6 ms more than a bare one, which takes 2
}
"""By name of a figure. `ours` is in the figure's unit."""


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
