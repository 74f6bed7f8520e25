"""Splits the bytes of a stream into its events, as they come, whatever pieces they come in.

1. Lines end with LF, CR or both, and a byte order mark may stand before the first (the HTML standard, "Server-sent
   events"). Comments, ids and `retry` are no events.
2. The data of one event may stand in several lines. It is told as soon as it is a whole value of JSON: some servers
   send no blank line after it, and programs that read by lines do not wait for one.
3. A line that is JSON without `data:` is an event too: servers that stream JSON lines send those, and gateways put
   an error so into a stream that has begun. It may be spelled over several lines.
4. llama.cpp's server told errors in a field of their own, `error:`, until late in 2025.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MARK = b"\xef\xbb\xbf"  # of byte order
DATA, NAME, ERROR = b"data", b"event", b"error"
FIELDS = (DATA, NAME, ERROR, b"id", b"retry", b"")
LARGEST_BYTES, MOST_LINES = 64 << 20, 4_000  # of one event: what is larger is passed over
_OPENS, _CLOSES = b"{[", b"}]"
_OPENING, _CLOSING = (b"{", b"["), (b"}", b"]")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?')  # no string of JSON goes over a line's end


class Event(NamedTuple):
    """`name` as the stream told it, b"" where it told none."""

    name: bytes
    data: bytes


def may_be_stream(begins: bytes) -> bool | None:
    """Whether a body that begins so is a stream of events, whatever its type says; None where that can not be told
    yet."""
    begins = begins.removeprefix(MARK).lstrip()
    if not begins or MARK.startswith(begins):
        return None
    name, colon, _ = begins.partition(b":")
    return name in FIELDS if colon else (None if any(field.startswith(name) for field in FIELDS) else False)


class EventReader:
    """Of one stream. `feed` and `end` give the events that are whole with these bytes."""

    def __init__(self) -> None:
        self._rest, self._name = bytearray(), b""
        self._data: list[bytes] = []  # of an event that has not ended
        self._depth = self._counted_lines = 0  # of open brackets in its first lines
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

    # within

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
        """Rule 2. Of what stands in one line its ends tell, of more its brackets: nothing is read twice."""
        if len(self._data) == 1 and not self._is_bare:
            return value[0] in _OPENS
        for line in self._data[self._counted_lines :]:
            plain = _STRING.sub(b"", line)
            self._depth += sum(map(plain.count, _OPENING)) - sum(map(plain.count, _CLOSING))
        self._counted_lines = len(self._data)
        return self._depth == 0

    def _told(self) -> Iterator[Event]:
        """What has come of an event, which ends here."""
        if self._data:
            event = Event(self._name, b"\n".join(self._data))
            self._forget()
            yield event

    def _forget(self) -> None:
        self._data.clear()
        self._depth = self._counted_lines = 0
        self._name, self._is_bare = b"", False
