"""Turns what came of a comparison into Markdown files, a view for a terminal, and plain values for JSON; and a
row's file back into the row, if it is whole.

1. A file is written under another name and renamed when it is done, readable by its owner alone: it holds
   conversation.
2. The first line of a row's file has the figures as JSON and the digest of all that follows. A file that was cut
   off, or changed by hand, does not count.
3. Its name has the start of the fingerprint: what was written with other settings is not overwritten.
"""

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from rich.console import Console

from ctxmgr.model.compaction import Format, Strategy
from ctxmgr.study.compare.rows import SummaryRow
from ctxmgr.study.compare.settings import Settings
from ctxmgr.study.compare.tables import markdown, notes, rendered, table_cell, tables
from ctxmgr.study.console import plain
from ctxmgr.study.figures import prices, prices_line
from ctxmgr.study.probes import failed_line

STEM_BYTES = 120  # of the recording's name: file names end at 255 bytes, and half of them are ours
MARK_CHARACTERS = 8  # of the fingerprint in a name
_OPENING, _CLOSING = "<!-- ctxmgr compare ", " -->"
STYLES = {"nothing": "", "unreadable": "red", "failed": "bold red"}  # of remarks, by kind


class WrittenRow(msgspec.Struct, frozen=True):
    """A row and the name of its file; `reused`: the file was there already, nothing was run."""

    row: SummaryRow
    file: str
    reused: bool


class Remark(NamedTuple):
    """What no row says of a recording: there was `nothing` to compact, it is `unreadable`, a row `failed`."""

    kind: Literal["nothing", "unreadable", "failed"]
    reason: str


class RecordingRows(msgspec.Struct, frozen=True):
    """What came of one recording."""

    recording: str
    written: tuple[WrittenRow, ...] = ()
    remarks: tuple[Remark, ...] = ()


def rows(outcomes: Sequence[RecordingRows]) -> list[SummaryRow]:
    return [written.row for outcome in outcomes for written in outcome.written]


def head(row: SummaryRow) -> str:
    """What stands above a summary in its file."""
    shortened = "; ".join(row.shortened) or "nothing"
    parts = [f"# {table_cell(f'{row.recording}: {row.name}')}"]
    parts.append(table_cell(f"Model: {row.model}. Shortened for it: {shortened}."))
    parts += map(markdown, tables([row]))
    parts += [f"**FAILED**: {table_cell(text)}" for text in row.failures]
    return "\n\n".join([*parts, *notes([row], wide=True)])


def report(outcomes: Sequence[RecordingRows], settings: Settings) -> str:
    """The Markdown file of the whole comparison."""
    written = rows(outcomes)
    title = "Strategies compared" if settings.chain_window is None else "Chains of compactions"
    parts = [
        f"# {title}",
        table_cell(_settings_line(settings, wide=True)),
        *map(markdown, tables(written)),
    ]
    parts += notes(written, wide=True)
    parts += [f"- {table_cell(text)}" for text, _ in _remarks(outcomes)]
    return "\n\n".join(parts) + "\n"


def show(out: Console, outcomes: Sequence[RecordingRows], settings: Settings, wide: bool) -> None:
    """`wide`: all figures. Chains are always shown so: what they cost is no figure of one summary."""
    written = rows(outcomes)
    wide = wide or settings.chain_window is not None
    out.print(plain(_settings_line(settings, wide=wide)))
    out.print(rendered(written, wide=wide))
    for text in notes(written, wide=wide):
        out.print(plain(text))
    for text, style in _remarks(outcomes):
        out.print(plain(text, style))
    reused = sum(row.reused for outcome in outcomes for row in outcome.written)
    if reused:
        out.print(f"{reused} of {len(written)} were there already, with the same settings, and not run again")


def values(outcomes: Sequence[RecordingRows], settings: Settings) -> dict[str, Any]:
    """For `--json`: all of it, shares as numerator and denominator. Failed probes hold conversation, and have a
    file of their own."""
    document: dict[str, Any] = {
        "settings": {
            "keepTokens": settings.cut_budget.keep_recent_tokens,
            "reserveTokens": settings.cut_budget.reserve_tokens,
            "model": settings.model,
            "contextWindow": settings.window,
            "chainWindow": settings.chain_window,
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
    """A line a failed probe, of all rows; "policy" is the strategy with its format."""
    return [
        failed_line(row.recording, row.name, probe) for row in rows(outcomes) for probe in row.probes_failed or ()
    ]


def _settings_line(settings: Settings, *, wide: bool) -> str:
    """`wide`: with the prices."""
    parts = [f"Kept: the newest {settings.cut_budget.keep_recent_tokens:,} tokens.", f"Model: {settings.model}."]
    if settings.chain_window is not None:
        parts.append(f"Compacted above {settings.limit:,} tokens (window {settings.chain_window:,}).")
    if wide:
        known = settings.own_models.path is not None and not settings.has_prices
        beside = "; a session of a model that --models has prices of: by these" if known else ""
        parts.append(f"Billed: {prices_line(prices(settings.sheet))}{beside}.")
    return " ".join(parts)


def _remarks(outcomes: Sequence[RecordingRows]) -> Iterator[tuple[str, str]]:
    """In words, with their styles."""
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


def file_name(recording: str, strategy: Strategy, format: Format, fingerprint: str, chain: int | None) -> str:
    stem = re.sub(r"[^\w.+-]+", "-", Path(recording).stem).encode()[:STEM_BYTES].decode("utf-8", "ignore")
    kind = "" if chain is None else f".chain-{chain}"
    return f"{stem}.{strategy}.{format}{kind}.{fingerprint[:MARK_CHARACTERS]}.md"


def text_of(row: SummaryRow, summary: str) -> str:
    """The whole text of a row's file."""
    body = f"{head(row)}\n\n---\n\n{summary or '(nothing was compacted)'}\n"
    figures = msgspec.json.encode(_Head(row, _digest(body))).decode()
    figures = figures.replace("<", "\\u003c").replace(">", "\\u003e")  # nothing in it may end the comment
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
    """The row in a file that is whole and was written with these settings; None for any other (rule 2)."""
    try:
        first, end, body = path.read_bytes().decode().partition("\n")
        figures = first.removeprefix(_OPENING).removesuffix(_CLOSING)
        head = msgspec.json.decode(figures, type=_Head)
    except (OSError, UnicodeDecodeError, msgspec.DecodeError):
        return None
    if not end or head.digest != _digest(body) or head.row.fingerprint != fingerprint:
        return None
    return None if head.row.again or head.row.failures else head.row


def _digest(body: str) -> str:
    return sha256(body.encode("utf-8", "replace")).hexdigest()
