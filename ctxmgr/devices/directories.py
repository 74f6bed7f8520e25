"""Where the state of sessions lies on this machine when nobody names a place, and how such a place is made."""

import os
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
