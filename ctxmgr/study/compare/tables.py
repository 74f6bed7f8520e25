"""Turns rows into tables: of a terminal, and of Markdown files. Each figure of a row is one `Column`.

A dash: there is no such figure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from rich.console import Group, RenderableType

from ctxmgr.model import currency
from ctxmgr.plain_text import safe
from ctxmgr.study import probes
from ctxmgr.study.compare.chains import BothWays
from ctxmgr.study.compare.rows import ChainFigures, SummaryRow
from ctxmgr.study.console import TextTable, plain
from ctxmgr.study.figures import closed_cost
from ctxmgr.study.probes import NEWEST, Scores

DASH = "–"
WEIGHED = "~"

TOOK = "what it took, tokens"
WALKED = "compactions along the session, tokens"
LOOPED = "closed-loop cost"
BILLED = "a model's call for it"
PASSES = "each compaction, tokens of the list"
PROBES = "memory probes"

WEIGHED_NOTE = f"{WEIGHED} weighed here: the provider reported no usage, or not for each call."
FALLBACK_NOTE = "without a model: what the model gave was refused or its call failed; the summary is extractive."
MEANINGS = {
    LOOPED: f"{currency.SIGN}. {closed_cost.MEANINGS}; floor: no policy that shows each message once costs less.",
    BILLED: "a model's call for it: one call that writes a summary as long as this one. copy: the conversation in "
    "a prompt, as new input; at the end: one message more behind the host's own list, which the cache holds; "
    f"{DASH}: it does not fit.",
    PROBES: "memory probes: share of the answers that the summary by itself holds, of all that could be asked "
    "before the cut, used again or not.",
}
ABOUT = "answers: mean of kinds of memory probes, 0 to 1.\n--wide shows all figures, --json has them for programs"


class Column(NamedTuple):
    """One figure: its heading, its value of a row, which is None where there is none, and its decimals."""

    heading: str
    value: Callable[[SummaryRow], str | float | None]
    digits: int = 0

    def cell(self, row: SummaryRow) -> str:
        return _cell(self.value(row), self.digits)


def answers(row: SummaryRow) -> float | None:
    """The mean share of kinds of probes."""
    shares = [kind.every.share for kind in row.probes.kinds.values()] if row.probes else []
    known = [share for share in shares if share is not None]
    return fmean(known) if known else None


def _spent(row: SummaryRow, tokens: int) -> str:
    return f"{WEIGHED if row.weighed_calls else ''}{tokens:,}"


def _of_chain(value: Callable[[ChainFigures], float | None]) -> Callable[[SummaryRow], float | None]:
    return lambda row: None if row.chain is None else value(row.chain)


def _of_loop(key: str) -> Callable[[SummaryRow], float | None]:
    return _of_chain(lambda chain: None if chain.loop is None else chain.loop[key])


def _of_bill(value: Callable[[BothWays], str | float | None]) -> Callable[[SummaryRow], str | float | None]:
    return lambda row: None if row.bill is None else value(row.bill)


NAMES = ("recording", "strategy", "format")
COLUMNS = {  # by their table
    WALKED: (
        Column("compactions", _of_chain(lambda chain: len(chain.passes))),
        Column("largest list", _of_chain(lambda chain: chain.largest)),
        Column("at the end", _of_chain(lambda chain: chain.last)),
        Column("not possible", _of_chain(lambda chain: chain.uncut)),
    ),
    TOOK: (
        Column("calls", lambda row: row.call_count),
        Column("retries", lambda row: row.retries),
        Column("input", lambda row: _spent(row, row.input_tokens)),
        Column("output", lambda row: _spent(row, row.output_tokens)),
        Column("seconds", lambda row: row.wall_ms / 1_000, 2),
        Column("summary", lambda row: row.summary_tokens),
        Column("replaces", lambda row: row.replaced_tokens),
        Column("without a model", lambda row: "; ".join(row.fallback_reasons) or None),
    ),
    LOOPED: (
        Column(f"billed {currency.SIGN}", _of_loop("billed"), 2),
        Column(f"closed {currency.SIGN}", _of_loop("closed"), 2),
        Column(f"all {currency.SIGN}", _of_loop("all"), 2),
        Column("re-fetches", _of_loop("fetches")),
        Column("re-fetches in 100", _of_loop("fetchesIn100"), 1),
        Column(f"floor {currency.SIGN}", _of_chain(lambda chain: chain.floor), 2),
    ),
    BILLED: (
        Column(f"copy {currency.SIGN}", _of_bill(lambda bill: bill.cold_cost), 3),
        Column(f"at the end {currency.SIGN}", _of_bill(lambda bill: bill.warm_cost), 3),
        Column(f"the cheaper {currency.SIGN}", _of_bill(lambda bill: bill.cheaper_cost), 3),
        Column("at the end, of", _of_bill(lambda bill: f"{bill.warm_count} of {bill.total_count}")),
    ),
}
BRIEF = (
    Column("strategy, format", lambda row: row.name),
    Column("summary", lambda row: row.summary_tokens),
    Column("stands for", lambda row: row.replaced_tokens),
    Column("answers", answers, 2),
    Column("model tokens", lambda row: row.input_tokens + row.output_tokens),
    Column("seconds", lambda row: row.wall_ms / 1_000, 2),
)


def tables(rows: Sequence[SummaryRow]) -> list[TextTable]:
    """All figures; none is without lines."""
    if not rows:
        return []
    made = []
    for title, columns in COLUMNS.items():
        mine = [row for row in rows if any(column.value(row) is not None for column in columns)]
        lines = [(*_names(row), *(column.cell(row) for column in columns)) for row in mine]
        heads = (*NAMES, *(column.heading for column in columns))
        made.append(TextTable(title, heads, lines, text_columns=len(NAMES)))
    return [table for table in (*made, _passes(rows), _probes(rows)) if table.rows]


def _brief(rows: Sequence[SummaryRow]) -> TextTable:
    lines = [[row.recording, *(column.cell(row) for column in BRIEF)] for row in rows]
    return TextTable("", ("recording", *(column.heading for column in BRIEF)), lines, text_columns=2)


def _passes(rows: Iterable[SummaryRow]) -> TextTable:
    heads = (
        *NAMES,
        "number",
        "after entry",
        "before",
        "after",
        "summary",
        "removed",
        f"copy {currency.SIGN}",
        f"at the end {currency.SIGN}",
    )
    lines = []
    for row in rows:
        for number, compaction in enumerate(row.chain.passes if row.chain else (), 1):
            weights = (
                compaction.before_tokens,
                compaction.after_tokens,
                compaction.summary_tokens,
                compaction.removed_tokens,
            )
            costs = (compaction.bill.cold_cost, compaction.bill.warm_cost) if compaction.bill else (None, None)
            cells = (*(_cell(weight) for weight in weights), *(_cell(cost, 3) for cost in costs))
            lines.append((*_names(row), str(number), compaction.entry, *cells))
    return TextTable(PASSES, heads, lines, text_columns=len(NAMES))


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


def notes(rows: Sequence[SummaryRow], *, wide: bool) -> Iterator[str]:
    """What has to be said to these rows; `wide`: also what the columns of all tables mean."""
    if any(row.weighed_calls for row in rows):
        yield WEIGHED_NOTE
    if any(row.fallback_reasons for row in rows):
        yield FALLBACK_NOTE
    if wide:
        yield from (MEANINGS[table.title] for table in tables(rows) if table.title in MEANINGS)


# views


def rendered(rows: Sequence[SummaryRow], *, wide: bool) -> RenderableType:
    """For a terminal, by recording: which summary answers most and five figures each, or `wide` all tables."""
    parts: list[RenderableType] = []
    for name in dict.fromkeys(row.recording for row in rows):
        mine = [row for row in rows if row.recording == name]
        if wide:
            parts += [_rendered(table, name) for table in tables(mine)]
        else:
            parts += [plain(name, "bold"), plain(verdict(mine)), *map(plain, bill_line(mine))]
            parts.append(_rendered(_brief(mine)))
    return Group(*parts, *([plain(ABOUT)] if rows and not wide else []))


def verdict(rows: Sequence[SummaryRow]) -> str:
    """Which summary of one recording answers most; the shorter one of two."""
    measured = [(share, -row.summary_tokens, row.name) for row in rows if (share := answers(row)) is not None]
    if not measured:
        return "Nothing was measured."
    share, _, name = max(measured)
    bad = sum(bool(row.failures or row.fallback_reasons) for row in rows)
    failed = f"{bad} of {len(rows)} were written without a model or failed" if bad else "nothing failed"
    return f"{name} answers most: {share:.2f} of the probes; {failed}."


def bill_line(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """What a model's call costs with a copy and at the end of the list, of the dearest summary."""
    bills = [row.bill for row in rows if row.bill is not None]
    if bills:
        dearest = max(bills, key=lambda bill: bill.cheaper_cost)
        ways = ((dearest.cold_cost, "with a copy"), (dearest.warm_cost, "at the list's end"))
        costs = [f"{cost:,.3f} {currency.SIGN} {way}" for cost, way in ways if cost is not None]
        yield f"A model's call for it: {', '.join(costs)}."


def markdown(table: TextTable) -> str:
    rules = ["---" if number < table.text_columns else "---:" for number in range(len(table.heads))]
    lines = (f"| {' | '.join(map(table_cell, cells))} |" for cells in (table.heads, rules, *table.rows))
    return "\n".join([f"## {table_cell(table.title)}", "", *lines])


def table_cell(text: str) -> str:
    """Recorded text in a cell of a Markdown table."""
    return safe(text).replace("\n", " ").replace("|", "\\|")


def _rendered(table: TextTable, recording: str = "") -> RenderableType:
    """Without the column of the recording, whose name is in the title."""
    title = f"{recording}: {table.title}" if recording else ""
    rows = [row[1:] for row in table.rows]
    return TextTable(title, table.heads[1:], rows, text_columns=table.text_columns - 1).rendered()


def _cell(value: str | float | None, digits: int = 0) -> str:
    if value is None:
        return DASH
    return value if isinstance(value, str) else f"{value:,.{digits}f}"


def _names(row: SummaryRow) -> tuple[str, ...]:
    return row.recording, row.strategy, row.format
