"""Chat completions: what is read of each message, what is put anew."""

import json
from typing import Any

import msgspec

from ctxmgr.formats import openai
from ctxmgr.model.media import Media
from ctxmgr.model.messages import Block, Usage, View

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{ "path": "x" }'}}
BLOCK = Block("call", 0, 'read {"path":"x"}', "c1", "read", {"path": "x"}, can_edit=True)
RESULT = Block("result", text="text", call_id="c1", can_edit=True, untold=True)
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,xxxx"}}
REPORT = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}


def view(message: Any) -> View:
    return openai.view(json.dumps(message).encode())


def user(*blocks: Block) -> View:
    """Whose texts can be edited."""
    mine = (msgspec.structs.replace(one, can_edit=one.can_edit or one.kind == "text") for one in blocks)
    return View("user", tuple(mine), opens_turn=True)


TABLE: list[tuple[str, dict[str, Any], View]] = [
    ("system", {"role": "system", "content": "be kind"}, View("prompt", (Block("text", text="be kind"),))),
    ("user", {"role": "user", "content": "go", "name": "ann"}, user(Block("text", text="go"))),
    (
        "user in parts",
        {"role": "user", "content": [{"type": "text", "text": "a"}, IMAGE, {"type": "text", "text": "b"}]},
        user(Block("text", text="a\nb", media=(Media("image", 26),))),
    ),
    ("assistant", {"role": "assistant", "content": "ok"}, View("assistant", (Block("text", text="ok"),))),
    ("with a call", {"role": "assistant", "content": None, "tool_calls": [CALL]}, View("assistant", (BLOCK,))),
    (
        "with text, reasoning and calls",
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "ok"}],
            "reasoning_content": "hm",
            "tool_calls": [CALL, {**CALL, "id": "c2"}],
        },
        View(
            "assistant",
            (
                Block("thinking", text="hm"),
                Block("text", 0, "ok"),
                BLOCK,
                Block("call", 1, 'read {"path":"x"}', "c2", "read", {"path": "x"}, can_edit=True),
            ),
        ),
    ),
    (
        "signed reasoning",
        {"role": "assistant", "content": "ok", "reasoning": "hm", "reasoning_details": [{"type": "x"}]},
        View("assistant", (Block("thinking", text="hm", signed=True), Block("text", text="ok"))),
    ),
    (
        "a signed call, as Google spells it",
        {"role": "assistant", "tool_calls": [{**CALL, "extra_content": {"google": {"thought_signature": "s"}}}]},
        View("assistant", (msgspec.structs.replace(BLOCK, signed=True),)),
    ),
    (
        "a signed call, as LiteLLM does",
        {"role": "assistant", "tool_calls": [{**CALL, "provider_specific_fields": {"thought_signature": "s"}}]},
        View("assistant", (msgspec.structs.replace(BLOCK, signed=True),)),
    ),
    (
        "signed thinking, as LiteLLM has it",
        {"role": "assistant", "content": "ok", "thinking_blocks": [{"type": "thinking", "thinking": "hm"}]},
        View("assistant", (Block("thinking", text="hm", signed=True, must_lead=True), Block("text", text="ok"))),
    ),
    (
        "arguments that are no JSON",
        {"role": "assistant", "tool_calls": [{**CALL, "function": {"name": "read", "arguments": '{"pa'}}]},
        View("assistant", (Block("call", 0, 'read {"pa', "c1", "read", {}),)),
    ),
    (
        "a custom call",
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "sh", "input": "ls"}}],
        },
        View("assistant", (Block("call", 0, "sh ls", "c1", "sh", {"input": "ls"}),)),
    ),
    (
        "refused",
        {"role": "assistant", "content": None, "refusal": "no"},
        View("assistant", (Block("text", text="no"),)),
    ),
    ("tool", {"role": "tool", "tool_call_id": "c1", "content": "text"}, View("result", (RESULT,))),
    (
        "tool that failed",
        {"role": "tool", "tool_call_id": "c1", "content": "Error: no"},
        View(
            "result",
            (Block("result", text="Error: no", call_id="c1", can_edit=True, is_error=True, doubtful=True),),
        ),
    ),
    (
        "tool that may have failed",
        {"role": "tool", "tool_call_id": "c1", "content": "x: not found"},
        View("result", (Block("result", text="x: not found", call_id="c1", can_edit=True, doubtful=True),)),
    ),
    (
        "an older call",
        {"role": "assistant", "content": None, "function_call": {"name": "read", "arguments": "{}"}},
        View("assistant", (Block("call", -1, "read {}", "function read", "read", {}),)),
    ),
    (
        "an older result",
        {"role": "function", "name": "read", "content": "text"},
        View(
            "result",
            (Block("result", text="text", call_id="function read", tool="read", can_edit=True, untold=True),),
        ),
    ),
    (
        "a packet that came back",
        {"role": "user", "content": "[ctxmgr packet]\nfacts"},
        View("packet", (Block("text", text="[ctxmgr packet]\nfacts"),)),
    ),
    (
        "the host's own mark of a summary",
        {"role": "user", "name": "compactionSummary", "content": "so far"},
        View("summary", (Block("summary", text="so far"),), summary="compaction"),
    ),
    (
        "without the mark it is what a user said",
        {"role": "user", "content": "Summary of the conversation: so far"},
        user(Block("text", text="Summary of the conversation: so far")),
    ),
    (
        "a whole answer",
        {
            "object": "chat.completion",
            "choices": [{"message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
            "usage": REPORT,
        },
        View("assistant", (Block("text", text="ok"),), usage=Usage(40, 20, 60, 0, 120, True), stop="stop"),
    ),
]


def test_what_is_read() -> None:
    for name, message, expected in TABLE:
        assert view(message) == expected, name


# content as it came, as it leaves
