"""Holds a value against a pattern: None where it matches, else the first place where it does not.

1. Numbers are equal as numbers: `0` is `0.0`. true and false are no numbers.
2. An object without `...` has these members and no others; one with it may have more. A member that must match
   `!PATTERN` may be absent.
3. A list without `...` has these items in this order. Each `...` in it stands for any number of items: what is
   before the first stands at the start, what is after the last at the end, the rest somewhere between, in order.
4. `~"text"`: a string that holds the text, or a value with such a string anywhere in it.
"""

import operator
from collections.abc import Sequence
from typing import Any

import msgspec

from ctxmgr.study.hostscript.script_nodes import (
    Anything,
    Compared,
    Holds,
    Items,
    Literal,
    Look,
    Node,
    Not,
    Object,
    Ref,
    Text,
    evaluate,
)
from ctxmgr.study.spawning.differences import ABSENT, shown

SPELLED_CHARACTERS = 120
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Mismatch(msgspec.Struct, frozen=True):
    """Where, as a JSON path; what was expected there and what came, as text."""

    path: str
    expected: str
    came: str


def match(pattern: Node, value: Any, look: Look, path: str = "$") -> Mismatch | None:
    """`value` is plain JSON, or ABSENT for a member that is not there."""
    if isinstance(pattern, Not):
        hit = match(pattern.pattern, value, look, path) is None
        return Mismatch(path, f"not {spelled(pattern.pattern, look)}", shown(value)) if hit else None
    if value is ABSENT:
        return Mismatch(path, spelled(pattern, look), "nothing")
    if isinstance(pattern, Anything):
        return None
    if isinstance(pattern, Object) and isinstance(value, dict):
        return _object(pattern, value, look, path)
    if isinstance(pattern, Items) and isinstance(value, list):
        return _items(pattern.items, value, look, path)
    if isinstance(pattern, Holds):
        hit = _holds(value, str(evaluate(pattern.text, look)))
    elif isinstance(pattern, Compared):
        bound = evaluate(pattern.value, look)
        hit = _number(value) and _number(bound) and _SIGNS[pattern.sign](value, bound)
    elif isinstance(pattern, Object | Items):
        hit = False
    else:
        return _same(evaluate(pattern, look), value, path)
    return None if hit else Mismatch(path, spelled(pattern, look), shown(value))


def spelled(pattern: Node, look: Look) -> str:
    """The pattern as text, short enough for a line."""
    text = _spelled(pattern, look)
    return text if len(text) <= SPELLED_CHARACTERS else f"{text[:SPELLED_CHARACTERS]} ..."


def _spelled(pattern: Node, look: Look) -> str:
    if isinstance(pattern, Anything):
        return "..." if pattern.more else "a value"
    if isinstance(pattern, Not):
        return f"!{_spelled(pattern.pattern, look)}"
    if isinstance(pattern, Holds):
        return f"~{shown(evaluate(pattern.text, look))}"
    if isinstance(pattern, Compared):
        return f"{pattern.sign} {shown(evaluate(pattern.value, look))}"
    if isinstance(pattern, Object):
        members = [f"{name}: {_spelled(inner, look)}" for name, inner in pattern.members]
        return f"{{{', '.join(members + ['...'] * pattern.more)}}}"
    if isinstance(pattern, Items):
        return f"[{', '.join(_spelled(item, look) for item in pattern.items)}]"
    assert isinstance(pattern, Literal | Ref | Text)
    return shown(evaluate(pattern, look))


def _object(pattern: Object, value: dict[str, Any], look: Look, path: str) -> Mismatch | None:
    for name, inner in pattern.members:
        found = match(inner, value.get(name, ABSENT), look, _step(path, name))
        if found is not None:
            return found
    named = {name for name, _ in pattern.members}
    for name in value:
        if name not in named and not pattern.more:
            return Mismatch(_step(path, name), "nothing", shown(value[name]))
    return None


def _items(items: Sequence[Node], value: list[Any], look: Look, path: str) -> Mismatch | None:
    """Rule 3."""
    runs = _runs(items)
    first, last = runs[0], runs[-1]
    for place, item in enumerate(first):
        found = match(item, value[place] if place < len(value) else ABSENT, look, f"{path}[{place}]")
        if found is not None:
            return found
    if len(runs) == 1:
        extra = len(first) < len(value)
        return Mismatch(f"{path}[{len(first)}]", "nothing", shown(value[len(first)])) if extra else None
    at = len(first)
    for run in runs[1:-1]:
        start = _find(run, value, at, look)
        if start is None:
            return Mismatch(path, f"{spelled(Items(tuple(run)), look)} from item {at} on", shown(value[at:]))
        at = start + len(run)
    start = len(value) - len(last)
    if start < at:
        return Mismatch(path, f"{at + len(last)} items or more", f"{len(value)} items")
    for place, item in enumerate(last, start):
        found = match(item, value[place], look, f"{path}[{place}]")
        if found is not None:
            return found
    return None


def _runs(items: Sequence[Node]) -> list[list[Node]]:
    """The items between the `...`; one run where there is none."""
    runs: list[list[Node]] = [[]]
    for item in items:
        if isinstance(item, Anything) and item.more:
            runs.append([])
        else:
            runs[-1].append(item)
    return runs


def _find(run: Sequence[Node], value: list[Any], at: int, look: Look) -> int | None:
    """The first place from `at` on where the run matches. Taking the first never loses a match of a later run."""
    for start in range(at, len(value) - len(run) + 1):
        if all(match(item, value[start + place], look) is None for place, item in enumerate(run)):
            return start
    return None


def _same(expected: Any, value: Any, path: str) -> Mismatch | None:
    """Of plain values, with the place of the first difference."""
    if isinstance(expected, dict) and isinstance(value, dict):
        for name in [*expected, *(name for name in value if name not in expected)]:
            found = _same(expected.get(name, ABSENT), value.get(name, ABSENT), _step(path, name))
            if found is not None:
                return found
        return None
    if isinstance(expected, list) and isinstance(value, list):
        for place in range(max(len(expected), len(value))):
            one, other = (side[place] if place < len(side) else ABSENT for side in (expected, value))
            if (found := _same(one, other, f"{path}[{place}]")) is not None:
                return found
        return None
    numbers = _number(expected) and _number(value)
    if (numbers or type(expected) is type(value)) and expected == value:
        return None
    return Mismatch(path, shown(expected), shown(value))


def _holds(value: Any, text: str) -> bool:
    if isinstance(value, str):
        return text in value
    if isinstance(value, dict):
        return any(_holds(inner, text) for inner in value.values())
    return isinstance(value, list) and any(_holds(inner, text) for inner in value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _step(path: str, name: str) -> str:
    return f"{path}.{name}" if name.isidentifier() else f"{path}[{shown(name)}]"
