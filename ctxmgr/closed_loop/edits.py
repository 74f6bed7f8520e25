"""Turns the arguments of a call into the lines that it replaces, whatever the tool is called.

1. Arguments named as editing tools name the old text, at the top or in a list of edits, hold replaced lines.
2. So does a patch ("*** Begin Patch" ...) in any argument: its removed lines, and the context lines that it is
   placed by. A patch may stand in a program as a string of JSON.
3. Lines are stripped of trailing white space; of those with fewer than SHORTEST characters beside the white space
   around them (brackets, mostly) every file is full: they are left out.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ctxmgr.closed_loop.message_cache import strings

SHORTEST = 4  # characters
OLD_TEXT = frozenset({"oldText", "oldString", "old_string", "old_str"})
BEGIN, END = "*** Begin Patch", "*** End Patch"

_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*\*\*\* Begin Patch(?:[^"\\\n]|\\.)*"')


def replaced(arguments: Any) -> tuple[str, ...]:
    """The distinct lines, in their order; none where the call is no edit."""
    lines: list[str] = []
    for text in _old_texts(arguments):
        lines += text.splitlines()
    for text in strings(arguments):
        if BEGIN in text:
            lines += _patched(text)
    stripped = (line.rstrip() for line in lines)
    return tuple(dict.fromkeys(line for line in stripped if len(line.lstrip()) >= SHORTEST))


def _old_texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name in OLD_TEXT and isinstance(part, str):
                yield part
            else:
                yield from _old_texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _old_texts(part)


def _patched(text: str) -> Iterator[str]:
    """Removed and context lines of each patch in a text."""
    for found in _QUOTED.findall(text):
        try:
            yield from _hunks(json.loads(found))
        except ValueError:  # a string of some other language than JSON's
            continue
    yield from _hunks(text)


def _hunks(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines():
        if line.startswith((BEGIN, END)):
            inside = line.startswith(BEGIN)
        elif inside and line.startswith(("-", " ")):  # of a file that is new all lines have a plus
            yield line[1:]
