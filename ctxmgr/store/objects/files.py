"""Files below a folder that is named by its descriptor: they lie in that folder, wherever it was moved meanwhile.

A file is written beside its name, carried to the disk, and renamed, so what a name means is always whole. Keys are
as in `interface`; the folders in one are made with the first file.
"""

import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Iterator

LOCK_SECONDS = 5.0  # a file is written within milliseconds: who holds the lock for longer was stopped
RETRY_SECONDS = 0.005
OPEN_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def read(root: int, key: str) -> bytes:
    """OSError."""
    with open(os.open(key, os.O_RDONLY | os.O_CLOEXEC, dir_fd=root), "rb") as file:
        return file.read()


def write(root: int, key: str, content: bytes) -> None:
    """OSError, and then the name means what it did."""
    folder = _made(root, key)
    temporary = _beside(key, secrets.token_hex(8))
    made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=root)
    try:
        with open(made, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(made)
        os.replace(temporary, key, src_dir_fd=root, dst_dir_fd=root)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=root)
        raise
    sync(folder, root)


@contextlib.contextmanager
def alone(root: int, key: str) -> Iterator[None]:
    """One process at a time, for as long as a file is written; BlockingIOError where one is stopped meanwhile.
    The lock's file stays: who unlinks it would let a third in beside a second."""
    _made(root, key)
    lock = os.open(_beside(key, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=root)
    try:
        until = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(RETRY_SECONDS)
        yield
    finally:
        os.close(lock)


def names(root: int, folder: str) -> list[str]:
    """Of what lies in it; none where there is no such folder. OSError."""
    try:
        descriptor = os.open(folder, OPEN_FLAGS, dir_fd=root)
    except (FileNotFoundError, NotADirectoryError):
        return []
    try:
        return sorted(name for name in os.listdir(descriptor) if not name.startswith("."))
    finally:
        os.close(descriptor)


def sync(folder: str, root: int | None = None) -> None:
    """Carries names that were made or renamed in it to the disk. OSError."""
    descriptor = os.open(folder, OPEN_FLAGS, dir_fd=root)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _made(root: int, key: str) -> str:
    """The folder in which the file lies, which is there now."""
    above = "."
    for part in key.split("/")[:-1]:
        folder = f"{above}/{part}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700, dir_fd=root)
            sync(above, root)
        above = folder
    return above


def _beside(key: str, ending: str) -> str:
    folder, slash, name = key.rpartition("/")
    return f"{folder}{slash}.{name}.{ending}"
