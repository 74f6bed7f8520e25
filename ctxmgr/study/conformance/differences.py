"""Turns two JSON texts into the first place where they differ, as a JSON path with both values."""

import json
from typing import Any

import msgspec

SHOWN_CHARACTERS = 120
ABSENT = object()  # a member that is not there


class Difference(msgspec.Struct, frozen=True):
    """`path` such as `$.result.report.tokens`; both values shortened, as JSON."""

    path: str
    recorded: str
    now: str


def first(recorded: bytes, now: bytes) -> Difference | None:
    """None where both are the same bytes."""
    if recorded == now:
        return None
    try:
        old, new = json.loads(recorded), json.loads(now)
    except (ValueError, RecursionError):
        return Difference("$", _short(recorded.decode("utf-8", "replace")), _short(now.decode("utf-8", "replace")))
    difference = _walk(old, new, "$")
    if difference is None:
        index = next((index for index, (a, b) in enumerate(zip(recorded, now, strict=False)) if a != b), 0)
        return Difference(
            f"$ (same values, other bytes from {index} on)", _around(recorded, index), _around(now, index)
        )
    path, before, after = difference
    return Difference(path, rendered(before), rendered(after))


def rendered(value: Any) -> str:
    return "nothing" if value is ABSENT else _short(json.dumps(value, ensure_ascii=True))


def _walk(old: Any, new: Any, path: str) -> tuple[str, Any, Any] | None:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            difference = _walk(old.get(name, ABSENT), new.get(name, ABSENT), path + step(name))
            if difference is not None:
                return difference
        return None
    if isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            before = old[index] if index < len(old) else ABSENT
            after = new[index] if index < len(new) else ABSENT
            difference = _walk(before, after, f"{path}[{index}]")
            if difference is not None:
                return difference
        return None
    return None if type(old) is type(new) and old == new else (path, old, new)


def step(name: str) -> str:
    """Of a path, into a member."""
    return f".{name}" if name.isidentifier() else f"[{json.dumps(name)}]"


def _short(text: str) -> str:
    """The beginning and the end: texts often differ late."""
    if len(text) <= SHOWN_CHARACTERS:
        return text
    half = SHOWN_CHARACTERS // 2
    return f"{text[:half]} ... {text[-half:]}"


def _around(text: bytes, index: int) -> str:
    return text[max(0, index - 20) : index + 40].decode("utf-8", "replace")
