"""Turns series and points into drawings: SVG text that stands in a page, without a script or a file beside it.

1. Colours, fonts and dashes are the page's: a drawing names classes (`s3`: the fourth series' colour).
2. Text from outside is escaped by `shown`, which also writes out what a browser would obey unseen.
3. A line carries what the page's script reads values off by: the plot's frame and ends in `data-` members.
4. The same values give the same bytes: numbers are written with one decimal.
5. A drawing scales with its column, down to a phone's. So there are few numbers at an axis, and there is room
   around them for letters as large as the page's style makes them there (`LETTER`).
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape

import msgspec

from ctxmgr.study.plain_text import safe
from ctxmgr.study.report.scales import Scale, rounded_up, thinned, ticks

WIDTH, HEIGHT = 480, 300
LETTER = 15  # units: the size of letters on a phone, where they are largest
CHARACTER, BOLD = 0.65 * LETTER, 0.72 * LETTER  # the mean width of one in a wide font
ASCENT, DESCENT = LETTER, 0.3 * LETTER  # of a line, rounded up to pixels
NAME, BESIDE = 24, 7  # room for the name of the upright axis; between numbers and frame
RIGHT, TOP, BOTTOM = 30, 14, 52  # room around the frame: half a number, numbers and name
MOST_ACROSS = 5  # numbers at the axis below
MARKED_ONE_BY_ONE = 80  # more marks of a line are one path without titles
ROOM = 0.06  # of a range, beside what is at its end

Written = Callable[[float], str]


class Series(msgspec.Struct, frozen=True):
    """One line over calls. `colour`: its number; `marks`: the calls to be marked on it."""

    name: str
    colour: int
    values: tuple[float, ...]
    marks: tuple[int, ...] = ()
    dashed: bool = False


class Dot(msgspec.Struct, frozen=True, gc=False):
    """One point. `label` stands beside it, `title` where it is pointed at."""

    colour: int
    x: float
    y: float
    title: str
    label: str = ""


class Axis(msgspec.Struct, frozen=True):
    """What is written at an axis: its name with the unit, and its numbers. `from_zero`: it begins there."""

    name: str
    written: Written
    from_zero: bool = False


class Edge(msgspec.Struct, frozen=True):
    """A value of x that nothing lies left of."""

    x: float
    label: str
    colour: int = 0


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
    return _svg(f"{y.name} over calls", parts, across, f"over {ends}")


def against(dots: Sequence[Dot], x: Axis, y: Axis, edges: Sequence[Edge] = ()) -> str:
    """Points on two axes; `edges` are lines straight up, at values of x."""
    if not dots:
        return ""
    low, most = _range(dots, y)
    right = max(*(dot.x for dot in dots), *(edge.x for edge in edges), 0.0)
    up, marks = Scale(low, most, HEIGHT - BOTTOM, TOP), ticks(low, most)
    across = Scale(0, rounded_up(right), _left(y, marks), WIDTH - RIGHT)
    parts = [_frame(across, up, x, y, ticks(0, across.high, MOST_ACROSS), marks)]
    for edge in edges:
        at = f"{across.at(edge.x):.1f}"
        parts.append(f'<polyline class="line dashed s{edge.colour}" points="{at},{up.start} {at},{up.end}"/>')
    for dot in dots:
        place = f'cx="{across.at(dot.x):.1f}" cy="{up.at(dot.y):.1f}" r="{6 if dot.label else 3.5}"'
        kind = "dot" if dot.label else "dot faint"
        parts.append(f'<circle class="{kind} s{dot.colour}" {place}><title>{escaped(dot.title)}</title></circle>')
    return _svg(f"{y.name} against {x.name}", [*parts, *_labels(dots, edges, across, up)], across, "against")


def _range(dots: Sequence[Dot], y: Axis) -> tuple[float, float]:
    """Of an axis from zero up to where all has room; of shares from a little below the least up to the whole."""
    values = [dot.y for dot in dots]
    if y.from_zero:
        return 0.0, rounded_up(max(values))
    least, most = min(values), max(1.0, *values)
    return max(0.0, least - max(0.01, ROOM * (most - least) * 2)), most


def _left(y: Axis, marks: Sequence[float]) -> float:
    """Where the frame begins: right of the axis' name and its widest number."""
    return NAME + BESIDE + CHARACTER * max((len(y.written(mark)) for mark in marks), default=0)


def _svg(title: str, parts: Sequence[str], across: Scale, kind: str) -> str:
    head = f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escaped(title)}" data-kind='
    name, _, members = kind.partition(" ")
    frame = (
        f'data-left="{across.start:.1f}" data-right="{across.end}" data-top="{TOP}" data-bottom="{HEIGHT - BOTTOM}"'
    )
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
    middle, half = (across.start + across.end) / 2, (up.start + up.end) / 2
    parts.append(
        f'<text class="name" x="{middle:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{escaped(x.name)}</text>'
    )
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
    """Beside their points and edges, left of those at the right; moved up or down to where none stands yet."""
    taken: list[tuple[float, float, float]] = []  # left and right end, base line
    wanted = [(edge.label, across.at(edge.x), up.end + ASCENT, 4) for edge in edges]
    named = sorted((dot for dot in dots if dot.label), key=lambda dot: (-dot.y, dot.x, dot.label))
    wanted += [(dot.label, across.at(dot.x), up.at(dot.y) + 4, 10) for dot in named]
    for label, x, y, beside in wanted:
        wide = BOLD * len(label)
        left = x + beside + wide > WIDTH
        start, end = (x - beside - wide, x - beside) if left else (x + beside, x + beside + wide)
        others = [base for a, b, base in taken if a < end and start < b]
        base = _free(y, others, up)
        taken.append((start, end, base))
        anchor = f'x="{end:.1f}" text-anchor="end"' if left else f'x="{start:.1f}"'
        yield f'<text class="label" {anchor} y="{base:.1f}">{escaped(label)}</text>'


def _free(y: float, others: Sequence[float], up: Scale) -> float:
    """The base line next to `y` within the frame that is a line apart from all others; `y` where there is none."""
    apart = ASCENT + DESCENT
    places = [y, *(other + side * apart for other in others for side in (-1, 1))]
    lowest, highest = up.start - DESCENT, up.end + ASCENT
    free = [
        place
        for place in (min(max(one, highest), lowest) for one in places)
        if all(abs(place - other) > apart - 0.1 for other in others)
    ]
    return min(free, key=lambda place: abs(place - y), default=y)
