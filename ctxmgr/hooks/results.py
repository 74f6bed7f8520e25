"""Cuts a long tool result as it arrives, and archives all of it.

1. Output of commands, searches and MCP servers is cut. Files that the program reads are not, because it numbers
   their lines after the hook. Answers of sub-agents and originals from the archive are not cut either.
2. Claude Code accepts a result of the same shape (`updatedToolOutput`) and ignores any other. Codex accepts a text,
   the reason of a block, in place of the result, and shows at most 2,500 tokens of it. It would replace an image
   too, so a result with an image is not cut there.
3. The result is archived first. If that fails, nothing is cut.
"""

import re
from typing import Any

from ctxmgr.hooks.transcripts import Cut, Fields

LEAST_CHARACTERS = 8_000  # a shorter result is never cut, and loads nothing
SHOWN = {"Bash": ("stdout", "stderr"), "Grep": ("content",)}  # texts in results of Claude Code's tools
ELSEWHERE = "persistedOutputPath"  # set if Claude Code has written the output to a file, and shows only its start

_ARCHIVE = re.compile(r"\bctxmgr\s+(?:\S+\s+)?search\b")


def shortened(program: str, fields: Fields) -> dict[str, Any] | None:
    """The answer to `PostToolUse`; None if the result stays unchanged."""
    tool, response = str(fields.get("tool_name", "")), fields.get("tool_response")
    arguments = fields.get("tool_input")
    command = str(arguments.get("command", "")) if isinstance(arguments, dict) else ""
    if tool.startswith("mcp__ctxmgr__") or _ARCHIVE.search(command):
        return None
    if not any(len(text) >= LEAST_CHARACTERS for text in _texts(tool, response)):
        return None
    if program == "codex" and not _is_text(response):
        return None
    from ctxmgr.hooks import cutting

    cut = cutting.cutter(program, fields)
    if program == "codex":
        whole = "\n".join(_texts(tool, response))
        text = cut(whole, "")
        return {"decision": "block", "reason": text} if text != whole else None
    other = _with_texts(tool, response, cut)
    if other == response:
        return None
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": other}}


def _texts(tool: str, response: Any) -> list[str]:
    """The texts of a result that may be cut."""
    found: list[str] = []

    def take(text: str, name: str) -> str:
        found.append(text)
        return text

    _with_texts(tool, response, take)
    return found


def _with_texts(tool: str, response: Any, cut: Cut) -> Any:
    """The result with each of its texts cut (rule 1)."""
    if isinstance(response, str):
        return cut(response, "")
    if tool.startswith("mcp__"):
        if isinstance(response, dict) and isinstance(response.get("content"), list):
            return {**response, "content": _with_texts(tool, response["content"], cut)}
        if isinstance(response, list):
            return [_block(block, str(number), cut) for number, block in enumerate(response)]
    if tool in SHOWN and isinstance(response, dict) and not response.get(ELSEWHERE):
        names = [name for name in SHOWN[tool] if isinstance(response.get(name), str)]
        return {**response, **{name: cut(response[name], name) for name in names}}
    return response


def _is_text(response: Any) -> bool:
    """Whether a text can take its place: it has no image or other block."""
    blocks = response.get("content") if isinstance(response, dict) else response
    return not isinstance(blocks, list) or all(
        isinstance(block, dict) and block.get("type") == "text" for block in blocks
    )


def _block(block: Any, name: str, cut: Cut) -> Any:
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return {**block, "text": cut(block["text"], name)}
    return block
