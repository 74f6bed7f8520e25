"""Bodies as no tidy library writes them: all outside the list stays byte for byte, what can not be read passes."""

import json
from typing import Any

import pytest

from ctxmgr.proxy.body import UnreadableBody, list_body
from tests.unit.proxy.lists import SESSION, compact, conversation

LIST = compact(conversation(12, lines=200))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b' {\n "messages" :\t', b' , "tools":[{}],"n":1e400,"m":0.10000000000000000000001}\n'),
        (b'{"tools":[{}],"tools":[{"a":1}],"messages":', b',"z":-0,"big":123456789012345678901234567890}'),
        (b'{"tools":[{}],"m\\u0065ssages":', b',"\\u0061":"\\ud83d\\ude00 \\/"}'),
        (b'{"tools":[{}],"copy":' + LIST + b',"messages":', b"}"),
        (b'{"tools":[{}],"messages":', b',"copy":' + LIST + b"}"),
        (b'{"tools":[{}],"messages":[],"messages":', b"}"),
        (b'{"tools":[{}],"within":{"messages":' + LIST + b'},"messages":', b"}"),
    ],
    ids=["white space", "twice", "escaped", "a copy before", "a copy behind", "the list twice", "a list within"],
)
async def test_all_outside_the_list_stays_byte_for_byte(rig: Any, before: bytes, after: bytes) -> None:
    made = await rig()
    await made.post(before + LIST + after, headers=SESSION)
    sent = made.upstream.asked[0].body
    assert sent.startswith(before)
    assert sent.endswith(after)
    assert len(json.loads(sent[len(before) : len(sent) - len(after)])) < 25


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe{}",
        b'{"messages": "all"}',
        b'{"messages": {}}',
        b'{"messages": []}',
        b'{"messages": [1, null, "x", []], "tools": [{}]}',
        b'{"messages": [{"role": "user", "content": "\xff"}], "tools": [{}]}',
        b'{"messages": [{"role": "user", "content": "\\ud800"}], "tools": [{}]}',
        b'{"messages": [{"role": 1, "content": [{"type": []}]}], "tools": [{}]}',
        b'{"messages": [{}], "tools": [{}]} trailing',
        b'{"messages": ' + b"[" * 100_000,
        b'{"messages": [' + b"[" * 5_000 + b"]" * 5_000 + b'], "tools": [{}]}',
        b'{"messages": [{"role": "user", "content": "x"}], "tools": [{}], "model": 7}',
    ],
    ids=lambda body: repr(body[:40]),
)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/responses"])
async def test_what_is_malformed_passes_and_the_provider_answers_it(rig: Any, body: bytes, path: str) -> None:
    made = await rig()
    body = body.replace(b"messages", b"input") if path.endswith("responses") else body
    response, came = await made.post(body, path, SESSION)
    assert response.status == 200
    assert b"message_stop" in came
    assert made.upstream.asked[0].body == body
    assert not any("failed at it" in line for line in made.said)


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "br", "x-unknown", "gzip, zstd"])
async def test_what_is_not_in_its_encoding_passes(rig: Any, encoding: str) -> None:
    made = await rig()
    await made.post(b"\x1f\x8b\x00\x01 no such thing", headers=SESSION | {"Content-Encoding": encoding})
    assert made.upstream.asked[0].body == b"\x1f\x8b\x00\x01 no such thing"


def test_a_list_is_found_where_its_bytes_stand_elsewhere_too() -> None:
    for body in (b'{"a":"[1]","messages":[1]}', b'{"messages":[1],"a":[1]}', b'{"a":[[1]],"messages":[1],"b":1}'):
        found = list_body(body, "messages")
        assert found is not None
        assert found.with_messages(found.messages) == body
        assert json.loads(found.with_messages([b"2"]))["messages"] == [2]


def test_what_is_no_object_is_unreadable() -> None:
    with pytest.raises(UnreadableBody):
        list_body(b"[1]", "messages")
