"""Turns two JSON texts into the first place where they differ, as a JSON path with both values."""

import json
from itertools import zip_longest
from typing import Any

import msgspec

SHOWN_CHARACTERS = 120
ABSENT = object()  # a member that is not there


class Difference(msgspec.Struct, frozen=True):
    """`path` such as `$.result.report.tokens`; what was recorded or expected there and what came, as shortened
    JSON."""

    path: str
    recorded: str
    received: str


def first(recorded: bytes, received: bytes) -> Difference | None:
    """None where both are the same bytes."""
    if recorded == received:
        return None
    try:
        old, new = json.loads(recorded), json.loads(received)
    except (ValueError, RecursionError):
        return Difference("$", *(_short(text.decode("utf-8", "replace")) for text in (recorded, received)))
    if (found := _walk(old, new, "$")) is not None:
        return found
    index = next((index for index, (a, b) in enumerate(zip(recorded, received, strict=False)) if a != b), 0)
    around = (text[max(0, index - 20) : index + 40].decode("utf-8", "replace") for text in (recorded, received))
    return Difference(f"$ (same values, other bytes from {index} on)", *around)


def at(path: str, recorded: Any, received: Any) -> Difference:
    """Of two values; `ABSENT` is nothing."""
    return Difference(path, rendered(recorded), rendered(received))


def rendered(value: Any) -> str:
    return "nothing" if value is ABSENT else _short(json.dumps(value, ensure_ascii=True))


def step(name: str) -> str:
    """Of a path, into a member."""
    return f".{name}" if name.isidentifier() else f"[{json.dumps(name)}]"


def _walk(old: Any, new: Any, path: str) -> Difference | None:
    if isinstance(old, dict) and isinstance(new, dict):
        inner = [(old.get(name, ABSENT), new.get(name, ABSENT), path + step(name)) for name in {**old, **new}]
    elif isinstance(old, list) and isinstance(new, list):
        pairs = enumerate(zip_longest(old, new, fillvalue=ABSENT))
        inner = [(before, after, f"{path}[{index}]") for index, (before, after) in pairs]
    else:
        return None if type(old) is type(new) and old == new else at(path, old, new)
    for values in inner:  # one frame a level: texts may be deep
        if (found := _walk(*values)) is not None:
            return found
    return None


def _short(text: str) -> str:
    """The beginning and the end: texts often differ late."""
    half = SHOWN_CHARACTERS // 2
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:half]} ... {text[-half:]}"
