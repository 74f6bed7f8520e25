"""pi's messages for tests: what is read of one, and any."""

from typing import Any

from ctxmgr.model.media import Media
from ctxmgr.model.messages import Block, Usage, View

CALL = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "x"}}
USAGE = {"input": 10, "output": 2, "cacheRead": 30, "cacheWrite": 4, "totalTokens": 46, "cost": {"total": 0.1}}

# name, message, its view
ROLES: list[tuple[str, dict[str, Any], View]] = [
    (
        "user",
        {"role": "user", "content": "go", "timestamp": 7},
        View("user", (Block("text", text="go", can_edit=True),), True, time_ms=7),
    ),
    (
        "user in blocks",
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image", "data": "x"},
                {"type": "text", "text": "b"},
            ],
        },
        View("user", (Block("text", text="a\nb", can_edit=True, media=(Media("image", 1),)),), True),
    ),
    (
        "assistant",
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "ok"}, CALL],
            "usage": USAGE,
            "stopReason": "toolUse",
        },
        View(
            "assistant",
            (
                Block("text", 0, "ok"),
                Block("call", 1, 'read {"path":"x"}', "c1", "read", {"path": "x"}, can_edit=True),
            ),
            usage=Usage(10, 2, 30, 4, 46, True),
            stop="toolUse",
        ),
    ),
    (
        "signed blocks",
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                {"type": "text", "text": "ok", "textSignature": "s"},
                {**CALL, "thoughtSignature": "s"},
                {"type": "thinking", "thinking": "hm"},
            ],
        },
        View(
            "assistant",
            (
                Block("thinking", 0, "hm", signed=True, must_lead=True),
                Block("text", 1, "ok", signed=True),
                Block("call", 2, 'read {"path":"x"}', "c1", "read", {"path": "x"}, signed=True, can_edit=True),
                Block("thinking", 3, "hm"),
            ),
        ),
    ),
    (
        "a failed reply",
        {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "prompt is too long"},
        View("assistant", (), stop="error", error="prompt is too long"),
    ),
    (
        "tool result",
        {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "read",
            "content": [{"type": "text", "text": "x"}],
            "isError": True,
        },
        View(
            "result",
            (Block("result", text="x", call_id="c1", tool="read", is_error=True, can_edit=True, marked=True),),
        ),
    ),
    (
        "the user's bash run",
        {"role": "bashExecution", "command": "ls", "output": "x", "exitCode": 1},
        View("shell", (Block("shell", -1, "ls\nx", "", "bash", {"command": "ls"}, is_error=True, can_edit=True),)),
    ),
    (
        "one the model does not see",
        {"role": "bashExecution", "command": "ls", "output": "x", "cancelled": True, "excludeFromContext": True},
        View("shell", (Block("shell", tool="bash", arguments={"command": "ls"}, is_error=True),)),
    ),
    (
        "custom",
        {"role": "custom", "customType": "n", "content": "x"},
        View("note", (Block("text", text="x", can_edit=True),)),
    ),
    (
        "packet",
        {"role": "custom", "customType": "ctxmgr.packet", "content": "x"},
        View("packet", (Block("text", text="x"),)),
    ),
    (
        "compaction",
        {"role": "compactionSummary", "summary": "s"},
        View("summary", (Block("summary", text="s"),), summary="compaction"),
    ),
    (
        "branch",
        {"role": "branchSummary", "summary": "s"},
        View("summary", (Block("summary", text="s"),), summary="branch"),
    ),
]
