"""Turns one pi message into what a cut and a summariser need of it: its content, its size and where it may be cut.

Follows pi 0.87.1 to the unit, because a host compares the results. Rules:

1. A message is shown as pi converts it for a model: the user's own shell run, a custom message and the summaries
   appear as the user's, in pi's wrapping. A run that is excluded from the context is not shown, but it is counted.
2. The size is the UTF-16 units of a message's content, without wrapping; an image is 4,800.
3. A provider's count is trusted unless the answer was aborted or failed, or all its counts are zero.
4. Content that pi would fail on (a missing text, content of another type) counts as empty: nothing here raises on
   any JSON value.
"""

import math
from typing import Any

from ctxmgr.formats.content import fields, objects
from ctxmgr.formats.content import text as text_of
from ctxmgr.formats.pi_tree.js_spelling import entries, spelled, units, whole
from ctxmgr.model.compaction import MessageContent, SystemPromptChange

IMAGE_UNITS = 4_800  # pi's estimate of an image, in characters
OPENING = frozenset(("user", "bashExecution", "custom", "branchSummary", "compactionSummary"))
CUTTABLE = OPENING | {"assistant"}
EDITABLE = frozenset(("user", "assistant", "toolResult", "custom"))
FILE_TOOLS = frozenset(("read", "write", "edit"))  # pi's own, all with a `path`

# The wrapping that pi puts around these for a model. The host compares it, so it must match word for word.
_BRANCH = (
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
)
_COMPACTED = (
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
)


def content_of(message: dict[str, Any]) -> MessageContent:
    """What a summariser is shown of a message (rules 1 and 4)."""
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        return _assistant(content)
    if role == "toolResult":
        tool, failed = whole(text_of(message.get("toolName"))), bool(message.get("isError"))
        return MessageContent("result", _joined(content, ""), tool=tool, is_error=failed)
    if role in ("user", "custom"):
        return MessageContent("user", _joined(content, ""))
    if role == "bashExecution":
        return MessageContent("") if message.get("excludeFromContext") else MessageContent("user", _run(message))
    if role in ("branchSummary", "compactionSummary"):
        before, after = _BRANCH if role == "branchSummary" else _COMPACTED
        return MessageContent("user", f"{before}{whole(text_of(message.get('summary')))}{after}")
    return MessageContent("")


def counted(message: dict[str, Any]) -> int:
    """The size of a message as pi counts it, in UTF-16 units (rule 2)."""
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        return sum(map(_block_units, objects(content))) if isinstance(content, list) else 0
    if role in ("user", "custom", "toolResult"):
        return _content_units(content)
    if role == "bashExecution":
        return units(text_of(message.get("command"))) + units(text_of(message.get("output")))
    if role in ("branchSummary", "compactionSummary"):
        return units(text_of(message.get("summary")))
    if role == "system":
        tools = message.get("toolsAdded")
        sections = sum(size or 0 for _, size in _sections(message))
        return _content_units(content) + sections + (0 if tools is None else units(spelled(tools)))
    return 0


def reading(message: dict[str, Any]) -> int:
    """Tokens that the provider counted up to and including an assistant's message (rule 3); 0 without a count."""
    usage = message.get("usage")
    failed = message.get("stopReason") in ("aborted", "error")
    if message.get("role") != "assistant" or failed or not isinstance(usage, dict):
        return 0
    total = _count(usage, "totalTokens")
    if total == 0 or math.isnan(total):
        total = sum(_count(usage, name) for name in ("input", "output", "cacheRead", "cacheWrite"))
    return math.ceil(total) if total > 0 else 0


def prompt(message: dict[str, Any]) -> SystemPromptChange | None:
    """What a system message changes of the prompt; None for any other."""
    if message.get("role") != "system":
        return None
    added = objects(message.get("toolsAdded"))
    removed = objects(message.get("toolsRemoved"))
    return SystemPromptChange(
        text_units=units(_joined(message.get("content"), "\n")),
        sections=_sections(message),
        added=tuple((text_of(tool.get("name")), units(spelled(tool))) for tool in added),
        removed=tuple(text_of(tool.get("name")) for tool in removed),
        dated="timestamp" in message,
    )


def nested(message: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """(tool, path) of the file calls that a tool made itself (pi 1.x: `nestedCalls` of its result)."""
    if message.get("role") != "toolResult":
        return ()
    calls = objects(fields(message.get("nestedCalls")).get("calls"))
    pairs = ((call.get("name"), call.get("arguments")) for call in calls)
    return tuple(
        (tool, whole(given["path"]))
        for tool, given in pairs
        if isinstance(tool, str) and tool in FILE_TOOLS and isinstance(given, dict)
        if isinstance(given.get("path"), str) and given["path"]
    )


def _assistant(content: Any) -> MessageContent:
    if not isinstance(content, list):  # text outside a block
        return MessageContent("assistant", whole(text_of(content)) if content else None)
    texts, thoughts, calls = [], [], []
    for block in objects(content):
        if block.get("type") == "text":
            texts.append(text_of(block.get("text")))
        elif block.get("type") == "thinking":
            thoughts.append(text_of(block.get("thinking")))
        elif block.get("type") == "toolCall":
            given = ", ".join(f"{name}={spelled(value)}" for name, value in entries(block.get("arguments")))
            calls.append((whole(text_of(block.get("name"))), whole(given)))
    text = whole("\n".join(texts)) if texts else None
    return MessageContent("assistant", text, whole("\n".join(thoughts)) if thoughts else None, tuple(calls))


def _run(message: dict[str, Any]) -> str:
    command, output = text_of(message.get("command")), text_of(message.get("output"))
    code, full = message.get("exitCode"), message.get("fullOutputPath")
    text = f"Ran `{command}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code is not None and (isinstance(code, bool) or code != 0):
        text += f"\n\nCommand exited with code {code if isinstance(code, str) else spelled(code)}"
    if message.get("truncated") and full:
        text += f"\n\n[Output truncated. Full output: {full}]"
    return whole(text)


def _joined(content: Any, separator: str) -> str:
    """All text blocks of string or block content."""
    if isinstance(content, str):
        return whole(content)
    texts = (block.get("text") for block in objects(content) if block.get("type") == "text")
    return whole(separator.join(map(text_of, texts)))


def _content_units(content: Any) -> int:
    if isinstance(content, str):
        return units(content)
    blocks = objects(content)
    texts = sum(units(text_of(block.get("text"))) for block in blocks if block.get("type") == "text")
    return texts + IMAGE_UNITS * len([block for block in blocks if block.get("type") == "image"])


def _block_units(block: dict[str, Any]) -> int:
    kind = block.get("type")
    if kind in ("text", "thinking"):
        return units(text_of(block.get(kind)))
    if kind == "toolCall":
        given = units(spelled(block["arguments"])) if "arguments" in block else 0
        return units(text_of(block.get("name"))) + given
    return 0


def _sections(message: dict[str, Any]) -> tuple[tuple[str, int | None], ...]:
    sections = message.get("sections")
    named = sections.items() if isinstance(sections, dict) else ()
    return tuple((name, None if text is None else units(text_of(text))) for name, text in named)


def _count(usage: dict[str, Any], name: str) -> float:
    """A count as JavaScript adds it: 0 for null, NaN if it is missing."""
    count = usage.get(name, math.nan)
    if count is None:
        return 0
    return float(count) if isinstance(count, int | float) and abs(count) < 2**53 else math.nan
