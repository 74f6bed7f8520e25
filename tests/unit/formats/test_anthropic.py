"""Anthropic's messages: what is read of each, what is put anew."""

import json
from typing import Any

import msgspec

from ctxmgr.formats import anthropic
from ctxmgr.model.media import Media
from ctxmgr.model.messages import Block, Usage, View

CALL = {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "x"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "text"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "xxxx"}}
REMINDER = {"type": "text", "text": "<system-reminder>be brief</system-reminder>\n"}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def result(content_index: int = 0, said: str = "text", **more: Any) -> Block:
    return Block("result", content_index, said, "t1", can_edit=True, **more)


def view(message: Any) -> View:
    return anthropic.view(json.dumps(message).encode())


def user(*blocks: Block) -> View:
    """Whose texts can be edited."""
    mine = (msgspec.structs.replace(one, can_edit=one.can_edit or one.kind == "text") for one in blocks)
    return View("user", tuple(mine), opens_turn=True)


# content of a user's message, its view
USERS: list[tuple[str, Any, View]] = [
    ("a text", "go", user(Block("text", text="go"))),
    ("blocks", [text("a"), IMAGE], user(Block("text", 0, "a"), Block("image", 1, media=(Media("image", 4),)))),
    ("a result", [RESULT], View("result", (result(),))),
    (
        "a result in blocks",
        [{**RESULT, "content": [text("a"), IMAGE, text("b")]}],
        View("result", (result(said="a\nb", media=(Media("image", 4),)),)),
    ),
    (
        "several",
        [RESULT, {**RESULT, "tool_use_id": "t2"}],
        View("result", (result(), Block("result", 1, "text", "t2", can_edit=True))),
    ),
    ("a result and a user's words", [RESULT, text("stop")], user(result(), Block("text", 1, "stop"))),
    (
        "a result and a host's reminder",
        [RESULT, REMINDER],
        View("result", (result(), Block("text", 1, REMINDER["text"], can_edit=True))),
    ),
    (
        "a document of text",
        [{"type": "document", "title": "t", "source": {"type": "text", "data": "told"}}],
        user(Block("other", 0, "t\ntold")),
    ),
    (
        "of pages",
        [{"type": "document", "source": {"type": "base64", "data": "x" * 150_000}}],
        user(Block("other", 0, media=(Media("document", 150_056, pages=2),))),
    ),
    ("a packet", "[ctxmgr packet]\nfacts", View("packet", (Block("text", text="[ctxmgr packet]\nfacts"),))),
    (
        "a packet and a user's words",
        [text("[ctxmgr packet]\nfacts"), text("go")],
        user(Block("text", 0, "[ctxmgr packet]\nfacts"), Block("text", 1, "go")),
    ),
]


def test_what_is_read_of_a_user() -> None:
    for name, content, expected in USERS:
        assert view({"role": "user", "content": content}) == expected, name


# content of an assistant's message, its blocks
ASSISTANTS: list[tuple[str, Any, tuple[Block, ...]]] = [
    ("a text", "ok", (Block("text", 0, "ok"),)),
    (
        "thinking, text and a call",
        [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, text("ok"), CALL],
        (
            Block("thinking", 0, "hm", signed=True, must_lead=True),
            Block("text", 1, "ok"),
            Block("call", 2, 'read {"path":"x"}', "t1", "read", {"path": "x"}, can_edit=True),
        ),
    ),
    (
        "redacted",
        [{"type": "redacted_thinking", "data": "xxxx"}],
        (Block("thinking", 0, signed=True, must_lead=True),),
    ),
    (
        "what the provider ran",
        [{"type": "server_tool_use", "id": "s"}, {"type": "web_search_tool_result", "tool_use_id": "s"}],
        (
            Block("other", 0, '{"type":"server_tool_use","id":"s"}', tie="s"),
            Block("other", 1, '{"type":"web_search_tool_result","tool_use_id":"s"}', tie="s", closes=True),
        ),
    ),
]


def test_what_is_read_of_an_answer() -> None:
    for name, content, expected in ASSISTANTS:
        assert view({"role": "assistant", "content": content}) == View("assistant", expected, joins=True), name


def test_a_whole_answer() -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 1_000,
        "cache_creation_input_tokens": 50,
        "output_tokens": 5,
    }
    answer = {"type": "message", "role": "assistant", "content": [CALL], "stop_reason": "tool_use", "usage": usage}
    found = view(answer)
    assert (found.usage, found.stop) == (Usage(10, 5, 1_000, 50, 1_065, True), "toolUse")
    assert view({**answer, "stop_reason": "end_turn"}).stop == "stop"
    assert view({**answer, "stop_reason": "max_tokens"}).stop == "length"


def test_the_providers_own_summary() -> None:
    """It is heard as one, and stays where it is: its message says more."""
    found = view({"role": "assistant", "content": [{"type": "compaction", "content": "so far"}, text("ok")]})
    assert (found.role, found.summary) == ("assistant", "compaction")
    assert found.blocks == (Block("summary", 0, "so far"), Block("text", 1, "ok"))


# members of the result as they came, as they leave


def test_a_message_that_adds_or_removes_a_tool_has_the_newest_word_on_it() -> None:
    for kind in ("tool_addition", "tool_removal"):
        change = {"type": kind, "tool": {"type": "tool_reference", "name": "post"}}
        assert view({"role": "system", "content": [change]}).blocks[0].loads == ('"post"',)
    assert view({"role": "system", "content": "post"}).blocks[0].loads == ()
