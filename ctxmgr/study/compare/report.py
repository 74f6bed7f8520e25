"""Turns the results of a comparison into Markdown files, a view for a terminal, and plain values for JSON. Also
reads a row back from its file, if that is complete.

1. A file is written under a temporary name and then renamed. Only its owner can read it, since it holds
   conversation.
2. The first line of a row's file holds the figures as JSON and a digest of everything after it. A file that was cut
   off or edited by hand is ignored.
3. Its name contains the start of the fingerprint, so results of other settings are not overwritten.

Terminal and Markdown tables show the same figures, each a `RowFigure`; a dash stands for a missing value.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from rich.console import Console, Group, RenderableType

from ctxmgr.model import currency
from ctxmgr.model.compaction import Format, Strategy
from ctxmgr.plain_text import safe
from ctxmgr.study import probes
from ctxmgr.study.compare.rows import SummaryRow
from ctxmgr.study.compare.settings import Settings
from ctxmgr.study.console import TextTable, plain
from ctxmgr.study.figures import mean, prices, prices_line
from ctxmgr.study.probes import NEWEST, Scores, failed_line

DASH = "–"
WEIGHED = "~"

TOOK = "what it took, tokens"
BILLED = "a model's call for it"
PROBES = "memory probes"

WEIGHED_NOTE = f"{WEIGHED} estimated: the provider did not report usage for each call."
FALLBACK_NOTE = "without a model: the call failed or its answer was rejected; the summary is extractive."
MEANINGS = {
    BILLED: "a model's call: one that writes a summary of this length. copy: with a copy of the conversation as "
    "uncached input; at the end: as one more message after the host's own list, which is in the prompt cache; "
    f"{DASH}: does not fit.",
    PROBES: "memory probes: share of the answers that the summary alone contains, of all questions about the part "
    "that it replaces, whether or not that was used later.",
}
ABOUT = "answers: mean over the kinds of memory probes, 0 to 1\nAll figures: --json, and the table in the folder."


class RowFigure(NamedTuple):
    """One figure: its heading, a function that returns its value for a row (None if it has none), and the number of
    decimals.
    """

    heading: str
    value: Callable[[SummaryRow], str | float | None]
    digits: int = 0

    def cell(self, row: SummaryRow) -> str:
        return _cell(self.value(row), self.digits)


def answers(row: SummaryRow) -> float | None:
    """The share of probes that the summary answers, as a mean over the kinds of probes."""
    return mean(kind.every.share for kind in row.probes.kinds.values()) if row.probes else None


def _spent(row: SummaryRow, tokens: int) -> str:
    return f"{WEIGHED if row.weighed_calls else ''}{tokens:,}"


NAMES = ("recording", "strategy", "format")
COLUMNS = {  # by table
    TOOK: (
        RowFigure("calls", lambda row: row.call_count),
        RowFigure("retries", lambda row: row.retries),
        RowFigure("input", lambda row: _spent(row, row.input_tokens)),
        RowFigure("output", lambda row: _spent(row, row.output_tokens)),
        RowFigure("seconds", lambda row: row.wall_ms / 1_000, 2),
        RowFigure("summary", lambda row: row.summary_tokens),
        RowFigure("replaces", lambda row: row.replaced_tokens),
        RowFigure("without a model", lambda row: "; ".join(row.fallback_reasons) or None),
    ),
    BILLED: (
        RowFigure(f"copy {currency.SIGN}", lambda row: row.bill.cold_cost if row.bill else None, 3),
        RowFigure(f"at the end {currency.SIGN}", lambda row: row.bill.warm_cost if row.bill else None, 3),
    ),
}
BRIEF = (
    RowFigure("strategy, format", lambda row: row.name),
    RowFigure("summary", lambda row: row.summary_tokens),
    RowFigure("replaces", lambda row: row.replaced_tokens),
    RowFigure("answers", answers, 2),
    RowFigure("model tokens", lambda row: row.input_tokens + row.output_tokens),
    RowFigure("seconds", lambda row: row.wall_ms / 1_000, 2),
)


def tables(rows: Sequence[SummaryRow]) -> list[TextTable]:
    """All figures. Tables without lines are skipped."""
    if not rows:
        return []
    made = []
    for title, columns in COLUMNS.items():
        mine = [row for row in rows if any(column.value(row) is not None for column in columns)]
        lines = [(*_names(row), *(column.cell(row) for column in columns)) for row in mine]
        heads = (*NAMES, *(column.heading for column in columns))
        made.append(TextTable(title, heads, lines, text_columns=len(NAMES)))
    return [table for table in (*made, _probes(rows)) if table.rows]


def _brief(rows: Sequence[SummaryRow]) -> TextTable:
    lines = [[column.cell(row) for column in BRIEF] for row in rows]
    return TextTable("", [column.heading for column in BRIEF], lines)


def _probes(rows: Sequence[SummaryRow]) -> TextTable:
    """Kinds of memory probes by strategy: what the summaries answer of all that is asked, means over recordings."""
    by_name: dict[str, list[Scores]] = {}
    for row in rows:
        if row.probes is not None:
            by_name.setdefault(row.name, []).append(row.probes)
    asked = {name: probes.means(some) for name, some in by_name.items()}
    some = [row.newest for row in rows if row.newest is not None]
    newest = {NEWEST: probes.means(some)} if some else {}
    many = len({row.recording for row in rows})
    of = rows[0].recording if many == 1 else f"{many} recordings"
    lines = []
    for kind in dict.fromkeys(kind for means in asked.values() for kind in means.kinds):
        most = max(means.kinds[kind].every.probe_count for means in asked.values() if kind in means.kinds)
        scores = [means.kinds.get(kind) for means in (*asked.values(), *newest.values())]
        lines.append((of, kind, str(most), *(_cell(score.every.share if score else None, 3) for score in scores)))
    return TextTable(PROBES, ("recording", "kind", "probes", *asked, *newest), lines, text_columns=2)


def notes(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """What marks in the figures of these rows mean."""
    if any(row.weighed_calls for row in rows):
        yield WEIGHED_NOTE
    if any(row.fallback_reasons for row in rows):
        yield FALLBACK_NOTE


def explained(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """All tables of these rows, and what they mean."""
    shown = tables(rows)
    yield from map(markdown, shown)
    yield from notes(rows)
    yield from (MEANINGS[table.title] for table in shown if table.title in MEANINGS)


# views


def rendered(rows: Sequence[SummaryRow]) -> RenderableType:
    """For a terminal, one block a recording: the summary that answers most probes, and five figures a
    row.
    """
    parts: list[RenderableType] = []
    for name in dict.fromkeys(row.recording for row in rows):
        mine = [row for row in rows if row.recording == name]
        parts += [plain(name, "bold"), plain(verdict(mine)), *map(plain, bill_line(mine))]
        parts.append(_brief(mine).rendered())
    return Group(*parts, *([plain(ABOUT)] if rows else []))


def verdict(rows: Sequence[SummaryRow]) -> str:
    """Which summary of one recording answers most probes; the shorter one if two are equal."""
    measured = [(share, -row.summary_tokens, row.name) for row in rows if (share := answers(row)) is not None]
    if not measured:
        return "Nothing was measured."
    share, _, name = max(measured)
    bad = sum(bool(row.fallback_reasons) for row in rows)
    failed = f"{bad} of {len(rows)} were written without a model" if bad else "nothing failed"
    return f"{name} answers most: {share:.2f} of the probes; {failed}."


def bill_line(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """What a model's call costs with a copy and at the end of the list, for the most expensive summary."""
    bills = [row.bill for row in rows if row.bill is not None]
    if bills:
        dearest = max(bills, key=lambda bill: bill.cold_cost or 0)
        ways = ((dearest.cold_cost, "with a copy"), (dearest.warm_cost, "at the end of the list"))
        costs = [f"{currency.amount(cost, ',.3f')} {way}" for cost, way in ways if cost is not None]
        yield f"A model's call: {', '.join(costs)}."


def markdown(table: TextTable) -> str:
    rules = ["---" if number < table.text_columns else "---:" for number in range(len(table.heads))]
    lines = (f"| {' | '.join(map(table_cell, cells))} |" for cells in (table.heads, rules, *table.rows))
    return "\n".join([f"## {table_cell(table.title)}", "", *lines])


def table_cell(text: str) -> str:
    """Recorded text, escaped for a cell of a Markdown table."""
    return safe(text).replace("\n", " ").replace("|", "\\|")


def _cell(value: str | float | None, digits: int = 0) -> str:
    if value is None:
        return DASH
    return value if isinstance(value, str) else f"{value:,.{digits}f}"


def _names(row: SummaryRow) -> tuple[str, ...]:
    return row.recording, row.strategy, row.format


STEM_BYTES = 120  # of the recording's name: file names may have 255 bytes, and ours takes the rest
MARK_CHARACTERS = 8  # of the fingerprint in a file name
_OPENING, _CLOSING = "<!-- ctxmgr compare ", " -->"
STYLES = {"nothing": "", "unreadable": "red", "failed": "bold red"}  # of remarks, by kind


class WrittenRow(msgspec.Struct, frozen=True):
    """A row and the name of its file. `reused`: the file existed and nothing was computed."""

    row: SummaryRow
    file: str
    reused: bool


class Remark(NamedTuple):
    """Something about a recording that no row says: there was `nothing` to compact, it is `unreadable`, or a row
    `failed`.
    """

    kind: Literal["nothing", "unreadable", "failed"]
    reason: str


class RecordingRows(msgspec.Struct, frozen=True):
    """The results for one recording."""

    recording: str
    written: tuple[WrittenRow, ...] = ()
    remarks: tuple[Remark, ...] = ()


def rows(outcomes: Sequence[RecordingRows]) -> list[SummaryRow]:
    return [written.row for outcome in outcomes for written in outcome.written]


def head(row: SummaryRow) -> str:
    """The text above a summary in its file."""
    shortened = "; ".join(row.shortened) or "nothing"
    parts = [f"# {table_cell(f'{row.recording}: {row.name}')}"]
    parts.append(table_cell(f"Model: {row.model}. Shortened for it: {shortened}."))
    return "\n\n".join([*parts, *explained([row])])


def report(outcomes: Sequence[RecordingRows], settings: Settings) -> str:
    """The Markdown report of the whole comparison."""
    known = settings.own_models.path is not None and not settings.has_prices
    beside = "; a session of a model that --models has prices of: by these" if known else ""
    billed = f"Billed: {prices_line(prices(settings.sheet))}{beside}."
    parts = [
        "# Strategies compared",
        table_cell(f"{_settings_line(settings)} {billed}"),
        *explained(rows(outcomes)),
    ]
    parts += [f"- {table_cell(text)}" for text, _ in _remarks(outcomes)]
    return "\n\n".join(parts) + "\n"


def show(out: Console, outcomes: Sequence[RecordingRows], settings: Settings) -> None:
    written = rows(outcomes)
    out.print(plain(_settings_line(settings)))
    out.print(rendered(written))
    for text in notes(written):
        out.print(plain(text))
    for text, style in _remarks(outcomes):
        out.print(plain(text, style))
    reused = sum(row.reused for outcome in outcomes for row in outcome.written)
    if reused:
        out.print(f"{reused} of {len(written)} summaries with these settings were there already and were kept")


def values(outcomes: Sequence[RecordingRows], settings: Settings) -> dict[str, Any]:
    """All results, for `--json`; shares as numerator and denominator. Failed probes are left out: they hold
    conversation, and have a file of their own.
    """
    document: dict[str, Any] = {
        "settings": {
            "keepTokens": settings.cut_budget.keep_recent_tokens,
            "reserveTokens": settings.cut_budget.reserve_tokens,
            "model": settings.model,
            "contextWindow": settings.window,
            "prices": prices(settings.sheet),
        },
        "rows": [],
        **{kind: [] for kind in STYLES},
    }
    for outcome in outcomes:
        for written in outcome.written:
            row = msgspec.to_builtins(written.row)
            del row["probesFailed"]
            document["rows"].append({**row, "file": written.file, "reused": written.reused})
        for remark in outcome.remarks:
            document[remark.kind].append({"recording": outcome.recording, "reason": remark.reason})
    return document


def failed_probes(outcomes: Sequence[RecordingRows]) -> list[str]:
    """One JSON line for each failed probe of all rows; "policy" is the strategy with its format."""
    return [
        failed_line(row.recording, row.name, probe) for row in rows(outcomes) for probe in row.probes_failed or ()
    ]


def _settings_line(settings: Settings) -> str:
    return f"Kept: the newest {settings.cut_budget.keep_recent_tokens:,} tokens. Model: {settings.model}."


def _remarks(outcomes: Sequence[RecordingRows]) -> Iterator[tuple[str, str]]:
    """The remarks in words, with their styles."""
    for outcome in outcomes:
        for kind, reason in outcome.remarks:
            prefixes = {
                "nothing": f"{outcome.recording}: ",
                "unreadable": "",
                "failed": f"{outcome.recording}, FAILED: ",
            }
            yield prefixes[kind] + reason, STYLES[kind]


# files


class _Head(msgspec.Struct, frozen=True):
    row: SummaryRow
    digest: str


def file_name(recording: str, strategy: Strategy, format: Format, fingerprint: str) -> str:
    stem = re.sub(r"[^\w.+-]+", "-", Path(recording).stem).encode()[:STEM_BYTES].decode("utf-8", "ignore")
    return f"{stem}.{strategy}.{format}.{fingerprint[:MARK_CHARACTERS]}.md"


def text_of(row: SummaryRow, summary: str) -> str:
    """The complete text of a row's file."""
    body = f"{head(row)}\n\n---\n\n{summary}\n"
    figures = msgspec.json.encode(_Head(row, _digest(body))).decode()
    figures = figures.replace("<", "\\u003c").replace(">", "\\u003e")  # so that no value can end the comment
    return f"{_OPENING}{figures}{_CLOSING}\n{body}"


def written(folder: Path, name: str, text: str) -> None:
    """Rule 1. Raises OSError."""
    target, half = folder / name, folder / f".{name}.{os.getpid()}.half"
    try:
        half.unlink(missing_ok=True)
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, target)
    finally:
        half.unlink(missing_ok=True)


def finished(path: Path, fingerprint: str) -> SummaryRow | None:
    """The row in this file, if the file is complete and was written with these settings (rule 2); otherwise
    None.
    """
    try:
        first, end, body = path.read_bytes().decode().partition("\n")
        figures = first.removeprefix(_OPENING).removesuffix(_CLOSING)
        head = msgspec.json.decode(figures, type=_Head)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return None
    if not end or head.digest != _digest(body) or head.row.fingerprint != fingerprint:
        return None
    return None if head.row.again else head.row


def _digest(body: str) -> str:
    return sha256(body.encode("utf-8", "replace")).hexdigest()
