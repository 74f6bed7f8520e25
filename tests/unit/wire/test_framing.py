"""Framing: the same bytes give the same messages, however they are cut; and what their first bytes tell."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.wire.framing import NO_FRAMING, SLICE_BYTES, Framer, FramingFault, Mode, Peek, Slice, frame, peek

LIMIT = 40  # bytes of a body in these tests
HEADER_LIMIT = 60
Seen = list[bytes | FramingFault]


def block(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def parse(text: str) -> FramingFault:
    return FramingFault(-32700, text, fatal=True)


def oversized(size: int, id: bytes | None = None) -> FramingFault:
    return FramingFault(-32600, f"message of {size} bytes is over the limit of {LIMIT} bytes", id=id)


def read(*chunks: bytes, end: bool = True) -> tuple[Seen, Mode]:
    framer = Framer(max_body=LIMIT, max_header=HEADER_LIMIT)
    out = [item for chunk in chunks for item in framer.feed(chunk)]
    if end:
        out += framer.eof()
    return out, framer.mode


def cuts(stream: bytes) -> list[list[bytes]]:
    """Whole, byte by byte, and cut in two at every place."""
    halves = [[stream[:at], stream[at:]] for at in range(1, len(stream))]
    return [[stream], [stream[at : at + 1] for at in range(len(stream))], *halves]


NOT_A_NUMBER = parse("Content-Length is not a number of 1 to 15 digits")
NEITHER = parse(NO_FRAMING)
NOT_A_HEADER = parse("a header line is not of the form 'Name: value'")
CUT_OFF = parse("input ended inside a message")
LONG = b'{"id":7,"method":"m","params":{"t":"' + b"x" * 40 + b'"}}'

STREAMS: list[tuple[str, bytes, Seen, Mode]] = [
    ("nothing", b"", [], ""),
    ("one block", block(b"{}"), [b"{}"], "content-length"),
    ("any case, no space", b"CONTENT-length:2\r\n\r\n{}", [b"{}"], "content-length"),
    ("other headers first", b"X-A: b:c\r\nContent-Length: 2\r\n\r\n{}", [b"{}"], "content-length"),
    ("bare newlines", b"Content-Length: 2\n\n{}" + block(b"[]"), [b"{}", b"[]"], "content-length"),
    ("a newline after a body", block(b"{}") + b"\r\n" + block(b"") + b"\n", [b"{}", b""], "content-length"),
    ("white space and mark first", b"\r\n\xef\xbb\xbf" + block(b"{}"), [b"{}"], "content-length"),
    ("equal duplicates", b"Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}", [b"{}"], "content-length"),
    (
        "conflicting duplicates",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        [parse("two Content-Length headers disagree")],
        "ended",
    ),
    ("no number", b"Content-Length: two\r\n\r\n{}", [NOT_A_NUMBER], "ended"),
    ("digits that are not ASCII", "Content-Length: ٢\r\n\r\n{}".encode(), [NOT_A_NUMBER], "ended"),
    ("neither JSON nor a header", b"hello\r\n", [NEITHER], "ended"),
    ("neither, and no line end", b"hello", [NEITHER], "ended"),
    ("no colon in a later header", block(b"{}") + b"hello\n", [b"{}", NOT_A_HEADER], "ended"),
    ("a length too short", block(b"{") + b'"a": 1}\r\n' + block(b"{}"), [b"{", NOT_A_HEADER], "ended"),
    ("a long header", b"A: " + b"b" * 60, [parse("the header is longer than 60 bytes")], "ended"),
    ("the longest body", block(b"x" * LIMIT), [b"x" * LIMIT], "content-length"),
    (
        "one byte too many",
        block(b"x" * (LIMIT + 1)) + block(b"{}"),
        [oversized(LIMIT + 1), b"{}"],
        "content-length",
    ),
    ("too long, with id", block(LONG) + block(b"{}"), [oversized(79, b"7"), b"{}"], "content-length"),
    ("ends in a header", b"Content-Len", [CUT_OFF], "ended"),
    (
        "ends in a body",
        b'Content-Length: 30\r\n\r\n{"id":"a","method"',
        [FramingFault(-32700, "input ended inside a message", True, b'"a"')],
        "ended",
    ),
    ("two lines", b'{"a":1}\n[2]\n', [b'{"a":1}', b"[2]"], "ndjson"),
    ("blank lines", b"\n{}\n\n \t\r\n\r\n[]\n\n", [b"{}", b"[]"], "ndjson"),
    ("a last line without end", b"{}\n[1]", [b"{}", b"[1]"], "ndjson"),
    ("white space and mark before a line", b" \xef\xbb\xbf{}\n", [b"{}"], "ndjson"),
    ("the longest line", b"{" + b"x" * 39 + b"\r\n{}\n", [b"{" + b"x" * 39, b"{}"], "ndjson"),
    ("rubbish costs its line", b"{}\nrubbish\n[]\n", [b"{}", b"rubbish", b"[]"], "ndjson"),
    ("a line too long by one", b"{" + b"x" * 40 + b"\n{}\n", [oversized(41), b"{}"], "ndjson"),
    ("a line too long, with id", LONG + b"\n{}\n", [oversized(79, b"7"), b"{}"], "ndjson"),
]


def test_a_stream_gives_its_messages_however_it_is_cut() -> None:
    for title, stream, seen, mode in STREAMS:
        for chunks in cuts(stream):
            assert read(*chunks) == (seen, mode), (title, chunks)


def test_an_oversized_body_is_reported_before_its_end() -> None:
    framer = Framer(max_body=600)
    start = b'{"jsonrpc":"2.0","id":"r1","method":"context","params":{' + b" " * 500
    fault = framer.feed(b"Content-Length: 999999999999999\r\n\r\n" + start)
    message = "message of 999999999999999 bytes is over the limit of 600 bytes"
    assert fault == [FramingFault(-32600, message, id=b'"r1"')]
    assert framer.feed(b" " * 5000) == []
    assert framer.eof() == [CUT_OFF]


@pytest.mark.parametrize("start", [b"Content-Length: 100000000\r\n\r\n{", b"{"])
def test_an_oversized_message_is_not_held(start: bytes) -> None:
    framer = Framer(max_body=10_000)
    framer.feed(start)
    for _ in range(50):
        framer.feed(b"x" * 1000)
    reader = framer._reader
    held = [*reader._parts, reader._head or b"", getattr(reader, "_tail", b"")]
    assert sum(map(len, held)) <= 512


BODIES = st.lists(st.binary(max_size=LIMIT), max_size=8)
LINES = st.lists(
    st.binary(min_size=1, max_size=LIMIT).map(lambda raw: b"{" + raw.translate(None, b"\r\n")[: LIMIT - 1]),
    max_size=8,
)


@st.composite
def chunked(draw: st.DrawFn, stream: bytes) -> list[bytes]:
    places = st.integers(0, len(stream))
    ends = sorted(draw(st.lists(places, max_size=12)))
    return [stream[at:end] for at, end in zip([0, *ends], [*ends, len(stream)], strict=True)]


@given(st.data(), BODIES)
def test_framed_bodies_come_back(data: st.DataObject, bodies: list[bytes]) -> None:
    stream = b"".join(b"".join(frame("content-length", [body[:3], body[3:]])) for body in bodies)
    assert read(*data.draw(chunked(stream)))[0] == bodies


@given(st.data(), LINES)
def test_framed_lines_come_back(data: st.DataObject, lines: list[bytes]) -> None:
    stream = b"".join(b"".join(frame("ndjson", [line[:3], line[3:]])) for line in lines)
    assert read(*data.draw(chunked(stream)))[0] == lines


PIECES = st.sampled_from(
    [b"Content-Length: 3", b"content-length:9", b"\r\n", b"\n", b"\r", b"{}", b"x: y", b"\xef"]
)
NOISE = st.one_of(st.binary(max_size=80), st.lists(PIECES, max_size=14).map(b"".join))


@given(st.data(), NOISE)
def test_noise_gives_the_same_in_any_chunks(data: st.DataObject, stream: bytes) -> None:
    assert read(*data.draw(chunked(stream))) == read(stream)


FRAMES: list[tuple[Mode, list[bytes], bytes]] = [
    ("content-length", [b'{"a":', b"[\n1]", b"}"], b'Content-Length: 10\r\n\r\n{"a":[\n1]}'),
    ("ended", [b"{}"], b"Content-Length: 2\r\n\r\n{}"),
    ("", [b"{}"], b"Content-Length: 2\r\n\r\n{}"),
    ("ndjson", [b'{"a":', b"1}"], b'{"a":1}\n'),
    ("ndjson", [b'{"a":', b"[\r\n 1]", b"}"], b'{"a":[   1]}\n'),
    ("content-length", ["é".encode()], b"Content-Length: 2\r\n\r\n\xc3\xa9"),
]


def test_frame() -> None:
    for mode, parts, wire in FRAMES:
        assert b"".join(frame(mode, parts)) == wire, mode


class Counted(bytes):
    """Bytes that count how many of them are sliced off, from slices too."""

    copied = 0

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if not isinstance(part, bytes):
            return part
        Counted.copied += len(part)
        return Counted(part)


@pytest.mark.parametrize(("first", "message"), [(b"{}\n", b'{"a":1}\n'), (block(b"{}"), block(b'{"a":1}'))])
def test_many_messages_in_one_chunk_are_copied_once(first: bytes, message: bytes) -> None:
    framer = Framer()
    framer.feed(first)
    chunk, Counted.copied = Counted(message * 1000), 0
    assert framer.feed(chunk) == [b'{"a":1}'] * 1000
    assert 7000 <= Counted.copied <= 2 * len(chunk)


def test_a_long_message_that_came_whole_is_told_by_its_place() -> None:
    framer, body = Framer(), b"{" + b" " * SLICE_BYTES + b"}"
    chunk, Counted.copied = Counted(block(b"{}") + block(body) + block(b"[]")), 0
    first, long, last = framer.in_place(chunk)
    assert (first, last) == (b"{}", b"[]")
    assert isinstance(long, Slice)
    assert Counted.copied < 100
    assert long.taken() == body


PEEKS: list[tuple[bytes, Peek]] = [
    (b'{"id":1,', Peek(b"1")),
    (b' {"jsonrpc":"2.0" , "id" : 1.0 , "method"', Peek(b"1.0")),
    (b'{"id":"a\\"b","x', Peek(b'"a\\"b"')),
    (b'{"id":"\\ud83d","x', Peek(b'"\\ud83d"')),
    (b'{"id":"abc', Peek()),
    (b'{"id":01,', Peek()),
    (b'{"id":"\xff",', Peek()),
    (b'{"method":"m","params":{"id":5,', Peek()),
    (b'{"method":"m","params":{"id":5},"id":6}', Peek(b"6")),
    (b'{"method":"\\"id\\":5,","x":"id","id":6,', Peek(b"6")),
    (b'{"method":"the text ,\\"id\\":5, goes on', Peek()),
    (b'{"method":"the text ,"id":5,', Peek()),
    (b'{"id":1,"id":2,', Peek(b"2")),
    (b'{"id":1,"result":{"id":2', Peek(b"1", "response")),
    (b'{"result":"cut', Peek(None, "response")),
    (b'{"id":1,"result":null,"method":"m",', Peek(b"1")),
    (b'{"id":1,"params":{},"result":1}', Peek(b"1")),
    (b'{"x":"' + b"y" * 480 + b'","id":12345678901234567890}', Peek()),
]


def test_peek_finds_only_the_id_of_the_message_itself() -> None:
    for head, seen in PEEKS:
        assert peek(head) == seen, head


KEYS = st.sampled_from(["id", "method", "params", "jsonrpc", 'x"id"', "\\", ","])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, JSON, max_size=5), st.booleans(), st.integers(0, 600))
def test_peek_agrees_with_a_parser_and_never_finds_another_id(
    members: dict[str, object], ascii_only: bool, cut: int
) -> None:
    body = json.dumps(members, ensure_ascii=ascii_only).encode("utf-8", "replace")
    id = members.get("id")
    real = json.dumps(id, ensure_ascii=ascii_only).encode("utf-8", "replace")
    expected = real if isinstance(id, str | int) and not isinstance(id, bool) else None
    if len(body) <= 512:
        assert peek(body).id == expected
    assert peek(body[:cut]).id in (None, expected)


@given(st.binary(max_size=600))
def test_peek_never_raises(head: bytes) -> None:
    peek(b'{"id":' + head)
