"""Turns values into plots on two axes: SVG text for a page, without any other file.

1. Colours, fonts and dashes belong to the page: a drawing only names classes (`s3`: the colour of the fourth
   series).
2. A line carries what the page's script needs to read values off it: the plot's frame and ends, in `data-`
   attributes.
3. A drawing scales with its column, down to a phone's. So axes have few numbers, and there is room around them for
   letters as large as the page's style makes them there (`LETTER`).

Names are placed beside their points without covering each other (`labels`):

1. A name is right of its point if there is room, otherwise left, above or below, otherwise as near as possible.
2. If there is a choice, a name covers no point, and its own point is the nearest.
3. The same points give the same places: points are handled from the top down.

Sizes of letters are those of a wide font, so that text fits in any font.

`STYLE` and `SCRIPT` are constants for the page, without network or fonts; the script is a few lines that show the
values under the pointer. Colours of series differ without relying on red and green, and series also differ by
dashes, labels and titles; a test checks the palette against both backgrounds. A drawing in its own file uses
`COLOURS_OF_BOTH` and `DRAWINGS`.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

import msgspec

from ctxmgr.model import currency
from ctxmgr.plain_text import safe

LETTER = 15  # units: the size of letters on a phone, where they are largest
LIGHT = ("#6e7781", "#b35c00", "#1a7f37", "#0969da", "#8250df", "#24292f", "#bf3989", "#0b7285")
DARK = ("#9198a1", "#f0883e", "#4ac26b", "#58a6ff", "#be8fff", "#f0f6fc", "#ff80c8", "#3bc9db")
GROUNDS = ("#ffffff", "#0d1117")


def _series(colours: tuple[str, ...]) -> str:
    return "".join(f"--s{number}:{colour};" for number, colour in enumerate(colours))


FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
COLOURS_OF_BOTH = f"""
:root{{color-scheme:light dark;--ground:{GROUNDS[0]};--raised:#f6f8fa;--ink:#1f2328;--soft:#59636e;--rule:#d1d9e0;
--grid:#e6eaef;--bar:#0969da1f;{_series(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{--ground:{GROUNDS[1]};--raised:#151b23;--ink:#f0f6fc;--soft:#9198a1;
--rule:#3d444d;--grid:#262c36;--bar:#58a6ff2e;{_series(DARK)}}}}}
{"".join(f".s{number}{{--c:var(--s{number})}}" for number in range(len(LIGHT)))}
"""
DRAWINGS = """
svg text{font-family:inherit;fill:var(--soft);font-size:11.5px}
svg text.label{fill:var(--ink);font-weight:600;paint-order:stroke;stroke:var(--ground);
stroke-width:4px;stroke-linejoin:round}
.grid{stroke:var(--grid)}
.axis,.stub{stroke:var(--rule)}
.line{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round}
.line.dashed{stroke-dasharray:6 4}
.ring{fill:var(--ground);stroke:var(--c);stroke-width:1.6}
.strokes{fill:none;stroke:var(--c);stroke-width:1}
.dot{fill:var(--c);stroke:var(--ground);stroke-width:1.5}
.cursor{stroke:var(--soft);stroke-dasharray:2 3;visibility:hidden}
"""

STYLE = f"""{COLOURS_OF_BOTH}{DRAWINGS}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.5 {FONTS}}}
main{{max-width:1240px;margin:0 auto;padding:28px 20px 60px}}
h1{{font-size:26px;line-height:1.25;margin:0 0 6px}}
h2{{font-size:20px;line-height:1.3;margin:0 0 2px;overflow-wrap:anywhere}}
h3{{font-size:15px;margin:22px 0 6px}}
p{{margin:4px 0 12px;max-width:76ch}}
.soft,figcaption{{color:var(--soft);font-size:14px}}
section{{margin-top:44px;padding-top:22px;border-top:1px solid var(--rule)}}
nav ul,.legend{{list-style:none;margin:10px 0;padding:0;display:flex;flex-wrap:wrap;gap:4px 18px;font-size:14px}}
nav li,.legend li{{min-width:0;overflow-wrap:anywhere}}
a{{color:var(--s3)}}
.swatch{{display:inline-block;width:22px;height:0;border-top:3px solid var(--c);vertical-align:middle;
margin-right:7px}}
.swatch.dashed{{border-top-style:dashed}}
.wide{{overflow-x:auto;max-width:100%}}
table{{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;margin:8px 0 4px;min-width:100%}}
th,td{{padding:6px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}}
td.text,th.text{{text-align:left}}
th:first-child{{text-align:left;padding-left:4px;position:sticky;left:0;background:var(--ground)}}
thead th{{color:var(--soft);font-weight:600;border-bottom:1px solid var(--rule);vertical-align:bottom}}
tbody th{{font-weight:600}}
tbody tr:hover{{background:var(--raised)}}
.share{{background:linear-gradient(to right,var(--bar) var(--part),transparent var(--part))}}
.lead{{display:grid;grid-template-columns:minmax(0,640px) minmax(240px,1fr);gap:8px 36px;align-items:start}}
.lead figure{{max-width:none}}
dl{{margin:14px 0;font-size:14px}}
dt{{font-weight:600;overflow-wrap:anywhere}}
dd{{margin:0 0 8px;color:var(--soft);overflow-wrap:anywhere;max-width:76ch}}
.policies dt .swatch{{width:12px}}
.plots{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:18px 28px}}
figure{{margin:14px 0 0;min-width:0;max-width:600px}}
figcaption{{margin-bottom:4px}}
figcaption b{{color:var(--ink)}}
svg.plot{{display:block;width:100%;height:auto}}
@media (max-width:900px){{.lead{{grid-template-columns:minmax(0,1fr)}}}}
@media (max-width:600px){{main{{padding:18px 12px 40px}}svg text{{font-size:{LETTER}px}}}}
details{{margin:14px 0}}
summary{{cursor:pointer;font-size:14px}}
.receipts{{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding-left:3.2em}}
.receipts li{{overflow-wrap:anywhere;margin:3px 0}}
#tip{{position:fixed;z-index:2;pointer-events:none;display:none;background:var(--raised);color:var(--ink);
border:1px solid var(--rule);border-radius:6px;padding:6px 10px;font-size:13px;line-height:1.45;white-space:pre;
font-variant-numeric:tabular-nums;box-shadow:0 2px 10px #0003}}
@media print{{section{{break-inside:avoid}}}}
"""

# Reads values off the drawn lines, so that the page contains them only once.
SCRIPT = """
"use strict";
(function () {
  var tip = document.getElementById("tip");
  function written(value, unit) {
    if (unit.indexOf(CURRENCY_SIGN) >= 0) return CURRENCY_SIGN + value.toFixed(2);
    return Math.round(value).toLocaleString("en");
  }
  document.querySelectorAll('svg.plot[data-kind="over"]').forEach(function (plot) {
    var frame = plot.dataset, lines = [];
    var left = +frame.left, right = +frame.right, top = +frame.top, bottom = +frame.bottom;
    plot.querySelectorAll("polyline[data-name]").forEach(function (line) {
      var pairs = line.getAttribute("points").split(" ");
      lines.push({
        name: line.dataset.name,
        points: pairs.map(function (pair) { return pair.split(",").map(Number); })
      });
    });
    var cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
    cursor.setAttribute("class", "cursor");
    cursor.setAttribute("y1", top);
    cursor.setAttribute("y2", bottom);
    plot.insertBefore(cursor, plot.firstChild);
    plot.addEventListener("pointermove", function (event) {
      var box = plot.getBoundingClientRect();
      var x = (event.clientX - box.left) * plot.viewBox.baseVal.width / box.width;
      if (x < left || x > right) return leave();
      var call = Math.round((x - left) / (right - left) * frame.calls);
      var rows = lines.map(function (line) {
        var near = line.points.reduce(function (a, b) { return Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a; });
        return [line.name, (bottom - near[1]) / (bottom - top) * frame.high];
      }).sort(function (a, b) { return b[1] - a[1]; });
      tip.textContent = ["call " + call].concat(rows.map(function (row) {
        return row[0] + "  " + written(row[1], frame.unit);
      })).join("\\n");
      tip.style.display = "block";
      var wide = tip.offsetWidth, high = tip.offsetHeight;
      tip.style.left = Math.max(4, Math.min(event.clientX + 16, window.innerWidth - wide - 8)) + "px";
      tip.style.top = Math.max(4, Math.min(event.clientY + 16, window.innerHeight - high - 8)) + "px";
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.style.visibility = "visible";
    });
    function leave() {
      tip.style.display = "none";
      cursor.style.visibility = "hidden";
    }
    plot.addEventListener("pointerleave", leave);
  });
})();
""".replace("CURRENCY_SIGN", f'"{currency.SIGN}"')


CHARACTER, BOLD = 0.65 * LETTER, 0.72 * LETTER  # the mean width of a character in a wide font
ASCENT, DESCENT = LETTER, 0.3 * LETTER  # of a line, rounded up to pixels
BESIDE_POINT = 10  # units between a point's centre and its name
ASIDE = 24  # units of a further step to the side
STEP = (ASCENT + DESCENT) / 2


class Box(NamedTuple):
    """A rectangle: its four edges, in units from the left and from the top."""

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
    """A point and its name."""

    x: float
    y: float
    name: str


class Label(NamedTuple):
    """A name in its place: where its text starts, and its baseline."""

    name: str
    start: float
    base: float

    @property
    def box(self) -> Box:
        return Box(self.start, self.start + BOLD * len(self.name), self.base - ASCENT, self.base + DESCENT)

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """The point of its box that is nearest to this one."""
        box = self.box
        return min(max(x, box.west), box.east), min(max(y, box.north), box.south)

    def distance(self, x: float, y: float) -> float:
        near_x, near_y = self.nearest(x, y)
        return max(abs(near_x - x), abs(near_y - y))


def labels(points: Sequence[NamedPoint], room: Box, kept_free: Sequence[Box] = ()) -> list[Label]:
    """One label for each point, from the top down. `room`: contains all names. `kept_free`: covered only if nothing
    else is possible.
    """
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
    """The candidate places, best first."""
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


WIDTH, HEIGHT = 480, 300
NAME, BESIDE = 24, 7  # room for the name of the vertical axis; between numbers and frame
RIGHT, TOP, BOTTOM = 30, 14, 52  # room around the frame: half a number, numbers and name
MOST_ACROSS = 5  # numbers on the horizontal axis
MARKED_ONE_BY_ONE = 80  # with more marks, a line's marks are one path without titles
MOST_POINTS = 600  # of a drawn line: more than its width in pixels
TICKS = 6  # numbers on an axis at most
LEAST = 1e-9  # the smallest range, in dollars or tokens
ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)

Written = Callable[[float], str]


class Series(msgspec.Struct, frozen=True):
    """One line over calls. `colour`: its number. `marks`: the calls marked on it."""

    name: str
    colour: int
    values: tuple[float, ...]
    marks: tuple[int, ...] = ()
    dashed: bool = False


class Axis(NamedTuple):
    """From `low` to `high`, with its name and unit, a format, and the maximum of numbers on it."""

    name: str
    low: float
    high: float
    written: Written
    most: int = TICKS
    is_whole: bool = False  # only whole numbers

    @property
    def marks(self) -> list[float]:
        values = ticks(self.low, self.high, self.most)
        return [value for value in values if value == int(value)] if self.is_whole else values


class Frame:
    """Two axes, `x` horizontal and `y` vertical."""

    def __init__(self, x: Axis, y: Axis, height: int = HEIGHT) -> None:
        self.x, self.y, self.height = x, y, height
        left = NAME + BESIDE + CHARACTER * max((len(y.written(mark)) for mark in y.marks), default=0)
        self.across = Scale(x.low, x.high, left, WIDTH - RIGHT)
        self.up = Scale(y.low, y.high, height - BOTTOM, TOP)

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.across.position(x), self.up.position(y)

    def drawn(self, kind: str, title: str, parts: Sequence[str], **data: str) -> str:
        """The complete drawing, with these parts on the frame. `data`: for the page's script."""
        left, right, top, bottom = self.across.start, self.across.end, self.up.end, self.up.start
        ends = {"data_left": left, "data_right": right, "data_top": top, "data_bottom": bottom}
        more = {f"data_{name}": value for name, value in data.items()}
        box = f"0 0 {WIDTH} {self.height}"
        about: dict[str, str | float] = {"role": "img", "aria_label": title, "data_kind": kind, **ends, **more}
        return element("svg", *self._axes(), *parts, class_="plot", viewBox=box, **about)

    def _axes(self) -> Iterator[str]:
        left, right, top, bottom = self.across.start, self.across.end, self.up.end, self.up.start
        for mark in self.y.marks:
            position, text = self.up.position(mark), escaped(self.y.written(mark))
            yield element("line", class_="grid", x1=left, x2=right, y1=position, y2=position)
            yield element("text", text, class_="tick", x=left - BESIDE, y=position + 4, text_anchor="end")
        for mark in self.x.marks:
            position, text = self.across.position(mark), escaped(self.x.written(mark))
            yield element("line", class_="stub", x1=position, x2=position, y1=bottom, y2=bottom + 4)
            yield element("text", text, class_="tick", x=position, y=bottom + 25, text_anchor="middle")
        yield element("line", class_="axis", x1=left, x2=right, y1=bottom, y2=bottom)
        middle, below = (left + right) / 2, bottom + BOTTOM - 6
        turned = f"translate(16 {(top + bottom) / 2:.1f}) rotate(-90)"
        yield element("text", escaped(self.x.name), class_="name", x=middle, y=below, text_anchor="middle")
        yield element("text", escaped(self.y.name), class_="name", transform=turned, text_anchor="middle")


def over_calls(series: Sequence[Series], name: str, written: Written) -> str:
    """Lines over the calls of a session. `name`: of the vertical axis; `written` formats its numbers."""
    last = max(1, max((len(line.values) for line in series), default=0) - 1)
    _, high = rounded_range(0.0, max((value for line in series for value in line.values), default=0.0) or 1.0)
    calls = Axis("model call", 0, last, "{:.0f}".format, MOST_ACROSS, is_whole=True)
    frame = Frame(calls, Axis(name, 0, high, written))
    parts = [part for line in series for part in (_line(line, frame), *_marks(line, frame))]
    return frame.drawn("over", f"{name} over calls", parts, calls=f"{last}", high=f"{high:.6g}", unit=name)


def polyline(points: Sequence[tuple[float, float]], title: str, **attributes: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return element("polyline", *named(title), points=places, **attributes)


def named(title: str) -> tuple[str, ...]:
    """The text shown when pointing at an element."""
    return (element("title", escaped(title)),) if title else ()


def _line(line: Series, frame: Frame) -> str:
    points = [frame.point(call, line.values[call]) for call in thinned(line.values)]
    kind = "line dashed" if line.dashed else "line"
    return polyline(points, line.name, class_=f"{kind} s{line.colour}", data_name=line.name)


def _marks(line: Series, frame: Frame) -> Iterator[str]:
    """A small ring at each marked call; with many marks, a stroke through the line."""
    marks = [call for call in line.marks if 0 <= call < len(line.values)]
    places = [frame.point(call, line.values[call]) for call in marks]
    if len(marks) > MARKED_ONE_BY_ONE:
        path = "".join(f"M{x:.1f} {y - 3:.1f}v6" for x, y in places)
        yield element("path", class_=f"strokes s{line.colour}", d=path)
        return
    for number, (call, (x, y)) in enumerate(zip(marks, places, strict=True), 1):
        was, now = (frame.y.written(line.values[max(0, index)]) for index in (call - 1, call))
        title = named(f"{line.name}, epoch {number}, call {call}: {was} to {now}")
        yield element("circle", *title, class_=f"ring s{line.colour}", cx=x, cy=y, r=3)


# scales, and round numbers for an axis


class Scale(msgspec.Struct, frozen=True, gc=False):
    """Maps values from `low` to `high` to positions from `start` to `end`. Values outside are put on the edge."""

    low: float
    high: float
    start: float
    end: float

    def position(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)


def ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """At most `most` round numbers at equal distances, the first not below `low`, the last not above `high`."""
    if high - low < LEAST:
        return [low]
    step = _step(high - low, most)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def rounded_range(low: float, high: float) -> tuple[float, float]:
    """Round numbers around a range. A narrow range is widened to a tenth of its height."""
    step = _step(max(high - low, high / 10, LEAST))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return step * first, step * max(last, first + 1)


def _step(width: float, most: int = TICKS) -> float:
    """The smallest round number that fits into `width` less than `most` times."""
    raw = width / max(1, most - 1)
    power = 10.0 ** floor(log10(raw))
    return power * next(factor for factor in ROUND if factor * power >= raw * (1 - 1e-9))


def thinned(values: Sequence[float], most: int = MOST_POINTS) -> list[int]:
    """The indices to draw, ascending. Each stretch of a long series keeps its ends, its minimum and its maximum, so
    that a drop at an epoch stays visible.
    """
    if len(values) <= most:
        return list(range(len(values)))
    size = ceil(len(values) * 4 / most)
    kept: set[int] = set()
    for start in range(0, len(values), size):
        stretch = range(start, min(start + size, len(values)))
        least, greatest = min(stretch, key=values.__getitem__), max(stretch, key=values.__getitem__)
        kept.update((stretch[0], stretch[-1], least, greatest))
    return sorted(kept)


def tokens(value: float) -> str:
    """Formatted as 120k or 1.5M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"


def dollars(value: float) -> str:
    """Formatted with as many digits as the size requires."""
    return currency.amount(value, ".2f" if value >= 0.095 or value == 0 else ".3g")


def plain(value: float) -> str:
    return f"{value:.4g}"


# elements


def escaped(text: str) -> str:
    """Escaped for HTML and SVG, in text and in quoted attributes."""
    return escape(safe(text))


def element(tag: str, *inside: str, **attributes: str | float) -> str:
    """`inside`: elements, or escaped text. Numbers get one decimal. In the name of an attribute, `_` becomes a
    hyphen, and a `_` at the end is dropped (`class_`).
    """
    opening = tag
    for name, value in attributes.items():
        written = escaped(value) if isinstance(value, str) else f"{value:.1f}"
        opening += f' {name.rstrip("_").replace("_", "-")}="{written}"'
    return f"<{opening}>{''.join(inside)}</{tag}>" if inside else f"<{opening}/>"
