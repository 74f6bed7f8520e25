"""Files below a folder that is named by its descriptor: they lie in that folder, wherever it was moved meanwhile.

A file is written beside its name, carried to the disk, and renamed, so what a name means is always whole. Keys are
as in `interface`; the folders in one are made with the first file.
"""

import contextlib
import os
import secrets
from contextlib import AbstractContextManager

from ctxmgr.devices import files

LOCK_SECONDS = 5.0  # a file is written within milliseconds: who holds the lock for longer was stopped
OPEN_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def read(root: int, key: str) -> bytes:
    """OSError."""
    with open(os.open(key, os.O_RDONLY | os.O_CLOEXEC, dir_fd=root), "rb") as file:
        return file.read()


def write(root: int, key: str, content: bytes) -> None:
    """OSError, and then the name means what it did."""
    folder = _made(root, key)
    temporary = _beside(key, secrets.token_hex(8))
    made = files.create(temporary, content, root)
    with files.undone(made, temporary, root):
        os.replace(temporary, key, src_dir_fd=root, dst_dir_fd=root)
    os.close(made)
    files.sync_directory(folder, root)


def alone(root: int, key: str) -> AbstractContextManager[None]:
    """One process at a time, for as long as a file is written; LockedError where one is stopped meanwhile."""
    _made(root, key)
    return files.locked(_beside(key, "lock"), LOCK_SECONDS, root)


def names(root: int, folder: str) -> list[str]:
    """The keys of what lies in it (`folder` ends in a slash); none where there is no such folder. OSError."""
    try:
        descriptor = os.open(folder, OPEN_FLAGS, dir_fd=root)
    except (FileNotFoundError, NotADirectoryError):
        return []
    try:
        return sorted(folder + name for name in os.listdir(descriptor) if not name.startswith("."))
    finally:
        os.close(descriptor)


def _made(root: int, key: str) -> str:
    """The folder in which the file lies, which is there now."""
    above = "."
    for part in key.split("/")[:-1]:
        folder = f"{above}/{part}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700, dir_fd=root)
            files.sync_directory(above, root)
        above = folder
    return above


def _beside(key: str, ending: str) -> str:
    folder, slash, name = key.rpartition("/")
    return f"{folder}{slash}.{name}.{ending}"
