"""Keeps the originals of removed content, and turns a handle back into its original.

Knows rows and their age, not decisions, markers or session state. An `ArchiveDatabase` belongs to the thread that
opened it, as SQLite requires. `ArchiveDatabases` runs the archives of a process in one thread of their own, for
writing, reading and tidying, so that waiting for another process never delays a list. It answers with futures and
never raises: a fault is in the answer.

Rules:
1. A `put` is one transaction, and putting the same rows again changes nothing. A caller that does not know whether
   a put succeeded can repeat it.
2. Several processes share the file; each sees what the others have put.
3. A disk fault raises `ArchiveFault` with a sentence. The archive stays usable and the file unchanged. A broken
   file is set aside and the call runs on a new one (`file`, rule 2). Of a broken index only the index is rebuilt.
4. Age and size limit what is kept, and the oldest goes first, but never rows of a session that is open here.
   Tidying runs in steps between calls; `due` says when.
5. Secrets are masked unless the policy keeps them. Masked text keeps its length, so positions named by markers and
   hits stay valid. The mask is a character that no other text contains; `masking.legible` shows it as `[masked]`.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from ctxmgr.devices.archive import searching
from ctxmgr.devices.archive.file import NAME, ORIGINALS, damaged, inode_of, opened, replaced, transaction
from ctxmgr.devices.archive.searching import HitRow, find, text_of
from ctxmgr.masking import masked
from ctxmgr.model import Archive as Limits
from ctxmgr.model import ArchiveAnswer, ArchiveHit, ArchiveRow

MEGABYTE = 1_000_000
MILLISECONDS_A_DAY = 86_400_000
ROW_BYTES = 256  # what a row costs beside its text: its keys and its place in three indexes
DUE_BYTES = 8 * MEGABYTE  # put since the last check; the size may exceed its limit by this much for a while
DUE_SECONDS = 3_600.0  # between checks in a long-lived process, since rows age
# rows of one tidying step, about 30 ms; no call, here or in another process, waits longer
ROWS_AT_ONCE = 200
BYTES_AT_ONCE = 1 * MEGABYTE
PAGES_AT_ONCE = 500  # of 4 KiB

_PUT = """INSERT INTO originals (session, handle, key, call, at, size, text) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session, key) DO UPDATE SET handle = excluded.handle, call = excluded.call, at = excluded.at,
size = excluded.size, text = excluded.text WHERE text IS NOT excluded.text"""

Value = TypeVar("Value")
OriginalRow = tuple[bytes, str, str, bytes, int, int, bytes]  # as `_PUT` takes it


class ArchiveFault(Exception):
    """The call could not be done now. The text is a sentence without conversation content."""


class SessionSize(msgspec.Struct, frozen=True):
    """A session's originals: their number, bytes of text, and the time of the newest in milliseconds since the
    epoch.
    """

    session_id: str
    count: int
    size_bytes: int
    newest_ms: int


class ArchiveDatabase:
    """The archive of one state directory. The file is opened by the first call that needs it."""

    def __init__(self, directory: Path, clock: Callable[[], float] = time.time) -> None:
        """`clock` in seconds since the epoch."""
        self._path = directory / NAME
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._bytes = DUE_BYTES  # put since the last check; a check is due at the start
        self._looked = 0.0
        self._more = False  # the last step left work
        self._unsettled = False  # deleted words are still in the index
        self.notes: list[str] = []  # sentences for people, until they are reported

    def put(self, session_id: str, rows: Sequence[ArchiveRow]) -> None:
        """Rule 1. Raises ArchiveFault, and then none of the rows is stored."""
        values = _values(session_id, rows, int(self._clock() * 1000))

        def insert(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.executemany(_PUT, values)

        self._carried_out(insert)
        self._bytes += sum(size_bytes for *_, size_bytes, _ in values)

    def get(self, session_id: str, handle: str) -> ArchiveRow | None:
        """The original under this handle; None if there is none, or if there are two. Raises ArchiveFault."""
        rows = self._selected("handle = ?1 AND session = ?2", handle, _utf8(session_id))
        return rows[0] if len(rows) == 1 else None

    def originals(self, session_id: str | None, handle: str) -> list[ArchiveRow]:
        """The originals under a handle, in one session or in all. Raises ArchiveFault."""
        session = None if session_id is None else _utf8(session_id)
        which = "handle = ?1 AND (?2 IS NULL OR session = ?2)"
        return self._selected(which, handle, session) if self.is_there else []

    @property
    def is_there(self) -> bool:
        return self._path.exists()

    def sizes(self) -> list[SessionSize]:
        """All sessions that have originals. Raises ArchiveFault."""
        if not self._path.exists():
            return []
        query = "SELECT session, count(*), sum(size), max(at) FROM originals GROUP BY session ORDER BY session"
        rows = self._carried_out(lambda connection: connection.execute(query).fetchall())
        return [SessionSize(text_of(session), *rest) for session, *rest in rows]

    def rows(self, session_id: str, keys: Collection[str] | None = None) -> list[ArchiveRow]:
        """All rows of a session, or those with these keys, oldest first. Raises ArchiveFault."""
        wanted = None if keys is None else msgspec.json.encode(list(keys)).decode()
        which = "session = ?1 AND (?2 IS NULL OR key IN (SELECT value FROM json_each(?2)))"
        return self._selected(which, _utf8(session_id), wanted) if self.is_there else []

    def _selected(self, which: str, *values: object) -> list[ArchiveRow]:
        """Oldest first. Raises ArchiveFault."""
        query = f"SELECT handle, key, call, text FROM originals WHERE {which} ORDER BY at, id"
        rows = self._carried_out(lambda connection: connection.execute(query, values).fetchall())
        return [ArchiveRow(handle, key, text_of(call), text_of(text)) for handle, key, call, text in rows]

    def search(self, session_id: str | None, query: str, limit: int) -> list[HitRow]:
        """Originals that match a query, in one session or in all, best first (`searching`). Raises ArchiveFault."""
        session = None if session_id is None else _utf8(session_id)

        def hits(connection: sqlite3.Connection) -> list[HitRow]:
            more = True
            while more:  # one transaction each, so that a concurrent put waits for one only
                with transaction(connection):
                    if not searching.has_index(connection):
                        searching.make_index(connection)
                    more = searching.index_some(connection, session)
            return find(connection, session, query, limit)

        return self._carried_out(hits) if self._path.exists() else []

    def forget(self, session_id: str) -> int:
        """Deletes everything of a session, including from the log. Returns the number of rows. Raises
        ArchiveFault.
        """
        if not self._path.exists():
            return 0

        def delete(connection: sqlite3.Connection) -> int:
            with transaction(connection):
                gone = connection.execute("DELETE FROM originals WHERE session = ?", (_utf8(session_id),)).rowcount
                if gone and searching.has_index(connection):
                    searching.settle(connection, whole=True)
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
        """One step of rule 4. `live`: the sessions that are open here. Returns the number of deleted rows; `due`
        says whether more work is left. Raises ArchiveFault.
        """
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
            self._unsettled |= bool(gone) and searching.has_index(connection)
            if self._unsettled and not self._more:
                self._unsettled = searching.settle(connection, whole=False)
            self._more |= self._unsettled | _give_back(connection)
            return len(gone)

        return self._carried_out(delete)

    def close(self) -> None:
        """The next call opens it again."""
        if self._connection is not None:
            # if the last checkpoint fails, the log stays and is read next time
            with contextlib.suppress(sqlite3.Error):
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
            if self._connection is not None and self._connection.in_transaction:  # the rollback failed
                self.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection, note = opened(self._path.parent)
            self._inode = inode_of(self._path)
            self.notes += [note] if note else []
        return self._connection

    def _without_index(self, fault: sqlite3.Error) -> bool:
        """Drops the index if only the index is broken. Returns whether it did."""
        if fault.sqlite_errorcode != sqlite3.SQLITE_CORRUPT_VTAB or self._connection is None:
            return False
        try:
            with transaction(self._connection):
                searching.drop_index(self._connection)
        except sqlite3.Error:
            return False
        return True

    def _replace(self, fault: str) -> None:
        self.close()
        note = replaced(self._path, self._inode, fault)
        self.notes += [note] if note else []


def _give_back(connection: sqlite3.Connection) -> bool:
    """Returns free pages to the disk, up to a limit. Returns whether some are left."""
    before = _free(connection)
    if before:
        connection.executescript(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})")  # `execute` gives back one page
    return 0 < _free(connection) < before  # no fewer: the file was created without incremental vacuum


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
    """Searches originals that are in no file, best first: those the disk refused, and tests. Raises ArchiveFault if
    this SQLite has no FTS5.
    """
    try:
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            for statement in ORIGINALS:
                connection.execute(statement)
            searching.make_index(connection)
            connection.executemany(_PUT, _values("", rows, 0))
            while searching.index_some(connection, None):
                pass
            return tuple(row.hit for row in find(connection, b"", query, limit))
    except sqlite3.Error as fault:
        raise ArchiveFault(str(fault)) from fault


class ArchiveDatabases:
    """Archives by state directory. `live`: the sessions that are open here, whose rows are never deleted; replaced
    as a whole.
    """

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
        """`on_put` receives the rows as they are kept, in the archive's thread and before the answer. No rows after
        a fault.
        """

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
        """`question`: a query and the number of hits. `held`: rows that the archive refused; their hits come
        first.
        """
        query, limit = question

        def search(archive: ArchiveDatabase) -> ArchiveAnswer:
            hits = {hit.handle: hit for hit in (hits_among(held, query, limit) if held else ())}
            for row in archive.search(session_id, query, limit):
                hits.setdefault(row.hit.handle, row.hit)
            return ArchiveAnswer(hits=tuple(hits.values())[:limit])

        return self._thread.submit(self._answered, directory, limits, search)

    def close(self) -> None:
        """Waits for running calls, seconds at most. Tidying ends after its current step."""
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
        """Queues a step behind the waiting calls, so a call waits for one step at most."""
        if archive.due and not self._closing:
            with contextlib.suppress(RuntimeError):  # it closes right now
                self._thread.submit(self._tidy, archive, limits)

    def _tidy(self, archive: ArchiveDatabase, limits: Limits) -> None:
        if not archive.due or self._closing:  # the step was queued twice
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
