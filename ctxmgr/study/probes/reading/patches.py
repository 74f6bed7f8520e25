"""Turns patches in a text into the files that they change, and the lines they put there.

Of the form that starts with "*** Begin Patch" (Codex, OpenCode). A patch may stand as a string in a program: its
literals are read too.
"""

import json
import re
from collections.abc import Iterator
from typing import Literal

import msgspec

Action = Literal["changed", "deleted"]

BEGIN = "*** Begin Patch"
_HEAD = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")
_MOVED = re.compile(r"^\*\*\* Move to: (.+)$")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "`": "`", "'": "'", '"': '"', "\\": "\\", "$": "$", "\n": ""}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)


class Change(msgspec.Struct, frozen=True):
    """`lines`: what the change put there, as written."""

    path: str
    action: Action
    lines: tuple[str, ...] = ()


def changes(text: str) -> tuple[Change, ...]:
    """Of each patch in a text of the first form; of a program, those in its string literals."""
    if BEGIN not in text:
        return ()
    lines = text.split("\n")
    if any(_HEAD.match(line) for line in lines):
        return tuple(_of_patch(lines))
    inner = (one for one in literals(text) if BEGIN in one)
    return tuple(change for one in inner for change in _of_patch(one.split("\n")))


def literals(code: str) -> Iterator[str]:
    """The string literals of a program in JavaScript or the like, their escapes resolved."""
    for found in _LITERAL.finditer(code):
        text = found[0]
        if text[0] == '"':
            try:
                yield str(json.loads(text))
                continue
            except ValueError:
                pass
        yield _ESCAPE.sub(_resolved, text[1:-1])


def _resolved(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2])


def _of_patch(lines: list[str]) -> Iterator[Change]:
    path, action, added = "", "", list[str]()
    for line in [*lines, "*** End Patch"]:
        head, moved = _HEAD.match(line), _MOVED.match(line)
        if moved and path:
            yield Change(path, "deleted")
            path = moved[1].strip()
        elif head or line.startswith("*** End Patch"):
            if path:
                yield Change(path, "deleted" if action == "Delete" else "changed", tuple(added))
            path, action, added = (head[2].strip(), head[1], []) if head else ("", "", [])
        elif line.startswith("+"):
            added.append(line[1:])
