"""Turns the commands of an editor that shows a window of one open file into what they touch (SWE-agent's tools).

What a window shows, and often of which file, its result alone tells: `[File: src/a.py (90 lines total)]`.
"""

import re
from collections.abc import Sequence

from ctxmgr.engine.tools.effects import FileEffect

SCROLLS = frozenset(("goto", "scroll_up", "scroll_down"))
_EDIT = re.compile(r"^edit(?:[ \t]+(\d+):(\d+))?[ \t]*\n")
_WINDOW = re.compile(r"^\[File: (.+?) \((\d+) lines total\)\]", re.MULTILINE)
WINDOW_CHARACTERS = 4_000  # where the head of a window stands, behind a message of the editor
_END = re.compile(r"\n?end_of_edit\s*$")


def of_words(words: Sequence[str | None]) -> FileEffect | None:
    """`open src/a.py 40`, `goto 80`, `scroll_down`, `create b.py`; None for all else."""
    name, file = words[0], words[1] if len(words) > 1 else ""
    if name in SCROLLS:
        return FileEffect("", "read", exact=False)
    if name == "open" and file:
        return FileEffect(file, "read", exact=False)
    if name == "create" and file and len(words) == 2:
        return FileEffect(file, "write")
    return None


def of_edit(line: str) -> FileEffect | None:
    """`edit 3:4`, the lines that come instead of those, `end_of_edit`."""
    head = _EDIT.match(line)
    if head is None:
        return None
    lines = _END.sub("", line[head.end() :]).count("\n") + 1
    return FileEffect("", "edit", grown=None if head[1] is None else replaced(int(head[1]), int(head[2]), lines))


def replaced(start: int, end: int, lines: int) -> int:
    """By how much what follows moves where these lines become so many."""
    return abs(lines - (end - start + 1))


def window(text: str) -> tuple[str, int] | None:
    """(the open file, how many lines it has) where a result shows a window of it."""
    if "lines total)]" not in text:
        return None
    head = _WINDOW.search(text, 0, min(len(text), WINDOW_CHARACTERS))
    return (head[1], int(head[2])) if head else None
