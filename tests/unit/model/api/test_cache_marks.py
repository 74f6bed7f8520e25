"""Cache marks on a list of Anthropic's format: where a report says, and nowhere that a provider would refuse."""

import json
from typing import Any

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


USERS: list[Message] = [{"role": "user", "content": f"{number}"} for number in range(6)]


def test_marks_of_the_program_move_and_keep_their_lifetime() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": [text("out", **MARK)], **HOUR}
    made = with_cache_marks([said(text("a", **MARK)), {"role": "user", "content": [result]}, *USERS], (0, 7))
    assert made[0]["content"] == [text("a", **HOUR)]
    assert "cache_control" not in json.dumps(made[1])
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
