r"""One session's snapshot while it is open: appends lines, rewrites, syncs and closes the file; and the format of a
line.

Calls are made one at a time; only `sync` may run in another thread beside them.

1. Lines are appended by one write, so they are in the page cache on return and survive `kill -9`. `sync` and
   `close` cover power loss.
2. The file is whole after every call: a partial write is cut off, a rewrite is one rename or nothing.
3. A line that may be missing from the file leaves a gap, and from then on only a rewrite is written.

A line is `<8 hex digits of crc32> <json>\n`. This module does not know what a state or an event holds. It knows
three members of the first line, the base: `{"kind": "base", "version": 1, "sessionId": ..., ...}`.

4. Reading stops at the first bad line: what follows a damaged event may build on it.
5. The checksum is compared as text, not as a number. A record has one spelling, so a flipped bit in the digits (`a`
   to `A`) is a bad line like any other.
6. Only the version decides that a file is newer; nothing else is assumed of a newer base.
"""

import contextlib
import json
import os
import threading
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from ctxmgr.devices.files import (
    beside,
    create,
    flush,
    release,
    set_aside,
    shared,
    sync_directory,
    undone,
    write,
)

VERSION = 1
"""The version written into a base and the newest one read. Raised by an incompatible change only."""

_DIGITS = 8  # crc32 is 32 bits: 8 hexadecimal digits, then one space
_BODY_AT = _DIGITS + 1
_BROKEN = "its first line is damaged"


class SnapshotRecords(msgspec.Struct, frozen=True):
    """The content of a snapshot: records without checksums, base first; how many bytes follow the last good line;
    and why no state may be restored from it (the records may still be shown), or None.
    """

    bodies: tuple[bytes, ...] = ()
    torn_bytes: int = 0
    fault: str | None = None


class _Head(msgspec.Struct):
    """The members of a base that are checked. Untyped, since a newer version may spell the others differently."""

    kind: Any = None
    version: Any = None
    sessionId: Any = None


def to_line(body: bytes) -> bytes:
    """The line of one record. A newline in JSON is white space between tokens, so it becomes a space."""
    if b"\n" in body:
        body = body.replace(b"\n", b" ")
    return b"%08x %b\n" % (zlib.crc32(body), body)


def from_lines(content: bytes, session_id: str | None) -> SnapshotRecords:
    """The longest valid beginning of `content` (rules 4 and 5), checked as that session's; None: any session's.

    Empty content is a snapshot that has not begun: no records and no fault.
    """
    bodies: list[bytes] = []
    start = 0
    while (end := content.find(b"\n", start)) >= 0:
        body = content[start + _BODY_AT : end]
        if content[start : start + _BODY_AT] != b"%08x " % zlib.crc32(body):
            break
        bodies.append(body)
        start = end + 1
    fault = base_fault(bodies[0], session_id) if bodies else (_BROKEN if content else None)
    return SnapshotRecords(tuple(bodies), len(content) - start, fault)


def base_fault(body: bytes, session_id: str | None) -> str | None:
    """Why `body` cannot be the base of that session (None: of any session), or None."""
    head = _head(body)
    if head is None or type(head.version) is not int or head.version < 1:
        return _BROKEN
    if head.version > VERSION:
        return f"it was written by a newer ctxmgr (snapshot version {head.version}, known is {VERSION})"
    if head.kind != "base" or not isinstance(head.sessionId, str):
        return _BROKEN
    if session_id is not None and head.sessionId != session_id:
        return "it belongs to another session"
    return None


def _head(body: bytes) -> _Head | None:
    """The head of a base, or None if it is not a JSON object."""
    try:
        return msgspec.json.decode(body, type=_Head)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass  # msgspec refuses unpaired surrogates, which a session id may hold; json takes them
    try:
        base = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(base, dict):
        return None
    return _Head(base.get("kind"), base.get("version"), base.get("sessionId"))


GROWN_BYTES = 256 * 1024  # below, a rewrite (two fsyncs, 15 ms for all sessions) costs more than reading it (2 ms)
GROWN_TIMES = 4  # times its base: rewriting then costs a third of what was appended since
GROWN_BYTES_AT_MOST = 512 * 1024  # beyond its base: rewriting a large one costs no more than some times that


def grown_bytes(base: int) -> int:
    """The size at which a file is rewritten, given the size of its base in bytes."""
    return max(GROWN_BYTES, min(GROWN_TIMES * base, base + GROWN_BYTES_AT_MOST))


class SnapshotFull(OSError):
    """The disk refused the write (full, read-only, failing). The file is still whole."""


class SnapshotFile:
    """One session's open and locked file. Made by `SnapshotStore.open`."""

    def __init__(self, path: Path, session_id: str, data: int, lock: int, base: bytes) -> None:
        self._path = self.path = path
        self._session_id = session_id
        self._data = data  # descriptors; -1 once closed
        self._lock = lock
        status = os.fstat(data)
        self._size, self._inode = status.st_size, (status.st_dev, status.st_ino)
        self._base = len(to_line(base)) if base else 0
        self._entered = False  # the file's name is on disk, not only its content
        self._uncertain = False  # the file may be longer than `_size`
        self._gap = False  # a line is missing; only a rewrite makes the file complete again
        self._swap = threading.Lock()  # held while `sync` uses the descriptor, and while it is exchanged

    def save(self, line: bytes, whole: Callable[[], Sequence[bytes]], more: Sequence[bytes] = ()) -> None:
        """Appends one record and `more` behind it. If the file has grown or has a gap, replaces it with `whole`,
        which then has the same meaning. Raises SnapshotFull; a later call repairs the file.
        """
        if not self._gap:
            with contextlib.suppress(OSError, ValueError):  # a rewrite may still fit
                self.append(line, *more)
        if self.grown:
            self.rewrite(whole())

    def append(self, body: bytes, *more: bytes) -> None:
        """Appends these records by one write; they survive `kill -9` once this returns. The first record of a file
        must be its base.

        Raises SnapshotFull: none of them is in the file, which is unchanged. `grown` then asks for a rewrite.
        """
        lacked, self._gap = self._gap, True  # rule 3
        self._check(body if self._size == 0 else None)
        first = to_line(body)
        lines = b"".join((first, *map(to_line, more))) if more else first
        try:
            self._cut()
            self._uncertain = True
            write(self._data, lines)
        except OSError as error:
            with contextlib.suppress(OSError):  # retried before the next line
                self._cut()
            self._fail(error)
        self._uncertain = False
        self._size += len(lines)
        self._base = self._base or len(first)
        self._gap = lacked

    def rewrite(self, bodies: Sequence[bytes]) -> None:
        """Replaces the content with these records, base first. Takes milliseconds. Raises SnapshotFull."""
        if not bodies:
            raise ValueError("a snapshot begins with a base")
        self._check(bodies[0])
        lines = [to_line(body) for body in bodies]
        content = b"".join(lines)
        temporary = beside(self._path, "tmp")
        try:
            data = create(temporary, content)
            with undone(data, temporary):
                status = os.fstat(data)
                os.replace(temporary, self._path)
        except OSError as error:
            self._fail(error)
        self._exchange(data, status, len(lines[0]))
        try:
            sync_directory(self._path.parent)
        except OSError as error:
            self._fail(error)
        self._entered = True

    def set_aside(self) -> str:
        """Renames the file, whose lines form no state, and starts a new one. Returns its new name. Raises
        OSError.
        """
        name = set_aside(self._path)
        data = create(self._path, b"")
        with undone(data, self._path):
            status = os.fstat(data)
        self._exchange(data, status, 0)
        return name

    def _exchange(self, data: int, status: os.stat_result, base: int) -> None:
        """Switches to another descriptor, of a complete file."""
        with self._swap:
            old, self._data = self._data, data
            self._base, self._size, self._inode = base, status.st_size, (status.st_dev, status.st_ino)
            self._uncertain = self._gap = self._entered = False
        with contextlib.suppress(OSError):  # it is gone in any case
            os.close(old)

    @property
    def in_place(self) -> bool:
        """Whether the name still means this file and nobody else may write it. Otherwise a rewrite makes it ours
        again.
        """
        try:
            there = os.lstat(self._path)
        except OSError:
            return False
        if shared(there):
            self._gap = True
        return (there.st_dev, there.st_ino) == self._inode

    def lacks(self) -> None:
        """The file is incomplete; the next `save` rewrites it."""
        self._gap = True

    @property
    def grown(self) -> bool:
        """Whether to rewrite: the file is far larger than its base, or lacks a line that could not be appended."""
        return self._gap or (self._size > GROWN_BYTES and self._size > grown_bytes(self._base))

    def sync(self) -> None:
        """Syncs what was appended. Takes milliseconds, so call it off the loop. Raises OSError."""
        with self._swap:
            if self._data < 0:
                return
            flush(self._data)
            if not self._entered:
                sync_directory(self._path.parent)
                self._entered = True

    def close(self) -> None:
        """Syncs, and releases the lock even if that fails with OSError. A second call does nothing."""
        try:
            self.sync()
        finally:
            with self._swap:
                data, self._data = self._data, -1
            if data >= 0:
                try:
                    os.close(data)
                finally:
                    release(self._lock)

    def _check(self, base: bytes | None) -> None:
        if self._data < 0:
            raise ValueError(f"{self._path} is closed")  # unlocked: a write now could collide with another writer
        if base is not None and (fault := base_fault(base, self._session_id)):
            raise ValueError(f"no base of {self._path}: {fault}")

    def _cut(self) -> None:
        if self._uncertain:
            os.ftruncate(self._data, self._size)
            self._uncertain = False

    def _fail(self, error: OSError) -> NoReturn:
        raise SnapshotFull(error.errno, f"{self._path} did not reach the disk: {error.strerror}") from error
