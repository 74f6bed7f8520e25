"""Event streams: each rule of the standard, and that it does not matter where the pieces end."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.devices.endpoint.client import EventStream

STREAMS: list[tuple[str, bytes, list[bytes]]] = [
    ("all three", b"data: a\r\n\ndata: b\r\rdata: c\n\r\n", [b"a", b"b", b"c"]),
    ("CR LF is one end, LF CR two", b"data: a\n\rdata: b\n\r", [b"a", b"b"]),
    ("lines of data are joined", b"data: a\ndata: b\ndata\ndata: c\n\n", [b"a\nb\n\nc"]),
    ("one blank is dropped", b"data:  a \n\ndata:b\n\n", [b" a ", b"b"]),
    ("colons in the value", b'data: {"a": 1}\n\n', [b'{"a": 1}']),
    ("empty data is data", b"data\n\ndata:\n\n", [b"", b""]),
    ("comments", b": hm\n\n:\ndata: a\n:data: b\n\n", [b"a"]),
    ("other fields", b"event: ping\nid: 1\nretry: 10\nother: x\n\ndata: a\nevent: b\n\n", [b"a"]),
    ("names are exact", b"Data: a\ndatas: b\n data: c\ndata : d\n\n", []),
    ("a byte order mark", b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
    ("the last event is not ended", b"data: a\n\ndata: b\n", [b"a"]),
    ("characters of several bytes", "data: é😀\n\n".encode(), ["é😀".encode()]),
    ("bytes that are no characters", b"data: \xff\x00\n\n", [b"\xff\x00"]),
]


def read(*pieces: bytes) -> list[bytes]:
    stream = EventStream()
    return [event for piece in pieces for event in stream.feed(piece)]


def test_the_standard_is_kept() -> None:
    for title, came, events in STREAMS:
        assert read(came) == events, title
        assert read(*(came[place : place + 1] for place in range(len(came)))) == events, title


def test_an_event_does_not_wait_for_what_may_follow_a_return() -> None:
    stream = EventStream()
    assert stream.feed(b"data: a\r\r") == [b"a"]
    assert stream.feed(b"") == []
    assert stream.feed(b"\ndata: b\r\n\r") == [b"b"]
    assert stream.feed(b"\n\n") == []


PIECES = st.lists(
    st.sampled_from([b"data", b":", b" ", b"\r", b"\n", b"\r\n", b"\n\n", b"x", b"\xef\xbb\xbf", "é".encode()])
)


@given(PIECES, st.data())
@example([b"data", b":", b"x", b"\r", b"\n", b"\r", b"\n"], None)
def test_where_pieces_end_does_not_matter(parts: list[bytes], data: st.DataObject | None) -> None:
    came = b"".join(parts)
    cut = data.draw(st.integers(0, len(came))) if data else len(came) - 3
    assert read(came[:cut], came[cut:]) == read(*parts) == by_the_letter(came)


def by_the_letter(came: bytes) -> list[bytes]:
    """The standard's own steps, on the whole stream at once."""
    lines = re.split(b"\r\n|\n|\r", came.removeprefix(b"\xef\xbb\xbf"))[:-1]  # the last has no end
    events, buffer = [], b""
    for line in lines:
        if not line:
            if buffer:
                events.append(buffer.removesuffix(b"\n"))
            buffer = b""
            continue
        name, colon, value = line.partition(b":")
        if name == b"data":
            buffer += (value[1:] if colon and value.startswith(b" ") else value) + b"\n"
    return events
