"""The envelope: which bodies are requests, notifications, responses, and what answers the others."""

import json
from typing import Any, Literal

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.wire.envelope import (
    Fault,
    Message,
    Notification,
    Request,
    Response,
    decode,
    encode_error,
    encode_notification,
    encode_request,
    encode_result,
)

Kind = Literal["call", "notification", "response"]
V2 = b'"jsonrpc":"2.0",'


def read(rest: bytes) -> Message | Fault:
    return decode(b"{" + V2 + rest)


def raw(text: bytes | None) -> msgspec.Raw | None:
    return None if text is None else msgspec.Raw(text)


def request(id: bytes, method: str, params: bytes | None = None, mended: int = 0) -> Request:
    return Request(id, method, raw(params), mended)


def result(id: bytes, value: bytes) -> Response:
    return Response(id, raw(value), None)


def error(id: bytes, value: bytes) -> Response:
    return Response(id, None, raw(value))


MESSAGES: list[tuple[bytes, Message]] = [
    (b'"id":1,"method":"m"}', request(b"1", "m")),
    (b'"id":"a","method":"m","params":{"x":1}}', request(b'"a"', "m", b'{"x":1}')),
    (b'"params":\n{ "x" : 1.10 } ,"method":"m","id": 1 } ', request(b"1", "m", b'{ "x" : 1.10 }')),
    (b'"id":1,"method":"m","extra":[1]}', request(b"1", "m")),
    (b'"id":1,"method":"m","result":null,"error":null}', request(b"1", "m")),
    (b'"id":1,"method":"a","method":"b","id":2}', request(b"2", "b")),
    (b'"id":1,"method":"\\u006d\xc3\xa9"}', request(b"1", "mé")),
    (b'"method":"m"}', Notification("m")),
    (b'"method":"$/cancelRequest","params":{"id":1}}', Notification("$/cancelRequest", raw(b'{"id":1}'))),
    (b'"id":1,"result":{"a":1}}', result(b"1", b'{"a":1}')),
    (b'"id":1,"result":null}', result(b"1", b"null")),
    (b'"id":1,"result":null,"error":null}', result(b"1", b"null")),
    (b'"id":1,"method":null,"result":5}', result(b"1", b"5")),
    (b'"id":1,"error":{"code":-1,"message":"x"}}', error(b"1", b'{"code":-1,"message":"x"}')),
    (b'"id":1,"result":null,"error":"odd"}', error(b"1", b'"odd"')),
    (b'"id":1,"error":null}', error(b"1", b"null")),
]


def test_a_valid_message_is_read() -> None:
    for rest, message in MESSAGES:
        assert read(rest) == message, rest


INVALID: list[tuple[bytes, str, bytes | None, Kind]] = [
    (b'"id":1}', "the message has no method, result or error", b"1", "call"),
    (b'"id":1,"method":null}', "the message has no method, result or error", b"1", "call"),
    (b'"id":1,"method":5}', "method must be a string", b"1", "call"),
    (b'"method":["m"],"params":"bar"}', "method must be a string", None, "call"),
    (b'"id":1,"method":"m","result":5}', "the message has a method and also a result or an error", b"1", "call"),
    (b'"id":null,"method":"m"}', "id must be a string or a number", None, "call"),
    (b'"id":true,"method":"m"}', "id must be a string or a number", None, "call"),
    (b'"id":null,"error":{"code":-32700}}', "id must be a string or a number", None, "response"),
    (b'"result":5}', "the response has no id", None, "response"),
    (b'"id":1,"result":5,"error":6}', "the response has both a result and an error", b"1", "response"),
    (b'"jsonrpc":"1.0","id":1,"method":"m"}', 'jsonrpc must be "2.0"', b"1", "call"),
    (b'"jsonrpc":null,"id":1,"result":5}', 'jsonrpc must be "2.0"', b"1", "response"),
]


def test_an_invalid_envelope_is_named() -> None:
    for rest, text, id, kind in INVALID:
        assert read(rest) == Fault(-32600, text, id, kind), rest


NOT_JSON: list[tuple[bytes, bytes | None, Kind]] = [
    (b"", None, "call"),
    (b"{", None, "call"),
    (b"hello", None, "call"),
    (b"\xef\xbb\xbf{}", None, "call"),
    (b'{"id":1,"method":"m"', b"1", "call"),
    (b'{"id":1,"method":"m","params":{"id":2,}}', b"1", "call"),
    (b'{"method":"m","params":{"id":2,}}', None, "call"),
    (b'{"id":1,"method":"m","params":{"x":NaN}}', b"1", "call"),
    (b'{"id":1,"method":"m","params":{"x":"\n"}}', b"1", "call"),
    (b'{"id":1,"method":"m","params":{"x":"\\ud83"}}', b"1", "call"),
    (b'{"id":1,"method":"\\ud83d","params":{"x":oops}}', b"1", "call"),
    (b'{"id":1,"result":{"x":oops}}', b"1", "response"),
]


def test_what_is_no_json_is_answered_by_the_id_in_its_first_bytes() -> None:
    for body, id, kind in NOT_JSON:
        fault = decode(body)
        assert isinstance(fault, Fault), body
        assert (fault.code, fault.id, fault.kind) == (-32700, id, kind), body
        assert fault.message.startswith("the body is not JSON: "), body


FILLER = b"x" * 65_498  # a check in steps of 65 536 bytes must not trip over a character that spans two


def test_invalid_utf8_is_found_anywhere() -> None:
    for before in [b"", FILLER, FILLER + b"12345"]:
        for bad in [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"]:
            for place in [b'"params":{"x":"%s"}', b'"other":"%s"', b'"%s":1', b'"result":"%s"']:
                body = b'{"id":1,"method":"m",' + place % (before + bad) + b"}"
                assert decode(body, "ndjson") == Fault(-32700, "the body is not UTF-8", b"1"), place


def test_unpaired_surrogates_are_mended_and_counted() -> None:
    assert read(rb'"id":1,"method":"m","params":{"x":"\ud83d","y":"\ud83d\ude00"},"z":"\ude00"}') == request(
        b"1", "m", rb'{"x":"\ufffd","y":"\ud83d\ude00"}', mended=2
    )
    assert read(rb'"method":"m\ud83d"}') == Notification("m\ufffd")
    assert read(rb'"id":1,"result":"\ud83d"}') == Response(b"1", raw(rb'"\ufffd"'))


@given(st.binary(max_size=80))
def test_decode_never_raises_on_bytes(body: bytes) -> None:
    for mode in ("ndjson", "content-length"):
        message = decode(body, mode)
        assert isinstance(message, Request | Notification | Response | Fault)


TOKENS = [b"{", b"}", b"[", b"]", b":", b",", b"null", b"1", b"1e5", b'"', b'"x"', b'"\\ud83d"', b"\xff"]
NAMES = [b'"id":', b'"method":', b'"params":', b'"result":', b'"error":', b'"jsonrpc":"2.0",']


@given(st.lists(st.sampled_from([*TOKENS, *NAMES]), max_size=16).map(b"".join))
def test_decode_never_raises_on_pieces_of_json(pieces: bytes) -> None:
    for body in (pieces, b'{"jsonrpc":"2.0",' + pieces + b"}"):
        message = decode(body)
        if not isinstance(message, Fault):
            assert json.loads(body)["jsonrpc"] == "2.0"


TEXT = st.text(st.characters(), max_size=12)  # unpaired surrogates included
IDS = st.one_of(st.integers(), st.text(max_size=8)).map(msgspec.json.encode)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def fixed(value: Any) -> Any:
    """The same with each unpaired surrogate replaced."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    if isinstance(value, list):
        return [fixed(inner) for inner in value]
    if isinstance(value, dict):
        return {key: fixed(inner) for key, inner in value.items()}
    return value


@given(IDS, VALUES)
def test_a_result_reads_back(id: bytes, value: Any) -> None:
    encoded = json.dumps(fixed(value)).encode()
    parts = encode_result(id, [encoded[:1], encoded[1:]])
    assert decode(b"".join(parts)) == result(id, encoded)


@given(IDS | st.none(), st.integers(-40000, 40000), TEXT, VALUES)
def test_an_error_reads_back_whatever_its_text(id: bytes | None, code: int, text: str, data: Any) -> None:
    body = b"".join(encode_error(id, code, text, data))
    assert body.startswith(b'{"jsonrpc":"2.0","id":' + (id or b"null") + b',"error":')
    expected = {"code": code, "message": fixed(text)} | ({} if data is None else {"data": fixed(data)})
    assert msgspec.json.decode(body)["error"] == expected
    message = decode(body)
    if id is None:
        assert isinstance(message, Fault)
        assert message.kind == "response"
    else:
        assert isinstance(message, Response)
        assert message.id == id


@given(st.integers() | st.text(max_size=8), TEXT, st.none() | st.dictionaries(st.text(max_size=4), VALUES))
def test_requests_and_notifications_read_back(id: int | str, method: str, params: dict[str, Any] | None) -> None:
    asked = decode(b"".join(encode_request(id, method, params)))
    told = decode(b"".join(encode_notification(method, params)))
    assert isinstance(asked, Request)
    assert isinstance(told, Notification)
    assert msgspec.json.decode(asked.id) == id
    for message in (asked, told):
        assert message.method == fixed(method)
        assert (message.params and msgspec.json.decode(message.params)) == fixed(params)
