"""The command `replay`: each file by its kind, one view or one JSON document of what came of it."""

import json
import sys
import tempfile
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ctxmgr.study import readers, transcripts
from ctxmgr.study.drive import drive
from ctxmgr.study.outcomes import Options, Outcome
from ctxmgr.study.readers import Source
from ctxmgr.study.recordings import Recording, Stream, Unreadable
from ctxmgr.study.showing import console, plain, safe
from ctxmgr.study.tables import Figures, figures, tables

FINDINGS_SHOWN = 50


def run(parsed: Namespace) -> int:
    """0: all well; 1: something differs or failed; 2: wrong usage."""
    missing = [path for path in parsed.files if not Path(path).is_file()]
    if missing:
        print(f"ctxmgr replay: no such file: {safe(', '.join(missing))}", file=sys.stderr)
        return 2
    out, bad = console(), False
    shown: list[Figures] = []
    for path in map(Path, parsed.files):
        try:
            found = readers.source(path)
            is_transcript = readers.kind(found) == "transcript"
            if parsed.update and not is_transcript:
                raise Unreadable(f"{path.name}: --update is for transcripts, this is a recording")
            one = _transcript(path, found, parsed.update) if is_transcript else _recording(found, parsed)
        except Unreadable as fault:
            one = [{"file": path.name, "failures": [str(fault)]}]
        if not parsed.json:
            _show(out, one)
        bad = bad or any(part["failures"] for part in one)
        shown += one
    if parsed.json:
        print(json.dumps(shown, indent=1, ensure_ascii=True))
    return 1 if bad else 0


def _transcript(path: Path, found: Source, update: bool) -> list[Figures]:
    result = transcripts.replay(found.name, found.content, rewrite=update)
    if update:
        path.write_bytes(result.text)
    findings = [
        {"line": one.line, "what": one.what, **msgspec.to_builtins(one.difference)} for one in result.findings
    ]
    texts = [f"line {one['line']}: {one['what']} differs at {one['path']}" for one in findings]
    return [
        {
            "file": found.name,
            "hostLines": result.host_lines,
            "compared": result.compared,
            "updated": update and result.text != found.content,
            "differences": findings,
            "failures": texts,
        }
    ]


def _recording(found: Source, parsed: Namespace) -> list[Figures]:
    recorded = readers.read(found)
    out = []
    for preset in parsed.preset or [None]:
        with tempfile.TemporaryDirectory(prefix="ctxmgr-replay-") as state:
            options = Options(
                preset=preset,
                window=parsed.window,
                append=parsed.append,
                recorded_compactions=parsed.recorded_compactions,
                state_dir=Path(state),
                record=_record_file(parsed.record, found.name, preset),
            )
            out.append(figures(_driven(recorded, options)))
    return out


def _driven(recorded: Recording | Stream, options: Options) -> Outcome:
    """With a progress bar on stderr, where that is a terminal."""
    error = console(sys.stderr)
    if not error.is_terminal:
        return drive(recorded, options)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=error, transient=True) as progress:
        total = len(recorded.events if isinstance(recorded, Stream) else recorded.entries)
        name = safe(f"{recorded.name} {options.preset or ''}").replace("[", "\\[")
        task = progress.add_task(name, total=total)
        return drive(recorded, options, lambda: progress.advance(task))


def _record_file(directory: str | None, name: str, preset: str | None) -> Path | None:
    if directory is None:
        return None
    Path(directory).mkdir(parents=True, exist_ok=True, mode=0o700)
    return Path(directory) / f"{Path(name).stem}-{preset or 'default'}.jsonl"


def _show(out: Console, some: Sequence[Figures]) -> None:
    first = some[0]
    if "preset" in first:
        out.print(tables(some))
    elif "differences" in first:
        _show_transcript(out, first)
    else:
        for text in first["failures"]:
            out.print(plain(text, "red"))


def _show_transcript(out: Console, one: Figures) -> None:
    differences: list[dict[str, Any]] = one["differences"]
    if one["updated"]:
        out.print(plain(f"{one['file']}: written anew from {one['hostLines']} lines of the host"))
        return
    if not differences:
        says = f"{one['hostLines']} lines of the host, {one['compared']} of ctxmgr: the same"
        out.print(plain(f"{one['file']}: {says}"))
        return
    table = Table(title=plain(f"{one['file']}: {len(differences)} differences"), title_justify="left")
    table.add_column("line", justify="right")
    for name in ("what", "first differs at", "recorded", "now"):
        table.add_column(name, overflow="fold")
    for found in differences[:FINDINGS_SHOWN]:
        line = str(found["line"]) if found["line"] else "end"
        table.add_row(line, *(plain(found[name]) for name in ("what", "path", "recorded", "now")))
    out.print(table)
    if len(differences) > FINDINGS_SHOWN:
        out.print(f"and {len(differences) - FINDINGS_SHOWN} more")
