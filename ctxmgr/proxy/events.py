"""Splits the bytes of a stream into its events as they arrive, in pieces of any size.

1. Lines end with LF, CR or both, and a byte order mark may precede the first (the HTML standard, "Server-sent
   events"). Comments, ids and `retry` are not events.
2. The data of one event may span several lines. It is returned as soon as it is a complete JSON value: some servers
   send no blank line after it, and programs that read by lines do not wait for one.
3. A line that is JSON without `data:` is an event too: servers that stream JSON lines send those, and gateways
   insert an error like this into a stream that has begun. It may span several lines.
4. llama.cpp's server sent errors in a field of its own, `error:`, until late 2025.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MARK = b"\xef\xbb\xbf"  # byte order mark
DATA, NAME, ERROR = b"data", b"event", b"error"
FIELDS = (DATA, NAME, ERROR, b"id", b"retry", b"")
LARGEST_BYTES, MOST_LINES = 64 << 20, 4_000  # of one event; larger ones are ignored
_OPENS, _CLOSES = b"{[", b"}]"
_OPENING, _CLOSING = (b"{", b"["), (b"}", b"]")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?')  # a JSON string does not span lines


class Event(NamedTuple):
    """`name` as in the stream, b"" without one."""

    name: bytes
    data: bytes


def may_be_stream(begins: bytes) -> bool | None:
    """Whether a body with these first bytes is a stream of events, whatever its type says; None if it is too early
    to know.
    """
    begins = begins.removeprefix(MARK).lstrip()
    if not begins or MARK.startswith(begins):
        return None
    name, colon, _ = begins.partition(b":")
    return name in FIELDS if colon else (None if any(field.startswith(name) for field in FIELDS) else False)


class EventReader:
    """Reads one stream. `feed` and `end` return the events that are complete with these bytes."""

    def __init__(self) -> None:
        self._rest, self._name = bytearray(), b""
        self._data: list[bytes] = []  # of an incomplete event
        self._depth = self._counted_lines = 0  # open brackets, in the lines counted so far
        self._is_first, self._ends_cr, self._is_bare = True, False, False

    def feed(self, piece: bytes) -> Iterator[Event]:
        if not piece:
            return
        ended_cr, self._ends_cr = self._ends_cr, piece.endswith(b"\r")
        if ended_cr:
            piece = piece.removeprefix(b"\n")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._rest += piece
        if b"\n" in piece:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                yield from self._line(bytes(line))
        if len(self._rest) + sum(map(len, self._data)) > LARGEST_BYTES or len(self._data) > MOST_LINES:
            self._rest.clear()
            self._forget()

    def end(self) -> Iterator[Event]:
        line = bytes(self._rest)
        self._rest.clear()
        yield from self._line(line)
        yield from self._told()

    def _line(self, line: bytes) -> Iterator[Event]:
        if self._is_first:
            line, self._is_first = line.removeprefix(MARK), False
        line = line.strip()
        name, _, value = line.partition(b":")
        value = value.strip()
        if not line:
            yield from self._told()
            self._name = b""
        elif self._is_bare or line[0] in _OPENS:
            self._is_bare = True
            yield from self._add(line)
        elif name == DATA:
            yield from self._add(value)
        elif name == NAME:
            yield from self._told()
            self._name = value
        elif name == ERROR:
            yield from self._told()
            yield Event(ERROR, b'{"error":%b}' % value)

    def _add(self, value: bytes) -> Iterator[Event]:
        self._data.append(value)
        if value and value[-1] in _CLOSES and self._is_whole(value):
            yield from self._told()

    def _is_whole(self, value: bytes) -> bool:
        """Whether the value is complete (rule 2). A single line is judged by its ends, several lines by their
        brackets, so nothing is read twice.
        """
        if len(self._data) == 1 and not self._is_bare:
            return value[0] in _OPENS
        for line in self._data[self._counted_lines :]:
            plain = _STRING.sub(b"", line)
            self._depth += sum(map(plain.count, _OPENING)) - sum(map(plain.count, _CLOSING))
        self._counted_lines = len(self._data)
        return self._depth == 0

    def _told(self) -> Iterator[Event]:
        """The event so far, which ends here."""
        if self._data:
            event = Event(self._name, b"\n".join(self._data))
            self._forget()
            yield event

    def _forget(self) -> None:
        self._data.clear()
        self._depth = self._counted_lines = 0
        self._name, self._is_bare = b"", False
