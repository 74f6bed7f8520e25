"""Turns a recording into how much of what its lists miss a model finds again, by kind. No model takes part.

1. The recording is driven through a sidecar with an archive, at the host that `replay` models.
2. Each probe that a list misses, and that the session goes on to use, is asked by its hints, the narrowest first.
   Of each the first `HITS` hits are retrieved, a page each from where the snippet begins. It is found with the
   first hint after which list, snippets and pages together hold all of the evidence.
3. The archive that is asked holds what had left when that turn ended, and nothing that left later.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ctxmgr.devices import ArchiveDatabase
from ctxmgr.model import ArchiveRow
from ctxmgr.study.driving import ReplayOptions, ReplayResult, drive
from ctxmgr.study.metrics import MessageCache, message_cache
from ctxmgr.study.probes import MissedProbe, ProbeKind, missed
from ctxmgr.study.recordings import Recording
from ctxmgr.study.replay import HostModel

KINDS: tuple[ProbeKind, ...] = ("file.state", "errors")
HITS = 5  # of one question that are retrieved
SEARCHED = 10  # hits of one question that a model is shown, as `search` gives them
PAGE_CHARACTERS = 20_000  # as `retrieve` gives them
_SIGNS = re.compile(r'"|\b(?:path|tool):', re.IGNORECASE)  # of a query, which what is typed for its words has not


class FindingCount(msgspec.Struct, frozen=True):
    """Of one kind: probes that were used later, those of them that the list missed, that stand in some original,
    that came back, and came back in the snippets alone."""

    used_count: int = 0
    missed_count: int = 0
    archived_count: int = 0
    recovered_count: int = 0
    snippet_count: int = 0

    def __add__(self, other: "FindingCount") -> "FindingCount":
        each = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return FindingCount(*(one + two for one, two in each))

    @property
    def share(self) -> float | None:
        """Of what was missed; None where nothing was."""
        return self.recovered_count / self.missed_count if self.missed_count else None


class Finding(msgspec.Struct, frozen=True):
    """One recording: counts by kind, what was not found, and what went wrong with the drive."""

    counts: dict[ProbeKind, FindingCount]
    failed: tuple[MissedProbe, ...]
    failures: tuple[str, ...]


class _Driven(msgspec.Struct, frozen=True):
    """`rows`: of the archive, in the order in which they left; `row_counts`: how many there were by then, by the
    entry that ended."""

    outcome: ReplayResult
    rows: list[ArchiveRow]
    row_counts: dict[str, int]


def finding(recording: Recording, window: int, policy: dict[str, object] | None = None) -> Finding:
    """`window` in tokens; `policy`: keys, {} for the default."""
    driven = _driven(recording, window, policy or {})
    asked = missed(
        recording, window, driven.outcome.observations, MessageCache(message_cache.reader()).weight, KINDS
    )
    counts = {kind: FindingCount(asked.used_counts[kind]) for kind in KINDS}
    failed: list[MissedProbe] = []
    with tempfile.TemporaryDirectory(prefix="ctxmgr-finding-") as folder:
        archive = ArchiveDatabase(Path(folder))
        there = 0
        for probe in asked.missed:
            known = max(there, driven.row_counts.get(probe.reply, 0))
            archive.put(recording.session_id, driven.rows[there:known])
            there = known
            kind, rows = probe.probe.kind, driven.rows[:known]
            one = _asked(probe, archive, recording.session_id, rows)
            counts[kind] += one
            failed += [] if one.recovered_count else [probe]
        archive.close()
    return Finding(counts, tuple(failed), tuple(driven.outcome.failures))


def _driven(recording: Recording, window: int, policy: dict[str, object]) -> _Driven:
    """Rule 1."""
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
    return next((one.count for one in archive.sizes() if one.session_id == session_id), 0)


def _asked(
    missed: MissedProbe, archive: ArchiveDatabase, session_id: str, rows: Sequence[ArchiveRow]
) -> FindingCount:
    """Rule 2."""
    archived = missed.answered([f"{row.call_text}\n{row.text}" for row in rows])
    snippets: list[str] = []
    pages: list[str] = []
    for hint in missed.hints:
        hits = [one.hit for one in archive.search(session_id, _SIGNS.sub(" ", hint), SEARCHED)]
        snippets += [hit.snippet for hit in hits]
        for hit in hits[:HITS]:
            start = hit.offset if hit.total > PAGE_CHARACTERS else 0
            row = archive.get(session_id, hit.handle)
            pages += [f"{row.call_text}\n{row.text[start : start + PAGE_CHARACTERS]}"] if row else []
        if missed.answered([*snippets, *pages]):
            return FindingCount(0, 1, archived, 1, missed.answered(snippets))
    return FindingCount(0, 1, archived)
