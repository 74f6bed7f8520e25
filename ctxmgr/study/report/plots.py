"""Turns series and points into drawings: SVG text that stands in a page, without a script or a file beside it.

1. Colours, fonts and dashes are the page's: a drawing names classes (`s3`: the fourth series' colour).
2. Text from outside is escaped by `shown`, which also writes out what a browser would obey unseen.
3. A line carries what the page's script reads values off by: the plot's frame and ends in `data-` members.
4. The same values give the same bytes: numbers are written with one decimal.
5. A drawing scales with its column, down to a phone's. So there are few numbers at an axis, and there is room
   around them for letters as large as the page's style makes them there (`labels.LETTER`).
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape

import msgspec

from ctxmgr.plain_text import safe
from ctxmgr.study.report.labels import CHARACTER, Box, Label, NamedPoint, labels
from ctxmgr.study.report.scales import Scale, rounded_range, rounded_up, thinned, ticks

WIDTH, HEIGHT = 480, 300
NAME, BESIDE = 24, 7  # room for the name of the upright axis; between numbers and frame
RIGHT, TOP, BOTTOM = 30, 14, 52  # room around the frame: half a number, numbers and name
MOST_ACROSS = 5  # numbers at the axis below
MARKED_ONE_BY_ONE = 80  # more marks of a line are one path without titles
ROOM = 0.06  # of a range, beside what is at its end
POINT = 6  # units: half of what a point with a name takes up
FAR = 14  # units between a point and its name, from which on a stroke joins them

Written = Callable[[float], str]


class Series(msgspec.Struct, frozen=True):
    """One line over calls. `colour`: its number; `marks`: the calls to be marked on it."""

    name: str
    colour: int
    values: tuple[float, ...]
    marks: tuple[int, ...] = ()
    dashed: bool = False


class Dot(msgspec.Struct, frozen=True, gc=False):
    """One point. `label` stands beside it, `title` where it is pointed at. `square`: drawn so, else round."""

    colour: int
    x: float
    y: float
    title: str
    label: str = ""
    square: bool = False


class Axis(msgspec.Struct, frozen=True):
    """What is written at an axis: its name with the unit, and its numbers. `rounded`: it begins and ends at round
    numbers: not just below the least value, or at 0."""

    name: str
    written: Written
    rounded: bool = False


class Edge(msgspec.Struct, frozen=True):
    """A value of x that nothing lies left of."""

    x: float
    label: str
    colour: int = 0


class Path(msgspec.Struct, frozen=True):
    """A line through points, in their order."""

    name: str
    colour: int
    points: tuple[tuple[float, float], ...]


class Beside(msgspec.Struct, frozen=True):
    """What is drawn beside points on two axes. `high`: units of the drawing."""

    edges: tuple[Edge, ...] = ()
    paths: tuple[Path, ...] = ()
    high: int = HEIGHT


NOTHING = Beside()


def escaped(text: str) -> str:
    """For HTML and for SVG, in text and in quoted members."""
    return escape(safe(text))


def over_calls(series: Sequence[Series], y: Axis) -> str:
    """Lines over the calls of a session."""
    calls = max((len(one.values) for one in series), default=0)
    high = rounded_up(max((value for one in series for value in one.values), default=0.0))
    up, marks = Scale(0, high, HEIGHT - BOTTOM, TOP), ticks(0, high)
    across = Scale(0, max(1, calls - 1), _left(y, marks), WIDTH - RIGHT)
    steps = [tick for tick in ticks(0, max(1, calls - 1), MOST_ACROSS) if tick == int(tick)]
    parts = [_frame(across, up, Axis("model call", "{:.0f}".format), y, steps, marks)]
    for one in series:
        parts += [_line(one, across, up), _marks(one, across, up, y)]
    ends = f'data-calls="{max(1, calls - 1)}" data-high="{high:.6g}" data-unit="{escaped(y.name)}"'
    return _svg(f"{y.name} over calls", parts, across, up, f"over {ends}")


def against(dots: Sequence[Dot], x: Axis, y: Axis, beside: Beside = NOTHING) -> str:
    """Points on two axes."""
    if not dots:
        return ""
    low, most = _range([dot.y for dot in dots], y)
    up, marks = Scale(low, most, beside.high - BOTTOM, TOP), ticks(low, most)
    least, right = _across([*(dot.x for dot in dots), *(edge.x for edge in beside.edges)], x)
    across = Scale(least, right, _left(y, marks), WIDTH - RIGHT)
    parts = [_frame(across, up, x, y, ticks(least, right, MOST_ACROSS), marks)]
    for edge in beside.edges:
        at = f"{across.at(edge.x):.1f}"
        ends = f"{at},{up.start:.1f} {at},{up.end:.1f}"
        parts.append(f'<polyline class="line dashed s{edge.colour}" points="{ends}"/>')
    for path in beside.paths:
        places = " ".join(f"{across.at(one):.1f},{up.at(other):.1f}" for one, other in path.points)
        name = f"<title>{escaped(path.name)}</title>"
        parts.append(f'<polyline class="line s{path.colour}" points="{places}">{name}</polyline>')
    parts += [_dot(dot, across.at(dot.x), up.at(dot.y)) for dot in dots]
    parts += _labels(dots, beside.edges, across, up)
    return _svg(f"{y.name} against {x.name}", parts, across, up, "against")


def _dot(dot: Dot, x: float, y: float) -> str:
    size, kind = (POINT, "dot") if dot.label else (3.5, "dot faint")
    title = f"<title>{escaped(dot.title)}</title>"
    if dot.square:
        side = 2 * size - 2
        place = f'x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}"'
        return f'<rect class="{kind} s{dot.colour}" {place}>{title}</rect>'
    return f'<circle class="{kind} s{dot.colour}" cx="{x:.1f}" cy="{y:.1f}" r="{size}">{title}</circle>'


def _across(values: Sequence[float], x: Axis) -> tuple[float, float]:
    """From 0, but where the axis is rounded."""
    return rounded_range(min(values), max(values)) if x.rounded else (0.0, rounded_up(max(0.0, *values)))


def _range(values: Sequence[float], y: Axis) -> tuple[float, float]:
    """From a little below the least up to the whole."""
    least, most = min(values), max(1.0, *values)
    if y.rounded:
        return rounded_range(least, most)
    below = least - max(0.01, ROOM * (most - least) * 2)
    return below if least < 0 else max(0.0, below), most


def _left(y: Axis, marks: Sequence[float]) -> float:
    """Where the frame begins: right of the axis' name and its widest number."""
    return NAME + BESIDE + CHARACTER * max((len(y.written(mark)) for mark in marks), default=0)


def _svg(title: str, parts: Sequence[str], across: Scale, up: Scale, kind: str) -> str:
    high = f"{up.start + BOTTOM:g}"
    head = f'<svg class="plot" viewBox="0 0 {WIDTH} {high}" role="img" aria-label="{escaped(title)}" data-kind='
    name, _, members = kind.partition(" ")
    ends = (("left", f"{across.start:.1f}"), ("right", across.end), ("top", up.end), ("bottom", up.start))
    frame = " ".join(f'data-{side}="{at}"' for side, at in ends)
    return f'{head}"{name}" {frame} {members}>{"".join(parts)}</svg>'


def _frame(across: Scale, up: Scale, x: Axis, y: Axis, xs: Sequence[float], ys: Sequence[float]) -> str:
    parts = []
    for tick in ys:
        at = up.at(tick)
        parts.append(f'<line class="grid" x1="{across.start:.1f}" x2="{across.end}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text class="tick" x="{across.start - BESIDE:.1f}" y="{at + 4:.1f}" text-anchor="end">')
        parts.append(f"{escaped(y.written(tick))}</text>")
    for tick in xs:
        at = across.at(tick)
        parts.append(f'<line class="stub" x1="{at:.1f}" x2="{at:.1f}" y1="{up.start}" y2="{up.start + 4}"/>')
        parts.append(f'<text class="tick" x="{at:.1f}" y="{up.start + 25}" text-anchor="middle">')
        parts.append(f"{escaped(x.written(tick))}</text>")
    parts.append(f'<line class="axis" x1="{across.start:.1f}" x2="{across.end}" y1="{up.start}" y2="{up.start}"/>')
    below = up.start + BOTTOM - 6
    middle, half = (across.start + across.end) / 2, (up.start + up.end) / 2
    parts.append(f'<text class="name" x="{middle:.1f}" y="{below}" text-anchor="middle">{escaped(x.name)}</text>')
    turned = f'transform="translate(16 {half:.1f}) rotate(-90)"'
    parts.append(f'<text class="name" {turned} text-anchor="middle">{escaped(y.name)}</text>')
    return "".join(parts)


def _line(one: Series, across: Scale, up: Scale) -> str:
    path = " ".join(f"{across.at(call):.1f},{up.at(one.values[call]):.1f}" for call in thinned(one.values))
    kind = "line dashed" if one.dashed else "line"
    return (
        f'<polyline class="{kind} s{one.colour}" data-name="{escaped(one.name)}" points="{path}">'
        f"<title>{escaped(one.name)}</title></polyline>"
    )


def _marks(one: Series, across: Scale, up: Scale, y: Axis) -> str:
    """A small ring at each marked call; where there are many, a stroke through the line."""
    marks = [call for call in one.marks if 0 <= call < len(one.values)]
    places = [(across.at(call), up.at(one.values[call])) for call in marks]
    if len(marks) > MARKED_ONE_BY_ONE:
        path = "".join(f"M{x:.1f} {at - 3:.1f}v6" for x, at in places)
        return f'<path class="strokes s{one.colour}" d="{path}"/>'
    parts = []
    for number, (call, (x, at)) in enumerate(zip(marks, places, strict=True), 1):
        was, now = (escaped(y.written(one.values[max(0, place)])) for place in (call - 1, call))
        says = f"{escaped(one.name)}, epoch {number}, call {call}: {was} to {now}"
        ring = f'<circle class="ring s{one.colour}" cx="{x:.1f}" cy="{at:.1f}" r="3">'
        parts.append(f"{ring}<title>{says}</title></circle>")
    return "".join(parts)


def _labels(dots: Sequence[Dot], edges: Sequence[Edge], across: Scale, up: Scale) -> Iterator[str]:
    """An edge's name stands beside its lower end; where a point's name is far from it a stroke joins them."""
    points = {(across.at(dot.x), up.at(dot.y), dot.label) for dot in dots if dot.label}
    middles = {name: (x, y) for x, y, name in points}
    wanted = [NamedPoint(x, y, name) for x, y, name in points]
    wanted += [NamedPoint(across.at(edge.x), up.start - 2 * POINT, edge.label) for edge in edges]
    room = Box(across.start, WIDTH, 0, up.start)
    for label in labels(wanted, room, [_around(x, y) for x, y, _ in points]):
        if label.name in middles:
            yield _joined(label, *middles[label.name])
        yield f'<text class="label" x="{label.start:.1f}" y="{label.base:.1f}">{escaped(label.name)}</text>'


def _around(x: float, y: float) -> Box:
    return Box(x - POINT, x + POINT, y - POINT, y + POINT)


def _joined(label: Label, x: float, y: float) -> str:
    """The stroke, "" where none is needed."""
    if label.distance(x, y) < FAR:
        return ""
    near_x, near_y = label.nearest(x, y)
    return f'<line class="stub" x1="{x:.1f}" y1="{y:.1f}" x2="{near_x:.1f}" y2="{near_y:.1f}"/>'
