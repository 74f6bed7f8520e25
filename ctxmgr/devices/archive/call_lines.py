"""Reads the line that says what an original was: `read path="a.py"` of a call, `user text` of a message; pure."""

import json
import re

_ARGUMENT = re.compile(r'\s[^\s="]+=("(?:\\.|[^"\\])*"|\S+)')
_PATH = re.compile(r"(?!\w+://)[^\s\"'=]*(?:/[^\s\"'=]*|\w\.\w{1,8})")


def named_in(call_text: str) -> tuple[str | None, str | None]:
    """The tool, and the first of its arguments that is a path and nothing else."""
    tool, _, rest = call_text.partition(" ")
    if rest and not _ARGUMENT.match(f" {rest}"):
        return None, None  # a message
    return tool or None, next((value for value in values_of(call_text) if _PATH.fullmatch(value)), None)


def values_of(call_text: str) -> list[str]:
    """The texts among the arguments of a call."""
    found = []
    for argument in _ARGUMENT.finditer(call_text):
        try:
            value = json.loads(argument[1])
        except ValueError:
            continue  # a value that was cut
        if isinstance(value, str):
            found.append(value)
    return found


def paths_in(call_text: str) -> list[str]:
    """All that looks like a path in the arguments of a call, in a command too."""
    return [path[0] for value in values_of(call_text) for path in _PATH.finditer(value)]
