"""Turns the bytes of an event stream (`text/event-stream`), as they come, into the data of its events.

By the WHATWG HTML standard, section 9.2.6 "Interpreting an event stream":
1. A line ends with CR LF, LF or CR. A CR ends it at once, though its LF may come with the next bytes.
2. One byte order mark at the very beginning is passed over.
3. `data` lines add up to one event, joined by LF; one blank after the colon is no part of the value.
4. A blank line sends the event, if it has data. What the last blank line does not end is thrown away.
5. Comments (lines that begin with a colon) and other fields say nothing that is wanted here.

Bytes stay bytes: a character may be cut in two by where a piece ends. Who reads the data decodes it.
"""

import re

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n?|\n")


class EventStream:
    """One response. Each byte is looked at a fixed number of times, however long a line is."""

    def __init__(self) -> None:
        self._open_line = bytearray()  # what came of a line that has not ended
        self._searched = 0  # so much of it holds no line end
        self._at_beginning = True
        self._after_return = False  # the last byte was a CR: an LF now belongs to it
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece ends, in order."""
        if not piece:
            return []
        self._open_line += piece.removeprefix(b"\n") if self._after_return else piece
        self._after_return = piece.endswith(b"\r")
        events = []
        for line in self._lines():
            if line:
                self._field(line)
            elif self._data:
                events.append(b"\n".join(self._data))
                self._data.clear()
        return events

    def _lines(self) -> list[bytes]:
        """The lines that have ended, without their ends."""
        came, start, lines = self._open_line, 0, []
        for end in _LINE_END.finditer(came, self._searched):
            lines.append(bytes(came[start : end.start()]))
            start = end.end()
        self._open_line = came[start:] if start else came
        self._searched = len(self._open_line)
        if lines and self._at_beginning:
            lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
            self._at_beginning = False
        return lines

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
