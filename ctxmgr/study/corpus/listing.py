"""The recordings and the tasks of a run, in a database on disk: memory does not grow with their number.

1. What was listed stays for the runs to come: a recording is read for its digest once, as long as its size and
   version stay the same. A database that can not be read is begun anew.
2. The same content at two addresses is one recording, at the first of them.
3. Of a Parquet file in a store its rows are listed in its place, and remembered: it is read once, too.
4. Longest first: what takes long does not begin when all else has ended. Of equal size the smaller key.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from ctxmgr.study.corpus.sources import ListedRecording, RecordingAddress, read, recording
from ctxmgr.study.corpus.tasks import CorpusPolicy, CorpusSettings, CorpusTask, draw, tasks

PAGE_ROWS = 500  # recordings that are in memory at a time
DENSE_BYTES = 600_000  # of a recording: what is estimated from its size goes on more slowly beyond
ROWS = "rows "  # and their number, in the place of a digest (rule 3)
CACHE_KIB = 4_096  # of the database's pages, and as much of the temporary tables'

TABLES = """
create table if not exists sources (address blob primary key, name blob, size integer, version text, digest text);
create temp table listed (address blob primary key);
create temp table recordings (digest text primary key, address blob, name blob, size integer, draw text);
create temp table todo (key text primary key, policy integer, digest text, size integer);
"""
REMEMBERED = """
insert into sources values (?, ?, ?, ?, ?) on conflict (address) do update set name = excluded.name,
digest = case when excluded.digest != '' then excluded.digest
    when size = excluded.size and version = excluded.version then digest else '' end,
size = excluded.size, version = excluded.version
"""
LISTED_AFTER = """
select address, name, size, version, digest from listed join sources using (address)
where address > ? order by address limit ?
"""
IN_ORDER = """
select policy, todo.digest, address, name, todo.size from todo join recordings using (digest)
order by todo.size desc, key
"""
COUNTED = """
select count(*), coalesce(sum(size), 0), coalesce(max(size), 0), coalesce(sum(min(size, ?)), 0) from todo
"""
ALL_BUT_DRAWN = """
delete from recordings where digest not in (select digest from recordings order by draw limit ?)
"""


class TaskTotals(msgspec.Struct, frozen=True):
    """Of what is to run. Bytes are of recordings, one counted once a policy; `dense_bytes` those of the first
    `DENSE_BYTES` of each."""

    task_count: int
    total_bytes: int
    largest_bytes: int
    dense_bytes: int


class Listing:
    """One run's, in a file that the runs before have written. A context manager."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, sqlite3.Error."""
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        try:
            self._database = _opened(path)
        except sqlite3.DatabaseError:
            path.write_bytes(b"")
            self._database = _opened(path)
        self._policies: Sequence[CorpusPolicy] = ()
        self._settings = CorpusSettings()

    def __enter__(self) -> "Listing":
        return self

    def __exit__(self, *fault: object) -> None:
        self._database.close()

    def add(self, found: Iterable[ListedRecording]) -> None:
        """All of them, those without a digest with the one of their contents (rule 1). Raises what `found` does."""
        with self._database:
            for one in found:
                self._remember(one)
            for one in self._all():
                if not one.digest:
                    self._read(one)
                elif one.digest.startswith(ROWS):
                    self._replace(one.address, int(one.digest.removeprefix(ROWS)))

    def ask(
        self, policies: Sequence[CorpusPolicy], settings: CorpusSettings, done: Iterable[str], sample: int | None
    ) -> int:
        """What is to run of all that was added, and how many recordings those are, done or not. `done`: keys.
        `sample`: only so many recordings."""
        self._policies, self._settings = policies, settings
        with self._database as database:
            for listed in self._all():
                one = recording(listed)
                row = (one.digest, _blob(one.address), _blob(one.name), one.size_bytes, draw(one.digest))
                database.execute("insert or ignore into recordings values (?, ?, ?, ?, ?)", row)
            if sample is not None:
                database.execute(ALL_BUT_DRAWN, (sample,))
            for digest, address, name, size in database.execute(
                "select digest, address, name, size from recordings"
            ):
                some = tasks(_recording(digest, address, name, size), policies, settings)
                rows = [(task.key, number, digest, size) for number, task in enumerate(some)]
                database.executemany("insert or ignore into todo values (?, ?, ?, ?)", rows)
            database.executemany("delete from todo where key = ?", ((key,) for key in done))
            return int(database.execute("select count(*) from recordings").fetchone()[0])

    def digests(self) -> Iterator[str]:
        """Of the recordings that were asked for, done or not."""
        for (digest,) in self._database.execute("select digest from recordings order by digest"):
            yield digest

    def totals(self) -> TaskTotals:
        return TaskTotals(*self._database.execute(COUNTED, (DENSE_BYTES,)).fetchone())

    def tasks(self) -> Iterator[CorpusTask]:
        """What is to run (rule 4)."""
        for number, digest, address, name, size in self._database.execute(IN_ORDER):
            one = _recording(digest, address, name, size)
            yield from tasks(one, (self._policies[number],), self._settings)

    def _remember(self, one: ListedRecording) -> None:
        address = _blob(one.address)
        self._database.execute("insert or ignore into listed values (?)", (address,))
        row = (address, _blob(one.name), one.size_bytes, one.version, one.digest)
        self._database.execute(REMEMBERED, row)

    def _read(self, one: ListedRecording) -> None:
        """Its digest, or its rows in its place: where not all could be read, beside it."""
        row_count = 0
        for found in read(one):
            self._remember(found)
            row_count += 1
            if found.address == one.address:
                return
        known = (f"{ROWS}{row_count}", _blob(one.address))
        self._database.execute("update sources set digest = ? where address = ?", known)
        self._replace(one.address, row_count)

    def _replace(self, address: str, row_count: int) -> None:
        rows = ((_blob(f"{address}#{number}"),) for number in range(row_count))
        self._database.executemany("insert or ignore into listed values (?)", rows)
        self._database.execute("delete from listed where address = ?", (_blob(address),))

    def _all(self) -> Iterator[ListedRecording]:
        """What was added, in the order of addresses, by pages: a page's rows may be changed meanwhile."""
        last = b""
        while page := self._database.execute(LISTED_AFTER, (last, PAGE_ROWS)).fetchall():
            for address, name, size, version, digest in page:
                yield ListedRecording(_text(address), _text(name), size, version, digest)
            last = page[-1][0]


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    try:
        database.executescript(f"pragma temp_store = file; pragma cache_size = -{CACHE_KIB}; {TABLES}")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _recording(digest: str, address: bytes, name: bytes, size: int) -> RecordingAddress:
    return RecordingAddress(_text(address), _text(name), size, digest)


def _blob(text: str) -> bytes:
    """Names of files may be no text."""
    return text.encode("utf-8", "surrogateescape")


def _text(found: bytes) -> str:
    return found.decode("utf-8", "surrogateescape")
