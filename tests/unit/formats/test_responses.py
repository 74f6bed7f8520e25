"""Responses items: what is read of each, what is put anew."""

import json
from typing import Any

import msgspec

from ctxmgr.formats import responses
from ctxmgr.formats.content import spelled
from ctxmgr.model.media import Media
from ctxmgr.model.messages import Block, Usage, View

CALL = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "read", "arguments": '{"path":"x"}'}
BLOCK = Block("call", -1, 'read {"path":"x"}', "c1", "read", {"path": "x"}, can_edit=True)
MADE = msgspec.structs.replace(BLOCK, tie="p", closes=True)
PROGRAM = {"type": "program", "id": "pr", "call_id": "p", "code": "read('x')"}
PRINTED = {"type": "program_output", "id": "po", "call_id": "p", "status": "completed", "result": "text"}
TOOLS = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "read"}]}
REASONING = {
    "type": "reasoning",
    "id": "rs",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "x",
}
SAID = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "ok", "annotations": []}],
}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "text"}


def view(item: Any) -> View:
    return responses.view(json.dumps(item).encode())


def answered(*blocks: Block) -> View:
    return View("assistant", blocks, joins=True)


def output(text: str, **more: Any) -> View:
    return View("result", (Block("result", text=text, call_id="c1", **{"can_edit": True, **more}),))


TABLE: list[tuple[str, dict[str, Any], View]] = [
    (
        "user",
        {"role": "user", "content": "go"},
        View("user", (Block("text", text="go", can_edit=True),), opens_turn=True),
    ),
    (
        "user in parts",
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "go"}, {"type": "input_image", "image_url": "data:"}],
        },
        View("user", (Block("text", text="go", can_edit=True, media=(Media("image", 5),)),), opens_turn=True),
    ),
    ("assistant", SAID, answered(Block("text", 0, "ok"))),
    ("reasoning", REASONING, answered(Block("thinking", text="hm", signed=True))),
    ("a call", CALL, answered(BLOCK)),
    ("a call that a program made", {**CALL, "caller": {"type": "program", "caller_id": "p"}}, answered(MADE)),
    ("a program", PROGRAM, answered(Block("other", text=spelled(PROGRAM), tie="p"))),
    ("a program's output", PRINTED, answered(Block("other", text=spelled(PRINTED), tie="p", closes=True))),
    (
        "a reference to reasoning",
        {"type": "item_reference", "id": "rs_1"},
        View("prompt", (Block("other"),), leads=True),
    ),
    ("tools that a host adds", TOOLS, View("prompt", (Block("other", text=spelled(TOOLS)),))),
    (
        "a custom call",
        {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin Patch"},
        answered(
            Block("call", -1, "apply_patch *** Begin Patch", "c1", "apply_patch", {"input": "*** Begin Patch"})
        ),
    ),
    (
        "a local shell's",
        {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["ls", "-l"]}},
        answered(
            Block(
                "call",
                -1,
                'local_shell {"type":"exec","command":["ls","-l"]}',
                "c1",
                "local_shell",
                {"type": "exec", "command": ["ls", "-l"]},
            )
        ),
    ),
    (
        "a shell's",
        {"type": "shell_call", "call_id": "c1", "action": {"commands": ["cd x", "ls"]}},
        answered(Block("call", -1, 'shell {"command":"cd x\\nls"}', "c1", "shell", {"command": "cd x\nls"})),
    ),
    ("an output", OUTPUT, output("text", untold=True)),
    ("a failed one", {**OUTPUT, "output": "Exit code: 1\nno"}, output("Exit code: 1\nno", is_error=True)),
    ("a doubtful one", {**OUTPUT, "output": "not found"}, output("not found", doubtful=True)),
    (
        "an output in parts",
        {**OUTPUT, "output": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:"}]},
        output("a", media=(Media("image", 5),), untold=True),
    ),
    (
        "of a shell, which has a shape of its own",
        {
            "type": "shell_call_output",
            "call_id": "c1",
            "output": [{"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 2}}],
        },
        output("a\nb", can_edit=False, is_error=True),
    ),
    (
        "an image it drew",
        {"type": "image_generation_call", "id": "i", "result": "x" * 900},
        answered(Block("image", media=(Media("image", 900),))),
    ),
    (
        "its own compaction",
        {"type": "compaction", "encrypted_content": "x" * 900},
        View("prompt", (Block("other"),), summary="compaction"),
    ),
    (
        "a packet",
        {"role": "user", "content": [{"type": "input_text", "text": "[ctxmgr packet]\nfacts"}]},
        View("packet", (Block("text", text="[ctxmgr packet]\nfacts"),)),
    ),
]


def test_what_is_read() -> None:
    for name, item, expected in TABLE:
        assert view(item) == expected, name


BLOCKS = (Block("thinking", text="hm", signed=True), BLOCK)


def test_a_whole_answer() -> None:
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60},
        "output_tokens": 20,
        "total_tokens": 120,
    }
    answer = {"object": "response", "status": "completed", "output": [REASONING, CALL], "usage": usage}
    used = Usage(40, 20, 60, 0, 120, True)
    assert view(answer) == View("assistant", BLOCKS, usage=used, stop="toolUse", joins=True)
    assert view({**answer, "output": [SAID]}).stop == "stop"
    assert view({**answer, "status": "incomplete"}).stop == "length"
    failed = view({**answer, "status": "failed", "output": [], "error": {"code": "context_length_exceeded"}})
    assert (failed.stop, failed.error) == ("error", '{"code":"context_length_exceeded"}')
