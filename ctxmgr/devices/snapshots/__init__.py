"""Snapshots: each session's saved lines in a file of its own, which one process at a time writes.

Knows no state and no event: a line is JSON. Nothing of it may be lost by a kill, a full disk or a second process.
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
