"""Turns text of a conversation into a tagged part of a prompt that the text itself can not leave.

Rules:
1. A tag of ours that stands in the text is written with `&lt;`: so it neither closes its part nor opens another.
2. A line of the text that reads as a heading of ours is written with a backslash before it, as Markdown does.
   An earlier summary is exempt from this: its headings are ours.
3. What is empty has no tag.
"""

import re
from collections.abc import Iterable

TAGS = (
    "conversation",
    "before",
    "left-out",
    "previous-summary",
    "earlier-part",
    "earlier-notes",
    "earlier-slices",
    "part",
    "scratchpad",
    "analysis",
    "summary",
    "short",
)

_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
_NAMES = (
    "goal",
    "constraints & preferences",
    "progress",
    "done",
    "in progress",
    "blocked",
    "key decisions",
    "next steps",
    "critical context",
    "current state",
    "completed",
    "original request",
    "progress so far",
    "context needed to continue",
    "primary request and intent",
    "key technical concepts",
    "files and code sections",
    "errors and fixes",
    "problem solving",
    "all user messages",
    "pending tasks",
    "current work",
    "optional next step",
    r"turn context \(split turn\)",
)
_HEADING = re.compile(
    r"^(?=[ \t]*(?:#{1,6}[ \t]+(?:\d[.)][ \t]+)?|\*\*(?:\d[.)][ \t]+)?|\d[.)][ \t]+(?:\*\*)?)"
    rf"(?:{'|'.join(_NAMES)})(?:\*\*)?[ \t]*:?(?:\*\*)?[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)


def without_tags(text: str) -> str:
    """The text with no tag of ours in it (rule 1)."""
    return _TAG.sub("&lt;", text)


def data_part(name: str, text: str) -> str:
    """A tagged part that holds conversation, or what a tool put out (rules 1 to 3)."""
    return summary_part(name, _HEADING.sub(r"\\", text))


def summary_part(name: str, text: str, **attributes: str) -> str:
    """A tagged part that holds a summary (rules 1 and 3)."""
    if not text.strip():
        return ""
    opening = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{opening}>\n{without_tags(text).strip()}\n</{name}>"


def paragraphs(blocks: Iterable[str]) -> str:
    """The blocks that say something, a blank line between them."""
    return "\n\n".join(block.strip("\n") for block in blocks if block.strip())
