"""Tells a user's message in which a host put the summary of an earlier list, by the words that it puts before one.

Such a list begins anew: the program compacted by itself, and said nothing of it. Hosts that mark a summary by a
field of its own need no words.
"""

from typing import Any

from ctxmgr.formats import content

OPENINGS = (
    "This session is being continued from a previous conversation",  # Claude Code
    "Another language model started to solve this problem",  # Codex
    "I spoke to you previously about a number of things",  # Aider
    "<state_snapshot>",  # Gemini CLI
    "<scratchpad>",  # the same, where the model thought aloud before it
)


def is_summary(text: str) -> bool:
    """Does this text begin as such a summary?"""
    return text.lstrip().startswith(OPENINGS)


def holds_summary(told: Any) -> bool:
    """Does a block of this content?"""
    return any(is_summary(content.text(raw_block.get("text"))) for raw_block in content.raw_blocks(told))
