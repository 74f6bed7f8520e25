"""Renders messages as plain text that a model does not mistake for a conversation to continue.

The default is what pi 0.87 writes, to the unit. Knows no prompts and no token counts.
"""

import re
from collections.abc import Iterable

import msgspec

from ctxmgr.model import expression
from ctxmgr.model.compaction import BranchMessage, MessageContent

RESULT_UNITS = 2_000  # UTF-16 units shown of a tool result (pi)


class RenderLimits(msgspec.Struct, frozen=True, gc=False):
    """What is shown: UTF-16 units of a result, whether thinking is shown, whether a failed result is marked.

    `guard`: a line of a text that looks like one of our labels gets a backslash, so that no file or output can pose
    as the user.
    """

    result_units: int = RESULT_UNITS
    thinking: bool = True
    mark_errors: bool = False
    guard: bool = False


AS_PI = RenderLimits()
FOR_MODEL = RenderLimits(mark_errors=True, guard=True)
_LABEL = expression(
    r"^(?=[ \t]*\[(?:User|Assistant|Assistant thinking|Assistant tool calls|Tool result|Tool error)\]:)",
    re.MULTILINE,
)


def conversation(messages: Iterable[BranchMessage], shown: RenderLimits = AS_PI) -> str:
    """All messages with content, separated by blank lines; "" without one."""
    return "\n\n".join(filter(None, (message_text(message, shown) for message in messages)))


def message_text(message: BranchMessage, shown: RenderLimits = AS_PI) -> str:
    """One message: its parts with labels, separated by blank lines; "" if it is not shown."""
    content = message.content
    if content.speaker == "assistant":
        return _assistant(content, shown)
    if not content.text or not content.speaker:
        return ""
    if content.speaker == "user":
        return f"[User]: {_guarded(content.text, shown)}"
    label = "Tool error" if shown.mark_errors and content.is_error else "Tool result"
    return f"[{label}]: {_guarded(clipped(content.text, shown.result_units), shown)}"


def _guarded(text: str, shown: RenderLimits) -> str:
    return _LABEL.sub(r"\\", text) if shown.guard and "]:" in text else text


def clipped(text: str, limit: int) -> str:
    """The first `limit` UTF-16 units of a text and a note of how many are missing. A split pair becomes U+FFFD."""
    size = utf16_units(text) if 2 * len(text) > limit else 0
    if size <= limit:
        return text
    start = text[:limit].encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "replace")
    return f"{start}\n\n[... {size - limit} more characters truncated]"


def utf16_units(text: str) -> int:
    """A text's length as JavaScript counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _assistant(content: MessageContent, shown: RenderLimits) -> str:
    parts = []
    if content.thinking is not None and shown.thinking:
        parts.append(f"[Assistant thinking]: {_guarded(content.thinking, shown)}")
    if content.text is not None:
        parts.append(f"[Assistant]: {_guarded(content.text, shown)}")
    if content.calls:
        calls = "; ".join(f"{tool}({arguments})" for tool, arguments in content.calls)
        parts.append(f"[Assistant tool calls]: {calls}")
    return "\n\n".join(parts)
