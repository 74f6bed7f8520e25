"""Turns the arguments of an old call into shorter ones of the same shape, and knows its own again.

Rules:

1. Long strings become their first lines and a marker that says how long they were. All else stays: keys, types, the
   length of lists, short values, paths. A provider checks arguments against the tool's schema.
2. Of a shell's command the lines beside its heredocs stay as far as they are commands' heads; of a patch the lines
   that name files, and the heads of its hunks.
3. Where under a quarter would be saved nothing is done: it is not worth a change of what the model remembers.
4. What was shortened is not shortened again. A text that only looks so is not shortened either.
5. Nothing is changed in a message that holds anything signed: a provider refuses it, or forgets what it thought.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ctxmgr.engine.tools import patches, role_of, tool_call
from ctxmgr.model import Call

LIMIT = 240  # characters: a string of up to so many stays
HEAD_SHARE = 2  # the first lines of a longer one have a half of the limit
LEAST_SAVED = 0.25  # of the arguments' JSON text (rule 3)

_MARKER = "[argument shortened — the call had "
_OURS = re.compile(
    r"^\[argument shortened — the call had [0-9,]+ characters, [0-9,]+ lines?(?:; [^\n\]]*)?\]$", re.M
)
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n")
MOST_HEREDOCS = 16  # of one command that are looked at


def shorten(call: Call) -> dict[str, Any] | None:
    """The arguments with long strings shortened; None where under a quarter would be saved, or they are ours."""
    arguments = call.arguments
    if is_shortened(arguments):
        return None
    hint = "; read the file to see them" if tool_call(call.tool, arguments, call.declared).writes_text else ""
    found = {name: _value(name, value, hint) for name, value in arguments.items()}
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


def _value(name: str, value: Any, hint: str) -> Any:
    if isinstance(value, str):
        return _text(name, value, hint)
    if isinstance(value, dict):
        return {key: _value(key, one, hint) for key, one in value.items()}
    if isinstance(value, list):
        return [_value(name, one, hint) for one in value]
    return value


def _text(name: str, text: str, hint: str) -> str:
    """A shorter text, or the same where it would not be shorter."""
    if len(text) <= LIMIT:
        return text
    marker = _marker(text, hint)
    if patches.is_patch(text):
        short = patches.shortened(text, marker)
    elif role_of(name) == "command":
        short = _command(text, hint)
    else:
        short = f"{_head(text, LIMIT // HEAD_SHARE)}\n{marker}"
    return short if len(short) < len(text) else text


def _command(text: str, hint: str) -> str:
    """A command with its long heredocs shortened; as any text where it is long beside them."""
    pieces: list[str] = []
    place = beside = 0
    for start, end in _bodies(text):
        beside += start - place
        body = text[start:end]
        if len(body) > LIMIT:
            body = f"{_head(body, LIMIT // HEAD_SHARE)}\n{_marker(body, hint)}"
        pieces += [text[place:start], body]
        place = end
    beside += len(text) - place
    if not pieces or beside > 2 * LIMIT:
        return f"{_head(text, LIMIT)}\n{_marker(text, hint)}"
    return "".join([*pieces, text[place:]])


def _bodies(text: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of heredocs stand, without the line end before their marks."""
    place = 0
    for _ in range(MOST_HEREDOCS):
        found = _HEREDOC.search(text, place)
        if found is None:
            return
        end = text.find(f"\n{found[2]}", found.end() - 1)
        after = end + 1 + len(found[2])
        if end < 0 or text[after : after + 1] not in ("", "\n"):
            return
        yield found.end(), max(end, found.end())
        place = after


def _marker(text: str, hint: str) -> str:
    lines = text.count("\n") + 1
    return f"{_MARKER}{len(text):,} characters, {lines:,} line{'s' if lines > 1 else ''}{hint}]"


def _head(text: str, size: int) -> str:
    """The first lines that fit, or a part of the first."""
    if text.find("\n", 0, size + 1) < 0:
        return text[: size - 1] + "…"
    return text[: text.rfind("\n", 0, size + 1)]
