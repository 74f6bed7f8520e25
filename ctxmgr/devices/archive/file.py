"""Turns a state directory into an open connection to its archive file, and sets unusable files aside.

Knows SQLite, files, modes and locks, not what the rows are for.

Rules:
1. Only the owner can read the file, from the start: it is created (0600) before SQLite opens it, and SQLite gives
   its side files (-wal, -shm) the same mode.
2. Nothing is overwritten. A file that is not our archive, is damaged, or comes from a newer ctxmgr is renamed
   NAME.broken-1, -2, ... with its side files, and a new file is started.
3. One process at a time opens or sets aside, behind a separate lock file. A process that opened the file earlier
   keeps all its files open, so a rename never mixes side files.
4. The write-ahead log is synced only at checkpoints. Committed rows survive `kill -9`. A power failure may lose the
   newest commits, but the file stays whole.
5. Deleted content does not remain: it is zeroed where its page is kept, and other pages are returned to the disk.
"""

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxmgr.devices.files import OPEN_FLAGS, LockedError, foreign, locked, make_directory, set_aside, shared

NAME = "archive.sqlite3"
SIDES = ("-wal", "-shm", "-journal")
BUSY_SECONDS = 2.0  # another process writes for milliseconds; no answer waits longer than this
_APPLICATION = 0x6374786D  # "ctxm", at a fixed offset of the file
_VERSION = 1
_LOG_BYTES = 4 << 20  # the -wal is cut to this size when it has been larger
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_SETTINGS = (
    f"PRAGMA journal_size_limit = {_LOG_BYTES}",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = FAST",
    "PRAGMA temp_store = MEMORY",
)
ORIGINALS = (
    # `session`, `call` and `text` are UTF-8: an id may hold what SQLite takes for no text. `at` in milliseconds,
    # `size` in bytes of `text`, which comes last: a row is looked at without it.
    "CREATE TABLE originals (id INTEGER PRIMARY KEY, session BLOB NOT NULL, handle TEXT NOT NULL,"
    " key TEXT NOT NULL, call BLOB NOT NULL, at INTEGER NOT NULL, size INTEGER NOT NULL, text BLOB NOT NULL)",
    "CREATE UNIQUE INDEX by_key ON originals (session, key)",
    "CREATE INDEX by_handle ON originals (session, handle)",
    "CREATE INDEX by_age ON originals (at, id, size, session)",
)
_SCHEMA = (
    *ORIGINALS,
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)


class UnusableArchive(Exception):
    """The file is not a readable archive. The text says why."""


def opened(directory: Path) -> tuple[sqlite3.Connection, str | None]:
    """The connection, and a sentence if a file had to be set aside. Raises OSError, sqlite3.Error.

    The connection starts no transaction by itself and belongs to the calling thread.
    """
    make_directory(directory)
    path = directory / NAME
    note = None
    with _alone(path):
        if os.path.lexists(path) and (why := _not_ours(os.lstat(path))):
            note = _set_aside(path, why)
        try:
            return _connected(path), note
        except UnusableArchive as fault:
            note = _set_aside(path, str(fault))
        return _connected(path), note


def _not_ours(status: os.stat_result) -> str | None:
    """Why the file cannot be used, or None. Only its mode is corrected."""
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    return foreign(status) or (shared(status) if status.st_nlink > 1 else None)


def replaced(path: Path, inode: int, fault: str) -> str | None:
    """Sets a damaged file aside, whose connection is closed. Returns None if another process has already done
    so.
    """
    with _alone(path):
        return _set_aside(path, fault) if inode_of(path) == inode else None


def inode_of(path: Path) -> int:
    """0 if there is no such file."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def archive_path(directory: Path) -> Path:
    return directory / NAME


def archive_fault(directory: Path) -> str | None:
    """Why the archive cannot be used, or None. Reads it and changes nothing."""
    path = archive_path(directory)
    is_open = path.with_name(f"{path.name}-wal").exists()  # else reading would leave a -wal file, and another
    try:
        address = f"{path.absolute().as_uri()}?{'mode=ro' if is_open else 'immutable=1'}"
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS)
        try:
            if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
                return "it is no archive of ctxmgr"
            (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            return None if answer == "ok" else str(answer)
        finally:
            connection.close()
    except sqlite3.Error as fault:
        return str(fault)


def damaged(fault: sqlite3.Error) -> bool:
    """Whether the error means a broken file, rather than one that cannot be used now."""
    return (getattr(fault, "sqlite_errorcode", None) or 0) & 0xFF in _DAMAGED


def _connected(path: Path) -> sqlite3.Connection:
    """Rule 1. While SQLite has the file open, in this connection or another of this process, no other descriptor of
    it may be closed: POSIX would release its locks (sqlite.org/howtocorrupt.html, 2.2). So an existing file is not
    opened here.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, 0o600))
    except FileExistsError:
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.ELOOP, "it is no plain file", str(path)) from None
        if stat.S_IMODE(mode) != 0o600:
            os.chmod(path, 0o600)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _prepare(connection)
    except BaseException as fault:
        connection.close()
        if isinstance(fault, sqlite3.Error) and damaged(fault):
            raise UnusableArchive(str(fault)) from None
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    def number(pragma: str) -> int:
        return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])

    application, version = number("application_id"), number("user_version")
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not empty and application != _APPLICATION:
        raise UnusableArchive("it is no archive of ctxmgr")
    if version > _VERSION:
        raise UnusableArchive(f"written by a newer ctxmgr (archive version {version}, known is {_VERSION})")
    if empty:
        connection.execute("PRAGMA synchronous = OFF")  # if a power failure tears it, it is set aside and rebuilt
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only has an effect while the file is empty
    connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if empty:
        with transaction(connection):
            for statement in _SCHEMA:
                connection.execute(statement)
    for setting in _SETTINGS:
        connection.execute(setting)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Runs the whole body or nothing. Takes the write lock at once, since a later upgrade could be refused
    midway.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some faults have already ended it
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Rule 3. Raises OSError if another process holds the lock for too long."""
    try:
        with locked(path.with_name(f"{path.name}.lock"), BUSY_SECONDS):
            yield
    except LockedError as holder:
        raise OSError(f"it is being opened by {holder}") from None


def _set_aside(path: Path, fault: str) -> str:
    """Rule 2. Returns a sentence that says so. Raises OSError."""
    aside = set_aside(path, SIDES)
    return f"{path} was set aside as {aside} and a new one begun: {fault}"
