"""What files need that hold the state of sessions on this machine: their directories, who may write them, locks,
and writes of which nothing is lost or half there. Knows no line and no session.

1. A lock is a file of its own, locked for as long as its descriptor is open. The file stays when the lock is
   released: who unlinks it does so while holding it, and who locks checks afterwards that the name still means the
   inode it has locked.
2. `root` is the descriptor of a folder that relative names count from, wherever it was moved meanwhile.
3. Windows tells nothing of a file's owner or mode: there every file is trusted.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
READ_BYTES = 1 << 20
LOCK_TRIES = 16  # each failed try is one unlinking of the same lock by another process in that instant
RETRY_SECONDS = 0.005
PID_BYTES = 20  # a 64 bit number in decimal

# Flags that Windows lacks count as nothing there. O_NONBLOCK: a named pipe must not hang us; files ignore it.
OPEN_FLAGS: int = 0
for _name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    OPEN_FLAGS |= getattr(os, _name, 0)


def default_state_dir() -> str:
    """Where snapshots and archive lie when nobody names a place."""
    from platformdirs import user_state_dir

    return user_state_dir("ctxmgr", appauthor=False)


def make_directory(path: Path) -> None:
    """Makes it, and what is missing above it, for the owner alone; what is there stays as it is. OSError."""
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        make_directory(path.parent)
        os.mkdir(path, 0o700)
    except OSError:
        if not path.is_dir():
            raise


def foreign(status: os.stat_result) -> str | None:
    """Why its content is not ours, None where it is."""
    mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return None if mine else "it belongs to another user"


def shared(status: os.stat_result) -> str | None:
    """How others could write it, None where none can."""
    if os.name == "nt":
        return None
    if status.st_nlink > 1:
        return "it had another name, a hard link"
    return "others could write it" if status.st_mode & OTHERS_WRITE else None


def private_file(path: str) -> int:
    """A descriptor of an empty file for its owner's eyes alone. OSError."""
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(made).st_mode):
        os.fchmod(made, 0o600)  # it may have been there
    return made


class LockedError(OSError):
    """Another holds the lock; the text says who."""


@contextlib.contextmanager
def locked(name: str | Path, seconds: float, root: int | None = None) -> Iterator[None]:
    """While the body runs nobody else has the lock. It is waited for so long; then LockedError. OSError."""
    until = time.monotonic() + seconds
    while True:
        try:
            lock = seize(name, root)
            break
        except LockedError:
            if time.monotonic() > until:
                raise
            time.sleep(RETRY_SECONDS)
    try:
        yield
    finally:
        release(lock)


def seize(name: str | Path, root: int | None = None) -> int:
    """The descriptor of the lock file, locked. LockedError if another has it, OSError."""
    for _ in range(LOCK_TRIES):
        lock = os.open(name, os.O_RDWR | os.O_CREAT | OPEN_FLAGS, 0o600, dir_fd=root)
        with contextlib.ExitStack() as undo:
            undo.callback(os.close, lock)
            if not _try_lock(lock):
                pid = os.pread(lock, PID_BYTES, 0)
                raise LockedError(f"pid {pid.decode()}" if pid.isdigit() else "another process")
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), os.stat(name, dir_fd=root, follow_symlinks=False)):
                    _sign(lock, b"%d" % os.getpid())
                    undo.pop_all()
                    return lock
    raise OSError(errno.EBUSY, "its lock file vanished at each try")


def _try_lock(lock: int) -> bool:
    """Whether the lock was free. It ends with the descriptor, so with the holder, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two programs on one session are not noticed there
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(lock: int, pid: bytes) -> None:
    """Write who holds the lock, for the message to others alone: a full disk may leave it empty."""
    with contextlib.suppress(OSError):
        os.ftruncate(lock, 0)
        os.write(lock, pid)


def release(lock: int) -> None:
    """Free for others at once, also while a process that is just being started has a copy of the descriptor."""
    try:
        _sign(lock, b"")
    finally:
        try:
            with contextlib.suppress(ImportError):
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_UN)
        finally:
            os.close(lock)


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


def create(path: str | Path, content: bytes, root: int | None = None) -> int:
    """A new file with `content`, on the disk; its descriptor appends. OSError, and then there is no file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path, dir_fd=root)
    created = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | OPEN_FLAGS, 0o600, dir_fd=root)
    with undone(created, path, root):
        write(created, content)
        os.fsync(created)
    return created


@contextlib.contextmanager
def undone(created: int, path: str | Path, root: int | None = None) -> Iterator[None]:
    """Close and unlink a new file if the body fails."""
    try:
        yield
    except BaseException:
        os.close(created)
        with contextlib.suppress(OSError):
            os.unlink(path, dir_fd=root)
        raise


def set_aside(path: Path, sides: Sequence[str] = ()) -> str:
    """Rename `path` to the first free NAME.broken-N, which only the holder of the lock does; what lies beside it as
    NAME and one of `sides` goes with it, before a disk at fault can be noticed."""
    number = 1
    while os.path.lexists(aside := beside(path, f"broken-{number}")):
        number += 1
    os.rename(path, aside)
    for side in sides:
        with contextlib.suppress(FileNotFoundError):
            os.rename(f"{path}{side}", f"{aside}{side}")
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


def sync_directory(directory: str | Path, root: int | None = None) -> None:
    """Carry names that were made, renamed or removed to the disk. OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows opens no directory
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=root)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that has no such thing
            raise
    finally:
        os.close(descriptor)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
