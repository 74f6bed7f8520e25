"""Turns points with names into where the names stand in a drawing: beside their points, and never on each other.

1. A name stands right of its point if there is room, else left, above or below it, else as near as there is.
2. Where there is a choice, a name covers no point either, and is nearest to its own.
3. The same points give the same places: they are gone through from the top down.

Sizes are units of a drawing (`LETTER`): those of a wide font, so that what fits here fits in any.
"""

from collections.abc import Sequence
from typing import NamedTuple

LETTER = 15  # units: the size of letters on a phone, where they are largest
CHARACTER, BOLD = 0.65 * LETTER, 0.72 * LETTER  # the mean width of one in a wide font
ASCENT, DESCENT = LETTER, 0.3 * LETTER  # of a line, rounded up to pixels
BESIDE_POINT = 10  # units between a point's middle and its name
ASIDE = 24  # units further to a side
STEP = (ASCENT + DESCENT) / 2


class Box(NamedTuple):
    """What something takes up: its four ends, in units from the west and from the north."""

    west: float
    east: float
    north: float
    south: float

    def meets(self, other: "Box") -> bool:
        return (
            self.west < other.east
            and other.west < self.east
            and self.north < other.south
            and other.north < self.south
        )

    def within(self, other: "Box") -> bool:
        return (
            self.west >= other.west
            and self.east <= other.east
            and self.north >= other.north
            and self.south <= other.south
        )


class NamedPoint(NamedTuple):
    """A point and the name that belongs to it."""

    x: float
    y: float
    name: str


class Label(NamedTuple):
    """A name in its place: where its text starts, and its base line."""

    name: str
    start: float
    base: float

    @property
    def box(self) -> Box:
        return Box(self.start, self.start + BOLD * len(self.name), self.base - ASCENT, self.base + DESCENT)

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Of its box the place next to this one."""
        box = self.box
        return min(max(x, box.west), box.east), min(max(y, box.north), box.south)

    def distance(self, x: float, y: float) -> float:
        near_x, near_y = self.nearest(x, y)
        return max(abs(near_x - x), abs(near_y - y))


def labels(points: Sequence[NamedPoint], room: Box, kept_free: Sequence[Box] = ()) -> list[Label]:
    """One a point, from the top down. `room`: what names stay in; `kept_free`: what they cover only where nothing
    else is possible."""
    made: list[Label] = []
    for point in sorted(points, key=lambda label: (label.y, label.x, label.name)):
        ways = [label for label in _ways(point, room) if label.box.within(room)]
        alone = [label for label in ways if not any(label.box.meets(other.box) for other in made)]
        clear = [label for label in alone if not any(label.box.meets(other) for other in kept_free)]
        others = [other for other in points if (other.x, other.y) != (point.x, point.y)]
        own = [label for label in clear if _is_nearest(label, point, others)]
        made.append(next(iter(own or clear or alone or ways), _ways(point, room)[0]))
    return made


def _is_nearest(label: Label, point: NamedPoint, others: Sequence[NamedPoint]) -> bool:
    mine = label.distance(point.x, point.y)
    return all(label.distance(other.x, other.y) > mine for other in others)


def _ways(point: NamedPoint, room: Box) -> list[Label]:
    """The best first."""
    wide = BOLD * len(point.name)
    right, left = point.x + BESIDE_POINT, point.x - BESIDE_POINT - wide
    middle, base = point.x - wide / 2, point.y + DESCENT
    nearest = [
        Label(point.name, right, base),
        Label(point.name, left, base),
        Label(point.name, middle, point.y - BESIDE_POINT),
        Label(point.name, middle, point.y + BESIDE_POINT + ASCENT),
    ]
    high = int((room.south - room.north) / STEP) + 1
    starts = (right, left, middle, right + ASIDE, left - ASIDE, room.east - wide, room.west)
    others = [
        Label(point.name, start, base + number * STEP) for number in range(-high, high + 1) for start in starts
    ]
    return [*nearest, *sorted(others, key=lambda label: (label.distance(point.x, point.y), label))]
