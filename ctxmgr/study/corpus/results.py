"""Stores the results of runs in a folder: Parquet parts, and a journal of what is not in a part yet.

1. Each evaluation is appended to the journal as a line of JSON when it arrives, so a killed run loses only the
   tasks in progress.
2. `PART_TASKS` evaluations become a part: a file of calls, then one of recordings, each written under a temporary
   name and renamed. Then the journal is emptied. A part's name is the digest of its keys, so a part that is written
   again after a kill replaces itself.
3. A journal is read up to the first incomplete evaluation; that one and everything after it is computed again.
4. One run at a time has the folder. What it requested is in `LAST`, a Parquet file with one row for each recording;
   this is what a report covers.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ctxmgr.devices import LockedError, private_file, seize
from ctxmgr.study.corpus import tasks
from ctxmgr.study.corpus.evaluating import decode
from ctxmgr.study.corpus.sources import CorpusFault
from ctxmgr.study.corpus.tasks import SCHEMA_VERSION, Row
from ctxmgr.study.figures import Column

PART_TASKS = 500  # evaluations in one part: a few MB
RECORDINGS, CALLS = "recordings", "calls"
JOURNAL, LOCK, SOURCES, LAST = "journal", ".lock", "sources.json", "last.parquet"
RUN = b"run"  # the key of the LastRun in the metadata of `LAST`
VERSION_KEY = b"ctxmgr.schema"  # the key of a part's schema version
COLUMN_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


class LastRun(msgspec.Struct, frozen=True):
    """What a run requested, except for its recordings. `policies`: names and digests, in order."""

    release: str
    settings_digest: str
    policies: tuple[tuple[str, str], ...]


class Results:
    """One folder, locked by this run. A context manager; leaving it turns the journal into a part. `dropped_bytes`:
    unreadable bytes at the end of the journal.
    """

    def __init__(self, folder: Path) -> None:
        """Raises CorpusFault, OSError."""
        for kind in (RECORDINGS, CALLS):
            (folder / kind).mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder
        with contextlib.ExitStack() as opened:
            try:
                opened.callback(os.close, seize(folder / LOCK))
            except LockedError as fault:
                raise CorpusFault(f"{folder} is in use by another run ({fault})") from None
            self._pending, self.dropped_bytes = _journalled(folder / JOURNAL)
            self._journal = os.open(folder / JOURNAL, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            opened.callback(os.close, self._journal)
            self.settle()
            self._opened = opened.pop_all()

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *fault: object) -> None:
        with self._opened:
            self.settle()

    def done(self) -> set[str]:
        """Keys of the tasks that are done: those with a row that is not `lost`. Raises CorpusFault."""
        keys: set[str] = set()
        for path in parts(self.folder, RECORDINGS):
            try:
                rows = pq.read_table(path, columns=["key", "status"], partitioning=None)
            except (OSError, pa.ArrowException) as fault:
                raise _broken(path, fault) from None
            keys.update(rows.filter(pc.not_equal(rows["status"], "lost"))["key"].to_pylist())
        return keys

    def add(self, evaluation: bytes) -> None:
        """Adds an evaluation as `evaluating.evaluated` returns it. Raises OSError."""
        os.write(self._journal, evaluation + b"\n")
        self._pending.append(evaluation)
        if len(self._pending) >= PART_TASKS:
            self.settle()

    def settle(self) -> None:
        """Turns the journal into a part (rule 2). Raises OSError."""
        evaluations = [decode(line) for line in self._pending]
        if evaluations:
            keys = "".join(sorted(evaluation.recording["key"] for evaluation in evaluations))
            name = f"part-{hashlib.sha256(keys.encode()).hexdigest()[:16]}.parquet"
            calls = [call for evaluation in evaluations for call in evaluation.calls]
            _write(self.folder / CALLS / name, table(calls, tasks.OF_CALLS))
            rows = [evaluation.recording for evaluation in evaluations]
            _write(self.folder / RECORDINGS / name, table(rows, tasks.RECORDINGS))
        os.truncate(self._journal, 0)
        self._pending.clear()

    def record_run(self, run: LastRun, digests: Iterable[str]) -> None:
        """`digests`: of all recordings of the run, done or not. Raises OSError."""
        schema = pa.schema([pa.field("digest", pa.string(), nullable=False)], {RUN: msgspec.json.encode(run)})
        _write(self.folder / LAST, pa.table([pa.array(sorted(digests), pa.string())], schema=schema))


def last_run(folder: Path) -> LastRun:
    """Raises CorpusFault."""
    try:
        metadata = pq.read_schema(folder / LAST).metadata or {}
        return msgspec.json.decode(metadata.get(RUN, b""), type=LastRun)
    except (OSError, pa.ArrowException, msgspec.DecodeError):
        raise CorpusFault(f"{folder} has no results of `ctxmgr corpus run`") from None


def parts(folder: Path, kind: str) -> list[Path]:
    """The parts with the current schema version, sorted by name. Raises CorpusFault if one is broken."""
    paths = []
    for path in sorted((folder / kind).glob("part-*.parquet")):
        try:
            metadata = pq.read_schema(path).metadata or {}
        except (OSError, pa.ArrowException) as fault:
            raise _broken(path, fault) from None
        if metadata.get(VERSION_KEY) == str(SCHEMA_VERSION).encode():
            paths.append(path)
    return paths


def _broken(part: Path, fault: Exception) -> CorpusFault:
    name = type(fault).__name__
    return CorpusFault(f"{part} cannot be read ({name}); delete it, and the next run computes it again")


def table(rows: Sequence[Row], columns: Sequence[Column]) -> pa.Table:
    """A table of these rows and columns, in order, with the schema version in its metadata."""
    metadata = {VERSION_KEY: str(SCHEMA_VERSION).encode()}
    return pa.Table.from_pylist(rows, schema=pa.schema(_fields(columns), metadata=metadata))


def _fields(columns: Sequence[Column]) -> list[pa.Field]:
    return [pa.field(column.name, *_column_type(column.type)) for column in columns]


def _column_type(of: Any) -> tuple[pa.DataType, bool]:
    """The type, and whether it is nullable."""
    if isinstance(of, tuple):
        return pa.list_(pa.struct(_fields(of))), True
    if NoneType in get_args(of):
        (whole,) = (each for each in get_args(of) if each is not NoneType)
        return _column_type(whole)[0], True
    if get_origin(of) is list:
        return pa.list_(_column_type(*get_args(of))[0]), False
    return COLUMN_TYPES[of], False


def _write(path: Path, rows: pa.Table) -> None:
    """Replaces `path` atomically."""
    beside = path.with_name(f".{path.name}.new")
    with os.fdopen(private_file(str(beside)), "wb") as file:
        pq.write_table(rows, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _journalled(path: Path) -> tuple[list[bytes], int]:
    """The evaluations in a journal, and the number of unreadable bytes at its end (rule 3)."""
    whole = path.read_bytes() if path.exists() else b""
    lines: list[bytes] = []
    *ended, _ = whole.split(b"\n")
    with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
        for line in ended:
            decode(line)
            lines.append(line)
    return lines, len(whole) - sum(len(line) + 1 for line in lines)
