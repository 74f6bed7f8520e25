"""The results of runs in a folder: Parquet parts, and a journal of what is not in a part yet.

1. What is done is on the disk before the next is asked for: an evaluation is appended to the journal as it comes.
   Whoever is killed loses what was under way.
2. `PART_TASKS` evaluations become a part: a file of calls, then one of recordings, each written beside its name and
   renamed. Then the journal is emptied. A part's name is the digest of its keys, so one that is written again after
   a kill takes the place of itself.
3. A journal is read up to what is no whole evaluation: that and what comes after it is dropped, and computed anew.
   A part that can not be read is set aside, the file of calls with that of recordings, and its results are computed
   anew. `notes` says so.
4. One run at a time has the folder. What it asked for is in `LAST`, a Parquet file with a row a recording: that is
   what is reported.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ctxmgr.devices import LockedError, seize
from ctxmgr.study.corpus import schema
from ctxmgr.study.corpus.evaluating import decode
from ctxmgr.study.corpus.rows import SCHEMA_VERSION, CorpusCallRow, Evaluation, RecordingRow

PART_TASKS = 500  # evaluations of one part: a few MB
ASIDE = ".broken"  # the end of the name of what was set aside
LENGTH_BYTES = 4  # before each evaluation in the journal, big endian
RECORDINGS, CALLS = "recordings", "calls"
JOURNAL, LOCK, INDEX, LAST = "journal", ".lock", "sources.sqlite", "last.parquet"
ASKED_ROWS = 10_000  # of `LAST` that are in memory at a time
ASKED = pa.schema([pa.field("digest", pa.string(), nullable=False)])
RUN = b"run"  # the name of a LastRun among the metadata of `LAST`


class ResultsFault(Exception):
    """The folder can not be used; the text says why."""


class LastRun(msgspec.Struct, frozen=True):
    """What a run asked for, but its recordings. `policies`: name and digest, in their order."""

    release: str
    settings_digest: str
    policies: tuple[tuple[str, str], ...]


class Results:
    """One folder, held by this run. A context manager; leaving it makes a part of what is in the journal. `notes`:
    what was found broken, a line each."""

    def __init__(self, folder: Path) -> None:
        """Raises ResultsFault, OSError."""
        for name in (RECORDINGS, CALLS):
            (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        try:
            self._lock = seize(folder / LOCK)
        except LockedError as fault:
            raise ResultsFault(f"{folder} is in use by another run ({fault})") from None
        self.notes: list[str] = []
        try:
            self._set_aside(broken(folder))
            self._pending, dropped = _journalled(folder / JOURNAL)
            self._journal = os.open(folder / JOURNAL, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except BaseException:
            os.close(self._lock)
            raise
        if dropped:
            self.notes.append(f"{folder / JOURNAL}: its last {dropped:,} bytes can not be read: computed anew")
        self.settle()

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *fault: object) -> None:
        with contextlib.ExitStack() as last:
            last.callback(os.close, self._lock)
            last.callback(os.close, self._journal)
            self.settle()

    def done(self) -> Iterator[str]:
        """Keys of what need not be computed: whatever has a row that is not `lost`."""
        for path in parts(self.folder, RECORDINGS):
            try:
                rows = pq.read_table(path, columns=["key", "status"], partitioning=None)
            except (OSError, pa.ArrowException):  # its footer could be read
                self._set_aside([path])
                continue
            lost = pc.not_equal(rows["status"], "lost")
            yield from rows.filter(lost)["key"].to_pylist()

    def _set_aside(self, found: list[Path]) -> None:
        """Rule 3."""
        for path in found:
            self.notes.append(f"{path} can not be read: set aside, computed anew")
            for kind in (RECORDINGS, CALLS):
                with contextlib.suppress(FileNotFoundError):
                    (self.folder / kind / path.name).replace(self.folder / kind / f"{path.name}{ASIDE}")

    def add(self, evaluation: bytes) -> None:
        """One more, as `evaluating.evaluated` gives it. Raises OSError."""
        os.write(self._journal, len(evaluation).to_bytes(LENGTH_BYTES, "big") + evaluation)
        self._pending.append(evaluation)
        if len(self._pending) >= PART_TASKS:
            self.settle()

    def settle(self) -> None:
        """What is in the journal becomes a part (rule 2). Raises OSError."""
        some = [decode(one) for one in self._pending]
        if some:
            name = _part(some)
            _written(self.folder / CALLS / name, [row for one in some for row in one.calls], CorpusCallRow)
            _written(self.folder / RECORDINGS / name, [one.recording for one in some], RecordingRow)
        os.truncate(self._journal, 0)
        self._pending.clear()

    def asked(self, run: LastRun, digests: Iterable[str]) -> None:
        """`digests`: of its recordings, done or not. Raises OSError, and what `digests` does."""
        told = ASKED.with_metadata({RUN: msgspec.json.encode(run)})
        waiting = iter(digests)
        with _replacing(self.folder / LAST) as file, pq.ParquetWriter(file, told, compression="zstd") as writer:
            while some := list(islice(waiting, ASKED_ROWS)):
                writer.write_table(pa.table([pa.array(some, pa.string())], schema=told))


def last_run(folder: Path) -> LastRun:
    """Raises ResultsFault."""
    try:
        told = pq.read_schema(folder / LAST).metadata or {}
        return msgspec.json.decode(told.get(RUN, b""), type=LastRun)
    except (OSError, pa.ArrowException, msgspec.DecodeError):
        raise ResultsFault(f"{folder} has no results of `ctxmgr corpus run`") from None


def parts(folder: Path, kind: str) -> list[Path]:
    """The parts of this schema's version, in the order of their names, without those that are broken. Raises
    ResultsFault."""
    without = {path.name for path in broken(folder)}
    return [
        path for path in _named_parts(folder, kind) if path.name not in without and _version(path) == SCHEMA_VERSION
    ]


def broken(folder: Path) -> list[Path]:
    """The parts that can not be read, of calls or of recordings. Raises ResultsFault."""
    return [path for kind in (CALLS, RECORDINGS) for path in _named_parts(folder, kind) if _version(path) < 0]


def _named_parts(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / kind).glob("part-*.parquet"))


def _version(path: Path) -> int:
    """Of its schema; 0 of another's file, -1 of what is broken. Raises ResultsFault."""
    try:
        return schema.version(pq.read_schema(path)) or 0
    except (OSError, pa.ArrowException) as fault:
        if getattr(fault, "errno", None):  # of the system, and not of what the file holds
            raise ResultsFault(f"{path} can not be read: {fault}") from None
        return -1


def _part(some: list[Evaluation]) -> str:
    keys = "".join(sorted(one.recording.key for one in some))
    return f"part-{hashlib.sha256(keys.encode()).hexdigest()[:16]}.parquet"


def _written(path: Path, rows: list[Any], of: type[msgspec.Struct]) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(schema.table(rows, of), sink, compression="zstd")
    _replaced(path, sink.getvalue().to_pybytes())


def _replaced(path: Path, content: bytes) -> None:
    with _replacing(path) as file:
        file.write(content)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once it is written whole."""
    beside = path.with_name(f".{path.name}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _journalled(path: Path) -> tuple[list[bytes], int]:
    """Its evaluations, and how many bytes of its end are none (rule 3)."""
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    some: list[bytes] = []
    at = 0
    while at + LENGTH_BYTES <= len(whole):
        start = at + LENGTH_BYTES
        end = start + int.from_bytes(whole[at:start], "big")
        try:
            decode(whole[start:end])
        except (msgspec.DecodeError, UnicodeDecodeError):  # what is cut short does not decode, either
            break
        some.append(whole[start:end])
        at = end
    return some, len(whole) - at
