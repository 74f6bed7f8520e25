"""A scripted coding model: turns a chat request of pi into the reply that a user's words ask for.

1. A user message that names files ("notes-1.txt") is answered with a `read` call, its result with the next one, as
   agents work; after the last with a sentence. One that says "use TOOL {arguments}" is answered with that call.
2. A request for a summary (pi's or ctxmgr's) is answered in the sections it names.
3. Usage is what was really sent: characters / 4. So a pruned request reports less, as a provider would.
"""

import json
import re
from typing import Any

from tests.model_server import Reply, Request

PACKET = "[ctxmgr packet]"
OUTLINE = "## Critical Context"  # the last section of what is asked for at the end of the agent's own list
SUMMARY = """## Goal
Work through the notes, step by step.

## Constraints & Preferences
- Answer in one sentence.

## Progress
### Done
- [x] Read the notes of the first steps

### In Progress
- [ ] The step that is on

## Key Decisions
- **One file a step**: as asked

## Next Steps
1. Go on with the next step
"""
_FILES = re.compile(r"[\w-]+\.txt")
_USE = re.compile(r"use (\w+) (\{.*\})")


class Model:
    """One conversation: `left` are the calls still to be made. `summary`: what is given for every summary."""

    def __init__(self, summary: str | None = None) -> None:
        self.left: list[tuple[str, str]] = []  # names, and arguments as JSON
        self._summary = summary
        self._calls = iter(range(1, 10**6))

    def __call__(self, request: Request) -> Reply:
        if is_summary(request):
            return _stream(request, {"content": self._summary or _summary(request)}, "stop")
        newest = request.body["messages"][-1]
        if newest["role"] == "user":
            self.left = [("read", json.dumps({"path": path})) for path in _FILES.findall(text(newest))]
            self.left = _USE.findall(text(newest)) or self.left
        if self.left:
            return _stream(request, {"tool_calls": [_call(next(self._calls), *self.left.pop(0))]}, "tool_calls")
        return _stream(request, {"content": f"That is done: {asked(request)[:60]}"}, "stop")


def _summary(request: Request) -> str:
    if "## Original Request" not in text(request.body["messages"][-1]):
        return SUMMARY
    return "## Original Request\nRead.\n\n## Progress So Far\nSome.\n\n## Context Needed to Continue\n- none"


def is_summary(request: Request) -> bool:
    """Whether this is no turn of the agent: the agent's requests carry tools and end with no outline."""
    return not request.body.get("tools") or OUTLINE in text(request.body["messages"][-1])


def text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


def asked(request: Request) -> str:
    """The newest words of the user, packets left aside."""
    said = [text(one) for one in request.body["messages"] if one["role"] == "user"]
    return next((one for one in reversed(said) if PACKET not in one), "")


def packets(request: Request) -> list[str]:
    return [said for said in map(text, request.body["messages"]) if PACKET in said]


def tokens(request: Request) -> int:
    return len(json.dumps(request.body["messages"])) // 4


def _call(number: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": 0, "id": f"call_{number}", "type": "function", "function": function}


def _stream(request: Request, delta: dict[str, Any], finish: str) -> Reply:
    base = {"id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": request.body["model"]}
    used = tokens(request)
    pieces: list[dict[str, Any]] = [
        {**base, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {
            **base,
            "choices": [],
            "usage": {"prompt_tokens": used, "completion_tokens": 20, "total_tokens": used + 20},
        },
    ]
    lines = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    return Reply(raw=f"{lines}data: [DONE]\n\n".encode())
