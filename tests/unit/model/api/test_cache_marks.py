"""Cache marks on a list of Anthropic's format: where a report says, and nowhere that a provider would refuse."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.model.api import with_cache_marks
from tests.provider.rules import anthropic as rules

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "s"}
Message = dict[str, Any]


def text(words: str, **more: Any) -> Message:
    return {"type": "text", "text": words, **more}


def said(*blocks: Message) -> Message:
    return {"role": "assistant", "content": list(blocks)}


def marked(messages: list[Message]) -> list[int]:
    return [place for place, one in enumerate(messages) if "cache_control" in json.dumps(one)]


USERS: list[Message] = [{"role": "user", "content": f"{number}"} for number in range(6)]


def test_the_named_messages_bear_a_mark_and_the_given_ones_are_left_as_they_are() -> None:
    before = json.dumps(USERS)
    made = with_cache_marks(USERS, (2, 5))
    assert made[2] == {"role": "user", "content": [text("2", **MARK)]}
    assert marked(made) == [2, 5]
    assert made[0] is USERS[0]
    assert json.dumps(USERS) == before


def test_marks_of_the_program_move_and_keep_their_lifetime() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": [text("out", **MARK)], **HOUR}
    made = with_cache_marks([said(text("a", **MARK)), {"role": "user", "content": [result]}, *USERS], (0, 7))
    assert made[0]["content"] == [text("a", **HOUR)]
    assert "cache_control" not in json.dumps(made[1])
    assert made[7]["content"] == [text("5", **HOUR)]


@pytest.mark.parametrize("raw", [False, True])
def test_a_mark_within_a_result_keeps_its_lifetime_too(raw: bool) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": [text("out", **HOUR), text("more")]}
    given_: list[Any] = [said(text("a", **MARK)), {"role": "user", "content": [result]}, *USERS]
    before = [json.dumps(one).encode() for one in given_] if raw else given_
    made = [json.loads(one) if isinstance(one, bytes) else one for one in with_cache_marks(before, (7,))]
    assert marked(made) == [7]
    assert made[7]["content"] == [text("5", **HOUR)]


def test_bytes_stay_bytes_and_all_else_is_spelled_as_it_was() -> None:
    raw = b'{ "n": 1.10, "content": [{"type":"tool_use","input":{"x":1E3}}], "role": "assistant"}'
    (made,) = with_cache_marks([raw], (0,))
    assert made == (
        b'{"n":1.10,"content":[{"type":"tool_use","input":{"x":1E3},"cache_control":{"type":"ephemeral"}}],'
        b'"role":"assistant"}'
    )
    assert with_cache_marks([raw, b'{"role":"user","content":"x"}'], (1,))[0] is raw


BLOCKS = st.sampled_from(
    [text("a"), text(""), text("b", **MARK), THINKING, {"type": "redacted_thinking", "data": "d"}]
)
MESSAGES = st.lists(st.builds(lambda *blocks: said(*blocks[0]), st.lists(BLOCKS, max_size=3)), max_size=6)


@given(MESSAGES, st.lists(st.integers(0, 8), min_size=1, max_size=6), st.integers(0, 5), st.booleans())
def test_a_provider_finds_no_mark_to_refuse(messages: list[Any], places: list[int], own: int, raw: bool) -> None:
    before = [json.dumps(one).encode() for one in messages] if raw else messages
    made = with_cache_marks(before, places, own_marks=own)
    sent = [json.loads(one) if isinstance(one, bytes) else one for one in made]
    blocks = [block for one in sent for block in one["content"]]
    bearing = [block for block in blocks if "cache_control" in block]
    assert len(bearing) <= max(0, 4 - own)
    assert all("cache_control" in rules.BLOCKS[one["type"]][1] and one["text"].strip() for one in bearing)
    bare = [{name: value for name, value in one.items() if name != "cache_control"} for one in blocks]
    olds = [block for one in messages for block in one["content"]]
    assert bare == [{name: value for name, value in one.items() if name != "cache_control"} for one in olds]


def test_there_are_never_more_than_four_with_those_outside_of_the_list() -> None:
    for own, expected in [(0, [1, 2, 3, 5]), (1, [2, 3, 5]), (2, [3, 5]), (3, [5]), (4, []), (9, [])]:
        assert marked(with_cache_marks(USERS, (0, 1, 2, 3, 5), own_marks=own)) == expected, own


def test_the_last_block_that_can_bear_one_does() -> None:
    for message, content in [
        (said(text("a"), THINKING), [text("a", **MARK), THINKING]),
        (said(text("a"), text(" ")), [text("a", **MARK), text(" ")]),
        (said(THINKING), [THINKING]),
        (said(text("")), [text("")]),
        ({"role": "user", "content": ""}, ""),
        (said(text("a"), {"type": "tool_use", "id": "t"}), [text("a"), {"type": "tool_use", "id": "t", **MARK}]),
    ]:
        assert with_cache_marks([message], (0,))[0]["content"] == content, message
