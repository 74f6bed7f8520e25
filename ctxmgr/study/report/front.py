"""Draws all policies on recordings in one picture: `kept` (the share that lists had of what replies repeat) against
the bill.

1. A policy is one point: its bill on the horizontal axis, where the host alone is 1, and `kept` on the vertical
   axis. Both cover all recordings together, dollars over dollars and bytes over bytes, of those that the policy was
   measured on.
2. The front is one policy at several values of its knob, joined by a line in the order of the knob. Its points are
   named by the value of the knob, or by the named point with that value. Points in the same place share one name.
3. A policy simulated without ctxmgr is a square.
4. A policy without one of the two figures has no point.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, inf

import msgspec

from ctxmgr.engine.retention import KEEP
from ctxmgr.study.figures import Figures, value_at
from ctxmgr.study.observations import Ratio, total
from ctxmgr.study.report.plots import (
    LIGHT,
    MOST_ACROSS,
    WIDTH,
    Axis,
    Box,
    Frame,
    Label,
    NamedPoint,
    element,
    escaped,
    labels,
    named,
    plain,
    polyline,
    rounded_range,
)

BALANCED = "balanced"
BASE = "off"  # the line that costs are shares of
FRONT = "balanced by keep"
COLOURS = {BASE: 0, "turns": 1, "tools": 2, BALANCED: 3}  # other policies take the remaining colours in turn
COLOURS[FRONT] = COLOURS[BALANCED]
SPARE = [number for number in range(len(LIGHT)) if number not in COLOURS.values()]


class PolicyRow(msgspec.Struct, frozen=True):
    """One policy on one recording. `figures`: as in `--json`. `context` in tokens and `call_costs` in dollars, for
    each call. `epochs`: indices of the calls that opened one. `receipts`: the arithmetic of each, on one line.
    `simulated`: without ctxmgr. `knob`: its `keep` in tokens if it belongs to the front. `about`: what the policy
    does, in one line.
    """

    name: str
    figures: Figures
    context: tuple[int, ...] = ()
    call_costs: tuple[float, ...] = ()
    epochs: tuple[int, ...] = ()
    receipts: tuple[str, ...] = ()
    simulated: bool = False
    knob: float | None = None
    about: str = ""

    def number(self, path: str) -> float | None:
        number: float | None = value_at(self.figures, path)
        return number

    @property
    def repeats(self) -> Ratio:
        """The ratio behind `kept`, in bytes."""
        kept = self.figures.get("kept") or {"held": 0, "of": 0}
        return Ratio(kept["held"], kept["of"])


class RecordingSheet(msgspec.Struct, frozen=True):
    """One recording. `about`: a line below its name. `floor`: the least that any policy costs, in dollars. `kinds`:
    of memory probes, each with the share of answers that a policy's list contained, by policy. `verdict`: the
    conclusion in words.
    """

    name: str
    lines: tuple[PolicyRow, ...]
    about: str = ""
    floor: float | None = None
    kinds: tuple[tuple[str, dict[str, float]], ...] = ()
    verdict: str = ""

    @property
    def base(self) -> PolicyRow | None:
        """The line that costs are shares of."""
        return next((line for line in self.lines if line.name == BASE), None)


def knob_name(knob: float) -> str:
    """The named point of `keep` with this value, or the number."""
    return next((point for point, tokens in KEEP.items() if tokens == knob), plain(knob))


def colours_of(lines: "Iterable[PolicyRow | PolicyPoint]", asked: Iterable[str] = ()) -> dict[str, int]:
    """Each policy has the same colour everywhere, and all points of the front share one. `asked`: names that occur
    only in tables.
    """
    lines = list(lines)
    others = list(dict.fromkeys(line.name for line in lines if line.knob is None and line.name not in COLOURS))
    made = {**COLOURS, **{name: SPARE[number % len(SPARE)] for number, name in enumerate(others)}}
    made |= {line.name: COLOURS[FRONT] for line in lines if line.knob is not None}
    return dict.fromkeys(asked, COLOURS[BASE]) | made


BILLED_PATH = "closedLoop.billed"
HIGH = 380  # units of the drawing: higher than others, to have room for all names
TITLE = "Cost against kept"
KEPT = "kept: share of what replies repeat"
COSTS = {"billed": "billed: cost of input, off = 1", "closed": "closed: cost with re-fetches, off = 1"}
POINT = 6  # units: half the size of a point
FAR = 14  # units between a point and its name from which a stroke connects them
FLOOR = "floor"

Pair = tuple[PolicyRow, PolicyRow | None]  # a policy on a recording, and the host alone on it


class PolicyPoint(msgspec.Struct, frozen=True):
    """One policy over recordings. `billed_share`: its bill as a share of the host alone's, all recordings together;
    None if nothing was measured. `repeats`: the ratio behind `kept`, in bytes. `knob`: its `keep` in tokens if it
    belongs to the front.
    """

    name: str
    recording_count: int
    billed_share: float | None
    repeats: Ratio
    knob: float | None = None
    simulated: bool = False

    @property
    def is_drawn(self) -> bool:
        return self.billed_share is not None and self.repeats.share is not None


def policy_points(sheets: Sequence[RecordingSheet]) -> list[PolicyPoint]:
    """One point for each policy, in the order of the sheets' lines, then the front's in the order of the knob."""
    by_name: dict[str, list[Pair]] = {}
    for sheet in sheets:
        for line in sheet.lines:
            by_name.setdefault(line.name, []).append((line, sheet.base))
    made = [_point(name, pairs) for name, pairs in by_name.items()]
    return sorted(made, key=lambda point: -1.0 if point.knob is None else point.knob)


def _point(name: str, pairs: Sequence[Pair]) -> PolicyPoint:
    billed = [(line.number(BILLED_PATH), base.number(BILLED_PATH)) for line, base in pairs if base is not None]
    first, _ = pairs[0]
    repeats = total(line.repeats for line, _ in pairs)
    return PolicyPoint(name, *_together(billed), repeats, first.knob, first.simulated)


def _together(dollars: Iterable[tuple[float | None, float | None]]) -> tuple[int, float | None]:
    """`dollars`: of a policy and of the host alone. Returns the number of recordings on which both are known, and
    the share on these.
    """
    known = [(part, whole) for part, whole in dollars if part is not None and whole]
    return len(known), sum(part for part, _ in known) / sum(whole for _, whole in known) if known else None


def floor_share(sheets: Sequence[RecordingSheet]) -> float | None:
    """The floor as a share of the host alone's bill, over all recordings that have both."""
    return _together((sheet.floor, sheet.base.number(BILLED_PATH)) for sheet in sheets if sheet.base is not None)[1]


def drawing(
    points: Sequence[PolicyPoint],
    floor: float | None,
    colours: Mapping[str, int] | None = None,
    cost: str = "billed",
) -> str:
    """SVG text; "" if there is nothing to draw. `colours` by policy. `cost`: one of `COSTS`."""
    shown = [point for point in points if point.is_drawn]
    if not shown:
        return ""
    colours = colours or colours_of(points)
    bills, kept = zip(*map(_coordinates, shown), strict=True)
    edges = () if floor is None else (floor,)
    frame = Frame(
        Axis(COSTS[cost], *rounded_range(min(bills + edges), max(bills + edges)), plain, MOST_ACROSS),
        Axis(KEPT, *rounded_range(min(kept), max(kept)), plain),
        HIGH,
    )
    floors = [frame.across.position(edge) for edge in edges]
    parts = [polyline([(x, frame.up.start), (x, frame.up.end)], "", class_="line dashed s0") for x in floors]
    front = [point for point in shown if point.knob is not None]
    path = [frame.point(*_coordinates(point)) for point in front]
    if len(front) > 1:
        parts.append(polyline(path, FRONT, class_=f"line s{colours[FRONT]}"))
    names = _names_of(front, frame)
    marks = []
    for point in shown:
        x, y = frame.point(*_coordinates(point))
        parts.append(_dot(point, x, y, colours[point.name if point.knob is None else FRONT], cost))
        marks.append(NamedPoint(x, y, names.get(point.name, point.name)))
    parts += _labels([mark for mark in marks if mark.name], marks, path, floors, frame)
    return frame.drawn("against", f"{KEPT} against {COSTS[cost]}", parts)


def _dot(point: PolicyPoint, x: float, y: float, colour: int, cost: str) -> str:
    """Rule 3."""
    title, kind = named(_title(point, cost)), f"dot s{colour}"
    if point.simulated:
        side = 2 * POINT - 2
        return element("rect", *title, class_=kind, x=x - side / 2, y=y - side / 2, width=side, height=side)
    return element("circle", *title, class_=kind, cx=x, cy=y, r=POINT)


def _labels(
    named_marks: Sequence[NamedPoint],
    marks: Sequence[NamedPoint],
    path: Sequence[tuple[float, float]],
    edges: Sequence[float],
    frame: Frame,
) -> Iterator[str]:
    """An edge's name is beside its lower end. A stroke connects a point with its name if they are far apart. If
    there is room, no name covers a mark or the front's line (`path`).
    """
    middles = {mark.name: mark for mark in named_marks}
    points = [*set(named_marks), *(NamedPoint(edge, frame.up.start - 2 * POINT, FLOOR) for edge in edges)]
    room = Box(frame.across.start, WIDTH, 0, frame.up.start)
    around = [Box(mark.x - POINT, mark.x + POINT, mark.y - POINT, mark.y + POINT) for mark in marks]
    around += [Box(x - 1, x + 1, y - 1, y + 1) for start, end in pairwise(path) for x, y in _between(start, end)]
    for label in labels(points, room, around):
        mark = middles.get(label.name)
        if mark is not None and label.distance(mark.x, mark.y) >= FAR:
            x, y = label.nearest(mark.x, mark.y)
            yield element("line", class_="stub", x1=mark.x, y1=mark.y, x2=x, y2=y)
        yield _label_text(label, mark)


def _between(start: tuple[float, float], end: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Points on a stroke, at most half a mark apart."""
    steps = max(1, ceil(max(abs(end[0] - start[0]), abs(end[1] - start[1])) / POINT))
    for step in range(steps + 1):
        yield tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True))  # type: ignore[misc]


def _label_text(label: Label, mark: NamedPoint | None) -> str:
    """The reserved place fits the widest font, so the text is aligned to the end nearest to its mark."""
    box = label.box
    x, anchor = label.start, "start"
    if mark is not None and box.east <= mark.x:
        x, anchor = box.east, "end"
    elif mark is not None and box.west < mark.x:
        x, anchor = (box.west + box.east) / 2, "middle"
    return element("text", escaped(label.name), class_="label", x=x, y=label.base, text_anchor=anchor)


def legend(points: Iterable[PolicyPoint], floor: float | None) -> list[str]:
    """The meaning of marks and lines, in words."""
    shown = [point for point in points if point.is_drawn]
    says = ["circle: driven through ctxmgr"] if any(not point.simulated for point in shown) else []
    says += ["square: a peer, simulated by its published rules"] if any(point.simulated for point in shown) else []
    says += [f"line: {FRONT}"] if sum(point.knob is not None for point in shown) > 1 else []
    says += [f"{BASE}: the agent alone"] if any(point.name == BASE for point in shown) else []
    meaning = "dashed: the floor, which is every message written to the cache once"
    return says if floor is None else [*says, meaning]


def _coordinates(point: PolicyPoint) -> tuple[float, float]:
    return point.billed_share or 0.0, point.repeats.share or 0.0


def _names_of(front: Sequence[PolicyPoint], frame: Frame) -> dict[str, str]:
    """The name of each point: the value of its knob. Points whose marks overlap have all their values at the last
    of them.
    """
    groups: list[list[PolicyPoint]] = []
    for point in front:
        x, y = frame.point(*_coordinates(point))
        last_x, last_y = frame.point(*_coordinates(groups[-1][-1])) if groups else (inf, inf)
        if max(abs(x - last_x), abs(y - last_y)) < POINT:
            groups[-1].append(point)
        else:
            groups.append([point])
    names: dict[str, str] = {}
    for same in groups:
        names |= dict.fromkeys((point.name for point in same), "")
        names[same[-1].name] = ", ".join(knob_name(point.knob or 0.0) for point in same)
    return names


def _title(point: PolicyPoint, cost: str) -> str:
    billed, kept = _coordinates(point)
    many = "" if point.recording_count == 1 else f", {point.recording_count} recordings"
    return f"{point.name}: kept {kept:.3f}, {cost} {billed:.3f} of the host alone{many}"
