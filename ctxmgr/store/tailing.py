"""Turns a snapshot that another thread appends to, and now and then rewrites, into what is new in it.

The snapshot is the queue: what the store does not have yet lies in it, bounded as it is, and survives a kill.

1. A rewrite is another file under the same name. Ours is held open meanwhile, so that its number means no other.
2. Only whole lines are read: a line that is being written has no end yet, one that failed is cut off again.
"""

import hashlib
import os
from pathlib import Path

import msgspec


class New(msgspec.Struct, frozen=True):
    """`content` to be added to what was read before; `whole`: to be put in its place. `end`: bytes of the file up
    to here."""

    content: bytes
    whole: bool
    end: int


class Tail:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._end = 0
        self._expected: tuple[int, str] | None = None

    def knows(self, content: bytes) -> None:
        """The store has this already: a file that begins with it is read from there on."""
        self._expected = len(content), hashlib.sha256(content).hexdigest()

    def new(self, whole: bool = False) -> New | None:
        """What came since `took`; None where nothing did, or the file is gone. `whole`: all of it, however much is
        new. OSError."""
        try:
            there = os.stat(self._path)
        except FileNotFoundError:
            return None
        if self._file < 0 or not os.path.samestat(there, os.fstat(self._file)):
            self._open()
            whole = whole or self._end == 0
        start = 0 if whole else self._end
        content = os.pread(self._file, max(0, os.fstat(self._file).st_size - start), start)
        content = content[: content.rfind(b"\n") + 1]
        return New(content, whole, start + len(content)) if content else None

    def took(self, new: New) -> None:
        """The store has it."""
        self._end = new.end

    def rest(self) -> None:
        """Holds no file until something is new; what the store has by then is told by its bytes. OSError."""
        if self._file >= 0:
            self.knows(os.pread(self._file, self._end, 0))
            self.close()

    def close(self) -> None:
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def _open(self) -> None:
        self.close()
        self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        self._end = 0
        known, self._expected = self._expected, None
        if known is not None and hashlib.sha256(os.pread(self._file, known[0], 0)).hexdigest() == known[1]:
            self._end = known[0]
