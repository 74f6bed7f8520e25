"""A run that goes on when its call is answered: the id that it goes on under, and who asks for it later."""

import re
from collections.abc import Mapping
from typing import Any

RUNNING_CHARACTERS = 500  # of a result: a host says first of all that a run goes on

_GOES_ON = re.compile(
    r"\brunning (?:with (?:session|cell) ID|in (?:the )?background with (?:ID|PID))\b\W{0,3}([\w-]{1,40})"
    r"|\"session_id\":\s*\"?(\d[\w-]{0,39})",
    re.IGNORECASE,
)
_ASKING = ("session_id", "cell_id", "bash_id", "shell_id", "task_id")
_SCRIPTED = re.compile(r"\b(?:session|cell)_id\"?\s*:\s*\"?(\d[\w-]{0,39})")


def goes_on_as(text: str) -> str:
    """The id under which a run goes on whose result this is, "" where it ended."""
    found = _GOES_ON.search(text[:RUNNING_CHARACTERS])
    return (found[1] or found[2]) if found else ""


def asks_for(arguments: Mapping[str, Any]) -> str:
    """The id of the run that a call asks for, "" for none; also in a script that calls the tool."""
    for name in _ASKING:
        if isinstance(value := arguments.get(name), str | int):
            return str(value)
    script = arguments.get("input")
    found = _SCRIPTED.search(script) if isinstance(script, str) else None
    return found[1] if found else ""
