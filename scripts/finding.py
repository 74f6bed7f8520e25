"""Measures whether a model that asks gets back what its list no longer holds: by `search`, then by `retrieve`.

    python -m scripts.finding --window 64000 RECORDING...

A recording is driven through the real sidecar with an archive. Where a memory probe of a kind that is asked for
here finds less than all of its evidence in the list that was sent, the archive is searched as a model would do it,
and what comes is graded as a list is. No model takes part: what is asked follows from the recording.

1. The query is made of what the next step knew, and never of the answer. Of an error: the command that is run
   again. Of a value or a decision: the line with which the recorded model went on to speak of it, without the
   value. So only those count that the session went on to use.
2. Three queries at most, each wider than the one before: that line, all that was said there, and what was being
   done. Of each the first HITS hits are retrieved, a page each.
3. The archive holds what had left by then, and nothing that left later.
"""

import argparse
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from ctxmgr.devices import ArchiveDatabase
from ctxmgr.devices.archive.in_memory import indexed
from ctxmgr.devices.archive.index import find
from ctxmgr.model import ArchiveRow
from ctxmgr.study.driving import ReplayOptions, drive
from ctxmgr.study.metrics import MessageCache, message_cache
from ctxmgr.study.probes.asking import WHOLE, ProjectedLists
from ctxmgr.study.probes.evidence import Evidence, Probe, Wording, grade
from ctxmgr.study.probes.index import EvidenceIndex, Ids
from ctxmgr.study.probes.reading import SessionHistory, wording
from ctxmgr.study.probes.session import Examined, Point, examined
from ctxmgr.study.recordings import Recording, readers

KINDS = ("values", "decisions", "errors")
HITS = 5  # of a query that are retrieved
PAGE_CHARACTERS = 20_000  # as `retrieve` gives them
QUERY_CHARACTERS = 1_000


class Count(msgspec.Struct):
    """Of one kind: probes that were used later, those that the list missed, and of these those that were found, and
    found in the snippets alone."""

    asked: int = 0
    missed: int = 0
    found: int = 0
    in_snippets: int = 0
    archived: int = 0  # what is missed stands in some original


def measured(recording: Recording, window: int, counts: dict[str, Count], failed: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        options = ReplayOptions(
            "balanced", window, append=True, state_dir=Path(folder), measure=True, retrieves=True
        )
        archive = ArchiveDatabase(Path(folder))
        sizes: list[int] = []  # so many originals there were after each entry
        outcome = drive(recording, options, lambda: sizes.append(_size(archive, recording.session_id)))
        rows = archive.rows(recording.session_id)
        archive.close()
    known = {entry.id: size for entry, size in zip(recording.entries, sizes, strict=False)}
    of = examined(recording, window, MessageCache(message_cache.reader()).weight)
    index = EvidenceIndex(of.names)
    lists = ProjectedLists(index, outcome.observations)
    for point in of.points:
        call = lists.call(point.reply)
        if call is None:
            continue
        wanted = [probe for probe in point.probes if probe.kind in KINDS and probe.used]
        there = rows[: known.get(point.reply, 0)]
        with indexed(there) as connection:
            for probe in wanted:
                _ask(of, point, probe, (index, lists.ids(call)), (there, connection), counts[probe.kind], failed)


def _size(archive: ArchiveDatabase, session_id: str) -> int:
    """How many originals there are, in the order in which they left (rule 3)."""
    return next((one.count for one in archive.sizes() if one.session_id == session_id), 0)


def _ask(
    of: Examined,
    point: Point,
    probe: Probe,
    sent: tuple[EvidenceIndex, Ids],
    kept: tuple[list[ArchiveRow], sqlite3.Connection],
    count: Count,
    failed: list[str],
) -> None:
    (index, ids), (rows, connection) = sent, kept
    count.asked += 1
    if grade(probe, lambda evidence: index.share(evidence, ids)) >= WHOLE:
        return
    count.missed += 1
    count.archived += _held(probe, sent, of, [row.text for row in rows])
    by_handle = {row.handle: row for row in rows}
    snippets: list[str] = []
    pages: list[str] = []
    for query in queries(of.history, probe, point.end):
        hits = [one.hit for one in find(connection, None, query[:QUERY_CHARACTERS], 10)]
        snippets += [hit.snippet for hit in hits]
        for hit in hits[:HITS]:
            start = hit.offset if hit.total > PAGE_CHARACTERS else 0
            row = by_handle[hit.handle]
            pages.append(f"{row.call_text}\n{row.text[start : start + PAGE_CHARACTERS]}")
        if _held(probe, sent, of, [*snippets, *pages]):
            count.found += 1
            count.in_snippets += _held(probe, sent, of, snippets)
            return
    asked_for = next(queries(of.history, probe, point.end))[:160]
    failed.append(f"{probe.kind}: {probe.question[:100]} -> {probe.answer[:100]!r}: {asked_for!r}")


def _held(probe: Probe, sent: tuple[EvidenceIndex, Ids], of: Examined, texts: Sequence[str]) -> bool:
    """Is all of the evidence in the list and in these texts?"""
    index, ids = sent
    more = EvidenceIndex(of.names)
    message = {"role": "toolResult", "content": [{"type": "text", "text": text} for text in texts], "timestamp": 0}
    shown = frozenset({more.number(msgspec.json.encode(message))})

    def share(evidence: Evidence) -> float:
        if isinstance(evidence, Wording):
            pieces = evidence.pieces
            held = sum(
                not (index.piece(one).isdisjoint(ids) and more.piece(one).isdisjoint(shown)) for one in pieces
            )
            return held / len(pieces) if pieces else 0.0
        return max(index.share(evidence, ids), more.share(evidence, shown))

    return grade(probe, share) >= WHOLE


def queries(of: SessionHistory, probe: Probe, end: int) -> Iterator[str]:
    """Rules 1 and 2."""
    doing = of.spoken[end] if end < len(of.spoken) else ""
    if probe.kind == "errors":
        yield probe.question.partition(":")[2]
        yield f"{probe.question.partition(':')[2]} {doing}"
        return
    names = [probe.answer] if probe.kind == "values" else list(wording.references(probe.answer))
    at = next((at for at in range(end, len(of.spoken)) if _named(of.spoken[at], names)), end)
    said = of.spoken[at] if at < len(of.spoken) else doing
    line = next((line for line in said.splitlines() if _named(line, names)), said)
    hidden = names if probe.kind == "values" else []
    for text in (line, said, f"{doing} {of.spoken[at - 1] if at else ''}"):
        yield _without(text, hidden)


def _named(text: str, names: Sequence[str]) -> bool:
    lowered = text.lower()
    return any(name.lower() in lowered for name in names)


def _without(text: str, names: Sequence[str]) -> str:
    for name in names:
        at = text.lower().find(name.lower())
        while at >= 0:
            text = f"{text[:at]} {text[at + len(name) :]}"
            at = text.lower().find(name.lower())
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording", nargs="+")
    parser.add_argument("--window", type=int, default=64_000, help="tokens")
    parser.add_argument("--failed", action="store_true", help="print what was not found")
    given = parser.parse_args()
    counts: dict[str, Count] = defaultdict(Count)
    failed: list[str] = []
    for path in given.recording:
        read = readers.read(readers.source(Path(path)))
        if isinstance(read, Recording):
            measured(read, given.window, counts, failed)
            print(path, {kind: msgspec.to_builtins(count) for kind, count in counts.items()}, flush=True)
    for kind, count in counts.items():
        share = f"{count.found / count.missed:.3f}" if count.missed else "-"
        print(
            f"{kind:10} used {count.asked:5} missed {count.missed:5} found {share} in snippets {count.in_snippets}"
        )
    if given.failed:
        print("\n".join(failed))


if __name__ == "__main__":
    main()
