"""Turns the arguments of an old call into shorter ones of the same shape, and knows its own again.

Rules:

1. Of long strings the first and the last lines stay, and between them a marker says how long they were. All else
   stays: keys, types, the length of lists, short values, paths. A provider checks arguments against the tool's
   schema.
2. Of a patch the lines that name files stay, and the heads of its hunks.
3. Where under a quarter would be saved nothing is done: it is not worth a change of what the model remembers.
4. What was shortened is not shortened again. A text that only looks so is not shortened either.
5. Nothing is changed in a message that holds anything signed: a provider refuses it, or forgets what it thought.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from ctxmgr.engine.tools import patches, tool_call
from ctxmgr.model import Call

LIMIT = 800  # characters: a string of up to so many stays
HEAD, TAIL = 300, 150  # characters of a longer one that stay, in whole lines where they end in time
LEAST_SAVED = 0.25  # of the arguments' JSON text (rule 3)

_MARKER = "[argument shortened — the call had "
_OURS = re.compile(
    r"^\[argument shortened — the call had [0-9,]+ characters, [0-9,]+ lines?(?:; [^\n\]]*)?\]$", re.M
)


def shorten(call: Call) -> dict[str, Any] | None:
    """The arguments with long strings shortened; None where under a quarter would be saved, or they are ours."""
    arguments = call.arguments
    if is_shortened(arguments):
        return None
    hint = "; read the file to see them" if tool_call(call.tool, arguments, call.declared).writes_text else ""
    found = {name: _value(value, hint) for name, value in arguments.items()}
    saved = 1 - _size(found) / max(1, _size(arguments))
    return found if saved >= LEAST_SAVED else None


def is_shortened(given: Any) -> bool:
    """Does any string in these arguments hold a marker of ours?"""
    if isinstance(given, str):
        return _MARKER in given and _OURS.search(given) is not None
    if isinstance(given, Mapping):
        return any(is_shortened(value) for value in given.values())
    return isinstance(given, list | tuple) and any(is_shortened(value) for value in given)


def _size(arguments: Mapping[str, Any]) -> int:
    return len(json.dumps(arguments, ensure_ascii=False, default=str))


def _value(value: Any, hint: str) -> Any:
    if isinstance(value, str):
        return _text(value, hint)
    if isinstance(value, dict):
        return {key: _value(one, hint) for key, one in value.items()}
    if isinstance(value, list):
        return [_value(one, hint) for one in value]
    return value


def _text(text: str, hint: str) -> str:
    """A shorter text, or the same where it would not be shorter."""
    if len(text) <= LIMIT:
        return text
    marker = _marker(text, hint)
    if patches.is_patch(text):
        short = patches.shortened(text, marker)
    else:
        short = f"{_head(text)}\n{marker}\n{_tail(text)}"
    return short if len(short) < len(text) else text


def _marker(text: str, hint: str) -> str:
    lines = text.count("\n") + 1
    return f"{_MARKER}{len(text):,} characters, {lines:,} line{'s' if lines > 1 else ''}{hint}]"


def _head(text: str) -> str:
    """The first lines that fit, or a part of the first."""
    end = text.rfind("\n", 0, HEAD + 1)
    return text[:end] if end > 0 else text[: HEAD - 1] + "…"


def _tail(text: str) -> str:
    """The last lines that fit, or a part of the last."""
    start = text.find("\n", len(text) - TAIL - 1)
    return text[start + 1 :] if 0 <= start < len(text) - 1 else "…" + text[1 - TAIL :]
