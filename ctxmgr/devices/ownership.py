"""Whose a file is, and who else can change it: turns what the system says of a file into a reason not to trust it.

Windows tells none of it: there all is well.
"""

import os
import stat

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
