"""Bounds how many bytes of lists are read at once: until a list is read it costs several times its size. The others
wait as they came, in the order in which they came."""

from collections import deque

import msgspec

FREE_BYTES = 1 << 20  # a list of so many new bytes waits for nobody
AT_ONCE_BYTES = 12 << 20  # a larger list is read alone


class Room(msgspec.Struct, frozen=True):
    """What a call asks for that has to wait: room for so many bytes."""

    size: int


class ReadingGate:
    def __init__(self) -> None:
        self._reading = 0  # bytes
        self._waiting: deque[tuple[int, int]] = deque()  # ticket, bytes

    def enters(self, size: int) -> bool:
        """Whether so many bytes may be read now; they count until `left`."""
        if self._waiting or not self._has_room(size):
            return False
        self._reading += size
        return True

    def wait(self, ticket: int, size: int) -> None:
        self._waiting.append((ticket, size))

    def left(self, size: int) -> None:
        self._reading -= size

    def next(self) -> int | None:
        """The ticket of the one that may enter now, and counts from now on."""
        if not self._waiting or not self._has_room(self._waiting[0][1]):
            return None
        ticket, size = self._waiting.popleft()
        self._reading += size
        return ticket

    def _has_room(self, size: int) -> bool:
        return not self._reading or self._reading + size <= AT_ONCE_BYTES
