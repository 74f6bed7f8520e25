"""Figures of a corpus as tables, for the terminal and for the page alike; and that page as HTML, with one of each
of the worst recordings beside it.

A recording's own page is the one that `ctxmgr replay --report` writes, from the rows of its calls: nothing is
driven again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Group

from ctxmgr.study.console import TextTable, figure
from ctxmgr.study.corpus.reporting import CorpusReport, Queries
from ctxmgr.study.corpus.tasks import BASE
from ctxmgr.study.figures import Figures, from_row
from ctxmgr.study.report import PolicyRow, RecordingSheet, escaped, page

COLUMNS = (  # head, figure, digits
    ("recordings", "recordings", 0),
    ("closed, of off", "closedOfOff", 3),
    ("billed, of off", "billedOfOff", 3),
    ("re-fetches", "fetchesIn100", 1),
    ("kept", "kept", 3),
    ("mean", "keptMean", 3),
    ("worst", "keptWorst", 3),
    ("in place", "inPlace", 3),
    ("recall", "recall", 3),
    ("probes", "probes", 3),
    ("epochs", "epochsIn100", 1),
    ("breaks", "unannouncedBreaks", 0),
    ("faults", "faults", 0),
    ("bad", "bad", 0),
)
WORST_COLUMNS = (
    ("tokens", "rawTokens", 0),
    ("calls", "calls", 0),
    ("closed, of off", "closedOfOff", 3),
    ("re-fetches", "fetchesIn100", 1),
    ("kept", "kept", 3),
    ("faults", "faults", 0),
)
WORST = "where it paid least"
DIGEST_CHARACTERS = 16  # of a page's name
TITLE = "Context policies on a corpus of recordings"
ABOUT = (
    "closed: what the input costs with what is fetched again;\n"
    "re-fetches and epochs in 100 calls; kept: of what replies repeat, all together,\n"
    "and its mean and its worst; recall of the names used next, and in place;\n"
    "probes: what was used later and can still be answered; breaks outside an epoch"
)


def shown(report: CorpusReport) -> Iterator[TextTable]:
    """The tables of a report; none is without rows."""
    yield _means("all recordings, each counting the same", report.all, ("policy",), ABOUT)
    for name, rows in report.groups.items():
        if len({row["name"] for row in rows}) > 1:
            yield _means(f"by {name}", rows, ("name", "policy"))
    if report.probes:
        yield _probes(report)
    if report.pairs:
        heads = ("first less second", "figure", "recordings", "mean", "95 % from", "to")
        pairs = [
            [f"{row['first']} - {row['second']}", row["figure"], str(row["recording_count"])]
            + [f"{row[name]:+.4f}" for name in ("mean", "low", "high")]
            for row in report.pairs
        ]
        yield TextTable("policies in pairs, on the same recordings", heads, pairs, text_columns=2)
    if report.worst:
        columns = ("recording", "policy", "host", *(head for head, _, _ in WORST_COLUMNS))
        worst = [[row["name"], row["policy"], row["host"], *_cells(row, WORST_COLUMNS)] for row in report.worst]
        yield TextTable(WORST, columns, worst, text_columns=3)
    if report.bad:
        bad = [[row["name"], row["reason"], str(row["policies"])] for row in report.bad]
        yield TextTable("without figures", ("recording", "why", "policies"), bad, text_columns=2)


def text(report: CorpusReport, changes: Sequence[Figures]) -> Group:
    """For the terminal."""
    tables = [*shown(report), *([_changes(changes)] if changes else [])]
    return Group(*(table.rendered() for table in tables))


def _means(title: str, rows: Sequence[Figures], names: Sequence[str], about: str = "") -> TextTable:
    heads = (*names, *(head for head, _, _ in COLUMNS))
    cells = [[*(row[name] or "-" for name in names), *_cells(row, COLUMNS)] for row in rows]
    return TextTable(title, heads, cells, about, len(names))


def _cells(row: Figures, columns: Sequence[tuple[str, str, int]]) -> list[str]:
    return [figure(row[name], digits) for _, name, digits in columns]


def _probes(report: CorpusReport) -> TextTable:
    kinds: dict[str, dict[str, Figures]] = {}
    for row in report.probes:
        kinds.setdefault(row["kind"], {})[row["policy"]] = row
    rows = []
    for kind, by_policy in kinds.items():
        most = max(row["usedProbes"] for row in by_policy.values())
        shares = [by_policy[name]["used"] if name in by_policy else None for name in report.names]
        rows.append([kind, str(most), *(figure(share, 3) for share in shares)])
    title = "memory probes of what was used later, by policy"
    return TextTable(title, ("kind", "probes", *report.names), rows)


def _changes(changes: Sequence[Figures]) -> TextTable:
    rows = [
        [*(str(row[name]) for name in ("policy", "figure", "recording_count", "before", "now"))]
        + (["worse"] if row["is_worse"] else [""])
        for row in changes
    ]
    heads = ("policy", "figure", "recordings", "before", "now", "")
    return TextTable("against the other results", heads, rows, text_columns=2)


# the page


def write(file: Path, report: CorpusReport, queries: Queries) -> None:
    """`file`, and a folder beside it with the pages that it links to. Raises OSError."""
    folder = file.with_name(f"{file.stem}-recordings")
    links = []
    for digest in (row["digest"] for row in report.worst):
        folder.mkdir(exist_ok=True, mode=0o700)
        inner = folder / f"{digest[:DIGEST_CHARACTERS]}.html"
        inner.write_text(page.page([_sheet(digest, queries)]), encoding="utf-8", newline="\n")
        links.append(f"{folder.name}/{inner.name}")
    tables = (_table_html(table, links if table.title == WORST else ()) for table in shown(report))
    body = f"<h1>{escaped(TITLE)}</h1>{page.soft(f'ctxmgr {report.release}')}{''.join(tables)}"
    file.write_text(page.document(TITLE, body), encoding="utf-8", newline="\n")


def _table_html(table: TextTable, links: Sequence[str]) -> str:
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
