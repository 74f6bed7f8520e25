"""The store: turns a directory and a session id into that session's saved lines and a file that takes more.

Knows files, locks and lines; not what a state or an event means. Calls about one session are made one at a
time; only `SnapshotFile.sync` may run in another thread beside them.

1. Who writes holds the lock. It is a file of its own: a rewrite swaps the inode of the snapshot, and a lock
   stays with its inode. Release leaves the lock file; `delete` unlinks it while holding it, and whoever locks
   checks afterwards that the name still means the inode it has locked.
2. A line is appended by one write, so it is in the page cache on return and `kill -9` can not take it back.
   Power loss is covered by `sync` and `close`.
3. The file is whole after every call: what did not fit is cut off again, a rewrite is one rename or nothing.
4. Nothing is overwritten: a torn tail goes to NAME.torn before it is cut off, a file that can not be used
   is renamed NAME.broken-1, -2, ...
5. A disk at fault does not stop a session: `open` says so and gives no file. Only a lock that another holds
   refuses.
6. A session id is never a path, and a link at a file's name is never followed.
"""

import contextlib
import errno
import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from ctxmgr.devices.locks import OPEN_FLAGS, LockedError, release, seize
from ctxmgr.devices.snapshot_lines import SnapshotRecords, base_fault, from_lines, to_line

PREFIX_CHARACTERS = 40  # of the session id, for people's eyes; the hash tells sessions apart
HASH_DIGITS = 32  # 128 bits: no two ids meet, and the longest side name stays below 143 (eCryptfs)
GROWN_BYTES = 64 * 1024  # below this a rewrite costs more (two fsyncs, milliseconds) than reading it saves
GROWN_TIMES = 4  # times its base: rewriting then costs a third of what was appended since
_IRREGULAR = "it is no regular file"


class SnapshotFull(OSError):
    """The disk did not take what was to be written (full, read-only, failing). The file is whole even so."""


class SnapshotFile:
    """One session's file, open and locked. Made by `Store.open`."""

    def __init__(self, path: Path, session_id: str, data: int, lock: int, base: bytes) -> None:
        self._path = path
        self._session_id = session_id
        self._data = data  # descriptors; -1 once closed
        self._lock = lock
        self._size = os.fstat(data).st_size
        self._base = len(to_line(base)) if base else 0
        self._entered = False  # the name of the file is on the disk, not only its content
        self._uncertain = False  # the file may be longer than `_size`
        self._gap = False  # a line is missing: only a rewrite makes the file tell the state again
        self._swap = threading.Lock()  # held while `sync` uses the descriptor, and while it is exchanged

    def append(self, body: bytes) -> None:
        """Add one record; it survives `kill -9` once this returns. The first one of a file must be its base.

        SnapshotFull: the record is not in the file, which is as it was; `grown` then asks for a rewrite.
        """
        self._check(body if self._size == 0 else None)
        line = to_line(body)
        try:
            self._cut()
            self._uncertain = True
            _write(self._data, line)
        except OSError as error:
            self._gap = True
            with contextlib.suppress(OSError):  # tried again before the next line
                self._cut()
            self._fail(error)
        self._uncertain = False
        self._size += len(line)
        self._base = self._base or len(line)

    def rewrite(self, bodies: Sequence[bytes]) -> None:
        """Put these records, base first, in the place of all there is. Takes milliseconds. SnapshotFull."""
        if not bodies:
            raise ValueError("a snapshot begins with a base")
        self._check(bodies[0])
        lines = [to_line(body) for body in bodies]
        content = b"".join(lines)
        temporary = _beside(self._path, "tmp")
        try:
            data = _create(temporary, content)
            with _undone(data, temporary):
                os.replace(temporary, self._path)
        except OSError as error:
            self._fail(error)
        with self._swap:
            old, self._data = self._data, data
            os.close(old)
        self._base, self._size = len(lines[0]), len(content)
        self._uncertain = self._gap = False
        try:
            _sync_directory(self._path.parent)
        except OSError as error:
            self._fail(error)
        self._entered = True

    def set_aside(self) -> str:
        """Rename the file, whose lines make up no state, and begin a new one. Its new name. OSError."""
        with self._swap:
            name = _set_aside(self._path)
            os.close(self._data)
            self._data = _create(self._path, b"")
        self._base = self._size = 0
        self._uncertain = self._gap = False
        return name

    @property
    def grown(self) -> bool:
        """Time to rewrite: the file is several times its base, or lacks a line that could not be appended."""
        return self._gap or self._size > max(GROWN_BYTES, GROWN_TIMES * self._base)

    def sync(self) -> None:
        """Carry what was appended to the disk itself. Takes milliseconds: call it off the loop. OSError."""
        with self._swap:
            if self._data < 0:
                return
            _flush(self._data)
            if not self._entered:
                _sync_directory(self._path.parent)
                self._entered = True

    def close(self) -> None:
        """Sync, and release the lock even if that fails with OSError. A second call does nothing."""
        try:
            self.sync()
        finally:
            with self._swap:
                if self._data >= 0:
                    os.close(self._data)
                    release(self._lock)
                self._data = -1

    def _check(self, base: bytes | None) -> None:
        if self._data < 0:
            raise ValueError(f"{self._path} is closed")  # unlocked: writing now could meet another writer
        if base is not None and (fault := base_fault(base, self._session_id)):
            raise ValueError(f"no base of {self._path}: {fault}")

    def _cut(self) -> None:
        if self._uncertain:
            os.ftruncate(self._data, self._size)
            self._uncertain = False

    def _fail(self, error: OSError) -> NoReturn:
        raise SnapshotFull(error.errno, f"{self._path} did not reach the disk: {error.strerror}") from error


class OpenedSnapshot(msgspec.Struct, frozen=True):
    """What `Store.open` found. `refused`: another holds the session, it must not go on here.

    `file` is None when nothing can be saved; `lines` may be there even so (a read-only disk). `torn_bytes` bytes
    after the last good line were set aside. `fault` is a sentence for people, None when all is well.
    """

    file: SnapshotFile | None = None
    lines: tuple[bytes, ...] = ()
    fault: str | None = None
    refused: bool = False
    torn_bytes: int = 0


class SnapshotStore:
    """The snapshots under one directory, which is made (0700) when the first session is opened."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def open(self, session_id: str) -> OpenedSnapshot:
        """Lock the session and read what is there. Faults are in the answer, never raised."""
        path = self._directory / file_name(session_id)
        with contextlib.ExitStack() as undo:
            try:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                lock = seize(_beside(path, "lock"))
                undo.callback(release, lock)
                opened = _open_locked(path, session_id, lock)
            except LockedError as holder:
                return OpenedSnapshot(
                    fault=f"{path} is locked by {holder}: the session is open there", refused=True
                )
            except OSError as error:
                return _unsaved(path, session_id, error)
            undo.pop_all()
        return opened

    def delete(self, session_id: str) -> str | None:
        """Remove all files of a session. A fault when it is open, here or elsewhere, or the disk refuses."""
        path = self._directory / file_name(session_id)
        if not self._directory.is_dir():
            return None
        try:
            lock = seize(_beside(path, "lock"))
            try:
                faults = [_unlink(file) for file in _files_of(path)]
                faults.append(_unlink(_beside(path, "lock")))  # last: without it the name is free to others
                _sync_directory(self._directory)
            finally:
                release(lock)
        except LockedError as holder:
            return f"{path} is locked by {holder}: nothing was deleted"
        except OSError as error:
            return f"{path} was not deleted: {error.strerror}"
        return "; ".join(fault for fault in faults if fault) or None


def file_name(session_id: str) -> str:
    """A file name for any string: distinct ids get distinct names, where case does not count as well."""
    readable = re.sub(r"[^A-Za-z0-9_-]", "-", session_id[:PREFIX_CHARACTERS]).strip("-") or "session"
    # surrogatepass: an unpaired surrogate has no UTF-8 of its own, yet must not meet another id.
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
    return f"{readable}-{digest}.jsonl"


def read(path: Path) -> SnapshotRecords:
    """What a snapshot file holds, without lock or write. A link is followed: the path is the user's own."""
    try:
        content = _content(Path(os.path.realpath(path)))
    except OSError as error:
        return SnapshotRecords(fault=f"{path} can not be read: {error.strerror}")
    reading = SnapshotRecords(fault=_IRREGULAR) if content is None else from_lines(content, None)
    if reading.fault is None:
        return reading
    return SnapshotRecords(reading.bodies, reading.torn_bytes, f"{path} can not be used: {reading.fault}")


def _open_locked(path: Path, session_id: str, lock: int) -> OpenedSnapshot:
    """The session's file, with a torn tail or an unusable file set aside (rule 4). OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_beside(path, "tmp"))  # of a rewrite that was killed
    try:
        content = _content(path)
    except FileNotFoundError:
        content = b""
    reading = SnapshotRecords(fault=_IRREGULAR) if content is None else from_lines(content, session_id)
    fault = None
    if reading.fault:
        fault = f"{path} was set aside as {_set_aside(path)} and a new one begun: {reading.fault}"
        reading = SnapshotRecords()
    elif content and reading.torn_bytes:
        _keep(_beside(path, "torn"), content[-reading.torn_bytes :])
        os.truncate(path, len(content) - reading.torn_bytes)
        fault = f"{path} had {reading.torn_bytes} unreadable bytes at its end, kept in {path.name}.torn"
    data = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | OPEN_FLAGS, 0o600)
    file = SnapshotFile(path, session_id, data, lock, reading.bodies[0] if reading.bodies else b"")
    return OpenedSnapshot(file, reading.bodies, fault, torn_bytes=reading.torn_bytes)


def _unsaved(path: Path, session_id: str, error: OSError) -> OpenedSnapshot:
    """The answer where no file can be had: what could be read all the same, and why nothing is saved."""
    try:
        reading = from_lines(_content(path) or b"", session_id)
    except OSError:
        reading = SnapshotRecords()
    fault = f"{path} can not be written, the session is not saved: {error.strerror}"
    return OpenedSnapshot(lines=() if reading.fault else reading.bodies, fault=fault)


def _content(path: Path) -> bytes | None:
    """The bytes of a regular file, None where the name is something else (a link too). OSError."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return None
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | OPEN_FLAGS)) as file:
        return file.read()


def _files_of(path: Path) -> list[Path]:
    """The snapshot and what lies beside it, but for the lock file."""
    kept = (f"{path.name}.lock",)
    names = [name for name in os.listdir(path.parent) if name.startswith(path.name) and name not in kept]
    return [path.with_name(name) for name in sorted(names)]


def _unlink(path: Path) -> str | None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"{path} was not deleted: {error.strerror}"
    return None


def _set_aside(path: Path) -> str:
    """Rename `path` to the first free NAME.broken-N, which only the holder of the lock does."""
    number = 1
    while os.path.lexists(aside := _beside(path, f"broken-{number}")):
        number += 1
    os.rename(path, aside)
    _sync_directory(path.parent)
    return aside.name


def _keep(path: Path, tail: bytes) -> None:
    """Append `tail` to `path`, on the disk when this returns: the snapshot loses it next. OSError, undone."""
    kept = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | OPEN_FLAGS, 0o600)
    try:
        before = os.fstat(kept).st_size
        try:
            _write(kept, tail)
            os.fsync(kept)
        except OSError:
            os.ftruncate(kept, before)
            raise
    finally:
        os.close(kept)


def _create(path: Path, content: bytes) -> int:
    """A new file with `content`, on the disk; its descriptor appends. OSError, and then there is no file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    created = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | OPEN_FLAGS, 0o600)
    with _undone(created, path):
        _write(created, content)
        os.fsync(created)
    return created


@contextlib.contextmanager
def _undone(created: int, path: Path) -> Iterator[None]:
    """Close and unlink a new file if the body fails."""
    try:
        yield
    except BaseException:
        os.close(created)
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def _write(descriptor: int, content: bytes) -> None:
    """One write. A disk that fills up takes a part and says so only at the next one: here it is OSError."""
    if os.write(descriptor, content) != len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _flush(descriptor: int) -> None:
    getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS and Windows have fsync alone


def _sync_directory(directory: Path) -> None:
    """Carry names that were made, renamed or removed to the disk. OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows opens no directory
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that has no such thing
            raise
    finally:
        os.close(descriptor)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
