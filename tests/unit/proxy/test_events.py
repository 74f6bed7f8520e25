"""A stream is read by its events however its lines end, whatever stands between them and wherever it is split."""

import json
from typing import Any

import pytest

from ctxmgr.proxy.answers import UsageReader
from ctxmgr.proxy.apis import api_of
from ctxmgr.proxy.events import Event, EventReader, may_be_stream

ONE, TWO = b'{"say":"Gr\xc3\xbc\xc3\x9fe \xf0\x9f\xa6\x8a"}', b'{"n":[1,2]}'
BOTH = [Event(b"", ONE), Event(b"", TWO)]
STREAMS: dict[str, tuple[bytes, list[Event]]] = {
    "LF": (b"data: %b\n\ndata: %b\n\n" % (ONE, TWO), BOTH),
    "CRLF": (b"data: %b\r\n\r\ndata: %b\r\n\r\n" % (ONE, TWO), BOTH),
    "CR": (b"data: %b\r\rdata: %b\r\r" % (ONE, TWO), BOTH),
    "a byte order mark": (b"\xef\xbb\xbfdata: %b\n\ndata: %b\n\n" % (ONE, TWO), BOTH),
    "mixed line ends": (b"event: error\r\n\ndata: %b\r\n\ndata: %b\n\r\n" % (ONE, TWO), BOTH),
    "brackets within strings": (
        b'data: {"n": "}]\\"]",\ndata: "m": [1]}\ndata: %b\n' % TWO,
        [Event(b"", b'{"n": "}]\\"]",\n"m": [1]}'), BOTH[1]],
    ),
    "no space, no blank line": (b"data:%b\ndata:%b" % (ONE, TWO), BOTH),
    "comments, ids and retries": (
        b": waiting\n\nid: 7\nretry: 10\ndata: %b\n\n:\n\ndata: %b\n\n" % (ONE, TWO),
        BOTH,
    ),
    "JSON lines": (ONE + b"\n" + TWO + b"\n", BOTH),
    "a bare line in the midst": (b"data: %b\n\n%b\n\n" % (ONE, TWO), BOTH),
    "a bare value over several lines": (
        b'data: %b\n\n{\n  "n": [\n    1,\n    2\n  ]\n}\n' % ONE,
        [BOTH[0], Event(b"", b'{\n"n": [\n1,\n2\n]\n}')],
    ),
    "names": (b"event: a\ndata: %b\n\nevent: b\ndata: %b\n\n" % (ONE, TWO), [Event(b"a", ONE), Event(b"b", TWO)]),
    "a name without data is of no event": (b"event: error\n\ndata: %b\n\ndata: %b\n\n" % (ONE, TWO), BOTH),
    "data over several lines": (b'data: {"n":\ndata: [1,2]}\n\n', [Event(b"", b'{"n":\n[1,2]}')]),
    "no JSON": (
        b"event: error\ndata: too\ndata: long\n\ndata: [DONE]\n\n",
        [Event(b"error", b"too\nlong"), Event(b"", b"[DONE]")],
    ),
    "a field of its own": (
        b"data: %b\n\nerror: %b\n\n" % (ONE, TWO),
        [BOTH[0], Event(b"error", b'{"error":%b}' % TWO)],
    ),
    "cut": (b"data: %b\n\ndata: {" % ONE, [BOTH[0], Event(b"", b"{")]),
}


@pytest.mark.parametrize("name", STREAMS)
def test_its_events_are_the_same_wherever_it_is_split(name: str) -> None:
    whole, expected = STREAMS[name]
    for size in (1, 2, 3, 7, len(whole)):
        reader = EventReader()
        pieces = (whole[start : start + size] for start in range(0, len(whole), size))
        found = [event for piece in pieces for event in reader.feed(piece)]
        assert [*found, *reader.end()] == expected, size


def test_an_event_is_told_with_the_bytes_that_end_it() -> None:
    for ends in (b"\n", b"\r", b"\r\n"):
        reader = EventReader()
        assert list(reader.feed(b"data: " + ONE[:-1])) == []
        assert list(reader.feed(ONE[-1:] + ends)) == [BOTH[0]]
        assert list(reader.feed(b"\n" + ends)) == []


def test_a_body_is_a_stream_by_how_it_begins() -> None:
    for begins, expected in (
        (b"data: {", True),
        (b"\xef\xbb\xbfevent: a", True),
        (b"\r\n: waiting", True),
        (b"error: {", True),
        (b"", None),
        (b"\xef\xbb", None),
        (b"dat", None),
        (b'{"data": 1}', False),
        (b"[1]", False),
        (b"<html>", False),
        (b"database: 7", False),
    ):
        assert may_be_stream(begins) is expected, begins


def test_a_value_over_many_lines_is_read_once() -> None:
    """Decoding it anew at each line that may end it would take minutes here."""
    lines = [b'[{"a": {', *[b'"x": {"y": 1}', b'},"b": {'] * 1_500]
    ends = [b"}}]"]
    long = b"\n".join([*lines, *ends])
    reader = EventReader()
    assert [event.data for event in reader.feed(long + b"\n")] == [long]
    cut = b"\n".join(lines * 40)
    assert list(EventReader().feed(cut + b"\n")) == []  # it has too many lines


USAGE = {"prompt_tokens": 9, "completion_tokens": 2}
SAID = json.dumps({"choices": [{"delta": {"content": "Gr\u00fc\u00dfe"}}]}, ensure_ascii=False).encode()
COUNTED = json.dumps({"choices": [], "usage": USAGE}).encode()
COUNTED_BY: dict[str, tuple[str, bytes]] = {
    "a stream": ("text/event-stream", b"data: %b\n\ndata: %b\n\ndata: [DONE]\n\n" % (SAID, COUNTED)),
    "CR": ("text/event-stream; charset=utf-8", b"data: %b\r\rdata: %b\r\rdata: [DONE]\r\r" % (SAID, COUNTED)),
    "a byte order mark": ("text/event-stream", b"\xef\xbb\xbfdata: %b\n\ndata: [DONE]\n\n" % COUNTED),
    "a stream by another type": ("text/plain", b"data: %b\n\ndata: %b\n\ndata: [DONE]\n\n" % (SAID, COUNTED)),
    "JSON lines": ("application/x-ndjson", SAID + b"\n" + COUNTED + b"\n"),
    "bare lines in a stream": ("text/event-stream", SAID + b"\n" + COUNTED + b"\ndata: [DONE]\n"),
    "a whole body": ("application/json", b"\xef\xbb\xbf" + COUNTED),
}


@pytest.mark.parametrize("name", COUNTED_BY)
def test_what_was_counted_is_read_of_it(name: str) -> None:
    kind, body = COUNTED_BY[name]
    api = api_of("POST", "/v1/chat/completions")
    assert api is not None
    for size in (1, len(body)):
        reader = UsageReader(api, kind, "")
        for start in range(0, len(body), size):
            reader.feed(body[start : start + size])
        reader.end()
        assert reader.usage == USAGE, size


def test_an_error_is_heard_by_the_name_of_its_event() -> None:
    api = api_of("POST", "/v1/messages")
    assert api is not None
    told: list[Any] = []
    for body in (
        b'event: error\ndata: {"reason": "prompt is too long"}\n\n',
        b"event: error\ndata: prompt is too long\n\n",
    ):
        reader = UsageReader(api, "text/event-stream", "")
        reader.feed(body)
        reader.end()
        told.append(reader.failure and reader.failure.kind)
    assert told == ["size", "size"]
