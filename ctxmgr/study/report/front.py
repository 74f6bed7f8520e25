"""Turns policies on recordings into the picture of them all: what what lists had that replies repeat, and the bill.

1. A policy is one point: its bill across, where the host alone is 1, and `kept` up. Both are of all recordings
   together: dollars over dollars, bytes over bytes, of the recordings that it was measured on.
2. The front is one policy at several values of its knob, joined by a line in the order of the knob. Its points have
   the knob's value as their name, or the point that it is. What comes to the same has one name.
3. What no ctxmgr ran is a square.
4. A policy without one of the two figures is no point.
5. As a file that stands alone it is an SVG document with its own colours, for a light and a dark screen, a ground
   of its own, a title and a description, and the legend in words below, an item a line.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, inf
from textwrap import wrap
from typing import Protocol

import msgspec

from ctxmgr.engine.retention import KEEP
from ctxmgr.study.figures import Figures, value_at
from ctxmgr.study.observations import Ratio, total
from ctxmgr.study.report.plots import (
    BESIDE,
    CHARACTER,
    COLOURS_OF_BOTH,
    DRAWINGS,
    FONTS,
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
COLOURS = {BASE: 0, "turns": 1, "tools": 2, BALANCED: 3}  # others take turns
COLOURS[FRONT] = COLOURS[BALANCED]
SPARE = [number for number in range(len(LIGHT)) if number not in COLOURS.values()]


class Named(Protocol):
    """A policy, and its `keep` in tokens where it is of the front."""

    @property
    def name(self) -> str: ...
    @property
    def knob(self) -> float | None: ...


class PolicyRow(msgspec.Struct, frozen=True):
    """One policy on one recording. `figures`: as `--json` has them. `context` in tokens and `call_costs` in
    dollars, by call; `epochs`: the calls that opened one. `receipts`: the arithmetic of each, one line.
    `simulated`: no ctxmgr ran. `knob`: its `keep` in tokens, where it is of the front. `about`: what
    the policy does, in a line.
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
        """What `kept` is of, in bytes."""
        kept = self.figures.get("kept") or {"held": 0, "of": 0}
        return Ratio(kept["held"], kept["of"])


class RecordingSheet(msgspec.Struct, frozen=True):
    """One recording. `about`: a line under its name; `floor`: dollars that no policy costs less than; `kinds` of
    memory probes, each with the share that a policy's list held of the answers, by policy; `verdict`: what comes of
    it, in words."""

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
    """The point of `keep` that this is, or the number."""
    return next((point for point, tokens in KEEP.items() if tokens == knob), plain(knob))


def colours_of(lines: Iterable[Named], asked: Iterable[str] = ()) -> dict[str, int]:
    """A policy has one colour, wherever it stands, and all points of the front have one. `asked`: names that only
    stand in tables."""
    lines = list(lines)
    others = list(dict.fromkeys(line.name for line in lines if line.knob is None and line.name not in COLOURS))
    made = {**COLOURS, **{name: SPARE[number % len(SPARE)] for number, name in enumerate(others)}}
    made |= {line.name: COLOURS[FRONT] for line in lines if line.knob is not None}
    return dict.fromkeys(asked, COLOURS[BASE]) | made


BILLED_PATH = "closedLoop.billed"
HIGH = 380  # units of the drawing: more than of others, for all names have to find room
TITLE = "Cost against kept"
KEPT = "kept: share of what replies repeat"
COSTS = {"billed": "billed: cost of input, off = 1", "closed": "closed: cost with re-fetches, off = 1"}
POINT = 6  # units: half of what a point takes up
FAR = 14  # units between a point and its name, from which on a stroke joins them
FLOOR = "floor"
SHOWN_PX = 720  # how wide it is where nothing says otherwise
LINE = 18  # units between two lines of the legend
OWN = f"svg{{font-family:{FONTS}}}.ground{{fill:var(--ground)}}"

Pair = tuple[PolicyRow, PolicyRow | None]  # a policy on a recording, and the host alone there


class PolicyPoint(msgspec.Struct, frozen=True):
    """One policy over recordings. `billed_share`: together, of what the host alone costs; None where nothing was
    measured. `repeats`: what `kept` is of, in bytes. `knob`: its `keep` in tokens, where it is of the front."""

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
    """One a policy, in the order of the sheets' lines; the front's in the order of the knob, last."""
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
    """Of a policy's and the host's alone: on how many recordings both are known, and the share on these."""
    known = [(part, whole) for part, whole in dollars if part is not None and whole]
    return len(known), sum(part for part, _ in known) / sum(whole for _, whole in known) if known else None


def floor_share(sheets: Sequence[RecordingSheet]) -> float | None:
    """What no policy is billed less than, of the host alone's bill, together; of recordings that have both."""
    return _together((sheet.floor, sheet.base.number(BILLED_PATH)) for sheet in sheets if sheet.base is not None)[1]


def drawing(
    points: Sequence[PolicyPoint],
    floor: float | None,
    colours: Mapping[str, int] | None = None,
    cost: str = "billed",
) -> str:
    """SVG text; "" where there is nothing to draw. `colours` by policy; `cost`: which of `COSTS` it is."""
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


def document(points: Sequence[PolicyPoint], floor: float | None, title: str, about: str) -> str:
    """Rule 5. `about`: what the picture shows, for who cannot see it. Policies: those that have a colour of their
    own."""
    drawn = drawing(points, floor)
    inside = drawn[drawn.index(">") + 1 : -len("</svg>")]
    across = int((WIDTH - 2 * BESIDE) / CHARACTER)
    lines = [line for text in legend(points, floor) for line in wrap(text, across)]
    high = HIGH + LINE * len(lines) + BESIDE
    texts = [
        f'<text class="tick" x="{BESIDE}" y="{HIGH + LINE * number}">{escaped(line)}</text>'
        for number, line in enumerate(lines, 1)
    ]
    size = f'viewBox="0 0 {WIDTH} {high}" width="{SHOWN_PX}" height="{SHOWN_PX * high / WIDTH:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t d">',
        f'<title id="t">{escaped(title)}</title>',
        f'<desc id="d">{escaped(about)}</desc>',
        f"<style>{COLOURS_OF_BOTH}{DRAWINGS}{OWN}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{high}" rx="8"/>',
        inside.replace("/><", "/>\n<").replace("><circle", ">\n<circle").replace("><text", ">\n<text"),
        *texts,
        "</svg>\n",
    ]
    return "\n".join(parts)


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
    """An edge's name stands beside its lower end; where a point's name is far from it a stroke joins them. Where
    there is room no name lies on a mark or on the front's line (`path`)."""
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
    """Places on a stroke, not farther from each other than a mark is wide."""
    steps = max(1, ceil(max(abs(end[0] - start[0]), abs(end[1] - start[1])) / POINT))
    for step in range(steps + 1):
        yield tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True))  # type: ignore[misc]


def _label_text(label: Label, mark: NamedPoint | None) -> str:
    """Its place is as wide as the widest font: the text is at the end that is nearest to its mark."""
    box = label.box
    x, anchor = label.start, "start"
    if mark is not None and box.east <= mark.x:
        x, anchor = box.east, "end"
    elif mark is not None and box.west < mark.x:
        x, anchor = (box.west + box.east) / 2, "middle"
    return element("text", escaped(label.name), class_="label", x=x, y=label.base, text_anchor=anchor)


def legend(points: Iterable[PolicyPoint], floor: float | None) -> list[str]:
    """What marks and lines mean, in words."""
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
    """By policy: the knob's value; of several whose marks lie over each other all, at the last of them."""
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
