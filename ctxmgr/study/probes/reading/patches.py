"""Patches in a text: the files that they change, and the lines they put there.

Of the form that starts with "*** Begin Patch" (Codex, OpenCode). A patch may stand as a string in a program: its
literals are read too.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

Action = Literal["changed", "deleted"]

BEGIN = "*** Begin Patch"
_HEAD = re.compile(r"^\*\*\* (?:(Add|Update|Delete) File: |(Move) to: |End Patch)(.*)$", re.MULTILINE)
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


class Change(msgspec.Struct, frozen=True):
    """`lines`: what the change put there, as written."""

    path: str
    action: Action
    lines: tuple[str, ...] = ()


def changes(text: str) -> tuple[Change, ...]:
    """Of each patch in a text; of a program, those in its string literals."""
    if BEGIN not in text:
        return ()
    texts = [text] if _HEAD.search(text) else [literal for literal in literals(text) if BEGIN in literal]
    return tuple(change for patch in texts for change in _of_patch(patch))


def literals(code: str) -> Iterator[str]:
    """The string literals of a program in JavaScript or the like, their escapes resolved."""
    for literal in _LITERAL.findall(code):
        yield _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), literal[1:-1])


def _of_patch(text: str) -> Iterator[Change]:
    path = ""
    action: Action = "changed"
    added: list[str] = []
    for line in [*text.split("\n"), "*** End Patch"]:
        head = _HEAD.match(line)
        if head and head[2]:
            yield Change(path, "deleted")
            path = head[3].strip()
        elif head:
            if path:
                yield Change(path, action, tuple(added))
            path, added = head[3].strip(), []
            action = "deleted" if head[1] == "Delete" else "changed"
        elif line.startswith("+"):
            added.append(line[1:])
