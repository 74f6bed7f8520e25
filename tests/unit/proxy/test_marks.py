"""Where cache marks stand on a list that was rewritten, and what a cache that looks back from them makes of it."""

import json
from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.proxy import marks
from ctxmgr.proxy.apis import api_of
from ctxmgr.proxy.body import list_body
from tests.provider.apis import anthropic
from tests.provider.caching import Clock, MarkedCache
from tests.provider.rules import anthropic as rules
from tests.unit.proxy.lists import HOUR, MARK, SESSION, compact, conversation, marked, request

OWN = msgspec.Raw(b'{"type":"ephemeral"}')


def lists(count: int) -> list[bytes]:
    return [compact({"role": "user", "content": f"{number}"}) for number in range(count)]


def places(messages: list[bytes]) -> list[int]:
    return [place for place, raw in enumerate(messages) if b"cache_control" in raw]


def test_a_program_without_marks_gets_none() -> None:
    assert places(marks.placed(lists(60), 5, 0, None)) == []


def test_what_stayed_gets_a_mark_at_its_end_where_the_last_one_is_too_far_to_look_back() -> None:
    for behind, expected in ((19, [23]), (20, [4, 24]), (40, [4, 44])):
        assert places(marks.placed(lists(5 + behind), 5, 2, OWN)) == expected, behind


def test_the_places_of_the_report_are_marked_as_far_as_there_is_room_beside_the_programs_own() -> None:
    for others, own, breakpoints, expected in (
        (2, [], [4, 44], [4, 44]),
        (3, [], [4, 44], [44]),
        (1, [], [2, 9, 20, 44], [9, 20, 44]),
        (2, [44], [4, 44], [4, 44]),
        (2, [9], [4, 44], [9, 44]),
        (2, [9, 30], [4, 44], [9, 30]),
        (2, [], [99], [44]),
    ):
        came = lists(45)
        for place in own:
            came[place] = marks.marked(came[place], OWN)
        made = marks.placed(came, 5, others, OWN, breakpoints)
        assert places(made) == expected, others
        assert [made[place] for place in own] == [came[place] for place in own], others


def test_the_mark_is_as_the_program_sets_it() -> None:
    hour = msgspec.Raw(b'{"type":"ephemeral","ttl":"1h"}')
    came = [marks.marked(lists(1)[0], hour), *lists(3)]
    assert b'"cache_control":{"type":"ephemeral","ttl":"1h"}' in marks.placed(came, 0, 1, hour, [3])[3]
    assert marks.block_marks(compact([{"type": "text", "text": "x"}, {"type": "text", "text": "y", **MARK}])) == [
        OWN
    ]
    assert marks.block_marks(b'"a text"') == []


HOURLY = msgspec.Raw(b'{"type":"ephemeral","ttl":"1h"}')


def test_before_a_mark_for_an_hour_ours_is_for_an_hour_too() -> None:
    """A start that is kept for an hour has to stand before what is kept for less: else the provider refuses all."""
    came = lists(45)
    came[20], came[44] = marks.marked(came[20], HOURLY), marks.marked(came[44], OWN)
    made = marks.placed(came, 5, 0, OWN, [4, 30])
    assert [marks.message_marks(made[at]) for at in (4, 20, 30, 44)] == [[HOURLY], [HOURLY], [OWN], [OWN]]
    assert marks.message_marks(marks.placed(came, 5, 0, OWN)[4]) == [HOURLY]


def lifetime(body: bytes, path: str = "/v1/messages") -> int | None:
    api = api_of("POST", path)
    assert api is not None
    found = list_body(body, api.list_member)
    assert found is not None
    return marks.lifetime_ms(api.call_of(path, {}, found))


def test_how_long_a_start_is_kept_the_newest_mark_says() -> None:
    talk, system = conversation(2), [{"type": "text", "text": "x", **HOUR}]
    assert lifetime(request(talk)) is None
    assert lifetime(request(marked(talk))) == 300_000
    assert lifetime(request(marked(talk, HOUR))) == 3_600_000
    assert lifetime(request(talk, system=system)) == 3_600_000
    assert lifetime(request(marked(talk), system=system)) == 300_000
    assert lifetime(request([*marked(talk[:3], HOUR), *talk[3:]])) == 3_600_000
    assert lifetime(request(marked(talk), **HOUR)) == 3_600_000  # the request's own is on its last block
    assert lifetime(request(marked(talk, {"cache_control": {"type": "ephemeral", "ttl": 5}}))) == 300_000
    assert lifetime(request(marked(talk, HOUR)), "/v1/chat/completions") is None


BLOCKS = st.sampled_from(
    [
        {"type": "text", "text": "words"},
        {"type": "text", "text": "more", **MARK},
        {"type": "text", "text": " "},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "d"},
        {"type": "tool_result", "tool_use_id": "t", "content": "out"},
    ]
)
MESSAGES = st.lists(
    st.builds(lambda content: {"role": "user", "content": content}, st.just("text") | st.lists(BLOCKS, max_size=4)),
    max_size=8,
)


@given(MESSAGES, st.integers(0, 4), st.integers(0, 8), st.lists(st.integers(0, 9), max_size=4))
def test_a_provider_never_has_a_mark_to_refuse_that_the_program_did_not_set(
    messages: list[Any], others: int, prefix: int, breakpoints: list[int]
) -> None:
    came = [compact(one) for one in messages]
    made = marks.placed(came, prefix, others, OWN, breakpoints)
    own = others + sum(map(mark_count, messages))
    sent = [json.loads(raw) for raw in made]
    assert others + sum(map(mark_count, sent)) <= max(own, 4)
    assert [bare(one) for one in sent] == [
        bare(as_blocks(one, new)) for one, new in zip(messages, sent, strict=True)
    ]
    for message in sent:
        for block in message["content"] if isinstance(message["content"], list) else ():
            may = rules.BLOCKS[block["type"]][1]
            assert "cache_control" not in block or ("cache_control" in may and block.get("text", "x").strip())


def as_blocks(message: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """A lone text as a block where the other is one: while it bears a mark it cannot be a string."""
    if isinstance(message["content"], str) and isinstance(like["content"], list):
        return {**message, "content": [{"type": "text", "text": message["content"]}]}
    return message


def system() -> list[dict[str, Any]]:
    return [{"type": "text", "text": "x" * 20_000, **MARK}, {"type": "text", "text": "y", **MARK}]


async def test_more_is_read_from_the_cache_with_the_mark_of_an_epochs_call(rig: Any) -> None:
    made = await rig(window=60_000)
    for number in range(45):
        body = request(marked(conversation(number, lines=120)), system=system())
        await made.post(body, headers=SESSION)
    bodies = [json.loads(asked.body) for asked in made.upstream.asked]
    assert [rules.refused(body, "per-turn-control") for body in bodies] == [""] * len(bodies)
    assert any(mark_count(body) == 4 for body in bodies)
    assert max(map(mark_count, bodies)) == 4
    with_it, without = MarkedCache(Clock()), MarkedCache(Clock())
    read = sum(with_it.use("m", list(anthropic.prompt(body))).read for body in bodies)
    assert read > sum(without.use("m", list(anthropic.prompt(without_fourth(body)))).read for body in bodies)


async def test_a_program_that_writes_blanks_gets_the_lists_of_one_that_writes_none(rig: Any) -> None:
    """Its newest mark moves on with each call, and what is left of the message before is the same message."""
    sent: list[list[Any]] = []
    for separators in ((",", ":"), (", ", ": ")):
        made = await rig(window=60_000)
        for number in range(45):
            body = json.loads(request(marked(conversation(number, lines=120)), system=system()))
            await made.post(json.dumps(body, separators=separators).encode(), headers=SESSION)
        sent.append([json.loads(asked.body)["messages"] for asked in made.upstream.asked])
    assert sent[0] == sent[1]
    assert any(len(str(after)) < len(str(before)) for before, after in pairwise(sent[0]))


def mark_count(body: dict[str, Any]) -> int:
    return json.dumps(body).count('"cache_control"')


def without_fourth(body: dict[str, Any]) -> dict[str, Any]:
    """Its messages with a mark on the last alone."""
    *before, last = body["messages"]
    return {**body, "messages": [*(bare(message) for message in before), last]}


def bare(message: dict[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    kept = [{name: value for name, value in block.items() if name != "cache_control"} for block in content]
    return {**message, "content": kept}
