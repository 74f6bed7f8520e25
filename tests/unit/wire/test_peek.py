"""What the first bytes of a message tell where the message cannot be read: its own id, or none."""

import json

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.wire.framing import Peek, peek

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
