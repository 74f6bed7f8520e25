"""File operations for session state on this machine: directories, who may write, locks, and writes that are neither
lost nor half done. Knows no lines and no sessions.

1. A lock is a separate file, locked as long as its descriptor is open. The file stays when the lock is released. A
   process unlinks it only while holding it, and a process that locks it checks afterwards that the name still means
   the locked inode.
2. `root` is the descriptor of a folder that relative names start from, even if it is moved.
3. Windows reports no owner or mode of a file, so every file is trusted there.
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
LOCK_TRIES = 16  # each failed attempt means that another process just unlinked the same lock
RETRY_SECONDS = 0.005
PID_BYTES = 20  # a 64 bit number in decimal

# Flags that Windows lacks count as nothing there. O_NONBLOCK: a named pipe must not hang us; files ignore it.
OPEN_FLAGS: int = 0
for _name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    OPEN_FLAGS |= getattr(os, _name, 0)


def default_state_dir() -> str:
    """Where snapshots and archive are stored by default."""
    from platformdirs import user_state_dir

    return user_state_dir("ctxmgr", appauthor=False)


def make_directory(path: Path) -> None:
    """Makes the directory and its missing parents, for the owner only. Existing ones stay unchanged. Raises
    OSError.
    """
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        make_directory(path.parent)
        os.mkdir(path, 0o700)
    except OSError:
        if not path.is_dir():
            raise


def foreign(status: os.stat_result) -> str | None:
    """Why the content does not belong to us, or None."""
    mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    return None if mine else "it belongs to another user"


def shared(status: os.stat_result) -> str | None:
    """How others could write it, or None if they cannot."""
    if os.name == "nt":
        return None
    if status.st_nlink > 1:
        return "it had another name, a hard link"
    return "others could write it" if status.st_mode & OTHERS_WRITE else None


def private_file(path: str) -> int:
    """A descriptor of an empty file that only the owner can read. Raises OSError."""
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(made).st_mode):
        os.fchmod(made, 0o600)  # it may have existed
    return made


class LockedError(OSError):
    """Another process holds the lock. The text says which."""


@contextlib.contextmanager
def locked(name: str | Path, seconds: float, root: int | None = None) -> Iterator[None]:
    """Holds the lock while the body runs. Waits `seconds`, then raises LockedError. Raises OSError."""
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
    """The descriptor of the lock file, locked. Raises LockedError if another process has it, OSError."""
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
    """Whether the lock was free. It ends with the descriptor, and so with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two programs on one session are not detected there
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(lock: int, pid: bytes) -> None:
    """Writes the holder's process id, only for messages to others; a full disk may leave the file empty."""
    with contextlib.suppress(OSError):
        os.ftruncate(lock, 0)
        os.write(lock, pid)


def release(lock: int) -> None:
    """Releases it at once, even if a starting child process has a copy of the descriptor."""
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
    """The bytes of a regular file, or None for anything else (links included). Raises OSError."""
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
    """A new file with `content`, synced to disk; its descriptor appends. Raises OSError, and then leaves no
    file.
    """
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path, dir_fd=root)
    created = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | OPEN_FLAGS, 0o600, dir_fd=root)
    with undone(created, path, root):
        write(created, content)
        os.fsync(created)
    return created


@contextlib.contextmanager
def undone(created: int, path: str | Path, root: int | None = None) -> Iterator[None]:
    """Closes and unlinks a new file if the body fails."""
    try:
        yield
    except BaseException:
        os.close(created)
        with contextlib.suppress(OSError):
            os.unlink(path, dir_fd=root)
        raise


def set_aside(path: Path, sides: Sequence[str] = ()) -> str:
    """Renames `path` to the first free NAME.broken-N; only the lock's holder may call it. Side files, named NAME
    plus one of `sides`, are renamed first, before a disk fault can interrupt.
    """
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
    """Appends `tail` to `path`, synced when this returns, because the snapshot drops it next. Raises OSError and
    undoes it then.
    """
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
    """One write. A disk that fills up takes a part and reports that only at the next write; here it raises
    OSError.
    """
    if os.write(descriptor, content) != len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def flush(descriptor: int) -> None:
    getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS and Windows only have fsync


def sync_directory(directory: str | Path, root: int | None = None) -> None:
    """Syncs names that were created, renamed or removed. Raises OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows cannot open a directory
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=root)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system without this operation
            raise
    finally:
        os.close(descriptor)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
