"""Figures of a corpus as HTML: one page of all, and one of each of the worst recordings beside it.

A recording's own page is the one that `ctxmgr replay --report` writes, from the rows of its calls: nothing is
driven again.
"""

from collections.abc import Sequence
from pathlib import Path

from ctxmgr.study.console import TextTable
from ctxmgr.study.corpus.reporting import CorpusReport, Figures, Queries
from ctxmgr.study.corpus.tasks import BASE
from ctxmgr.study.corpus.views import WORST, shown
from ctxmgr.study.figures import from_row
from ctxmgr.study.report import PolicyRow, RecordingSheet, escaped, page

DIGEST_CHARACTERS = 16  # of a page's name
TITLE = "Context policies on a corpus of recordings"


def write(file: Path, report: CorpusReport, queries: Queries) -> None:
    """`file`, and a folder beside it with the pages that it links to. Raises OSError."""
    folder = file.with_name(f"{file.stem}-recordings")
    links = []
    for digest in (row["digest"] for row in report.worst):
        folder.mkdir(exist_ok=True, mode=0o700)
        inner = folder / f"{digest[:DIGEST_CHARACTERS]}.html"
        inner.write_text(page.page([_sheet(digest, queries)]), encoding="utf-8", newline="\n")
        links.append(f"{folder.name}/{inner.name}")
    tables = (_table(table, links if table.title == WORST else ()) for table in shown(report))
    body = f"<h1>{escaped(TITLE)}</h1>{page.soft(f'ctxmgr {report.release}')}{''.join(tables)}"
    file.write_text(page.document(TITLE, body), encoding="utf-8", newline="\n")


def _table(table: TextTable, links: Sequence[str]) -> str:
    """`links`: of the rows, where they have pages."""
    rows = []
    for number, row in enumerate(table.rows):
        first, *more = map(escaped, row)
        if links:
            first = f'<a href="{escaped(links[number])}">{first}</a>'
        rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in (first, *more))}</tr>")
    about = page.soft(table.caption) if table.caption else ""
    return f"<section><h2>{escaped(table.title.capitalize())}</h2>{page.table(table.heads, rows)}</section>{about}"


def _sheet(digest: str, queries: Queries) -> RecordingSheet:
    """One recording under all policies."""
    rows = queries.rows(
        "SELECT * FROM rows WHERE digest = $digest AND status = 'ok' ORDER BY place", {"digest": digest}
    )
    kinds: dict[str, dict[str, float]] = {}
    for row in rows:
        for probe in row["probes"] or ():
            if probe["used_share"] is not None:
                kinds.setdefault(probe["kind"], {})[row["policy"]] = probe["used_share"]
    first = rows[0]
    about = (
        f"{first['call_count']:,} calls, {first['raw_tokens']:,} tokens of conversation, window "
        f"{first['window_tokens']:,} tokens, recorded by {first['host']}"
    )
    base = next((row for row in rows if row["policy"] == BASE), None)
    lines = tuple(_line(row, base, queries) for row in rows)
    return RecordingSheet(first["name"], lines, about, kinds=tuple(sorted(kinds.items())))


def _line(row: Figures, base: Figures | None, queries: Queries) -> PolicyRow:
    calls = queries.rows(
        "SELECT sent_tokens, dollars, is_announced FROM read_parquet($calls) WHERE key = $key ORDER BY call_index",
        {"calls": queries.calls, "key": row["key"]},
    )
    return PolicyRow(
        name=row["policy"],
        figures=from_row(row, base),
        context=tuple(call["sent_tokens"] for call in calls),
        call_costs=tuple(call["dollars"] for call in calls),
        epochs=tuple(number for number, call in enumerate(calls) if call["is_announced"]),
    )
