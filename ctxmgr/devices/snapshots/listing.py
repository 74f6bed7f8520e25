"""Turns a state directory into what lies in it, by names and sizes: sessions, and what nobody needs. Only reads.

1. A session's snapshot is NAME.jsonl. Beside it lie its lock, and what was set aside of it (NAME.jsonl.torn,
   .broken-1).
2. Whether a session is open is told by its lock file, which has the holder's process id while it is held. The
   lock is not tried: who opens the session in that moment would be refused. Of a holder that was killed the id
   stays in it, so the process must be there too.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ctxmgr.devices.locks import OPEN_FLAGS, PID_BYTES
from ctxmgr.devices.snapshots.durable_files import beside

ENDING = ".jsonl"
_SIDE = (".torn", ".tmp", ".broken-")


class SavedFile(msgspec.Struct, frozen=True):
    """One session's snapshot. `holder`: the process that has it open, None where none has."""

    path: str
    size_bytes: int
    saved_ms: int
    holder: int | None


def saved_files(directory: Path) -> list[SavedFile]:
    """Of all sessions, the one saved last first. Raises OSError where the directory can not be read."""
    found = []
    for entry in os.scandir(directory):
        if entry.name.endswith(ENDING) and entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            holding = holder(Path(entry.path))
            found.append(SavedFile(entry.path, status.st_size, status.st_mtime_ns // 1_000_000, holding))
    return sorted(found, key=lambda one: (-one.saved_ms, one.path))


def leftovers(directory: Path) -> Iterator[tuple[str, int]]:
    """Paths and bytes of what was set aside, or left by a process that was killed. OSError."""
    for entry in os.scandir(directory):
        stem, ending, rest = entry.name.partition(ENDING)
        if stem and ending and rest.startswith(_SIDE) and entry.is_file(follow_symlinks=False):
            yield entry.path, entry.stat(follow_symlinks=False).st_size


def holder(path: Path) -> int | None:
    """Rule 2, of one snapshot."""
    try:
        lock = os.open(beside(path, "lock"), os.O_RDONLY | OPEN_FLAGS)
    except OSError:
        return None
    try:
        text = os.read(lock, PID_BYTES)
    except OSError:
        return None
    finally:
        os.close(lock)
    return int(text) if text.isdigit() and _is_alive(int(text)) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True
