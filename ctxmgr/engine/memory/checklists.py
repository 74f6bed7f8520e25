"""Turns text into the checklist items it holds.

A checklist counts in what a user, an assistant or a summary wrote; who calls this must not hand it text
from a tool, which is data. Items in code fences and in quoted lines are examples, not tasks.
"""

import re

import msgspec

from ctxmgr.engine.memory.wording import unfenced

STATUS_OF_MARK = {" ": "open", "": "open", "x": "done", "X": "done", "✓": "done", "✔": "done", "✅": "done"}
STATUS_OF_MARK |= {"~": "active", ">": "active", "/": "active"}
MOST_CHARACTERS = 500  # a longer line is no task but pasted text

_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[([ xX✓✔✅~>/]?)\]\s+(\S.*)$")


class ChecklistItem(msgspec.Struct, frozen=True):
    """One line of a checklist. `status` is "open", "active" or "done"."""

    text: str
    status: str


def items(text: str) -> tuple[ChecklistItem, ...]:
    """Return the checklist items in `text`, in their order."""
    if "[" not in text:
        return ()
    found = []
    for line in unfenced(text):
        match = _ITEM.match(line) if len(line) <= MOST_CHARACTERS else None
        if match:
            found.append(ChecklistItem(match[2].strip(), STATUS_OF_MARK[match[1]]))
    return tuple(found)


def without_items(text: str) -> str:
    """The lines that are no items, without blanks around them."""
    shown = frozenset(line for line in unfenced(text) if len(line) <= MOST_CHARACTERS and _ITEM.match(line))
    return "\n".join(line for line in text.splitlines() if line not in shown).strip() if shown else text
