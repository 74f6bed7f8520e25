"""Turns rows into sheets, and sheets into tables of a terminal or of Markdown.

A dash: there is no such figure. "none": nothing of that kind was removed.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table

from ctxmgr.study import probes
from ctxmgr.study.compare.files import table_cell
from ctxmgr.study.compare.rows import Counts, RetainedCount, SummaryRow, measured
from ctxmgr.study.compare.ways import BothWays
from ctxmgr.study.console import plain
from ctxmgr.study.figures import Figures, closed_cost
from ctxmgr.study.probes import NEWEST, Scores
from ctxmgr.summarize import WayCosts

KINDS = ("paths", "identifiers", "tasks", "errors", "requests")
DASH = "–"
WEIGHED = "~"
REASON_CHARACTERS = 60  # of why a summary was written without a model, on a terminal
PASSES_SHOWN = 40  # of one chain, on a terminal

TOOK = "what it took, tokens"
WALKED = "compactions along the session, tokens"
LOOPED = "closed-loop cost"
BILLED = "a model's call for it"

NOTES = {
    "weighed": f"{WEIGHED} weighed here: the provider reported no usage, or not for each call.",
    "scripted": (
        f"{DASH} for what is held: the scripted model tests the plumbing alone, how much its text holds says "
        "nothing of a strategy."
    ),
    "held": (
        "held: share of what the removed messages mention that the summary still has, by words and names; "
        '"none": nothing of the kind was removed.'
    ),
    "probes": (
        "memory probes: share of the answers that the summary by itself holds, of all that could be asked before "
        "the cut, used again or not."
    ),
    "looped": f"$. {closed_cost.MEANINGS}; floor: no policy that shows each message once costs less.",
    "billed": (
        "a model's call for it: one call that writes a summary as long as this one. copy: the conversation in a "
        "prompt, as new input; at the end: one message more behind the host's own list, which the cache holds; "
        f"{DASH}: it does not fit."
    ),
    "fallback": "without a model: what the model gave was refused or its call failed; the summary is extractive.",
}


Column = tuple[str, Callable[[SummaryRow], str]]


class TextTable(msgspec.Struct, frozen=True):
    """A table of texts. `text_columns`: so many columns hold words, the rest figures."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    text_columns: int = 3


def _share(found: Counts | None, kind: str) -> str:
    count: RetainedCount | None = (found or {}).get(kind)
    if count is None:
        return DASH
    return (
        f"{100 * count.retained_count // count.total_count} %" if count.total_count else "none"
    )  # down: 100 % is all of it


def _held(kind: str) -> Callable[[SummaryRow], str]:
    return lambda row: _share(row.retained, kind)


def _cell(loop: Figures | None, name: str, digits: int) -> str:
    value = (loop or {}).get(name)
    return DASH if value is None else f"{value:,.{digits}f}"


def _loop(name: str, digits: int) -> Callable[[SummaryRow], str]:
    return lambda row: _cell(row.chain.loop if row.chain else None, name, digits)


LOOP_SUMS = {"billed": ("billed", 2), "closed": ("closed", 2), "all": ("all", 2)}
LOOP_CELLS = {**LOOP_SUMS, "re-fetches": ("fetches", 0), "re-fetches in 100": ("fetchesIn100", 1)}


NAMES: tuple[Column, ...] = (
    ("recording", lambda row: row.recording),
    ("strategy", lambda row: row.strategy),
    ("format", lambda row: row.format),
)
COSTS: tuple[Column, ...] = (
    ("calls", lambda row: str(row.call_count)),
    ("retries", lambda row: str(row.retries)),
    ("input", lambda row: _spent(row, row.input_tokens)),
    ("output", lambda row: _spent(row, row.output_tokens)),
    ("seconds", lambda row: f"{row.wall_ms / 1_000:.2f}"),
)
SIZES: tuple[Column, ...] = (
    ("summary", lambda row: f"{row.summary_tokens:,}"),
    ("replaces", lambda row: f"{row.replaced_tokens:,}"),
)
WITHOUT: Column = ("without a model", lambda row: "; ".join(row.fallback_reasons) or DASH)
SUMMARY: tuple[Column, ...] = (*COSTS, *SIZES, WITHOUT)
HELD: tuple[Column, ...] = tuple((kind, _held(kind)) for kind in KINDS)
WALK: tuple[Column, ...] = (
    ("compactions", lambda row: str(len(row.chain.passes)) if row.chain else DASH),
    ("largest list", lambda row: f"{row.chain.largest:,}" if row.chain else DASH),
    ("at the end", lambda row: f"{row.chain.last:,}" if row.chain else DASH),
    ("not possible", lambda row: str(row.chain.uncut) if row.chain else DASH),
    *SIZES,
)
LOOP: tuple[Column, ...] = (
    *(
        (f"{name} $" if name in LOOP_SUMS else name, _loop(key, digits))
        for name, (key, digits) in LOOP_CELLS.items()
    ),
    ("floor $", lambda row: DASH if row.chain is None or row.chain.floor is None else f"{row.chain.floor:,.2f}"),
)
BILL: tuple[Column, ...] = (
    ("copy", lambda row: _sum(row.bill, row.bill.cold_cost if row.bill else None)),
    ("at the end", lambda row: _sum(row.bill, row.bill.warm_cost if row.bill else None)),
    ("the cheaper", lambda row: _sum(row.bill, row.bill.cheaper_cost if row.bill else None)),
    ("at the end, of", lambda row: f"{row.bill.warm_count} of {row.bill.total_count}" if row.bill else DASH),
)
CHAIN: tuple[Column, ...] = (*WALK, *LOOP, *COSTS, WITHOUT)


EXPLAINED = {"held", "probes", "looped", "billed"}  # notes on what columns mean


def sheets(rows: Sequence[SummaryRow], *, whole: bool) -> list[TextTable]:
    """`whole`: for a file; else for a terminal, narrower and with long lists cut."""
    if not rows:
        return []
    if rows[0].chain is not None:
        took = [(WALKED, (*WALK, *COSTS, WITHOUT))] if whole else [(WALKED, WALK), (TOOK, (*COSTS, WITHOUT))]
        chains = [_sheet(title, rows, NAMES + columns, whole) for title, columns in took]
        looped = _sheet(LOOPED, [row for row in rows if row.chain and row.chain.loop], NAMES + LOOP, whole)
        return [*chains, looped, _bills(rows), _both(rows), _passes(rows, whole), _probes(rows)]
    if whole:
        return [_sheet("comparison", rows, NAMES + SUMMARY + HELD, whole), _bills(rows), _probes(rows)]
    held = _sheet("held", rows, NAMES + HELD, whole)
    return [_sheet(TOOK, rows, NAMES + SUMMARY, whole), held, _bills(rows), _probes(rows)]


def _probes(rows: Sequence[SummaryRow]) -> TextTable:
    """Kinds of memory probes by strategy: what the summaries answer of all that is asked, means over recordings."""
    columns: dict[str, list[Scores]] = {}
    for row in rows:
        if row.probes is not None:
            columns.setdefault(f"{row.strategy}, {row.format}", []).append(row.probes)
    means = {name: probes.means(some) for name, some in columns.items()}
    asked = dict(means)
    if newest := _controls(rows).get(NEWEST):
        means[NEWEST] = newest
    many = len({row.recording for row in rows})
    name = rows[0].recording if many == 1 else f"{many} recordings"
    lines = []
    for kind in dict.fromkeys(kind for one in means.values() for kind in one.kinds):
        some = [one.kinds.get(kind) for one in means.values()]
        most = max(one.kinds[kind].every.probe_count for one in asked.values() if kind in one.kinds)
        shares = [one.every.share if one else None for one in some]
        lines.append((name, kind, str(most), *(DASH if one is None else f"{one:.3f}" for one in shares)))
    return TextTable("memory probes", ("recording", "kind", "probes", *means), tuple(lines), 2)


def _controls(rows: Sequence[SummaryRow]) -> dict[str, Scores]:
    """Means over rows."""
    found: dict[str, list[Scores]] = {}
    for row in rows:
        for name, one in row.controls.items():
            found.setdefault(name, []).append(one)
    return {name: probes.means(some) for name, some in found.items()}


def notes(rows: Sequence[SummaryRow], *, wide: bool) -> list[str]:
    """What has to be said to the tables of these rows; `wide`: also what their columns mean."""
    said = {
        "weighed": any(row.weighed_calls for row in rows),
        "scripted": any(not measured(row) for row in rows),
        "held": any(row.retained is not None for row in rows),
        "probes": any(row.probes is not None for row in rows),
        "looped": any(row.chain and row.chain.loop for row in rows),
        "billed": any(row.bill is not None for row in rows),
        "fallback": any(row.fallback_reasons for row in rows),
    }
    found = [text for name, text in NOTES.items() if said[name] and (wide or name not in EXPLAINED)]
    checks = {name: probes.values(one) for name, one in _controls(rows).items() if name != NEWEST}
    return [*found, f"{probes.controls_line(checks)}."] if checks and wide else found


def _sheet(title: str, rows: Sequence[SummaryRow], columns: Sequence[Column], whole: bool) -> TextTable:
    def cell(name: str, text: str) -> str:
        long = name == "without a model" and len(text) > REASON_CHARACTERS and not whole
        return f"{text[: REASON_CHARACTERS - 1]}…" if long else text

    lines = tuple(tuple(cell(name, of(row)) for name, of in columns) for row in rows)
    return TextTable(title, tuple(name for name, _ in columns), lines)


def _bills(rows: Sequence[SummaryRow]) -> TextTable:
    return _sheet(BILLED, [row for row in rows if row.bill is not None], NAMES + BILL, whole=True)


def _sum(of: BothWays | WayCosts | None, cost: float | None) -> str:
    """Dollars to a tenth of a cent, or tokens of input."""
    if of is None or cost is None:
        return DASH
    return f"{cost:,.3f} $" if of.counted_in == "dollars" else f"{cost:,.0f}"


def _both(rows: Sequence[SummaryRow]) -> TextTable:
    """Of a chain: all that was removed, held by the last summary, and by it and the kept part together."""
    lines = []
    for row in (one for one in rows if one.retained is not None):
        both = row.chain.with_tail if row.chain else None
        for kind in KINDS:
            alone = (row.retained or {}).get(kind)
            total = str(alone.total_count) if alone else DASH
            lines.append((*_names(row), kind, total, _share(row.retained, kind), _share(both, kind)))
    titles = (
        *(name for name, _ in NAMES),
        "of all removed",
        "in all",
        "the last summary holds",
        "with what is kept",
    )
    return TextTable("held at the last compaction", titles, tuple(lines), 4)


def _passes(rows: Sequence[SummaryRow], whole: bool) -> TextTable:
    lines: list[tuple[str, ...]] = []
    for row in rows:
        passes = row.chain.passes if row.chain else ()
        for number, one in enumerate(passes, 1):
            if number > PASSES_SHOWN and not whole:
                lines.append((*_names(row), "…", *("",) * 7))
                break
            bill = one.bill
            weights = (one.before_tokens, one.after_tokens, one.summary_tokens, one.removed_tokens)
            costs = [_sum(bill, cost) for cost in ((bill.cold_cost, bill.warm_cost) if bill else (None, None))]
            lines.append((*_names(row), str(number), one.entry, *(f"{weight:,}" for weight in weights), *costs))
    titles = ("number", "after entry", "before", "after", "summary", "removed", "copy", "at the end")
    return TextTable("each compaction, tokens of the list", (*(name for name, _ in NAMES), *titles), tuple(lines))


def _names(row: SummaryRow) -> tuple[str, ...]:
    return tuple(of(row) for _, of in NAMES)


def _spent(row: SummaryRow, tokens: int) -> str:
    return f"{WEIGHED if row.weighed_calls else ''}{tokens:,}" if row.call_count else "0"


# views


def markdown(sheet: TextTable, level: Literal[1, 2] = 2) -> str:
    lines = [f"{'#' * level} {table_cell(sheet.title)}", ""]
    lines.append(_line(sheet.columns))
    lines.append(_line(["---" if number < sheet.text_columns else "---:" for number in range(len(sheet.columns))]))
    return "\n".join([*lines, *map(_line, sheet.lines)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(table_cell, cells))} |"


def rendered(rows: Sequence[SummaryRow]) -> RenderableType:
    """For a terminal: the sheets of each recording together, its name in their titles."""
    groups: dict[str, list[SummaryRow]] = {}
    for row in rows:
        groups.setdefault(row.recording, []).append(row)
    some = [(name, sheet) for name, group in groups.items() for sheet in sheets(group, whole=False)]
    return Group(*(_table(name, sheet) for name, sheet in some if sheet.lines))


def _table(recording: str, sheet: TextTable) -> Table:
    """Without the recording's column; names that were said in the line above are not said again."""
    table = Table(title=plain(f"{recording}: {sheet.title}"), title_justify="left", header_style="bold")
    table.box, table.pad_edge, table.padding = SIMPLE_HEAD, False, (0, 1, 0, 0)  # ten columns on a terminal of 100
    for number, name in enumerate(sheet.columns[1:], 1):
        is_text = number < sheet.text_columns or name == WITHOUT[0]
        justify: Literal["left", "right"] = "left" if is_text else "right"
        # figures stay whole on a narrow terminal
        table.add_column(name.replace(" ", "\n"), justify=justify, no_wrap=not is_text, overflow="fold")
    last: tuple[str, ...] = ()
    for line in sheet.lines:
        names, same = line[1 : len(NAMES)], line[: len(NAMES)] == last
        table.add_row(*(plain("" if same else name) for name in names), *map(plain, line[len(NAMES) :]))
        last = line[: len(NAMES)]
    return table
