"""Requests of programs, as bytes: lists that grow step by step, with results that go stale."""

import json
from typing import Any

SESSION = {"X-Claude-Code-Session-Id": "s-1", "User-Agent": "claude-cli/2.1.330"}
TOOLS = [{"name": "Read", "input_schema": {"type": "object"}}]
MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def step(number: int, path: str = "", lines: int = 60) -> list[dict[str, Any]]:
    """A file is read."""
    call = {
        "type": "tool_use",
        "id": f"t{number}",
        "name": "Read",
        "input": {"file_path": path or f"/p/{number}.py"},
    }
    text = "\n".join(f"{number}.{line} = value of line {line} in file {number}" for line in range(lines))
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": [{"type": "text", "text": text}]}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def conversation(steps: int, ask: str = "Read all files.", lines: int = 60) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": ask}]
    for number in range(steps):
        messages += step(number, lines=lines)
    return messages


def marked(messages: list[dict[str, Any]], mark: dict[str, Any] = MARK) -> list[dict[str, Any]]:
    """With a cache mark on the last block, as Claude Code sends it."""
    *before, last = messages
    content = last["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
    return [*before, {**last, "content": [*blocks[:-1], {**blocks[-1], **mark}]}]


def request(messages: list[dict[str, Any]], **more: Any) -> bytes:
    fields = {"model": "claude-sonnet-4-5", "messages": messages, "system": [], "tools": TOOLS}
    return compact(fields | {"max_tokens": 8000, "stream": True} | more)
