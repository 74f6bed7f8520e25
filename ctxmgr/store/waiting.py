"""Rows that left here and are to go to the store, from any thread, until a batch takes them.

No more than `HELD_BYTES` of text is held: past that nothing is, and all of the session's are read from the archive
when they can go.
"""

import threading
from collections.abc import Sequence

import msgspec

from ctxmgr.model import ArchiveRow

HELD_BYTES = 8 << 20


class Drained(msgspec.Struct, frozen=True):
    """`too_many`: more came than are held, and none of them is here."""

    rows: Sequence[ArchiveRow]
    too_many: bool


class WaitingRows:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: list[ArchiveRow] = []
        self._size = 0
        self._too_many = False

    def add(self, row: ArchiveRow) -> None:
        with self._lock:
            self._size += len(row.text)
            self._too_many |= self._size > HELD_BYTES
            if self._too_many:
                self._rows = []
            else:
                self._rows.append(row)

    def drain(self) -> Drained:
        with self._lock:
            drained = Drained(self._rows, self._too_many)
            self._rows, self._size, self._too_many = [], 0, False
            return drained
