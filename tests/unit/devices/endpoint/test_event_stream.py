"""Event streams: each rule of the standard, and that it does not matter where the pieces end."""

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
