"""pi's messages: what is read of each, what is left alone, and that nothing a host sends is an error."""

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import pi
from ctxmgr.formats.pi_messages import _ROLES, SUMMARY_WRAPPER_TOKENS
from ctxmgr.model.messages import Block, View
from tests.notation import quarters, read
from tests.unit.formats.pi_messages import ROLES


def view(message: Any) -> View:
    return pi.view(json.dumps(message).encode())


def other(raw: str, at: int | None = None) -> View:
    return View("other", (Block("other", text=raw),), time_ms=at)


def test_what_is_read_of_each_role() -> None:
    for name, message, expected in ROLES:
        assert view(message) == expected, name


# name, raw JSON, role, kinds of block, whether it opens a turn: as little as possible is given up
ODD: list[tuple[str, str, str, list[str], bool]] = [
    ("an unknown role", '{"role":"system","content":"x"}', "other", ["other"], False),
    ("no role", '{"content":"x"}', "other", ["other"], False),
    ("no object", '["user"]', "other", ["other"], False),
    ("no JSON", '{"role":"user"', "other", ["other"], False),
    ("nothing", "", "other", ["other"], False),
    ("no content", '{"role":"user"}', "user", ["text"], True),
    ("a block that is none", '{"role":"user","content":["x",null,5]}', "user", ["text"], True),
    ("an assistant's content a string", '{"role":"assistant","content":"x"}', "assistant", ["text"], False),
    (
        "an unknown block",
        '{"role":"assistant","content":[{"type":"audio"},{"type":"text","text":"x"}]}',
        "assistant",
        ["other", "text"],
        False,
    ),
    (
        "a call without arguments",
        '{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read"}]}',
        "assistant",
        ["call"],
        False,
    ),
    ("a result without its text", '{"role":"toolResult","toolCallId":"c1"}', "result", ["result"], False),
    ("a summary without text", '{"role":"compactionSummary"}', "other", ["other"], False),
    (
        "a huge integer",
        '{"role":"user","content":"x","timestamp":123456789012345678901234567890}',
        "user",
        ["text"],
        True,
    ),
    ("a number beyond all", '{"role":"user","content":"x","timestamp":1e999}', "other", ["other"], False),
    ("a key twice", '{"role":"assistant","role":"user","content":"x"}', "user", ["text"], True),
    ("an unpaired surrogate", '{"role":"user","content":"\\ud83d"}', "other", ["other"], False),
    ("nesting without end", '{"role":"user","content":' + "[" * 100_000, "other", ["other"], False),
]


def test_odd_messages() -> None:
    for name, raw, role, kinds, opens in ODD:
        made = pi.view(raw.encode())
        assert (made.role, [block.kind for block in made.blocks], made.opens_turn) == (role, kinds, opens), name
        if role == "other":
            assert made.blocks[0].text == raw, name


def test_what_a_summary_is_wrapped_in_is_weighed() -> None:
    (message,) = read([b'{"role":"compactionSummary","summary":"12345678"}'])
    assert message.weight == quarters("12345678") + SUMMARY_WRAPPER_TOKENS


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
NAMES: tuple[str, ...] = (
    "content",
    "toolCallId",
    "toolName",
    "isError",
    "summary",
    "command",
    "output",
    "exitCode",
    "timestamp",
)
NAMES += ("usage", "stopReason", "errorMessage", "customType", "excludeFromContext", "extra")
BLOCK_NAMES: tuple[str, ...] = ("type", "text", "thinking", "id", "name", "arguments", "thinkingSignature")
kinds = st.sampled_from(("text", "thinking", "toolCall", "image", "audio"))
blocks = st.dictionaries(st.sampled_from(BLOCK_NAMES), values, max_size=5).flatmap(
    lambda fields: kinds.map(lambda kind: {**fields, "type": kind})
)
messages = st.builds(
    lambda role, content, fields: {"role": role, **({"content": content} if content else {}), **fields},
    st.sampled_from((*_ROLES, "system")) | values,
    st.lists(blocks, max_size=3),
    st.dictionaries(st.sampled_from(NAMES), values, max_size=4),
)


@given(messages)
def test_no_message_is_an_error_and_none_loses_its_role(message: dict[str, Any]) -> None:
    made = view(message)
    known = {"user": "user", "assistant": "assistant", "toolResult": "result", "bashExecution": "shell"}
    if isinstance(message["role"], str) and message["role"] in known and not beyond(message):
        assert made.role == known[message["role"]]
    for block in made.blocks:
        assert isinstance(block.text, str)
        assert isinstance(block.call_id, str)
        assert block.arguments is None or isinstance(block.arguments, dict)


def beyond(message: dict[str, Any]) -> bool:
    """Is there something in it that no decoder takes, such as half a surrogate pair?"""
    try:
        msgspec.json.decode(json.dumps(message))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return False


@given(messages, st.text())
def test_any_result_can_be_replaced(message: dict[str, Any], text: str) -> None:
    raw = json.dumps({**message, "role": "toolResult"}).encode()
    if pi.view(raw).role != "result":
        return
    made = pi.set_text(raw, {0: text})
    after = pi.view(made)
    assert after.blocks[0].text == text
    fields, kept = (msgspec.json.decode(one, type=dict[str, msgspec.Raw]) for one in (made, raw))
    assert list(fields) == list(kept) or "content" not in kept
    assert all(bytes(fields[name]) == bytes(kept[name]) for name in kept if name != "content")


# raw message, raw message with its result replaced: everything else is as it was, byte for byte
