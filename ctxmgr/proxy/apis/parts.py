"""Tells what a message of a list is of a step: the model's reply, what its tools gave, or neither; and of a list
whether there is anything in it that a tool gave."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from ctxmgr.proxy.large import read_once
from ctxmgr.proxy.members import UNREADABLE

Part = Literal["reply", "result", "other"]
_decode = msgspec.json.Decoder().decode


@read_once
def part_of(format: str, raw: bytes) -> Part:
    """Of one message in this format."""
    try:
        message = _decode(raw)
    except UNREADABLE:
        return "other"
    if not isinstance(message, dict):
        return "other"
    if format == "responses":
        return _item(message)
    role = message.get("role")
    if format == "gemini":
        return "reply" if role == "model" else "result" if _responds(message.get("parts")) else "other"
    if role == "assistant":
        return "reply"
    if role == "tool" or (format == "anthropic" and role == "user" and _has_result(message.get("content"))):
        return "result"
    return "other"


def has_result(format: str, messages: Iterable[bytes]) -> bool:
    """Does a message of this list hold what a tool gave?"""
    return any(part_of(format, raw) == "result" for raw in messages)


def _item(item: dict[str, Any]) -> Part:
    kind = item.get("type", "message")
    if kind == "message":
        return "reply" if item.get("role") == "assistant" else "other"
    return "result" if isinstance(kind, str) and kind.endswith("_output") else "reply"


def _responds(parts: Any) -> bool:
    return isinstance(parts, list) and any(
        isinstance(part, dict) and ("functionResponse" in part or "function_response" in part) for part in parts
    )


def _has_result(content: Any) -> bool:
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )
