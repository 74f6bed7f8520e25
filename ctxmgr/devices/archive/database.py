"""The archive: keeps the originals of what left, and turns a handle into one again.

Knows rows and their age; not what a decision, a marker or a session's state is. An `ArchiveDatabase` belongs to one
thread: to the one that opened it, as SQLite has it. The archives of a process (`ArchiveDatabases`) have a thread of
their own, in which they are put into, looked up and tidied: one that waits for another process must not hold up
what is being weighed. Its answers are futures, and nothing in it raises: a fault is in the answer.

Rules:
1. A `put` is one transaction, and the same rows put again change nothing: whoever does not know whether it came
   through puts again.
2. Several processes share the file; each sees what the others have put.
3. A fault of the disk is an `ArchiveFault` with a sentence; the archive is usable even so, and the file as it was.
   A file found broken is set aside, and the call carried out on a new one (`file`, rule 2); of a broken index only
   that is made anew.
4. What is kept is bounded by age and by size, the oldest goes first; but never what belongs to a session that is
   open here. That is done in steps, off the way of a call: `due` says when.
5. What is kept is blotted out where it is a secret, unless the policy keeps secrets. A text keeps its length, so
   that the places in it that a marker or a hit named are the same, and a blot is a character that no other text
   has: `masking.legible` makes `[masked]` of it where it is read.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from ctxmgr.devices.archive import index
from ctxmgr.devices.archive.file import NAME, ORIGINALS, damaged, inode_of, opened, replaced, transaction
from ctxmgr.devices.archive.index import text_of
from ctxmgr.devices.archive.searching import HitRow, find
from ctxmgr.masking import masked
from ctxmgr.model import Archive as Limits
from ctxmgr.model import ArchiveAnswer, ArchiveHit, ArchiveRow

MEGABYTE = 1_000_000
MILLISECONDS_A_DAY = 86_400_000
ROW_BYTES = 256  # that a row costs beside its text: its keys, its place in three indexes
DUE_BYTES = 8 * MEGABYTE  # put since the last look: so far the size may be over its limit for a while
DUE_SECONDS = 3_600.0  # between looks in a long life: ages go by
# of one step of tidying, some 30 ms: what comes in the meantime, here or in another process, waits for no more
ROWS_AT_ONCE = 200
BYTES_AT_ONCE = 1 * MEGABYTE
PAGES_AT_ONCE = 500  # of 4 KiB

_PUT = """INSERT INTO originals (session, handle, key, call, at, size, text) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session, key) DO UPDATE SET handle = excluded.handle, call = excluded.call, at = excluded.at,
size = excluded.size, text = excluded.text WHERE text IS NOT excluded.text"""

Value = TypeVar("Value")
OriginalRow = tuple[bytes, str, str, bytes, int, int, bytes]  # as `_PUT` takes it


class ArchiveFault(Exception):
    """What was asked could not be done now; the text is a sentence without conversation."""


class SessionSize(msgspec.Struct, frozen=True):
    """Of the originals of one session: how many, bytes of text, and when the newest came, in milliseconds since the
    epoch."""

    session_id: str
    count: int
    size_bytes: int
    newest_ms: int


class ArchiveDatabase:
    """The archive of one state directory; its file is opened with the first call that needs it."""

    def __init__(self, directory: Path, clock: Callable[[], float] = time.time) -> None:
        """`clock` in seconds since the epoch."""
        self._path = directory / NAME
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._bytes = DUE_BYTES  # put since the last look; at the start it is due
        self._looked = 0.0
        self._more = False  # the last step left something to do
        self._unsettled = False  # deleted words are still in the index
        self.notes: list[str] = []  # sentences for people, until they are said

    def put(self, session_id: str, rows: Sequence[ArchiveRow]) -> None:
        """Rule 1. ArchiveFault, and then none of the rows is there."""
        values = _values(session_id, rows, int(self._clock() * 1000))

        def insert(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany(_PUT, values)

        self._carried_out(insert)
        self._bytes += sum(size_bytes for *_, size_bytes, _ in values)

    def get(self, session_id: str, handle: str) -> ArchiveRow | None:
        """None where nothing is kept under this handle, or two things are. ArchiveFault."""
        rows = self._selected("handle = ?1 AND session = ?2", handle, _utf8(session_id))
        return rows[0] if len(rows) == 1 else None

    def originals(self, session_id: str | None, handle: str) -> list[ArchiveRow]:
        """What is under a handle, in a session or in all. ArchiveFault."""
        session = None if session_id is None else _utf8(session_id)
        which = "handle = ?1 AND (?2 IS NULL OR session = ?2)"
        return self._selected(which, handle, session) if self.is_there else []

    @property
    def is_there(self) -> bool:
        return self._path.exists()

    def sizes(self) -> list[SessionSize]:
        """Of all sessions with originals. ArchiveFault."""
        if not self._path.exists():
            return []
        query = "SELECT session, count(*), sum(size), max(at) FROM originals GROUP BY session ORDER BY session"
        rows = self._carried_out(lambda connection: connection.execute(query).fetchall())
        return [SessionSize(text_of(session), *rest) for session, *rest in rows]

    def rows(self, session_id: str, keys: Collection[str] | None = None) -> list[ArchiveRow]:
        """All of a session, or those of it with these keys; the oldest first. ArchiveFault."""
        wanted = None if keys is None else msgspec.json.encode(list(keys)).decode()
        which = "session = ?1 AND (?2 IS NULL OR key IN (SELECT value FROM json_each(?2)))"
        return self._selected(which, _utf8(session_id), wanted) if self.is_there else []

    def _selected(self, which: str, *values: object) -> list[ArchiveRow]:
        """The oldest first. ArchiveFault."""
        query = f"SELECT handle, key, call, text FROM originals WHERE {which} ORDER BY at, id"
        rows = self._carried_out(lambda connection: connection.execute(query, values).fetchall())
        return [ArchiveRow(handle, key, text_of(call), text_of(text)) for handle, key, call, text in rows]

    def search(self, session_id: str | None, query: str, limit: int) -> list[HitRow]:
        """What holds the words of a query in a session, or in all; best first (`searching`). ArchiveFault."""
        session = None if session_id is None else _utf8(session_id)

        def hits(connection: sqlite3.Connection) -> list[HitRow]:
            more = True
            while more:  # a transaction each: who puts meanwhile waits for one
                with transaction(connection):
                    if not index.has_index(connection):
                        index.make_index(connection)
                    more = index.index_some(connection, session)
            return find(connection, session, query, limit)

        return self._carried_out(hits) if self._path.exists() else []

    def forget(self, session_id: str) -> int:
        """Deletes all of a session, from the log as well; how many rows that were. ArchiveFault."""
        if not self._path.exists():
            return 0

        def delete(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                gone = connection.execute("DELETE FROM originals WHERE session = ?", (_utf8(session_id),)).rowcount
                if gone and index.has_index(connection):
                    index.settle(connection, whole=True)
            while _give_back(connection):
                pass
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return gone

        return self._carried_out(delete)

    @property
    def due(self) -> bool:
        """Whether it is time for a step of `tidy`. Only while the file is open."""
        old = self._clock() - self._looked > DUE_SECONDS
        return self._connection is not None and (self._more or old or self._bytes >= DUE_BYTES)

    def tidy(self, limits: Limits, live: Collection[str]) -> int:
        """A step of rule 4: `live` are the sessions that are open here. How many rows went; `due` says whether
        there is more to do. ArchiveFault."""
        self._bytes, self._looked, self._more = 0, self._clock(), False
        protected = {_utf8(session_id) for session_id in live}
        oldest = int(self._clock() * 1000) - limits.max_age_days * MILLISECONDS_A_DAY

        def delete(connection: sqlite3.Connection) -> int:
            rows = connection.execute("SELECT id, at, size, session FROM originals ORDER BY at, id").fetchall()
            over = sum(size + ROW_BYTES for _, _, size, _ in rows) - limits.max_megabytes * MEGABYTE
            gone: list[tuple[int]] = []
            freed = 0
            for id, time_ms, size, session in rows:
                if session not in protected and (time_ms < oldest or over > freed):
                    self._more = len(gone) >= ROWS_AT_ONCE or freed >= BYTES_AT_ONCE
                    if self._more:
                        break
                    gone.append((id,))
                    freed += size + ROW_BYTES
            if gone:
                with transaction(connection):
                    connection.executemany("DELETE FROM originals WHERE id = ?", gone)
            self._unsettled |= bool(gone) and index.has_index(connection)
            if self._unsettled and not self._more:
                self._unsettled = index.settle(connection, whole=False)
            self._more |= self._unsettled | _give_back(connection)
            return len(gone)

        return self._carried_out(delete)

    def close(self) -> None:
        """The next call opens it again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):  # a last checkpoint that fails: the log stays, and is read
                self._connection.close()
            self._connection = None

    def _carried_out(self, action: Callable[[sqlite3.Connection], Value]) -> Value:
        """Rule 3."""
        try:
            try:
                return action(self._opened())
            except sqlite3.Error as fault:
                if not damaged(fault):
                    raise
                if not self._without_index(fault):
                    self._replace(str(fault))
            return action(self._opened())
        except (sqlite3.Error, OSError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
            raise ArchiveFault(f"{self._path}: {reason}") from fault
        finally:
            if self._connection is not None and self._connection.in_transaction:  # it could not be rolled back
                self.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection, note = opened(self._path.parent)
            self._inode = inode_of(self._path)
            self.notes += [note] if note else []
        return self._connection

    def _without_index(self, fault: sqlite3.Error) -> bool:
        """Drops the index where it alone is broken, and returns whether that was so."""
        if fault.sqlite_errorcode != sqlite3.SQLITE_CORRUPT_VTAB or self._connection is None:
            return False
        try:
            with transaction(self._connection):
                index.drop_index(self._connection)
        except sqlite3.Error:
            return False
        return True

    def _replace(self, fault: str) -> None:
        self.close()
        note = replaced(self._path, self._inode, fault)
        self.notes += [note] if note else []


def _give_back(connection: sqlite3.Connection) -> bool:
    """Gives pages that hold nothing any more to the disk, up to so many. Whether that left some."""
    before = _free(connection)
    if before:
        connection.executescript(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})")  # `execute` gives back one page
    return 0 < _free(connection) < before  # none less: a file that was made without


def _free(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA freelist_count").fetchone()[0])


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # ids may hold half of a surrogate pair


def _values(session_id: str, rows: Iterable[ArchiveRow], time_ms: int) -> list[OriginalRow]:
    """For `_PUT`; `time_ms` in milliseconds since the epoch."""
    session = _utf8(session_id)
    values: list[OriginalRow] = []
    for row in rows:
        text = _utf8(row.text)
        values.append((session, row.handle, row.key, _utf8(row.call_text), time_ms, len(text), text))
    return values


def hits_among(rows: Iterable[ArchiveRow], query: str, limit: int) -> tuple[ArchiveHit, ...]:
    """Of originals that stand in no file, best first: what the disk did not take, and tests. ArchiveFault where
    this SQLite has no FTS5."""
    try:
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            for statement in ORIGINALS:
                connection.execute(statement)
            index.make_index(connection)
            connection.executemany(_PUT, _values("", rows, 0))
            while index.index_some(connection, None):
                pass
            return tuple(row.hit for row in find(connection, b"", query, limit))
    except sqlite3.Error as fault:
        raise ArchiveFault(str(fault)) from fault


class ArchiveDatabases:
    """By state directory. `live`: the sessions that are open here, whose rows stay; only ever replaced."""

    def __init__(self, live: frozenset[str] = frozenset()) -> None:
        self.live = live
        self._thread = ThreadPoolExecutor(1, "archive")
        self._archives: dict[str, ArchiveDatabase] = {}
        self._closing = False

    def put(
        self,
        directory: str,
        session_id: str,
        rows: Sequence[ArchiveRow],
        limits: Limits,
        on_put: Callable[[Sequence[ArchiveRow]], None] = lambda rows: None,
    ) -> "Future[ArchiveAnswer]":
        """`on_put` gets the rows as they are kept, in the thread and before the answer; none after a fault."""

        def put(archive: ArchiveDatabase) -> ArchiveAnswer:
            kept = at_rest(rows, limits)
            archive.put(session_id, kept)
            on_put(kept)
            return ArchiveAnswer()

        return self._thread.submit(self._answered, directory, limits, put)

    def get(self, directory: str, session_id: str, handle: str, limits: Limits) -> "Future[ArchiveAnswer]":
        return self._thread.submit(
            self._answered, directory, limits, lambda archive: ArchiveAnswer(archive.get(session_id, handle))
        )

    def search(
        self,
        directory: str,
        session_id: str,
        question: tuple[str, int],
        held: Sequence[ArchiveRow],
        limits: Limits,
    ) -> "Future[ArchiveAnswer]":
        """`question`: a query, and how many hits. `held`: rows that the archive did not take; their hits come
        first."""
        query, limit = question

        def search(archive: ArchiveDatabase) -> ArchiveAnswer:
            hits = {hit.handle: hit for hit in (hits_among(held, query, limit) if held else ())}
            for row in archive.search(session_id, query, limit):
                hits.setdefault(row.hit.handle, row.hit)
            return ArchiveAnswer(hits=tuple(hits.values())[:limit])

        return self._thread.submit(self._answered, directory, limits, search)

    def close(self) -> None:
        """Waits for what is under way, seconds at the most; what is only tidying ends with its step."""
        self._closing = True
        self._thread.submit(self._close)
        self._thread.shutdown()

    # in the thread

    def _answered(
        self, directory: str, limits: Limits, action: Callable[[ArchiveDatabase], ArchiveAnswer]
    ) -> ArchiveAnswer:
        archive = self._archives.get(directory)
        if archive is None:
            archive = self._archives[directory] = ArchiveDatabase(Path(directory))
        try:
            answer = action(archive)
        except ArchiveFault as fault:
            answer = ArchiveAnswer(fault=str(fault))
        notes, archive.notes = archive.notes, []
        self._tidy_later(archive, limits)
        return ArchiveAnswer(answer.row, answer.fault, "; ".join(notes) or None, answer.hits)

    def _tidy_later(self, archive: ArchiveDatabase, limits: Limits) -> None:
        """After what is waiting by then: a call waits for one step at the most."""
        if archive.due and not self._closing:
            with contextlib.suppress(RuntimeError):  # it closes at this moment
                self._thread.submit(self._tidy, archive, limits)

    def _tidy(self, archive: ArchiveDatabase, limits: Limits) -> None:
        if not archive.due or self._closing:  # a step that was asked for twice
            return
        try:
            archive.tidy(limits, self.live)
        except ArchiveFault as fault:
            archive.notes.append(f"the archive could not be tidied: {fault}")
            return
        self._tidy_later(archive, limits)

    def _close(self) -> None:
        for archive in self._archives.values():
            archive.close()


def at_rest(rows: Sequence[ArchiveRow], limits: Limits) -> tuple[ArchiveRow, ...]:
    return tuple(rows) if limits.keep_secrets else tuple(map(_masked, rows))


def _masked(row: ArchiveRow) -> ArchiveRow:
    call, text = masked(row.call_text), masked(row.text)
    if call == row.call_text and text == row.text:
        return row
    return msgspec.structs.replace(row, call_text=call, text=text)
