"""The directories that hold the state of sessions on this machine: where they are, how they are made, who owns a
file.

Windows tells nothing of a file's owner or mode: there every file is trusted.
"""

import os
import stat
from pathlib import Path


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


OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


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
