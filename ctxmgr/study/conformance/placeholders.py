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

import operator
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from ctxmgr.study.conformance import differences

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
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


MatchMode = Literal["literal", "exact", "subset"]  # no placeholders; placeholders; and more members


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
    **dict.fromkeys(COMPARISONS, _NUMBER),
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
        if name not in FORMS:
            raise Misplaced(f"{path}: `{name}` is no placeholder")
        words, fits = FORMS[name]
        if not fits(argument):
            raise Misplaced(f"{path}: `{name}` takes {words}, not {differences.rendered(argument)}")
        if sent and name not in ("$ref", "$literal"):
            raise Misplaced(f"{path}: `{name}` is for what is expected, not for what is sent")
        if len(value) > 1 and (sent or name in ("$absent", "$rest")):
            raise Misplaced(f"{path}: `{name}` stands alone")
        if name == "$ref" and argument not in names:
            raise Misplaced(f"{path}: nothing before has captured `{argument}`")
        if name == "$capture" and negated:
            raise Misplaced(f"{path}: what must not match can not be captured")
        if name == "$capture" and argument == STATE_DIR:
            raise Misplaced(f"{path}: `{STATE_DIR}` is the name of this run's state directory")
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
        return [(path + differences.step(name), inner) for name, inner in value.items()]
    return [(f"{path}[{index}]", inner) for index, inner in enumerate(value)] if isinstance(value, list) else []


class Mismatch(msgspec.Struct, frozen=True):
    """Where, as a JSON path; what was expected there and what came, as text."""

    path: str
    expected: str
    got: str


def match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str = "$") -> Mismatch | None:
    """`value` is plain JSON. `names` are those captured so far; where it matches, what it captures is added."""
    captured = dict(names)
    mismatch = _match(pattern, value, mode, captured, path)
    if mismatch is None:
        names |= captured
    return mismatch


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
            mismatch = _match(
                inner, value.get(name, differences.ABSENT), mode, names, path + differences.step(name)
            )
            if mismatch is not None:
                return mismatch
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
        mismatch = None
        if name == "$absent":
            fits = value is differences.ABSENT
        elif name == "$not":
            fits = _match(argument, value, mode, dict(names), path) is not None
        elif value is differences.ABSENT:
            fits = False
        elif name in ("$exact", "$literal", "$ref"):
            inner: MatchMode = "exact" if name == "$exact" else "literal"
            mismatch = _match(names[argument] if name == "$ref" else argument, value, inner, names, path)
            fits = mismatch is None
        elif name == "$type":
            fits = TYPES[argument](value)
        elif name == "$contains":
            fits = contains(value, argument)
        elif name in COMPARISONS:
            fits = is_number(value) and COMPARISONS[name](value, argument)
        else:  # `$any`, `$capture`
            fits = True
        if not fits:
            return mismatch or Mismatch(path, differences.rendered(pattern), differences.rendered(value))
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
    mismatch = _items(runs[0], value, 0, mode, names, path)
    if mismatch is not None:
        return mismatch
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
        start = next(
            (candidate for candidate in starts if _items(run, value, candidate, mode, dict(names), path) is None),
            None,
        )
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
        mismatch = _match(item, received, mode, names, f"{path}[{index}]")
        if mismatch is not None:
            return mismatch
    return None
