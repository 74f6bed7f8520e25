"""The command `compare`: strategies on the same cut of recorded sessions. Writes one file for each summary and one
table of all.

1. Each summary is written as soon as it is finished, and a later run reuses it.
2. A recording that cannot be read, or a row that fails, does not stop the others.
"""

import asyncio
import json
import os
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from ctxmgr.devices import Chat, Weigher, tokens
from ctxmgr.model.compaction import Format, NothingToCompact, Strategy
from ctxmgr.plain_text import complain, fault_text, missing_text
from ctxmgr.study.compare import report
from ctxmgr.study.compare.report import RecordingRows, Remark, WrittenRow
from ctxmgr.study.compare.rows import row
from ctxmgr.study.compare.sessions import Material, read
from ctxmgr.study.compare.settings import InvalidArguments, Settings, settings
from ctxmgr.study.console import console, plain, progress_bar
from ctxmgr.study.probes import write_failed
from ctxmgr.study.recordings import UnreadableRecording

FOLDER = "ctxmgr-compare"
TABLE = "comparison.md"
VOCABULARY = "o200k_base"
INTERRUPTED = 130  # the exit code that shells report for a command ended by Ctrl-C


def run(parsed: Namespace) -> int:
    """Returns 0 if all is done, 1 if a recording could not be read or a row failed, 2 for wrong usage, 130 if
    interrupted.
    """
    folder = Path(parsed.out or FOLDER)
    try:
        wanted = settings(parsed)
        if missing := missing_text(parsed.recordings):
            raise InvalidArguments(missing)
    except InvalidArguments as fault:
        return complain("compare", str(fault), 2)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        return complain("compare", f"{parsed.out or FOLDER}: {fault.strerror}", 2)
    complain(
        "compare",
        f"writing summaries and a table to {folder}{'' if parsed.out else '; --out names another folder'}",
        0,
    )
    paths = list({path.resolve(): path for path in map(Path, parsed.recordings)}.values())  # each file once
    loaded = tokens.load(VOCABULARY)
    if loaded.note:
        complain("compare", loaded.note, 0)
    try:
        with progress_bar("summaries", len(paths) * len(wanted.strategies) * len(wanted.formats)) as advanced:
            comparison = _Comparison(wanted, folder, loaded.weigher, advanced)
            outcomes = asyncio.run(comparison.run(paths, parsed.jobs))
        report.written(folder, TABLE, report.report(outcomes, wanted))
        if wanted.probes_failed is not None:
            write_failed(wanted.probes_failed, report.failed_probes(outcomes))
    except KeyboardInterrupt:
        text = f"interrupted; finished summaries are in {folder}, and the same command goes on from there"
        return complain("compare", text, INTERRUPTED)
    except OSError as fault:
        return complain("compare", str(fault), 1)
    written = report.rows(outcomes)
    if parsed.json:
        print(json.dumps(report.values(outcomes, wanted), indent=1, ensure_ascii=True))
    else:
        out = console()
        report.show(out, outcomes, wanted)
        if written:
            out.print(plain(f"Wrote {len(written)} summaries and {TABLE} to {folder}."))
    has_failed = any(remark.kind != "nothing" for outcome in outcomes for remark in outcome.remarks)
    return int(has_failed or any(row.again for row in written))


class _Comparison:
    """One run over all recordings. Each row is read from its file, or computed and written to it. Calls `advanced`
    with the number of rows finished.
    """

    def __init__(self, wanted: Settings, folder: Path, weigher: Weigher, advanced: Callable[[int], None]) -> None:
        self._settings, self._folder, self._weigher, self._advanced = wanted, folder, weigher, advanced
        self._rows = [(strategy, format) for strategy in wanted.strategies for format in wanted.formats]
        self._model: Chat | None = None

    async def run(self, paths: list[Path], jobs: int) -> list[RecordingRows]:
        gate = asyncio.Semaphore(jobs)

        async def rows(path: Path) -> RecordingRows:
            async with gate:
                return await self._recording(path)

        if self._settings.endpoint is not None:
            self._model = Chat(self._settings.endpoint, os.environ)
        try:
            return await asyncio.gather(*map(rows, paths))
        finally:
            if self._model is not None:
                await self._model.close()

    async def _recording(self, path: Path) -> RecordingRows:
        """Rule 2."""
        written: list[WrittenRow] = []
        remarks: list[Remark] = []
        name = path.name
        try:
            session = await asyncio.to_thread(read, path)
            wanted = self._settings.of_model(session.model)
            material = Material(session, wanted, self._weigher, self._weigher.name)
            name = session.name
            for strategy, format in self._rows:
                try:
                    made = await self._row(material, strategy, format)
                except Exception as fault:  # noqa: BLE001  rule 2; it is reported, and sets the exit code
                    remarks.append(Remark("failed", f"{strategy}, {format}: {fault_text(fault)}"))
                else:
                    if isinstance(made, NothingToCompact):
                        remarks = [Remark("nothing", made.reason)]
                        break
                    written.append(made)
                self._advanced(1)
        except UnreadableRecording as fault:
            remarks = [Remark("unreadable", str(fault))]
        except Exception as fault:  # noqa: BLE001  rule 2, before any row has run
            remarks = [Remark("unreadable", f"{path.name}: {fault_text(fault)}")]
        return RecordingRows(name, tuple(written), tuple(remarks))

    async def _row(self, material: Material, strategy: Strategy, format: Format) -> WrittenRow | NothingToCompact:
        """The row from its file if that is complete, otherwise computed. Nothing if the recording has nothing to
        compact.
        """
        fingerprint = material.fingerprint(strategy, format)
        name = report.file_name(material.session.name, strategy, format, fingerprint)
        there = report.finished(self._folder / name, fingerprint)
        if there is not None:
            return WrittenRow(there, name, reused=True)
        planned = await asyncio.to_thread(lambda: material.planned)
        if isinstance(planned, NothingToCompact):
            return planned
        made, summary = await row(material, strategy, format, self._model)
        report.written(self._folder, name, report.text_of(made, summary))
        return WrittenRow(made, name, reused=False)
