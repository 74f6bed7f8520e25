"""What is content of a message, and what is only its spelling: cache marks, one bare text, order, numbers."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.formats import compact, same_content, unmarked

MARK = {"cache_control": {"type": "ephemeral"}}
TEXT = {"type": "text", "text": "go"}
CALL = {"type": "tool_use", "id": "t1", "name": "edit", "input": {"path": "x", "line": 3}}


def raw(message: Any) -> bytes:
    return json.dumps(message).encode()


def user(content: Any, **more: Any) -> bytes:
    return raw({"role": "user", "content": content, **more})


def result(content: Any, **more: Any) -> bytes:
    return user([{"type": "tool_result", "tool_use_id": "t1", "content": content, **more}])


# name, two spellings of one content
SAME: list[tuple[str, bytes, bytes]] = [
    ("white space", user("go"), b'{ "role":"user",\n"content":"go"}'),
    ("a mark on the last block", user([TEXT, TEXT]), user([TEXT, TEXT | MARK])),
    ("one text block, marked", user("go"), user([TEXT | MARK])),
    ("a mark within a result", result("text"), result([{"type": "text", "text": "text"} | MARK])),
    ("a mark on a message", user("go"), user("go", **MARK)),
    (
        "a prompt",
        raw({"role": "system", "content": "x"}),
        raw({"content": [TEXT | {"text": "x"}], "role": "system"}),
    ),
    (
        "order and numbers of arguments",
        raw({"role": "assistant", "content": [CALL]}),
        raw({"content": [CALL | {"input": {"line": 3.0, "path": "x"}}], "role": "assistant"}),
    ),
    ("escapes", b'{"role":"user","content":"\\u00e4/"}', '{"role":"user","content":"ä\\/"}'.encode()),
    (
        "an item",
        raw({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"} | MARK]}),
        raw({"type": "message", "role": "user", "content": "go"}),
    ),
    (
        "an output",
        raw(
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "o"} | MARK]}
        ),
        raw({"type": "function_call_output", "call_id": "c", "output": "o"}),
    ),
]


def test_one_content_in_two_spellings() -> None:
    for name, one, other in SAME:
        assert same_content(one, other), name
        assert same_content(other, one), name


IMAGE = {"type": "image", "source": {"type": "base64", "data": "xx"}}
OTHER: list[tuple[str, bytes, bytes]] = [
    ("another text", user("go"), user("stop")),
    ("another picture", user([IMAGE]), user([IMAGE | {"source": {"type": "base64", "data": "yy"}}])),
    ("another role", user("go"), raw({"role": "assistant", "content": "go"})),
    ("true is no number", b'{"is_error":true}', b'{"is_error":1}'),
    ("two blocks", user("gogo"), user([TEXT, TEXT])),
    ("a block that says more", user("go"), user([TEXT | {"citations": []}])),
    ("an argument that is called so", user([CALL | {"input": MARK}]), user([CALL | {"input": {}}])),
    ("null", user(None), user("")),
    ("what is no JSON", b"nul", b"null"),
]


def test_two_contents() -> None:
    for name, one, other in OTHER:
        assert not same_content(one, other), name


def test_marks_come_off_and_all_else_stays_byte_for_byte() -> None:
    """The spelling of the rest is the host's: escapes, order, numbers."""
    marked = b'{"content":[{"text":"\\u00e4","type":"text"},{"n":1.50,"cache_control":{}}],"role":"x"}'
    assert unmarked(marked) == b'{"content":[{"text":"\\u00e4","type":"text"},{"n":1.50}],"role":"x"}'
    within = result([TEXT | MARK], **MARK)
    assert unmarked(within) == result([TEXT]).replace(b", ", b",").replace(b": ", b":")
    for untouched in (user("go"), user('"cache_control"'), raw({"content": [CALL | {"input": MARK}]}), b"nul"):
        assert unmarked(untouched) == untouched


@given(st.binary(), st.binary())
def test_no_bytes_are_an_error(one: bytes, other: bytes) -> None:
    assert same_content(one, one)
    assert same_content(one, other) == same_content(other, one)
    assert unmarked(one) is one


def test_only_white_space_between_tokens_goes() -> None:
    spaced = b'{"b" : 1.0e5, "a":\n[ "x \\u00e9\\/  y" , -0, 2.50 ]}'
    assert compact(spaced) == b'{"b":1.0e5,"a":["x \\u00e9\\/  y",-0,2.50]}'
    for untouched in (b'{"a":"b c"}', b"{ bad", b""):
        assert compact(untouched) is untouched
