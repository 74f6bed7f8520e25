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
