"""Placeholders: objects in a line of a script that stand for a value (`script.FORMAT`). Checks them, fills in those
that are sent, and matches those that are expected against the value that came.

1. A placeholder is an object whose members all begin with `$`. An object with some such members is a mistake.
2. Several in one object hold together: `{"$gte": 1, "$lt": 5, "$capture": "n"}`; `$absent` and `$rest` stand alone.
3. What is sent has `$ref` and `$literal` alone. A `$ref` names what an earlier line, or the same one, has captured.
4. Nothing is captured inside of `$not`. What was captured on the way to a match that failed is forgotten.
5. Numbers are equal as numbers: `0` is `0.0`. true and false are no numbers.
6. An object has the members that are named. Whether it may have more, the script says (`match` in its header);
   inside `$exact` it may not, nor where no placeholder is read (`$literal`, `$ref`).
7. An array has the items that are named, in order. Where `$rest` stands there may be any number of items: what is
   before the first stands at the start, what is after the last at the end, the rest somewhere between, in order.
"""

from collections.abc import Callable
from itertools import zip_longest
from typing import Any, Literal

from ctxmgr.study.conformance.golden import ABSENT, Difference, difference_at, rendered, step

STATE_DIR = "stateDir"  # a name that every script may refer to
TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: is_number(value),
    "integer": lambda value: is_number(value) and (isinstance(value, int) or value.is_integer()),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}
# whether a value that is there fits what a member of a placeholder holds; each other member fits any
FITS: dict[str, Callable[[Any, Any], bool]] = {
    "$type": lambda value, name: TYPES[name](value),
    "$contains": lambda value, text: contains(value, text),
    "$gt": lambda value, bound: is_number(value) and value > bound,
    "$gte": lambda value, bound: is_number(value) and value >= bound,
    "$lt": lambda value, bound: is_number(value) and value < bound,
    "$lte": lambda value, bound: is_number(value) and value <= bound,
}

MatchMode = Literal["literal", "exact", "subset"]  # no placeholders; placeholders; and more members
WITHIN: dict[str, MatchMode] = {"$exact": "exact", "$literal": "literal", "$ref": "literal"}


class Misplaced(ValueError):
    """A placeholder that is none, or stands where it can not. The text begins with the path."""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_placeholder(value: Any) -> bool:
    return isinstance(value, dict) and any(name.startswith("$") for name in value)


_YES: tuple[str, Callable[[Any], bool]] = ("true", lambda value: value is True)
_NUMBER: tuple[str, Callable[[Any], bool]] = ("a number", is_number)
_ANYTHING: tuple[str, Callable[[Any], bool]] = ("a value", lambda value: True)
_NAME: tuple[str, Callable[[Any], bool]] = (
    "a name",
    lambda value: isinstance(value, str) and value.isidentifier(),
)
# what the member of a placeholder may hold, for people and as a test
FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "$any": _YES,
    "$absent": _YES,
    "$rest": _YES,
    "$type": (f"one of {', '.join(TYPES)}", lambda value: isinstance(value, str) and value in TYPES),
    "$contains": ("a text", lambda value: isinstance(value, str)),
    **dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), _NUMBER),
    "$not": _ANYTHING,
    "$exact": _ANYTHING,
    "$literal": _ANYTHING,
    "$capture": _NAME,
    "$ref": _NAME,
}


def has_placeholder(value: Any) -> bool:
    """Whether one is in it, however deep."""
    return is_placeholder(value) or any(has_placeholder(inner) for _, inner in _inside(value, ""))


def check(value: Any, names: set[str], sent: bool, path: str = "$", negated: bool = False) -> None:
    """Adds what is captured to `names`. `sent`: it is for a line of the host (rule 3). Raises Misplaced."""
    if not is_placeholder(value):
        for inner_path, inner in _inside(value, path):
            if is_placeholder(inner) and "$rest" in inner and not isinstance(value, list):
                raise Misplaced(f"{inner_path}: `$rest` is for items of an array")
            check(inner, names, sent, inner_path, negated)
        return
    for name, argument in value.items():
        words, fits = FORMS.get(name, ("", lambda argument: True))
        faults = {
            f"`{name}` is no placeholder": not words,
            f"`{name}` takes {words}, not {rendered(argument)}": not fits(argument),
            f"`{name}` is for what is expected, not for what is sent": sent and name not in ("$ref", "$literal"),
            f"`{name}` stands alone": len(value) > 1 and (sent or name in ("$absent", "$rest")),
            f"nothing before has captured `{argument}`": name == "$ref" and str(argument) not in names,
            "what must not match can not be captured": name == "$capture" and negated,
            f"`{STATE_DIR}` is the name of this run's state directory": (name, argument) == ("$capture", STATE_DIR),
        }
        if (why := next((text for text, is_so in faults.items() if is_so), None)) is not None:
            raise Misplaced(f"{path}: {why}")
        if name == "$capture":
            names.add(argument)
        if name in ("$not", "$exact"):
            check(argument, names, sent, path, negated or name == "$not")


def filled(value: Any, names: dict[str, Any]) -> Any:
    """The value that is sent. Every name in it is known."""
    if is_placeholder(value):
        return value["$literal"] if "$literal" in value else names[value["$ref"]]
    if isinstance(value, dict):
        return {name: filled(inner, names) for name, inner in value.items()}
    return [filled(inner, names) for inner in value] if isinstance(value, list) else value


def _inside(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(path + step(name), inner) for name, inner in value.items()]
    return [(f"{path}[{index}]", inner) for index, inner in enumerate(value)] if isinstance(value, list) else []


def match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str = "$") -> Difference | None:
    """`value` is plain JSON. `names` are those captured so far; where it matches, what it captures is added."""
    captured = dict(names)
    if (mismatch := _match(pattern, value, mode, captured, path)) is None:
        names |= captured
    return mismatch


def contains(value: Any, text: str) -> bool:
    """Whether a string in it, however deep, holds the text."""
    if isinstance(value, str):
        return text in value
    return any(contains(inner, text) for _, inner in _inside(value, ""))


def _match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str) -> Difference | None:
    if mode != "literal" and is_placeholder(pattern):
        return _placeholder(pattern, value, mode, names, path)
    if isinstance(pattern, dict) and isinstance(value, dict):
        for name in pattern if mode == "subset" else {**pattern, **value}:
            old, new = pattern.get(name, ABSENT), value.get(name, ABSENT)
            if (mismatch := _match(old, new, mode, names, path + step(name))) is not None:
                return mismatch
        return None
    if isinstance(pattern, list) and isinstance(value, list):
        return _array(pattern, value, mode, names, path)
    same_kind = type(pattern) is type(value) or (is_number(pattern) and is_number(value))
    return None if same_kind and pattern == value else difference_at(path, pattern, value)


def _placeholder(
    pattern: dict[str, Any], value: Any, mode: MatchMode, names: dict[str, Any], path: str
) -> Difference | None:
    """All its members hold together."""
    for name, argument in pattern.items():
        if name == "$not":
            fits = _match(argument, value, mode, dict(names), path) is not None
        elif name == "$absent" or value is ABSENT:
            fits = name == "$absent" and value is ABSENT
        elif name in WITHIN:
            within = names[argument] if name == "$ref" else argument
            if (mismatch := _match(within, value, WITHIN[name], names, path)) is not None:
                return mismatch
            fits = True
        else:
            fits = name not in FITS or FITS[name](value, argument)
        if not fits:
            return difference_at(path, pattern, value)
    if "$capture" in pattern:
        names[pattern["$capture"]] = value
    return None


def _array(
    pattern: list[Any], value: list[Any], mode: MatchMode, names: dict[str, Any], path: str
) -> Difference | None:
    runs: list[list[Any]] = [[]]  # the items between the `$rest`; one run where there is none
    for item in pattern:
        if mode != "literal" and is_placeholder(item) and "$rest" in item:
            runs.append([])
        else:
            runs[-1].append(item)
    first, *others = runs
    index = len(first)
    mismatch = _items(first, value[:index] if others else value, 0, mode, names, path)
    if mismatch is not None or not others:
        return mismatch
    for run in others[:-1]:
        for start in range(index, len(value) - len(run) + 1):
            captured = dict(names)
            if _items(run, value[start : start + len(run)], start, mode, captured, path) is None:
                break
        else:
            return Difference(path, f"{rendered(run)} from item {index} on", rendered(value[index:]))
        names |= captured
        index = start + len(run)
    start = len(value) - len(others[-1])
    if start < index:
        return Difference(path, f"{index + len(others[-1])} items or more", f"{len(value)} items")
    return _items(others[-1], value[start:], start, mode, names, path)


def _items(
    run: list[Any], values: list[Any], start: int, mode: MatchMode, names: dict[str, Any], path: str
) -> Difference | None:
    """`start`: the place of the first of `values`."""
    for index, (item, value) in enumerate(zip_longest(run, values, fillvalue=ABSENT), start):
        if (mismatch := _match(item, value, mode, names, f"{path}[{index}]")) is not None:
            return mismatch
    return None
