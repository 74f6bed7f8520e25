"""Turns measured rounds into figures, each with its floor if it has one."""

from collections.abc import Sequence
from statistics import median
from typing import Literal

import msgspec

Unit = Literal["/s", "ms", "MB"]


class Spread(msgspec.Struct, frozen=True):
    """The spread of several rounds."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(rounds: Sequence[float]) -> "Spread":
        return Spread(median(rounds), min(rounds), max(rounds))

    def text(self, unit: str) -> str:
        text = f"{number(self.middle)} {unit}"
        if self.low == self.high:
            return text
        return f"{text} [dim]({number(self.low)}..{number(self.high)})[/dim]"


class Figure(msgspec.Struct, frozen=True):
    """`floor`: what the floor measured in the same rounds, None if there is nothing to compare with."""

    name: str
    unit: Unit
    ours: Spread
    floor: Spread | None = None


def figure(name: str, unit: Unit, ours: Sequence[float], floor: Sequence[float] = ()) -> Figure:
    return Figure(name, unit, Spread.of(ours), Spread.of(floor) if floor else None)


def number(value: float) -> str:
    """Three significant digits, with thousands separators."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
