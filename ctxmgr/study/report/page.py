"""Turns figures of policies on recordings into one page that a person looks at: HTML that needs nothing beside it.

No network, no clock: the same figures give the same bytes. Knows neither ctxmgr nor how a figure was measured.
What is compared on a recording stands on one sheet, a line each; the line named `BASE` is what costs are shares of.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import fmean

from ctxmgr.model import currency
from ctxmgr.study.figures import shown
from ctxmgr.study.report import front
from ctxmgr.study.report.front import PolicyRow, RecordingSheet, colours_of
from ctxmgr.study.report.plots import SCRIPT, STYLE, Series, dollars, escaped, over_calls, tokens

METRICS = shown("page")
COST = "ofOff"  # the metric whose cells are filled
Cell = tuple[str, float | None]  # text, and the part that is filled behind it

ABOUT = (
    "Input as a provider with a prompt cache bills it: what a call has in common with the call before is read at a "
    "tenth of the input price, the rest written at five quarters, unless told otherwise. "
    + " ".join(f"{metric.title.capitalize()}: {metric.about[0].lower()}{metric.about[1:]}" for metric in METRICS)
    + " Recorded replies do not react to what is shown: the figures say what a reply would have missed, and claim "
    "no task's success."
)


def page(sheets: Sequence[RecordingSheet], title: str = "Context policies on recorded sessions") -> str:
    """The whole document."""
    asked = (name for sheet in sheets for _, shares in sheet.kinds for name in shares)
    colours = colours_of([*(line.name for sheet in sheets for line in sheet.lines), *asked])
    body = [f"<h1>{escaped(title)}</h1>", *_headline(sheets, colours)]
    if len(sheets) > 1:
        links = (
            f'<li><a href="#r{number}">{escaped(sheet.name)}</a></li>' for number, sheet in enumerate(sheets, 1)
        )
        body.append(f"<nav><h3>Recordings</h3><ul>{''.join(links)}</ul></nav>")
    for number, sheet in enumerate(sheets, 1):
        body.append(f'<section id="r{number}">{"".join(_sheet(sheet, colours))}</section>')
    return document(title, "".join(body))


def document(title: str, body: str) -> str:
    """`body` as HTML, in the look of these pages."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{STYLE}</style></head>\n"
        f'<body><main>{body}</main><div id="tip"></div><script>{SCRIPT}</script></body></html>\n'
    )


def table(heads: Sequence[str], rows: Sequence[str]) -> str:
    """`rows` as HTML. What is wider than the page scrolls in a box of its own."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in heads)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="wide" tabindex="0">{whole}</div>'


def text_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A section with a table of plain texts, and below it what explains it."""
    body = [f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows]
    return f"<section><h2>{escaped(title)}</h2>{table(heads, body)}</section>{soft(caption) if caption else ''}"


def soft(text: str) -> str:
    """A paragraph that explains."""
    return f'<p class="soft">{escaped(text)}</p>'


# all recordings


def _headline(sheets: Sequence[RecordingSheet], colours: dict[str, int]) -> Iterator[str]:
    names = dict.fromkeys(line.name for sheet in sheets for line in sheet.lines)
    many = len(sheets)
    yield soft(f"{many} recording{'' if many == 1 else 's'}, {len(names)} ways to keep the context.")
    rows: list[tuple[str, list[Cell]]] = []
    for name in names:
        lines = [line for sheet in sheets for line in sheet.lines if line.name == name]
        values = [_mean([metric.number(line.figures) for line in lines]) for metric in METRICS]
        rows.append((name, [(str(len(lines)), None), *_cells(values)]))
    heads = ["policy", "recordings", *(metric.title for metric in METRICS)]
    yield _table(heads, rows, colours, f"Means over recordings; each recording counts once. {ABOUT}")
    yield _front_drawing(sheets, colours)
    if len(sheets) > 1:
        yield _probes(sheets, colours)


def _cells(values: Sequence[float | None]) -> list[Cell]:
    return [
        (metric.text(value), value if metric.path == COST else None)
        for metric, value in zip(METRICS, values, strict=True)
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


# one recording


def _sheet(sheet: RecordingSheet, colours: dict[str, int]) -> Iterator[str]:
    yield f"<h2>{escaped(sheet.name)}</h2>"
    if sheet.verdict:
        yield f"<p><b>{escaped(sheet.verdict)}</b></p>"
    if sheet.about:
        yield soft(sheet.about)
    rows = [(line.name, _cells([metric.number(line.figures) for metric in METRICS])) for line in sheet.lines]
    yield _table(["policy", *(metric.title for metric in METRICS)], rows, colours, "")
    yield _legend(sheet.lines, colours)
    yield '<div class="plots">'
    series = [_series(line, colours, list(line.context)) for line in sheet.lines]
    yield _figure("Context over calls", "rings: epochs", over_calls(series, "context, tokens", tokens))
    series = [_series(line, colours, list(accumulate(line.call_costs))) for line in sheet.lines]
    yield _figure("Cost over calls", "input so far", over_calls(series, f"cost so far, {currency.SIGN}", dollars))
    yield _front_drawing([sheet], colours)
    yield "</div>"
    yield _probes([sheet], colours)
    yield from (_receipts(line) for line in sheet.lines if line.receipts)


def _series(line: PolicyRow, colours: dict[str, int], values: list[float]) -> Series:
    return Series(line.name, colours[line.name], tuple(values), line.epochs, line.simulated)


def _front_drawing(sheets: Sequence[RecordingSheet], colours: dict[str, int]) -> str:
    points = front.policy_points(sheets)
    floor = front.floor_share(sheets)
    drawn = front.drawing(points, floor, colours)
    missing = [point.name for point in points if not point.is_drawn]
    says = f" Not drawn, for nothing was measured: {', '.join(missing)}." if missing else ""
    if not drawn:
        return soft(says.strip()) if missing else ""
    about = f"up and to the left is better; {', '.join(front.legend(points, floor))}.{says}"
    return _figure("Kept against the bill", about, drawn)


def _probes(sheets: Sequence[RecordingSheet], colours: dict[str, int]) -> str:
    """Kinds of memory probes by policy, means over the sheets; "" where none was asked."""
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
        values = [_mean(by_kind.get(kind, ())) for kind in kinds]
        rows.append((name, [("–" if value is None else f"{value:.3f}", value) for value in values]))
    about = "Memory probes by kind: the share of the answers that the list held, of what the session used again."
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
    """A row is a policy and its cells; `caption` stands below."""
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
