"""Matches what a line expects against the value that came: the first place where they differ, or None.

1. Numbers are equal as numbers: `0` is `0.0`. true and false are no numbers.
2. An object has the members that are named. Whether it may have more, the script says (`match` in its header);
   inside `$exact` it may not, nor where no placeholder is read (`$literal`, `$ref`).
3. An array has the items that are named, in order. Where `$rest` stands there may be any number of items: what is
   before the first stands at the start, what is after the last at the end, the rest somewhere between, in order.
4. What was captured on the way to a match that failed is forgotten.
"""

from typing import Any, Literal

import msgspec

from ctxmgr.study.conformance.placeholders import COMPARISONS, TYPES, is_number, is_placeholder
from ctxmgr.study.spawning import differences

MatchMode = Literal["literal", "exact", "subset"]  # no placeholders; placeholders; and more members


class Mismatch(msgspec.Struct, frozen=True):
    """Where, as a JSON path; what was expected there and what came, as text."""

    path: str
    expected: str
    got: str


def match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str = "$") -> Mismatch | None:
    """`value` is plain JSON. `names` are those captured so far; where it matches, what it captures is added."""
    captured = dict(names)
    found = _match(pattern, value, mode, captured, path)
    if found is None:
        names |= captured
    return found


def contains(value: Any, text: str) -> bool:
    """Whether a string in it, however deep, holds the text."""
    if isinstance(value, str):
        return text in value
    if isinstance(value, dict):
        return any(contains(inner, text) for inner in value.values())
    return isinstance(value, list) and any(contains(inner, text) for inner in value)


def _match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str) -> Mismatch | None:
    if mode != "literal" and is_placeholder(pattern):
        return _placeholder(pattern, value, mode, names, path)
    if isinstance(pattern, dict) and isinstance(value, dict):
        for name, inner in pattern.items():
            found = _match(inner, value.get(name, differences.ABSENT), mode, names, path + differences.step(name))
            if found is not None:
                return found
        more = next((name for name in value if name not in pattern), None)
        if more is None or mode == "subset":
            return None
        return Mismatch(
            path + differences.step(more),
            differences.rendered(differences.ABSENT),
            differences.rendered(value[more]),
        )
    if isinstance(pattern, list) and isinstance(value, list):
        return _array(pattern, value, mode, names, path)
    same_kind = type(pattern) is type(value) or (is_number(pattern) and is_number(value))
    return (
        None
        if same_kind and pattern == value
        else Mismatch(path, differences.rendered(pattern), differences.rendered(value))
    )


def _placeholder(
    pattern: dict[str, Any], value: Any, mode: MatchMode, names: dict[str, Any], path: str
) -> Mismatch | None:
    """All its members hold together."""
    for name, argument in pattern.items():
        found = None
        if name == "$absent":
            fits = value is differences.ABSENT
        elif name == "$not":
            fits = _match(argument, value, mode, dict(names), path) is not None
        elif value is differences.ABSENT:
            fits = False
        elif name in ("$exact", "$literal", "$ref"):
            inner: MatchMode = "exact" if name == "$exact" else "literal"
            found = _match(names[argument] if name == "$ref" else argument, value, inner, names, path)
            fits = found is None
        elif name == "$type":
            fits = TYPES[argument](value)
        elif name == "$contains":
            fits = contains(value, argument)
        elif name in COMPARISONS:
            fits = is_number(value) and COMPARISONS[name](value, argument)
        else:  # `$any`, `$capture`
            fits = True
        if not fits:
            return found or Mismatch(path, differences.rendered(pattern), differences.rendered(value))
    if "$capture" in pattern:
        names[pattern["$capture"]] = value
    return None


def _array(
    pattern: list[Any], value: list[Any], mode: MatchMode, names: dict[str, Any], path: str
) -> Mismatch | None:
    runs: list[list[Any]] = [[]]  # the items between the `$rest`; one run where there is none
    for item in pattern:
        if mode != "literal" and is_placeholder(item) and "$rest" in item:
            runs.append([])
        else:
            runs[-1].append(item)
    found = _items(runs[0], value, 0, mode, names, path)
    if found is not None:
        return found
    index = len(runs[0])
    if len(runs) == 1:
        extra = index < len(value)
        return (
            Mismatch(
                f"{path}[{index}]", differences.rendered(differences.ABSENT), differences.rendered(value[index])
            )
            if extra
            else None
        )
    for run in runs[1:-1]:
        starts = range(index, len(value) - len(run) + 1)
        # each try captures into names of its own
        start = next((at for at in starts if _items(run, value, at, mode, dict(names), path) is None), None)
        if start is None:
            return Mismatch(
                path, f"{differences.rendered(run)} from item {index} on", differences.rendered(value[index:])
            )
        _items(run, value, start, mode, names, path)
        index = start + len(run)
    start = len(value) - len(runs[-1])
    if start < index:
        return Mismatch(path, f"{index + len(runs[-1])} items or more", f"{len(value)} items")
    return _items(runs[-1], value, start, mode, names, path)


def _items(
    run: list[Any], value: list[Any], start: int, mode: MatchMode, names: dict[str, Any], path: str
) -> Mismatch | None:
    for index, item in enumerate(run, start):
        received = value[index] if index < len(value) else differences.ABSENT
        found = _match(item, received, mode, names, f"{path}[{index}]")
        if found is not None:
            return found
    return None
