"""Turns bytes as they arrive into message bodies and faults, and the parts of an answer into a frame.

Rules:

1. The first byte that is not white space decides (a byte order mark is skipped): `{` or `[` means one message per
   line, anything else `Content-Length` headers. The host never has to choose.
2. The result depends on the bytes alone, never on how they were cut into chunks.
3. Only a header block (at most 8 kB) is searched or copied again when more bytes arrive. A position moves through
   the chunk, and the pieces of a message are joined once, when it is complete. Slicing the rest after each message
   would be quadratic (measured: 515,000 small messages per second fell to 3,400). A long message that arrives in
   one piece is not copied at all (`Slice`).
4. A message over the limit is skipped without being stored. Only that message is lost.
5. Broken headers end the stream: nothing shows where the next message starts, and a guess could take text of the
   conversation for headers.
6. A message that cannot be read is answered with the id found in its first bytes (`peek`). Otherwise its host would
   wait forever.

Knows no envelope, no method and no file descriptor.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from ctxmgr.model import expression
from ctxmgr.wire.errors import INVALID_REQUEST, PARSE_ERROR

# "call": a request or a notification, answered with its id or null. "response": to one of our own requests;
# never answered, the request with that id fails instead. "notification": known not to wait for an answer.
FaultKind = Literal["call", "notification", "response"]

PEEK_BYTES = 512  # every client tried writes jsonrpc, id and method before params

_TOKEN = expression(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,"]|[^\s{}\[\]:,"]+', re.DOTALL)
_NUMBER = expression(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Peek(msgspec.Struct, frozen=True):
    """What the first bytes of a message show: the JSON of its id, and whether it answers a request of ours."""

    id: bytes | None = None
    kind: FaultKind = "call"


def peek(body: bytes) -> Peek:
    """Finds the message's own id in its first `PEEK_BYTES`, which may be cut off or broken anywhere."""
    method, call, response = None, False, False
    tokens = _outer_tokens(body[:PEEK_BYTES])
    for index, token in enumerate(tokens):
        if token != b":":
            continue
        key, value, after = tokens[index - 1], tokens[index + 1], tokens[index + 2]
        if key == b'"id"':
            # A number that was cut is another number, so only one before a comma is complete.
            method = value if after == b"," and _is_id(value) else None
        elif value != b"null":
            call = call or key in (b'"method"', b'"params"')
            response = response or key in (b'"result"', b'"error"')
    return Peek(method, "response" if response and not call else "call")


def _outer_tokens(head: bytes) -> list[bytes]:
    """The tokens of the outermost object. An inner object is represented by its opening bracket, its end by a
    comma.

    Two empty tokens follow, so that a caller at a colon can look at the tokens after it.
    """
    tokens: list[bytes] = []
    depth = 0
    for match in _TOKEN.finditer(head):
        token = match[0]
        if token == b'"' or (depth == 0 and token != b"{"):
            break  # a string that is cut off, or not an object
        if token in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                tokens.append(b",")
                break
            continue
        if depth == 1:
            tokens.append(token)
        if token in (b"{", b"["):
            depth += 1
    return [*tokens, b"", b""]


def _is_id(value: bytes) -> bool:
    """Whether this is the JSON of a string or a number."""
    if not value.startswith(b'"'):
        return _NUMBER.fullmatch(value) is not None
    import json  # not loaded at a start

    try:
        json.loads(value.decode())  # accepts unpaired surrogates, which are echoed unchanged
    except ValueError:
        return False
    return True


Mode = Literal["", "content-length", "ndjson", "ended"]

MAX_BODY = 64 << 20  # bytes; the longest recorded context list is under 8 MiB
MAX_HEADER = 8192  # bytes of one header block; stock LSP clients write under 100
SLICE_BYTES = 32 << 10  # from here on a copy costs more than it is worth
MAX_LENGTH_DIGITS = 15  # a longer Content-Length is a mistake

NO_FRAMING = (
    "the input starts with neither JSON nor a Content-Length header: send one JSON message a line, or each message"
    " behind a Content-Length header; the first one is the request `initialize`"
)
_MARK_OR_SPACE = b"\xef\xbb\xbf \t\r\n"
_LENGTH = b"content-length"
_USUAL_HEADER = b"Content-Length: "
_HEADER_NAME = expression(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2: token
_NEWLINES_TO_SPACES = bytes.maketrans(b"\r\n", b"  ")


class FramingFault(msgspec.Struct, frozen=True):
    """A message that could not be delivered. `fatal`: the stream ended with it.

    `id` is the JSON of the id as the host wrote it, None if none was found.
    """

    code: int
    message: str
    fatal: bool = False
    id: bytes | None = None
    kind: FaultKind = "call"


class Slice(NamedTuple):
    """A body inside the chunk that it arrived in, for readers that need only a part of it."""

    whole: bytes
    start: int
    end: int

    def taken(self) -> bytes:
        return self.whole[self.start : self.end]


Item = bytes | Slice | FramingFault


class Framer:
    """Bytes in, bodies and faults out, in either framing. `mode` is "" until the first byte that is not white
    space.
    """

    def __init__(self, max_body: int = MAX_BODY, max_header: int = MAX_HEADER) -> None:
        self.mode: Mode = ""
        self._max_body, self._max_header = max_body, max_header
        self._reader: _Lines | _Blocks | None = None

    def feed(self, chunk: bytes) -> list[bytes | FramingFault]:
        """The messages that are complete with this chunk, in order."""
        return _taken(self.in_place(chunk))

    def in_place(self, chunk: bytes) -> list[Item]:
        """Like `feed`, but a long message that arrived in one piece is a `Slice`."""
        out: list[Item] = []
        if self.mode == "":
            chunk = chunk.lstrip(_MARK_OR_SPACE)
            if chunk:
                self._choose(chunk)
        if self._reader is not None:
            self._reader.feed(chunk, out)
            self._end_if_fatal(out)
        return out

    def eof(self) -> list[bytes | FramingFault]:
        """The end of input. A last line without a newline is delivered. An incomplete body or header is a fault."""
        out: list[Item] = []
        if self._reader is not None:
            self._reader.eof(out)
            self._end_if_fatal(out)
        return _taken(out)

    def _choose(self, start: bytes) -> None:
        if start[:1] in (b"{", b"["):
            self.mode, self._reader = "ndjson", _Lines(self._max_body)
        else:
            self.mode, self._reader = "content-length", _Blocks(self._max_body, self._max_header)

    def _end_if_fatal(self, out: list[Item]) -> None:
        if out and isinstance(out[-1], FramingFault) and out[-1].fatal:
            self.mode, self._reader = "ended", None


def _taken(items: list[Item]) -> list[bytes | FramingFault]:
    return [item.taken() if isinstance(item, Slice) else item for item in items]


class _Lines:
    """One message per line. Keeps the pieces of the current line, or only its start once it is too long."""

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self._parts: list[bytes] = []
        self._size = 0  # bytes of the line so far
        self._head: bytes | None = None  # first bytes of a line that is skipped

    def feed(self, chunk: bytes, out: list[Item]) -> None:
        pos = 0
        while (end := chunk.find(b"\n", pos)) >= 0:
            if self._size:
                self._hold(chunk[pos:end])
                self._finish(out)
            else:
                stop = end - 1 if end > pos and chunk[end - 1] == 13 else end
                if stop - pos > self._max_body:
                    out.append(_oversized(end - pos, self._max_body, chunk[pos : pos + PEEK_BYTES]))
                else:
                    _deliver_line(chunk[pos:stop], out)
            pos = end + 1
        self._hold(chunk[pos:])

    def eof(self, out: list[Item]) -> None:
        self._finish(out)

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._head is None and piece:
            self._parts.append(piece)
            if self._size > self._max_body + 1:  # one more than allowed may be the \r of a line end
                self._head, self._parts = _first_bytes(self._parts), []

    def _finish(self, out: list[Item]) -> None:
        parts, size, head = self._parts, self._size, self._head
        self._parts, self._size, self._head = [], 0, None
        if parts and parts[-1].endswith(b"\r"):
            parts[-1] = parts[-1][:-1]
        if head is None and sum(map(len, parts)) > self._max_body:
            head = _first_bytes(parts)
        if head is not None:
            out.append(_oversized(size, self._max_body, head))
        else:
            _deliver_line(b"".join(parts), out)


def _deliver_line(line: bytes, out: list[Item]) -> None:
    if line and not line.isspace():
        out.append(line)


class _Blocks:
    """A header block, then as many bytes as it says. At most one of tail, parts and head is not empty."""

    def __init__(self, max_body: int, max_header: int) -> None:
        self._max_body, self._max_header = max_body, max_header
        self._first = True  # no header block was read yet
        self._tail = b""  # an incomplete header block
        self._parts: list[bytes] = []  # an incomplete body
        self._head: bytes | None = None  # first bytes of a body that is skipped, until it is reported
        self._size = 0  # bytes of the incomplete body, 0 between two bodies
        self._remaining_bytes = 0  # bytes of it that are missing

    def feed(self, chunk: bytes, out: list[Item]) -> None:
        if self._tail:
            chunk, self._tail = self._tail + chunk, b""
        pos, end = 0, len(chunk)
        while pos < end:
            if self._size:
                pos = self._continue(chunk, pos, out)
                continue
            try:
                header = _read_header(chunk, pos, self._max_header)
            except _BrokenHeaderError as error:
                text = NO_FRAMING if self._first and isinstance(error, _NoHeaderError) else str(error)
                out.append(FramingFault(PARSE_ERROR, text, fatal=True))
                return
            if header is None:
                self._tail = chunk[pos:].lstrip(b"\r\n")
                return
            size, pos = header
            self._first = False
            if size <= self._max_body and size <= end - pos:
                body = Slice(chunk, pos, pos + size)
                out.append(body if size >= SLICE_BYTES else body.taken())
                pos += size
            else:
                self._size = self._remaining_bytes = size
                self._head = b"" if size > self._max_body else None

    def eof(self, out: list[Item]) -> None:
        if self._tail or self._size:
            begun = self._head if self._head is not None else _first_bytes(self._parts)
            seen = peek(begun)
            no_header = self._first and b":" not in self._tail and not _LENGTH.startswith(self._tail.lower())
            text = NO_FRAMING if no_header else "input ended inside a message"
            out.append(FramingFault(PARSE_ERROR, text, True, seen.id, seen.kind))

    def _continue(self, chunk: bytes, pos: int, out: list[Item]) -> int:
        """Takes the part of the current body that is in this chunk. Returns the position after it."""
        stop = min(pos + self._remaining_bytes, len(chunk))
        self._remaining_bytes -= stop - pos
        if self._size > self._max_body:
            self._pass_over(chunk[pos : min(stop, pos + PEEK_BYTES)], out)
        else:
            self._parts.append(chunk[pos:stop])
            if not self._remaining_bytes:
                out.append(b"".join(self._parts))
                self._parts = []
        if not self._remaining_bytes:
            self._size = 0
        return stop

    def _pass_over(self, start: bytes, out: list[Item]) -> None:
        """Reports an oversized body as soon as its first bytes have arrived: its end may be far away or never
        come.
        """
        if self._head is None:
            return
        self._head = (self._head + start)[:PEEK_BYTES]
        if len(self._head) == PEEK_BYTES or not self._remaining_bytes:
            out.append(_oversized(self._size, self._max_body, self._head))
            self._head = None


class _BrokenHeaderError(Exception):
    """A header block after which no message can follow (rule 5)."""


class _NoHeaderError(_BrokenHeaderError):
    """A line that is not a header."""


def _read_header(chunk: bytes, pos: int, max_header: int) -> tuple[int, int] | None:
    """The body's length in bytes and where it starts; None if the block is not complete.

    Line ends may be bare `\\n`. Newlines before the block are skipped: some hosts end a body with one.
    """
    if chunk.startswith(_USUAL_HEADER, pos):  # the only header, as from nearly every host
        start = pos + len(_USUAL_HEADER)
        end = chunk.find(b"\r\n\r\n", start, start + MAX_LENGTH_DIGITS + 4)
        if end >= 0 and (digits := chunk[start:end]).isdigit():
            return int(digits), end + 4
    while chunk[pos : pos + 1] in (b"\r", b"\n"):
        pos += 1
    limit, length = pos + max_header, -1
    while (end := chunk.find(b"\n", pos, limit)) >= 0:
        line, pos = chunk[pos:end].strip(), end + 1
        if not line:
            if length < 0:
                raise _BrokenHeaderError("no Content-Length in the header")
            return length, pos
        name, colon, value = line.partition(b":")
        name = name.rstrip()
        if not colon or not _HEADER_NAME.fullmatch(name):
            raise _NoHeaderError("a header line is not of the form 'Name: value'")
        if name.lower() == _LENGTH:
            length = _read_length(value.strip(), length)
    if len(chunk) >= limit:
        raise _BrokenHeaderError(f"the header is longer than {max_header} bytes")
    return None


def _read_length(value: bytes, before: int) -> int:
    if not value.isdigit() or len(value) > MAX_LENGTH_DIGITS:
        raise _BrokenHeaderError(f"Content-Length is not a number of 1 to {MAX_LENGTH_DIGITS} digits")
    if before not in (-1, int(value)):
        raise _BrokenHeaderError("two Content-Length headers disagree")
    return int(value)


def _oversized(size: int, limit: int, head: bytes) -> FramingFault:
    seen = peek(head)
    text = f"message of {size} bytes is over the limit of {limit} bytes"
    return FramingFault(INVALID_REQUEST, text, False, seen.id, seen.kind)


def _first_bytes(parts: Iterable[bytes]) -> bytes:
    head = b""
    for part in parts:
        head += part[: PEEK_BYTES - len(head)]
        if len(head) == PEEK_BYTES:
            break
    return head


def frame(mode: Mode, parts: Sequence[bytes | memoryview]) -> list[bytes | memoryview]:
    """The bytes of one outgoing message in the framing of the host (`Content-Length` once the stream has ended).

    If a host writes JSON over several lines, parts of it may be spliced into a line. They become one line: a raw
    newline in valid JSON is always white space, because inside a string it would be escaped.
    """
    if mode == "ndjson":
        return [*(_one_line(part) for part in parts), b"\n"]
    return [b"Content-Length: %d\r\n\r\n" % sum(map(len, parts)), *parts]


def _one_line(part: bytes | memoryview) -> bytes:
    whole = bytes(part)
    return whole.translate(_NEWLINES_TO_SPACES) if b"\n" in whole or b"\r" in whole else whole
