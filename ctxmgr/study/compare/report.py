"""Turns what came of a comparison into a report for a file, a view for a terminal, and plain values for JSON."""

from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console

from ctxmgr.study.compare.brief import brief
from ctxmgr.study.compare.files import table_cell
from ctxmgr.study.compare.rows import SummaryRow
from ctxmgr.study.compare.settings import Settings
from ctxmgr.study.compare.tables import CHAIN, HELD, SUMMARY, TextTable, markdown, notes, rendered, sheets
from ctxmgr.study.console import plain
from ctxmgr.study.figures import prices, prices_line
from ctxmgr.study.probes import failed_line


class WrittenRow(msgspec.Struct, frozen=True):
    """A row and the name of its file; `reused`: the file was there already, nothing was run."""

    row: SummaryRow
    file: str
    reused: bool


class RecordingRows(msgspec.Struct, frozen=True):
    """What came of one recording. `nothing`: why there was nothing to compact; `unreadable`: why it has no rows;
    `failed`: what went wrong in single rows, with the words of the fault."""

    recording: str
    written: tuple[WrittenRow, ...] = ()
    nothing: str = ""
    unreadable: str = ""
    failed: tuple[str, ...] = ()

    @property
    def bad(self) -> bool:
        return bool(self.unreadable or self.failed or self.lost)

    @property
    def lost(self) -> tuple[str, ...]:
        """Failed checks of conservation, each with its row."""
        found = [one.row for one in self.written]
        return tuple(f"{row.strategy}, {row.format}: {text}" for row in found for text in row.failures)


def rows(outcomes: Sequence[RecordingRows]) -> list[SummaryRow]:
    return [one.row for outcome in outcomes for one in outcome.written]


def head(row: SummaryRow) -> str:
    """What stands above a summary in its file."""
    columns = (*SUMMARY, *(HELD if row.retained else ())) if row.chain is None else CHAIN
    lines = (("model", row.model), *((name, of(row)) for name, of in columns))
    lines += (("shortened for the model", "; ".join(row.shortened) or "nothing"),)
    parts = [markdown(TextTable(f"{row.recording}: {row.strategy}, {row.format}", ("figure", ""), lines, 1), 1)]
    parts += [markdown(sheet) for sheet in sheets([row], whole=True)[1:] if sheet.lines]
    parts += [f"**FAILED**: {table_cell(text)}" for text in row.failures]
    return "\n\n".join([*parts, *notes([row], wide=True)])


def report(outcomes: Sequence[RecordingRows], settings: Settings) -> str:
    """The Markdown file of the whole comparison."""
    found = rows(outcomes)
    parts = [
        f"# {'Strategies compared' if settings.chain_window is None else 'Chains of compactions'}",
        _settings(settings, billed=True),
    ]
    parts += [markdown(sheet) for sheet in sheets(found, whole=True) if sheet.lines]
    parts += notes(found, wide=True)
    parts += [f"- {table_cell(text)}" for text, _ in _said(outcomes)]
    return "\n\n".join(parts) + "\n"


def show(out: Console, outcomes: Sequence[RecordingRows], settings: Settings, wide: bool) -> None:
    """`wide`: all figures. Chains are always shown so: what they cost is no figure of one summary."""
    found = rows(outcomes)
    wide = wide or settings.chain_window is not None
    out.print(plain(_settings(settings, billed=wide)))
    if not wide:
        out.print(brief(found))
    elif found:
        out.print(rendered(found))
    for text in notes(found, wide=wide):
        out.print(plain(text))
    for text, style in _said(outcomes):
        out.print(plain(text, style))
    reused = sum(one.reused for outcome in outcomes for one in outcome.written)
    if reused:
        out.print(f"{reused} of {len(found)} were there already, with the same settings, and not run again")


def values(outcomes: Sequence[RecordingRows], settings: Settings) -> dict[str, Any]:
    """For `--json`: all of it, shares as numerator and denominator."""
    return {
        "settings": {
            "keepTokens": settings.cut_budget.keep_recent_tokens,
            "reserveTokens": settings.cut_budget.reserve_tokens,
            "model": settings.endpoint.model if settings.endpoint else settings.model,
            "contextWindow": settings.window,
            "chainWindow": settings.chain_window,
            "prices": prices(settings.sheet),
        },
        "rows": [
            {**_row(one.row), "file": one.file, "reused": one.reused}
            for outcome in outcomes
            for one in outcome.written
        ],
        "nothing": [{"recording": one.recording, "reason": one.nothing} for one in outcomes if one.nothing],
        "unreadable": [
            {"recording": one.recording, "reason": one.unreadable} for one in outcomes if one.unreadable
        ],
        "failed": [
            {"recording": one.recording, "reason": text} for one in outcomes for text in (*one.failed, *one.lost)
        ],
    }


def failed_probes(outcomes: Sequence[RecordingRows]) -> list[str]:
    """A line a failed probe, of all rows; "policy" is the strategy with its format."""
    return [
        failed_line(row.recording, f"{row.strategy}, {row.format}", one)
        for row in rows(outcomes)
        for one in row.probes_failed or ()
    ]


def _row(row: SummaryRow) -> dict[str, Any]:
    """Without the failed probes: they hold conversation, and have a file of their own."""
    found: dict[str, Any] = msgspec.to_builtins(row)
    del found["probesFailed"]
    return found


def _settings(settings: Settings, *, billed: bool) -> str:
    """`billed`: with the prices."""
    model = settings.endpoint.model if settings.endpoint else settings.model
    parts = [f"Kept: the newest {settings.cut_budget.keep_recent_tokens:,} tokens.", f"Model: {model}."]
    if settings.chain_window is not None:
        parts.append(f"Compacted above {settings.limit:,} tokens (window {settings.chain_window:,}).")
    if billed:
        known = settings.own_models.path is not None and not settings.has_prices
        beside = "; a session of a model that --models has prices of: by these" if known else ""
        parts.append(f"Billed: {prices_line(prices(settings.sheet))}{beside}.")
    return table_cell(" ".join(parts))


def _said(outcomes: Sequence[RecordingRows]) -> list[tuple[str, str]]:
    """What has to be said of recordings that are not, or not all, in the tables, with its style."""
    found = [(f"{one.recording}: {one.nothing}", "") for one in outcomes if one.nothing]
    found += [(one.unreadable, "red") for one in outcomes if one.unreadable]
    for one in outcomes:
        found += [(f"{one.recording}, FAILED: {text}", "bold red") for text in (*one.failed, *one.lost)]
    return found
