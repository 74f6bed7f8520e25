"""Turns a directory and a session id into that session's saved lines and a file that takes more.

Knows files, locks and lines, not what a state or an event means. Calls about one session are made one at a time.

1. A writer holds the lock. The lock is a separate file, because a rewrite replaces the inode of the snapshot and a
   lock belongs to an inode. Release keeps the lock file. `delete` unlinks it while holding it, and a process that
   locks it checks afterwards that the name still means the locked inode.
2. Nothing is overwritten: a torn tail is copied to NAME.torn before it is cut off, and an unusable file is renamed
   NAME.broken-1, -2, ...
3. A disk fault does not stop a session: `open` reports it and returns no file. It refuses only if another process
   holds the lock.
4. A session id is never a path, and a link in place of a file is never followed.
5. A file of another user is not read (rule 2). A file that others could write, or that has another name, is read,
   reported and rewritten.
6. Beside a session's snapshot, NAME.jsonl, are its lock and what was set aside (NAME.jsonl.torn, .broken-1). Its
   lock file, which holds the process id of the holder, shows whether a session is open. Trying the lock instead
   could make another process's `open` fail. After a kill the id remains, so the process must exist, too.
"""

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ctxmgr.devices.files import (
    OPEN_FLAGS,
    PID_BYTES,
    LockedError,
    beside,
    content_of,
    foreign,
    keep,
    make_directory,
    release,
    seize,
    set_aside,
    shared,
    sync_directory,
    unlink,
)
from ctxmgr.devices.snapshots.file import SnapshotFile, SnapshotRecords, from_lines
from ctxmgr.model import faults

PREFIX_CHARACTERS = 40  # of the session id, for readers; the hash identifies the session
HASH_DIGITS = 32  # 128 bits: no two ids collide, and the longest side name stays below 143 (eCryptfs)
_IRREGULAR = "it is not a regular file"
ENDING = ".jsonl"
_SIDE = (".torn", ".tmp", ".broken-")


class OpenedSnapshot(msgspec.Struct, frozen=True):
    """The result of `SnapshotStore.open`. `refused`: another process holds the session, which must not continue
    here.

    `file` is None if nothing can be saved; `lines` may still be there (a read-only disk). `torn_bytes` after the
    last good line were set aside. `fault` is a sentence for people, or None. `unread`: there may be lines that
    could not be read, so this session must not overwrite them.
    """

    file: SnapshotFile | None = None
    lines: tuple[bytes, ...] = ()
    fault: str | None = None
    refused: bool = False
    torn_bytes: int = 0
    unread: bool = False


class SnapshotStore:
    """The snapshots in one directory, which is made (0700) when the first session is opened."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def open(self, session_id: str) -> OpenedSnapshot:
        """Locks the session and reads its lines. Faults are in the answer, never raised."""
        path = self._directory / file_name(session_id)
        try:
            with contextlib.ExitStack() as undo:
                make_directory(self._directory)
                lock = seize(beside(path, "lock"))
                undo.callback(release, lock)
                opened = _open_locked(path, session_id, lock)
                undo.pop_all()
                return opened
        except LockedError as holder:
            return OpenedSnapshot(fault=f"{path} is locked by {holder}: the session is open there", refused=True)
        except Exception as error:  # noqa: BLE001  rule 3, whatever it is
            return _unsaved(path, session_id, error)

    def delete(self, session_id: str) -> str | None:
        """Removes all files of a session. Returns a fault if it is open, here or elsewhere, or the disk refuses."""
        path = self._directory / file_name(session_id)
        if not self._directory.is_dir():
            return None
        try:
            lock = seize(beside(path, "lock"))
            try:
                faults = [unlink(file) for file in _files_of(path)]
                faults.append(unlink(beside(path, "lock")))  # last: without it the name is free for others
                sync_directory(self._directory)
            finally:
                release(lock)
        except LockedError as holder:
            return f"{path} is locked by {holder}: nothing was deleted"
        except OSError as error:
            return f"{path} was not deleted: {error.strerror}"
        return "; ".join(fault for fault in faults if fault) or None


def file_name(session_id: str) -> str:
    """A file name for any string. Different ids get different names, also where case does not count."""
    readable = re.sub(r"[^A-Za-z0-9_-]", "-", session_id[:PREFIX_CHARACTERS]).strip("-") or "session"
    # surrogatepass: an unpaired surrogate has no UTF-8 of its own, yet must not meet another id.
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
    return f"{readable}-{digest}.jsonl"


def read(path: Path) -> SnapshotRecords:
    """Reads a snapshot file without lock or write. Follows links, since the path is the user's own."""
    try:
        content = content_of(Path(os.path.realpath(path)))
    except OSError as error:
        return SnapshotRecords(fault=f"{path} cannot be read: {error.strerror}")
    reading = SnapshotRecords(fault=_IRREGULAR) if content is None else from_lines(content, None)
    if reading.fault is None:
        return reading
    return SnapshotRecords(reading.bodies, reading.torn_bytes, f"{path} cannot be used: {reading.fault}")


def _open_locked(path: Path, session_id: str, lock: int) -> OpenedSnapshot:
    """The session's file. Sets a torn tail or an unusable file aside (rule 2). Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(beside(path, "tmp"))  # of a rewrite that was killed
    content: bytes | None = b""
    reading, fault = SnapshotRecords(), None
    with contextlib.suppress(FileNotFoundError):
        why = foreign(os.lstat(path))
        content = b"" if why else content_of(path)
        why = why or (_IRREGULAR if content is None else None)
        reading = SnapshotRecords(fault=why) if content is None or why else from_lines(content, session_id)
    if reading.fault:
        fault = f"{path} was set aside as {set_aside(path)} and a new one begun: {reading.fault}"
        reading = SnapshotRecords()
    elif content and reading.torn_bytes:
        keep(beside(path, "torn"), content[-reading.torn_bytes :])
        os.truncate(path, len(content) - reading.torn_bytes)
        fault = f"{path} had {reading.torn_bytes} unreadable bytes at its end, kept in {path.name}.torn"
    data = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | OPEN_FLAGS, 0o600)
    try:
        why = _made_private(data)
        file = SnapshotFile(path, session_id, data, lock, reading.bodies[0] if reading.bodies else b"")
    except BaseException:
        os.close(data)
        raise
    if why:
        file.lacks()
        fault = f"{path}: {why}; the next save writes it anew, for its owner alone"
    return OpenedSnapshot(file, reading.bodies, fault, torn_bytes=reading.torn_bytes)


def _made_private(data: int) -> str | None:
    """Makes it private to the owner. Returns how others could write it."""
    status = os.fstat(data)
    if stat.S_IMODE(status.st_mode) != 0o600 and hasattr(os, "fchmod"):
        os.fchmod(data, 0o600)
    return shared(status)


def _unsaved(path: Path, session_id: str, error: Exception) -> OpenedSnapshot:
    """The answer if no file is available: what could still be read, and why nothing is saved."""
    reading, unread = SnapshotRecords(), False
    try:
        reading = from_lines(content_of(path) or b"", session_id)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except Exception:  # noqa: BLE001  the cause is said
        unread = True
    fault = f"{path} cannot be written, the session is not saved: {faults.cause(error)}"
    return OpenedSnapshot(lines=() if reading.fault else reading.bodies, fault=fault, unread=unread)


def _files_of(path: Path) -> list[Path]:
    """The snapshot and its side files, except the lock file."""
    kept = (f"{path.name}.lock",)
    names = [name for name in os.listdir(path.parent) if name.startswith(path.name) and name not in kept]
    return [path.with_name(name) for name in sorted(names)]


class SavedFile(msgspec.Struct, frozen=True):
    """One session's snapshot. `holder`: the process that has it open, or None."""

    path: str
    size_bytes: int
    saved_ms: int
    holder: int | None


def saved_files(directory: Path) -> list[SavedFile]:
    """Of all sessions, newest first. Raises OSError if the directory cannot be read."""
    files = []
    for entry in os.scandir(directory):
        if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            holding = holder(Path(entry.path))
            files.append(SavedFile(entry.path, status.st_size, status.st_mtime_ns // 1_000_000, holding))
    return sorted(files, key=lambda file: (-file.saved_ms, file.path))


def leftovers(directory: Path) -> Iterator[tuple[str, int]]:
    """Paths and sizes in bytes of files that were set aside, or left by a killed process. Raises OSError."""
    for entry in os.scandir(directory):
        stem, ending, rest = entry.name.partition(ENDING)
        if stem and ending and rest.startswith(_SIDE) and entry.is_file(follow_symlinks=False):
            yield entry.path, entry.stat(follow_symlinks=False).st_size


def holder(path: Path) -> int | None:
    """Rule 6, for one snapshot."""
    try:
        lock = os.open(beside(path, "lock"), os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return None
    try:
        text = os.read(lock, PID_BYTES)
    except OSError:
        return None
    finally:
        os.close(lock)
    return int(text) if text.isdigit() and _is_alive(int(text)) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True
