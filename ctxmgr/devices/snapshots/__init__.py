"""Snapshots: the saved lines of each session in its own file, which one process at a time writes.

Knows no state and no event: a line is JSON. A kill, a full disk or a second process must not lose any of it.
"""

from ctxmgr.devices.snapshots.file import SnapshotFile, SnapshotRecords, to_line
from ctxmgr.devices.snapshots.store import (
    OpenedSnapshot,
    SavedFile,
    SnapshotStore,
    file_name,
    leftovers,
    read,
    saved_files,
)

__all__ = [
    "OpenedSnapshot",
    "SavedFile",
    "SnapshotFile",
    "SnapshotRecords",
    "SnapshotStore",
    "file_name",
    "leftovers",
    "read",
    "saved_files",
    "to_line",
]
