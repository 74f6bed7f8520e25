"""A lock by a file of its own: turns a path into a descriptor that holds it, for as long as it is open.

The file stays when the lock is released: who unlinks it does so while holding it, and who locks checks afterwards
that the name still means the inode it has locked.
"""

import contextlib
import errno
import os
from pathlib import Path

LOCK_TRIES = 16  # each failed try is one unlinking of the same lock by another process in that instant
PID_BYTES = 20  # a 64 bit number in decimal

# Flags that Windows lacks count as nothing there. O_NONBLOCK: a named pipe must not hang us; files ignore it.
OPEN_FLAGS: int = 0
for _name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    OPEN_FLAGS |= getattr(os, _name, 0)


class LockedError(Exception):
    """Another holds the lock; the text says who."""


def seize(name: Path) -> int:
    """The descriptor of the lock file, locked. LockedError if another has it, OSError."""
    for _ in range(LOCK_TRIES):
        lock = os.open(name, os.O_RDWR | os.O_CREAT | OPEN_FLAGS, 0o600)
        with contextlib.ExitStack() as undo:
            undo.callback(os.close, lock)
            if not _try_lock(lock):
                pid = os.pread(lock, PID_BYTES, 0)
                raise LockedError(f"pid {pid.decode()}" if pid.isdigit() else "another process")
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), os.lstat(name)):
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
            _unlock(lock)
        finally:
            os.close(lock)


def _unlock(lock: int) -> None:
    with contextlib.suppress(ImportError):
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_UN)
