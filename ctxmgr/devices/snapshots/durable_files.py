"""What a disk needs that nothing be lost or half there: files made whole, set aside, synced, and their folders.

Knows no line and no session.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxmgr.devices.locks import OPEN_FLAGS

READ_BYTES = 1 << 20


def content_of(path: Path) -> bytes | None:
    """The bytes of a regular file, None where the name is something else (a link too). OSError."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return None
    descriptor = os.open(path, os.O_RDONLY | OPEN_FLAGS)
    try:
        parts = []
        while part := os.read(descriptor, READ_BYTES):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def create(path: Path, content: bytes) -> int:
    """A new file with `content`, on the disk; its descriptor appends. OSError, and then there is no file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    created = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | OPEN_FLAGS, 0o600)
    with undone(created, path):
        write(created, content)
        os.fsync(created)
    return created


@contextlib.contextmanager
def undone(created: int, path: Path) -> Iterator[None]:
    """Close and unlink a new file if the body fails."""
    try:
        yield
    except BaseException:
        os.close(created)
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def set_aside(path: Path) -> str:
    """Rename `path` to the first free NAME.broken-N, which only the holder of the lock does."""
    number = 1
    while os.path.lexists(aside := beside(path, f"broken-{number}")):
        number += 1
    os.rename(path, aside)
    sync_directory(path.parent)
    return aside.name


def keep(path: Path, tail: bytes) -> None:
    """Append `tail` to `path`, on the disk when this returns: the snapshot loses it next. OSError, undone."""
    kept = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | OPEN_FLAGS, 0o600)
    try:
        before = os.fstat(kept).st_size
        try:
            write(kept, tail)
            os.fsync(kept)
        except OSError:
            os.ftruncate(kept, before)
            raise
    finally:
        os.close(kept)


def unlink(path: Path) -> str | None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"{path} was not deleted: {error.strerror}"
    return None


def write(descriptor: int, content: bytes) -> None:
    """One write. A disk that fills up takes a part and says so only at the next one: here it is OSError."""
    if os.write(descriptor, content) != len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def flush(descriptor: int) -> None:
    getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS and Windows have fsync alone


def sync_directory(directory: Path) -> None:
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


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
