"""Turns the text of a patch as `apply_patch` takes it into the files it changes, and shortens it.

*** Begin Patch
*** Update File: src/a.py
@@ def f():
-    old
+    new
*** End Patch
"""

import re
from typing import Literal

import msgspec

Verb = Literal["Add", "Update", "Delete"]
BEGIN = "*** Begin Patch"

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_MOVED = re.compile(r"^\*\*\* Move to: (.+)$", re.MULTILINE)
_HUNK = re.compile(r"^@@", re.MULTILINE)
_ADDED = re.compile(r"^\+", re.MULTILINE)
_REMOVED = re.compile(r"^-", re.MULTILINE)


class Section(msgspec.Struct, frozen=True, gc=False):
    """What a patch does to one file. `moved`: its new path. `grown`: lines by which its hunks may move what
    follows them, all taken together without sign."""

    verb: Verb
    path: str
    moved: str = ""
    grown: int = 0


def is_patch(text: str) -> bool:
    return text.lstrip().startswith(BEGIN)


def sections(text: str) -> tuple[Section, ...]:
    """One a file, in order."""
    heads = list(_FILE.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return tuple(_section(head, text[head.end() : end]) for head, end in zip(heads, ends, strict=True))


def _section(head: re.Match[str], body: str) -> Section:
    verb: Verb = head[1]  # type: ignore[assignment]
    moved = _MOVED.search(body)
    grown = sum(abs(len(_ADDED.findall(hunk)) - len(_REMOVED.findall(hunk))) for hunk in _HUNK.split(body))
    return Section(verb, head[2].strip(), moved[1].strip() if moved else "", grown)


def shortened(text: str, marker: str) -> str:
    """The patch with its file lines and the heads of its hunks alone; `marker` stands in each for the lines."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(("*** ", "@@")):
            lines.append(line)
        elif not lines or lines[-1] != marker:
            lines.append(marker)
    return "\n".join(lines)
