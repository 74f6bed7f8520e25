"""Turns messages into plain text that a model reads without taking it for a conversation to go on with.

By default it is what pi 0.87 writes, to the unit. Knows no prompts and no weights.
"""

import re
from collections.abc import Iterable

import msgspec

from ctxmgr.model import expression
from ctxmgr.model.compaction import BranchMessage, MessageContent

RESULT_UNITS = 2_000  # UTF-16 units of a tool result that are shown (pi)


class RenderLimits(msgspec.Struct, frozen=True, gc=False):
    """What is shown: of a result so many UTF-16 units, thinking or not, a failed result marked as such or not.

    `guard`: a line of a text that reads as one of our labels gets a backslash, so that no file and no output can
    pass for what the user said.
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
    """All messages that say something, blank lines between them; "" without one."""
    return "\n\n".join(filter(None, (message_text(message, shown) for message in messages)))


def message_text(message: BranchMessage, shown: RenderLimits = AS_PI) -> str:
    """One message: its parts, each with its label, blank lines between them; "" where it is not shown."""
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
    """The first `limit` UTF-16 units of a text and a note of how many more there were. Half a pair is U+FFFD."""
    size = utf16_units(text) if 2 * len(text) > limit else 0
    if size <= limit:
        return text
    start = text[:limit].encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "replace")
    return f"{start}\n\n[... {size - limit} more characters truncated]"


def utf16_units(text: str) -> int:
    """What a host in JavaScript calls the length of a text."""
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
