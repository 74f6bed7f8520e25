"""Turns figures of policies on recordings into one HTML page for people, which needs no other file.

No network, no clock: the same figures give the same bytes. Knows neither ctxmgr nor how a figure was measured. A
sheet compares policies on one recording, one line each; costs are shares of the line named `BASE`.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from ctxmgr.model import currency
from ctxmgr.study.figures import Figures, ShownTable, mean, of_recording, of_totals, shown
from ctxmgr.study.report import front
from ctxmgr.study.report.front import BALANCED, PolicyRow, RecordingSheet, colours_of
from ctxmgr.study.report.plots import SCRIPT, STYLE, Series, dollars, escaped, over_calls, tokens

FIRST = shown("brief")  # the metrics of the terminal's table
MORE = [metric for metric in shown("page") if metric not in FIRST]
Cell = tuple[str, float | None]  # text, and the share of the cell that is filled behind it

ABOUT = (
    "Prices: what a call has in common with the call before is read from the cache at a tenth of the input price, "
    "and the rest is written at five quarters of it, unless you set other prices. Recorded replies do not react to "
    "what is sent: the figures show what a reply would have missed, not whether a task would succeed."
)


def page(
    sheets: Sequence[RecordingSheet],
    title: str = "Context policies on recorded sessions",
    together: Sequence[Figures] = (),
) -> str:
    """The whole document. `together`: `totals` over several recordings, as the terminal shows them."""
    asked = (name for sheet in sheets for _, shares in sheet.kinds for name in shares)
    colours = colours_of([line for sheet in sheets for line in sheet.lines], asked)
    body = [f"<h1>{escaped(title)}</h1>"]
    if len(sheets) == 1:
        body += [*_lead(sheets, colours), *_figures(sheets[0], colours), *_course(sheets[0], colours)]
    elif sheets:
        policies = {line.name for sheet in sheets for line in sheet.lines}
        body += [soft(f"{len(sheets)} recordings, {len(policies)} policies."), *_lead(sheets, colours)]
        body += _shown(of_totals(together), colours) if together else ()
        body.append(_probes(sheets, colours))
        links = (
            f'<li><a href="#r{number}">{escaped(sheet.name)}</a></li>' for number, sheet in enumerate(sheets, 1)
        )
        body.append(f"<nav><h2>Recordings</h2><ul>{''.join(links)}</ul></nav>")
        for number, sheet in enumerate(sheets, 1):
            inner = (*_head(sheet), *_figures(sheet, colours), *_course(sheet, colours, has_front=True))
            body.append(f'<section id="r{number}">{"".join(inner)}</section>')
    return document(title, "".join(body))


def document(title: str, body: str) -> str:
    """A document in the style of these pages. `body` is HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{STYLE}</style></head>\n"
        f'<body><main>{body}</main><div id="tip"></div><script>{SCRIPT}</script></body></html>\n'
    )


def table(heads: Sequence[str], rows: Sequence[str], text_columns: int = 1) -> str:
    """`rows` is HTML. A table wider than the page scrolls in its own box."""
    kinds = [' class="text"' if 0 < number < text_columns else "" for number in range(len(heads))]
    head = "".join(f'<th scope="col"{kind}>{escaped(name)}</th>' for kind, name in zip(kinds, heads, strict=True))
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="wide" tabindex="0">{whole}</div>'


def text_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", text_columns: int = 1
) -> str:
    """A section with a table of plain texts, and its explanation below. `text_columns`: number of columns, from the
    first, that contain words and are left-aligned.
    """
    body = []
    for first, *others in rows:
        kinds = [' class="text"' if number < text_columns else "" for number in range(1, len(others) + 1)]
        cells = "".join(f"<td{kind}>{escaped(cell)}</td>" for kind, cell in zip(kinds, others, strict=True))
        body.append(f'<tr><th scope="row">{escaped(first)}</th>{cells}</tr>')
    whole = table(heads, body, text_columns)
    return f"<section><h2>{escaped(title)}</h2>{whole}</section>{soft(caption) if caption else ''}"


def soft(text: str) -> str:
    """A paragraph of explanation."""
    return f'<p class="soft">{escaped(text)}</p>'


# the front picture and the tables


def _lead(sheets: Sequence[RecordingSheet], colours: dict[str, int]) -> Iterator[str]:
    """Cost against kept, and beside it what each policy does."""
    if len(sheets) == 1:
        yield from _head(sheets[0])
    about: dict[str, str] = {}
    for sheet in sheets:
        about |= {line.name: line.about for line in sheet.lines if line.about}
    terms = "".join(
        f'<dt><span class="swatch s{colours[name]}"></span>{escaped(name)}</dt><dd>{escaped(text)}</dd>'
        for name, text in about.items()
    )
    side = f'<dl class="policies">{terms}</dl>' if terms else ""
    yield f'<div class="lead">{_front_drawing(sheets, colours)}{side}</div>'


def _head(sheet: RecordingSheet) -> Iterator[str]:
    yield f"<h2>{escaped(sheet.name)}</h2>"
    if sheet.verdict:
        yield f"<p><b>{escaped(sheet.verdict)}</b></p>"
    if sheet.about:
        yield soft(sheet.about)


def _figures(sheet: RecordingSheet, colours: dict[str, int]) -> Iterator[str]:
    """The figures of the terminal, and all others in a collapsed section."""
    rows = [(line.name, line.figures) for line in sheet.lines]
    yield from _shown(of_recording(rows, FIRST), colours)
    more = "".join(_shown(of_recording(rows, MORE), colours))
    yield f"<details><summary>More figures</summary>{more}</details>"


def _shown(table: ShownTable, colours: dict[str, int]) -> Iterator[str]:
    cells = (list(zip(texts, parts, strict=True)) for texts, parts in zip(table.cells, table.values, strict=True))
    rows = list(zip(table.names, cells, strict=True))
    yield _table(["policy", *table.heads], rows, colours, "")
    meanings = "".join(f"<dt>{escaped(head)}</dt><dd>{escaped(about)}</dd>" for head, about in table.meanings)
    summary = "<summary>What the columns mean</summary>"
    yield f'<details>{summary}<dl class="meanings">{meanings}</dl>{soft(ABOUT)}</details>'


# one recording over its calls


def _course(sheet: RecordingSheet, colours: dict[str, int], has_front: bool = False) -> Iterator[str]:
    """Plots over its calls, the results of its probes, and its epochs. `has_front`: it has its own front picture
    here. Of the points of `keep` only the preset itself is plotted over calls, if it was driven.
    """
    names = {line.name for line in sheet.lines}
    lines = [line for line in sheet.lines if line.knob is None or line.name == BALANCED or BALANCED not in names]
    yield _legend(lines, colours)
    yield '<div class="plots">'
    series = [_series(line, colours, list(line.context)) for line in lines]
    yield _figure("Context over calls", "rings: epochs of ctxmgr", over_calls(series, "context, tokens", tokens))
    series = [_series(line, colours, list(accumulate(line.call_costs))) for line in lines]
    yield _figure("Cost over calls", "input so far", over_calls(series, f"cost so far, {currency.SIGN}", dollars))
    if has_front:
        yield _front_drawing([sheet], colours)
    yield "</div>"
    yield _probes([sheet], colours)
    yield from (_receipts(line) for line in sheet.lines if line.receipts)


def _series(line: PolicyRow, colours: dict[str, int], values: list[float]) -> Series:
    marks = () if line.simulated else line.epochs
    return Series(line.name, colours[line.name], tuple(values), marks, line.simulated)


def _front_drawing(sheets: Sequence[RecordingSheet], colours: dict[str, int]) -> str:
    points = front.policy_points(sheets)
    return points_drawing(points, front.floor_share(sheets), colours)


def points_drawing(
    points: Sequence[front.PolicyPoint],
    floor: float | None,
    colours: dict[str, int] | None = None,
    cost: str = "billed",
) -> str:
    """The front picture with its caption; "" if there is nothing to draw. `floor`: as a share of the host alone's
    bill.
    """
    drawn = front.drawing(points, floor, colours, cost)
    missing = [point.name for point in points if not point.is_drawn]
    says = f" Not drawn, because nothing was measured: {', '.join(missing)}." if missing else ""
    if not drawn:
        return soft(says.strip()) if missing else ""
    about = " · ".join(("left is cheaper, up keeps more", *front.legend(points, floor)))
    return _figure(front.TITLE, about, drawn) + (soft(says.strip()) if missing else "")


def _probes(sheets: Sequence[RecordingSheet], colours: dict[str, int]) -> str:
    """Kinds of memory probes by policy, as means over the sheets; "" without probes."""
    shares: dict[str, dict[str, list[float]]] = {}
    kinds: dict[str, None] = {}
    for sheet in sorted(sheets, key=lambda sheet: -len(sheet.kinds)):
        for kind, by_policy in sheet.kinds:
            kinds[kind] = None
            for name, share in by_policy.items():
                shares.setdefault(name, {}).setdefault(kind, []).append(share)
    if not shares:
        return ""
    rows = []
    for name, by_kind in shares.items():
        values = [mean(by_kind.get(kind, ())) for kind in kinds]
        rows.append((name, [("–" if value is None else f"{value:.3f}", value) for value in values]))
    about = (
        "Memory probes by kind: the share of the answers that the list held, of what the session used again. A row "
        "such as newest 10k needs no memory: it is that many newest tokens of the conversation."
    )
    return f'<div class="figures">{_table(["policy", *kinds], rows, colours, about)}</div>'


def _receipts(line: PolicyRow) -> str:
    many = len(line.receipts)
    rows = "".join(f"<li>{escaped(text)}</li>" for text in line.receipts)
    title = f"{escaped(line.name)}: the arithmetic of {many} epoch{'' if many == 1 else 's'}"
    return f'<details><summary>{title}</summary><ol class="receipts">{rows}</ol></details>'


# pieces


def _figure(name: str, about: str, drawn: str) -> str:
    caption = f"<figcaption><b>{escaped(name)}</b> · {escaped(about)}</figcaption>"
    return f"<figure>{caption}{drawn}</figure>"


def _table(
    heads: Sequence[str], rows: Sequence[tuple[str, list[Cell]]], colours: dict[str, int], caption: str
) -> str:
    """`rows`: a policy and its cells. `caption`: the text below."""
    body = []
    for name, cells in rows:
        tds = []
        for text, part in cells:
            filled = "" if part is None else f' class="share" style="--part:{min(100.0, 100 * part):.1f}%"'
            tds.append(f"<td{filled}>{escaped(text)}</td>")
        swatch = f'<span class="swatch s{colours[name]}"></span>'
        body.append(f'<tr><th scope="row">{swatch}{escaped(name)}</th>{"".join(tds)}</tr>')
    return table(heads, body) + (soft(caption) if caption else "")


def _legend(lines: Sequence[PolicyRow], colours: dict[str, int]) -> str:
    parts = []
    for line in lines:
        kind = "swatch dashed" if line.simulated else "swatch"
        parts.append(f'<li><span class="{kind} s{colours[line.name]}"></span>{escaped(line.name)}</li>')
    return f'<ul class="legend">{"".join(parts)}</ul>'
