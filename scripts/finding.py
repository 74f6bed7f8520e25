"""Measures how much of what a list misses a model gets back if it asks: `search`, then `retrieve`.

    python -m scripts.finding --window 64000 RECORDING...

1. A recording is driven through a sidecar with an archive, with the host that `replay` models. No model takes part.
2. Each probe that a list misses, and that the session uses later, is searched by its hints, the narrowest first.
   The first `HITS` hits of each search are retrieved, one page each from where the snippet begins. A probe is found
   with the first hint after which list, snippets and pages together contain all of the evidence.
3. The archive that is searched has what had been removed when that turn ended, and nothing removed later.

`--failed FILE` receives what was not found, one JSON object a line, readable by its owner alone, since it holds
conversation. The exit code is 1 if a drive failed, or if a kind has a smaller share than `--least`.
"""

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from ctxmgr.devices import ArchiveDatabase
from ctxmgr.model import ArchiveRow
from ctxmgr.study import observations
from ctxmgr.study.driving import ReplayOptions, ReplayResult, drive
from ctxmgr.study.probes import ProbeKind, write_failed
from ctxmgr.study.recordings import Recording, UnreadableRecording, readers
from ctxmgr.study.replay import HostModel
from scripts.missed import MissedProbe, missed

KINDS: tuple[ProbeKind, ...] = ("file.state", "errors")
HITS = 5  # of one search that are retrieved
SEARCHED = 10  # hits of one search that a model is shown, as `search` returns them
PAGE_CHARACTERS = 20_000  # as `retrieve` returns them
# special characters of a query, removed to search for words only
_SIGNS = re.compile(r'"|\b(?:path|tool):', re.IGNORECASE)


class FindingCount(msgspec.Struct, frozen=True):
    """Of one kind: the number of probes that were used later; of those that the list missed; of those that are in
    some original, that were found, and that were found in the snippets alone.
    """

    used_count: int = 0
    missed_count: int = 0
    archived_count: int = 0
    recovered_count: int = 0
    snippet_count: int = 0

    def __add__(self, other: "FindingCount") -> "FindingCount":
        each = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return FindingCount(*(first + second for first, second in each))

    @property
    def share(self) -> float | None:
        """Found probes as a share of the missed ones; None without missed ones."""
        return self.recovered_count / self.missed_count if self.missed_count else None


class Finding(msgspec.Struct, frozen=True):
    """One recording: counts by kind, what was not found, and what went wrong with the drive."""

    counts: dict[ProbeKind, FindingCount]
    failed: tuple[MissedProbe, ...]
    failures: tuple[str, ...]


class _Driven(msgspec.Struct, frozen=True):
    """`rows`: of the archive, in the order of removal. `row_counts`: the number of rows at the end of each entry,
    by its id.
    """

    outcome: ReplayResult
    rows: list[ArchiveRow]
    row_counts: dict[str, int]


def finding(recording: Recording, window: int, policy: dict[str, object] | None = None) -> Finding:
    """`window` in tokens. `policy`: keys, {} for the default."""
    driven = _driven(recording, window, policy or {})
    probes = missed(
        recording,
        window,
        driven.outcome.observations,
        observations.MessageCache(observations.message_reader()).weight,
        KINDS,
    )
    counts = {kind: FindingCount(probes.used_counts[kind]) for kind in KINDS}
    failed: list[MissedProbe] = []
    with tempfile.TemporaryDirectory(prefix="ctxmgr-finding-") as folder:
        archive = ArchiveDatabase(Path(folder))
        there = 0
        for probe in probes.missed:
            known = max(there, driven.row_counts.get(probe.reply, 0))
            archive.put(recording.session_id, driven.rows[there:known])
            there = known
            kind, rows = probe.probe.kind, driven.rows[:known]
            count = _finding_count(probe, archive, recording.session_id, rows)
            counts[kind] += count
            failed += [] if count.recovered_count else [probe]
        archive.close()
    return Finding(counts, tuple(failed), tuple(driven.outcome.failures))


def _driven(recording: Recording, window: int, policy: dict[str, object]) -> _Driven:
    """Rule 1: the archive at the end, and how it grew."""
    host = HostModel()
    with tempfile.TemporaryDirectory(prefix="ctxmgr-finding-") as folder:
        options = ReplayOptions(
            window=window,
            append=True,
            state_dir=Path(folder),
            policy={**host.policy(), **policy},
            measure=True,
            host=host.limits(window),
            write=host.write(),
            retrieves=True,
        )
        archive = ArchiveDatabase(Path(folder))
        sizes: list[int] = []
        outcome = drive(recording, options, lambda: sizes.append(_row_count(archive, recording.session_id)))
        rows = archive.rows(recording.session_id)
        archive.close()
    counts = {entry.id: size for entry, size in zip(recording.entries, sizes, strict=False)}
    return _Driven(outcome, rows, counts)


def _row_count(archive: ArchiveDatabase, session_id: str) -> int:
    return next((session.count for session in archive.sizes() if session.session_id == session_id), 0)


def _finding_count(
    missed: MissedProbe, archive: ArchiveDatabase, session_id: str, rows: Sequence[ArchiveRow]
) -> FindingCount:
    """Rule 2, for one probe."""
    archived = missed.answered([f"{row.call_text}\n{row.text}" for row in rows])
    snippets: list[str] = []
    pages: list[str] = []
    for hint in missed.hints:
        hits = [row.hit for row in archive.search(session_id, _SIGNS.sub(" ", hint), SEARCHED)]
        snippets += [hit.snippet for hit in hits]
        for hit in hits[:HITS]:
            start = hit.offset if hit.total > PAGE_CHARACTERS else 0
            row = archive.get(session_id, hit.handle)
            pages += [f"{row.call_text}\n{row.text[start : start + PAGE_CHARACTERS]}"] if row else []
        if missed.answered([*snippets, *pages]):
            return FindingCount(0, 1, archived, 1, missed.answered(snippets))
    return FindingCount(0, 1, archived)


def finding_table(counts: Mapping[str, FindingCount]) -> Table:
    """One row for each kind. Shares are of what was missed."""
    table = Table(title="what a model can find again by searching", title_justify="left")
    for name in ("kind", "used", "missed", "archived", "found", "share", "in snippets"):
        table.add_column(name, justify="left" if name == "kind" else "right")
    for kind, count in counts.items():
        share = "-" if count.share is None else f"{count.share:.3f}"
        numbers = (count.used_count, count.missed_count, count.archived_count, count.recovered_count)
        table.add_row(kind, *map(str, numbers), share, str(count.snippet_count))
    return table


def failed_line(recording: str, missed: MissedProbe) -> str:
    """A JSON object. It holds conversation."""
    probe = missed.probe
    fields = {"recording": recording, "kind": probe.kind, "question": probe.question, "answer": probe.answer}
    return json.dumps({**fields, "hints": missed.hints}, ensure_ascii=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", metavar="RECORDING", nargs="+", type=Path)
    parser.add_argument("--window", type=int, default=64_000, help="tokens (default: 64000)")
    parser.add_argument(
        "--failed", metavar="FILE", type=Path, help="write the texts that were not found to this file"
    )
    parser.add_argument("--least", metavar="SHARE", type=float, help="of what was missed, of each kind")
    parsed = parser.parse_args(arguments)
    together = dict.fromkeys(KINDS, FindingCount())
    lines: list[str] = []
    bad = False
    for path in parsed.recordings:
        try:
            recorded = readers.read(readers.source(path))
        except UnreadableRecording as fault:
            print(fault, file=sys.stderr)
            bad = True
            continue
        if not isinstance(recorded, Recording):
            print(f"{path.name}: a stream of events has no whole list", file=sys.stderr)
            continue
        result = finding(recorded, parsed.window)
        together = {kind: count + result.counts[kind] for kind, count in together.items()}
        lines += [failed_line(path.name, probe) for probe in result.failed]
        every = sum(result.counts.values(), FindingCount())
        print(f"{path.name}: {every.recovered_count} of {every.missed_count}", file=sys.stderr, flush=True)
        for text in result.failures:
            print(f"{path.name}: {text}", file=sys.stderr)
        bad = bad or bool(result.failures)
    Console().print(finding_table(together))
    if parsed.failed:
        write_failed(parsed.failed, lines)
    short = parsed.least is not None and any(
        count.share is not None and count.share < parsed.least for count in together.values()
    )
    return int(bad or short)


if __name__ == "__main__":
    sys.exit(main())
