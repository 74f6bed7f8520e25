"""Waiting for what a spawned process does, however busy the machine is.

A wait ends with its event. It fails only where the process has used no processor time for `IDLE_SECONDS`: then it
hangs, whatever the load. Where a system does not tell that time, it fails after the first `IDLE_SECONDS`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

IDLE_SECONDS = 20.0
MOST_ROUNDS = 30  # of them, for a process that is busy for good


def until(process_id: int, attempt: Callable[[float], T], late: type[Exception]) -> T:
    """What `attempt` gives, which waits for so many seconds and then raises `late`. Tried again while the process
    works. Raises `late`."""
    used = _processor_ticks(process_id)
    for _ in range(MOST_ROUNDS):
        try:
            return attempt(IDLE_SECONDS)
        except late:
            before, used = used, _processor_ticks(process_id)
            if used is None or used == before:
                raise
    return attempt(IDLE_SECONDS)


def _processor_ticks(process_id: int) -> int | None:
    """User and system time of a process. None where it is gone, or the system has no /proc."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[11]) + int(fields[12])
