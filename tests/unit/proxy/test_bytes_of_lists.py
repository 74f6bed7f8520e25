"""Bodies as no tidy library writes them: all outside the list stays byte for byte, what cannot be read passes.
Of a list that goes on from an earlier one only what is new is read, and the same comes of it as of all of it."""

import itertools
import json
from typing import Any

import pytest

from ctxmgr.proxy.body import MOST_OBJECTS, Crowded, ListBody, RecentLists, UnreadableBody, list_body
from tests.unit.proxy.lists import SESSION, compact, conversation, marked, request

LIST = compact(conversation(12, lines=200))


AROUND = {
    "white space": (b' {\n "messages" :\t', b' , "tools":[{}],"n":1e400,"m":0.10000000000000000000001}\n'),
    "big": (b'{"tools":[{"a":1}],"messages":', b',"z":-0,"big":123456789012345678901234567890}'),
    "escaped": (b'{"tools":[{}],"m\\u0065ssages":', b',"\\u0061":"\\ud83d\\ude00 \\/"}'),
    "a copy before": (b'{"tools":[{}],"copy":' + LIST + b',"messages":', b"}"),
    "a copy behind": (b'{"tools":[{}],"messages":', b',"copy":' + LIST + b"}"),
    "half a pair": (b'{"tools":[{}],"half":"\\ud83d",\r\n"messages":', b',"other":"\\udc00x"}'),
    "a list within": (b'{"tools":[{}],"within":{"messages":' + LIST + b'},"messages":', b"}"),
}


async def test_all_outside_the_list_stays_byte_for_byte(rig: Any) -> None:
    made = await rig()
    for case, (before, after) in AROUND.items():
        await made.post(before + LIST + after, headers=SESSION | {"X-Claude-Code-Session-Id": case})
        sent = made.upstream.asked[-1].body
        assert sent.startswith(before), case
        assert sent.endswith(after), case
        assert len(json.loads(sent[len(before) : len(sent) - len(after)])) < 25, case


MALFORMED = [
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
    b'{"tools": [{}], "tools": [{"a": 1}], "messages": ' + LIST + b"}",
    b'{"tools": [{}], "messages": [], "messages": ' + LIST + b"}",
]


async def test_what_is_malformed_passes_and_the_provider_answers_it(rig: Any) -> None:
    made = await rig()
    for path in ("/v1/messages", "/v1/chat/completions", "/v1/responses"):
        for malformed in MALFORMED:
            body = malformed.replace(b"messages", b"input") if path.endswith("responses") else malformed
            response, came = await made.post(body, path, SESSION)
            assert response.status == 200, (path, body[:60])
            assert b"message_stop" in came, (path, body[:60])
            assert made.upstream.asked[-1].body == body
    assert not any("failed at it" in line for line in made.said)


async def test_half_of_a_surrogate_pair_in_a_list_is_read_and_passes_where_the_list_stays(rig: Any) -> None:
    made = await rig()
    messages = conversation(12, lines=200)
    messages[-1]["content"][0]["content"][0]["text"] += "HALF"
    short, long = (
        compact({"messages": some, "tools": [{}]}).replace(b"HALF", b"\\ud83d")
        for some in (messages[-2:], messages)
    )
    await made.post(short, headers=SESSION | {"X-Claude-Code-Session-Id": "s-2"})
    await made.post(long, headers=SESSION)
    first, second = (one.body for one in made.upstream.asked)
    assert first == short
    assert len(second) < 0.7 * len(long)
    assert json.loads(second)["messages"][-1]["content"][0]["content"][0]["text"].endswith("\ufffd")


def test_a_list_of_more_objects_than_a_window_holds_is_not_read() -> None:
    """A million of them would hold the loop for more than a second; in a text they are no objects."""
    one = {"type": "text", "text": "x"}
    crowd = body([{"role": "user", "content": [one] * MOST_OBJECTS}])
    for written in (crowd, crowd.replace(b"{", b"{ \n\t")):
        with pytest.raises(Crowded):
            list_body(written, "messages")
    told = json.dumps([one] * MOST_OBJECTS)
    assert list_body(body([{"role": "user", "content": told}]), "messages") is not None


TAIL = b',"tools":[{"name":"Read"}],"n":0.10}'


def body(messages: Any, tail: bytes = TAIL, before: bytes = b'{"model":"m","messages":') -> bytes:
    return before + compact(messages) + tail


def outcome(read: Any, told: bytes) -> ListBody | str | None:
    try:
        return read(told, "messages")  # type: ignore[no-any-return]
    except UnreadableBody as fault:
        return str(fault)


SAID = conversation(8)
CHANGED = [*SAID[:5], {"role": "user", "content": "other"}, *SAID[6:]]
BODIES = {
    "goes on": body([*SAID, {"role": "user", "content": "more"}]),
    "the same": body(SAID),
    "shorter": body(SAID[:4]),
    "changed within": body(CHANGED),
    "another": body(conversation(3)[1:]),
    "empty": body([]),
    "another tail": body(SAID, b',"tools":[],"stream":true}'),
    "another head": body(SAID, before=b'{"model":"other","messages":'),
    "a comma too many": body(SAID)[: -len(TAIL) - 1] + b",]" + TAIL,
    "a comma too many, cut": body(SAID)[: -len(TAIL) - 1] + b",",
    "two commas": body(SAID)[: -len(TAIL) - 1] + b",,{}]" + TAIL,
    "cut": body(SAID)[:-40],
    "trailing": body(SAID) + b"x",
    "the list twice": body(SAID, b',"messages":' + compact(SAID[:2]) + TAIL),
    "the list again, changed": body(SAID, b',"messages":' + compact(CHANGED) + TAIL),
    "no list behind": body(SAID, b',"messages":7' + TAIL),
    "a copy behind": body(SAID, b',"copy":' + compact(SAID) + TAIL),
    "white space": json.dumps({"model": "m", "messages": SAID}, indent=1).encode(),
    "spaces": b'{"model":"m","messages":' + json.dumps(SAID).encode() + TAIL,
    "one number": b'{"model":"m","messages":[1]}',
    "a longer number": b'{"model":"m","messages":[12,1]}',
    "no object": b"[1]",
}


def test_what_is_read_after_another_list_is_what_all_of_it_says() -> None:
    for before, last in itertools.product(BODIES, BODIES):
        recent = RecentLists()
        outcome(recent.read, body(SAID))
        assert outcome(recent.read, BODIES[before]) == outcome(list_body, BODIES[before]), before
        assert outcome(recent.read, BODIES[last]) == outcome(list_body, BODIES[last]), (before, last)


def test_what_is_new_alone_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(told: bytes, name: str) -> ListBody | None:
        sizes.append(len(told))
        return list_body(told, name)

    monkeypatch.setattr("ctxmgr.proxy.body.list_body", counted)
    recent, long = RecentLists(), [{"role": "user", "content": "x" * 100_000}] * 3
    recent.read(body(long), "messages")
    recent.read(body([*long, {"role": "user", "content": "more"}]), "messages")
    recent.read(body([*long, {"role": "user", "content": "more"}, *long[:1]]), "messages")
    assert [size // 100_000 for size in sizes] == [3, 0, 1]


async def steps(rig: Any, count: int, headers: dict[str, str] = SESSION, **more: Any) -> Any:
    """A conversation, call by call."""
    made = await rig(**more)
    for number in range(count):
        body = request(marked(conversation(number, lines=200)))
        response, _ = await made.post(body, headers=headers)
        assert response.status == 200
    return made


async def test_what_is_stale_leaves_and_all_beside_the_list_stays_byte_for_byte(rig: Any) -> None:
    made = await steps(rig, 12)
    whole = request(marked(conversation(11, lines=200)))
    sent = made.upstream.asked[-1].body
    assert len(sent) < 0.7 * len(whole)
    fields, own = json.loads(sent), json.loads(whole)
    assert {**fields, "messages": []} == {**own, "messages": []}
    assert list(fields) == list(own)
    assert fields["messages"][-1] == own["messages"][-1]


async def test_observing_passes_every_byte_and_tells_what_would_have_been_saved(rig: Any) -> None:
    made = await steps(rig, 12, observe=True)
    for number, asked in enumerate(made.upstream.asked):
        assert asked.body == request(marked(conversation(number, lines=200)))
    account = made.proxy.rewriter.account
    assert account.other.input_tokens < account.sent.input_tokens
