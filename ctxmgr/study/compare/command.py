"""The command `compare`: strategies on the same cut of recorded sessions, one file a summary and one table of all.

1. What is finished is kept: each summary is written as soon as it is there, and a later run starts from that.
2. A recording that can not be read, or a row that failed, costs only itself.
"""

import asyncio
import json
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ctxmgr.devices import Weigher, tokens
from ctxmgr.model.compaction import Format, NothingToCompact, Strategy
from ctxmgr.plain_text import fault_text, missing_text, safe
from ctxmgr.study.compare import files, report
from ctxmgr.study.compare.material import Material
from ctxmgr.study.compare.models import AnsweringModel, opened
from ctxmgr.study.compare.report import RecordingRows, WrittenRow
from ctxmgr.study.compare.rows import row
from ctxmgr.study.compare.sessions import read
from ctxmgr.study.compare.settings import InvalidArguments, Settings, settings
from ctxmgr.study.console import console, plain
from ctxmgr.study.probes import write_failed
from ctxmgr.study.recordings import UnreadableRecording

FOLDER = "ctxmgr-compare"
VOCABULARY = "o200k_base"
INTERRUPTED = 130  # what shells give for a command that Ctrl-C ended

Said = Callable[[str], None]


def run(parsed: Namespace) -> int:
    """0: all done; 1: a recording could not be read or a row failed; 2: wrong usage; 130: interrupted."""
    try:
        wanted = settings(parsed)
        paths = _paths(parsed.recordings)
        folder = _folder(parsed.out or FOLDER)
    except InvalidArguments as fault:
        return _refused(str(fault))
    loaded = tokens.load(VOCABULARY)
    if loaded.note:
        print(f"ctxmgr compare: {safe(loaded.note)}", file=sys.stderr)
    comparison = _Comparison(wanted, folder, loaded.weigher)
    try:
        outcomes = comparison.run(paths, parsed.jobs)
        table = "comparison.md" if wanted.chain_window is None else f"chains-{wanted.chain_window}.md"
        files.written(folder, table, report.report(outcomes, wanted))
        if wanted.probes_failed is not None:
            write_failed(wanted.probes_failed, report.failed_probes(outcomes))
    except KeyboardInterrupt:
        told = f"interrupted; finished summaries are in {folder}, and the same command goes on from there"
        print(f"ctxmgr compare: {safe(told)}", file=sys.stderr)
        return INTERRUPTED
    except OSError as fault:
        print(f"ctxmgr compare: {safe(str(fault))}", file=sys.stderr)
        return 1
    if parsed.json:
        print(json.dumps(report.values(outcomes, wanted), indent=1, ensure_ascii=True))
    else:
        out = console()
        report.show(out, outcomes, wanted, parsed.wide)
        out.print(plain(f"summaries and {table} are in {folder}"))
    return 1 if any(one.bad for one in outcomes) else 0


def _paths(names: list[str]) -> list[Path]:
    """Each file once."""
    if missing := missing_text(names):
        raise InvalidArguments(missing)
    return list({path.resolve(): path for path in map(Path, names)}.values())


def _folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        raise InvalidArguments(f"{name}: {fault.strerror}") from None
    return folder


def _refused(text: str) -> int:
    print(f"ctxmgr compare: {safe(text)}", file=sys.stderr)
    return 2


class _Comparison:
    """One run: all recordings, each row read from its file or made and written to it."""

    def __init__(self, wanted: Settings, folder: Path, weigher: Weigher) -> None:
        self._settings, self._folder, self._weigher = wanted, folder, weigher
        self._rows = [(strategy, format) for strategy in wanted.strategies for format in wanted.formats]
        self._finished: Callable[[int], None] = lambda count: None

    def run(self, paths: list[Path], jobs: int) -> list[RecordingRows]:
        """With a progress bar on stderr, where that is a terminal. Raises KeyboardInterrupt."""
        error = console(sys.stderr)
        if not error.is_terminal:
            return asyncio.run(self._all(paths, jobs))
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=error, transient=True) as progress:
            task = progress.add_task("summaries", total=len(paths) * len(self._rows))
            self._finished = lambda count: progress.advance(task, count)
            return asyncio.run(self._all(paths, jobs))

    async def _all(self, paths: list[Path], jobs: int) -> list[RecordingRows]:
        gate = asyncio.Semaphore(jobs)

        async def one(path: Path, other: Path | None) -> RecordingRows:
            async with gate:
                return await self._recording(path, other, model)

        async with opened(self._settings) as model:
            return list(await asyncio.gather(*map(one, paths, [None, *paths])))

    async def _recording(self, path: Path, other: Path | None, model: AnsweringModel) -> RecordingRows:
        written: list[WrittenRow] = []
        failed: list[str] = []
        try:
            session = await asyncio.to_thread(read, path)
            wanted = self._settings.of_model(session.recording.model if session.recording else "")
            material = Material(session, wanted, self._weigher, self._weigher.name)
            material.other = other
            for strategy, format in self._rows:
                try:
                    found = await self._row(material, strategy, format, model)
                except Exception as fault:  # noqa: BLE001  rule 2; it is said, and the exit code tells it
                    failed.append(f"{strategy}, {format}: {fault_text(fault)}")
                else:
                    if isinstance(found, NothingToCompact):
                        return RecordingRows(session.name, nothing=found.reason)
                    written.append(found)
                self._finished(1)
        except UnreadableRecording as fault:
            return RecordingRows(path.name, unreadable=str(fault))
        except Exception as fault:  # noqa: BLE001  rule 2, of what no row has reached yet
            return RecordingRows(path.name, unreadable=f"{path.name}: {fault_text(fault)}")
        finally:
            self._finished(len(self._rows) - len(written) - len(failed))
        return RecordingRows(session.name, tuple(written), failed=tuple(failed))

    async def _row(
        self, material: Material, strategy: Strategy, format: Format, model: AnsweringModel
    ) -> WrittenRow | NothingToCompact:
        """From its file where that is finished; Nothing where the recording has nothing to compact."""
        fingerprint = material.fingerprint(strategy, format)
        name = files.file_name(material.session.name, strategy, format, fingerprint, self._settings.chain_window)
        there = files.finished(self._folder / name, fingerprint)
        if there is not None:
            return WrittenRow(there, name, reused=True)
        if self._settings.chain_window is None:
            planned = await asyncio.to_thread(lambda: material.planned)
            if isinstance(planned, NothingToCompact):
                return planned
        made, summary = await row(material, strategy, format, model)
        files.written(self._folder, name, files.text_of(made, report.head(made), summary))
        return WrittenRow(made, name, reused=False)
