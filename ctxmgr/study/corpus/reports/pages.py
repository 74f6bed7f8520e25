"""Turns figures of a corpus into HTML: one page of all, and one of each of the worst recordings beside it.

A recording's own page is the one that `ctxmgr replay --report` writes, from the rows of its calls: nothing is
driven again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ctxmgr.study.corpus.reports.reporting import CorpusReport, Figures, Queries
from ctxmgr.study.corpus.reports.views import ABOUT, COLUMNS
from ctxmgr.study.metrics import Ratio
from ctxmgr.study.report import PolicyRow, RecordingSheet, escaped, page

DIGEST_CHARACTERS = 16  # of a page's name
TITLE = "Context policies on a corpus of recordings"
OF_PROBES = ("kind", "policy", "used", "usedProbes", "all", "allProbes")
OF_PAIRS = ("first", "second", "figure", "recording_count", "mean", "low", "high")
OF_WORST = (
    "name",
    "policy",
    "host",
    "model",
    "rawTokens",
    "calls",
    "closedOfOff",
    "fetchesIn100",
    "kept",
    "recall",
    "faults",
)


def write(file: Path, of: CorpusReport, queries: Queries) -> None:
    """`file`, and a folder beside it with the pages that it links to. Raises OSError."""
    folder = file.with_name(f"{file.stem}-recordings")
    links = {}
    for digest in dict.fromkeys(row["digest"] for row in of.worst):
        folder.mkdir(exist_ok=True, mode=0o700)
        inner = folder / f"{digest[:DIGEST_CHARACTERS]}.html"
        inner.write_text(page.page([_sheet(digest, queries)]), encoding="utf-8", newline="\n")
        links[digest] = f"{folder.name}/{inner.name}"
    file.write_text(page.document(TITLE, _body(of, links)), encoding="utf-8", newline="\n")


def _body(of: CorpusReport, links: dict[str, str]) -> str:
    parts = [f"<h1>{escaped(TITLE)}</h1>", f'<p class="soft">ctxmgr {escaped(of.release)}</p>']
    parts += _section("All recordings, each counting the same", of.all, ("policy",), ABOUT)
    for name, rows in of.groups.items():
        parts += _section(f"By {name}", rows, ("name", "policy"))
    parts += _plain("Memory probes", of.probes, OF_PROBES)
    parts += _plain("Policies in pairs, first less second, with 95 % intervals", of.pairs, OF_PAIRS)
    parts += _plain("Where it paid least", of.worst, OF_WORST, links)
    parts += _plain("Without figures", of.bad, ("name", "address", "status", "reason"))
    return "".join(parts)


def _section(title: str, rows: Sequence[Figures], names: Sequence[str], about: str = "") -> Iterator[str]:
    heads = [*names, *(head for head, _, _ in COLUMNS)]
    cells = [
        [*(_cell(row[name]) for name in names), *(_number(row[name], digits) for _, name, digits in COLUMNS)]
        for row in rows
    ]
    yield _table(title, heads, cells)
    yield f'<p class="soft">{escaped(about)}</p>' if about else ""


def _plain(
    title: str, rows: Sequence[Figures], heads: Sequence[str], links: dict[str, str] | None = None
) -> Iterator[str]:
    cells = []
    for row in rows:
        first, *more = (_cell(row[name]) for name in heads)
        to = (links or {}).get(row.get("digest", ""))
        cells.append([f'<a href="{escaped(to)}">{first}</a>' if to else first, *more])
    if cells:
        yield _table(title, heads, cells)


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML already."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<section><h2>{escaped(title)}</h2><div class="wide" tabindex="0">{table}</div></section>'


def _cell(value: Any) -> str:
    text = "-" if value is None else f"{value:,.4f}" if isinstance(value, float) else str(value)
    return escaped(text)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _sheet(digest: str, queries: Queries) -> RecordingSheet:
    """One recording under all policies."""
    rows = queries.rows("SELECT * FROM rows WHERE digest = ? AND status = 'ok' ORDER BY place", [digest])
    kinds: dict[str, dict[str, float]] = {}
    for row in rows:
        for probe in row["probes"]:
            if probe["used_share"] is not None:
                kinds.setdefault(probe["kind"], {})[row["policy"]] = probe["used_share"]
    first = rows[0]
    about = (
        f"{first['call_count']:,} calls, {first['raw_tokens']:,} tokens of conversation, window "
        f"{first['window_tokens']:,} tokens, recorded by {first['host']}"
    )
    lines = tuple(_line(row, queries) for row in rows)
    return RecordingSheet(first["name"], lines, about, kinds=tuple(sorted(kinds.items())))


def _line(row: Figures, queries: Queries) -> PolicyRow:
    calls = queries.rows(
        "SELECT sent_tokens, dollars, is_announced FROM read_parquet(?) WHERE key = ? ORDER BY call_index",
        [queries.calls, row["key"]],
    )
    return PolicyRow(
        name=row["policy"],
        cost=row["input_dollars"],
        recall_share=row["recall_share"],
        in_place_share=row["in_place_share"],
        far_share=row["far_share"],
        grounding_share=row["grounding_share"],
        breaks=row["break_count"],
        context=tuple(call["sent_tokens"] for call in calls),
        call_costs=tuple(call["dollars"] for call in calls),
        epochs=tuple(number for number, call in enumerate(calls) if call["is_announced"]),
        billed_cost=row["billed_dollars"],
        repeats=Ratio(row["kept_bytes"] or 0, row["repeated_bytes"] or 0),
        closed_cost=row["closed_dollars"],
        fetches_in_100=row["fetches_in_100"],
    )
