"""Checks and fills in placeholders: objects in a line of a script that stand for a value.

1. A placeholder is an object whose members all begin with `$`. An object with some such members is a mistake.
2. Several in one object hold together: `{"$gte": 1, "$lt": 5, "$capture": "n"}`; `$absent` and `$rest` stand alone.
3. What is sent has `$ref` and `$literal` alone. A `$ref` names what an earlier line, or the same one, has captured.
4. Nothing is captured inside of `$not`.
"""

import operator
from collections.abc import Callable, Set
from typing import Any

import msgspec

from ctxmgr.study.spawning import differences

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
PATTERNS = ("$not", "$exact")  # what they hold is a pattern itself
ALONE = ("$absent", "$rest")
SENT = ("$ref", "$literal")


class Misplaced(ValueError):
    """A placeholder that is none, or stands where it can not. The text begins with the path."""


class _Form(msgspec.Struct, frozen=True):
    """What the member of a placeholder may hold, for people and as a test."""

    words: str
    fits: Callable[[Any], bool]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_placeholder(value: Any) -> bool:
    return isinstance(value, dict) and any(name.startswith("$") for name in value)


_YES = _Form("true", lambda value: value is True)
_NUMBER = _Form("a number", is_number)
_NAME = _Form("a name", lambda value: isinstance(value, str) and value.isidentifier())
_ANYTHING = _Form("a value", lambda value: True)
FORMS: dict[str, _Form] = {
    "$any": _YES,
    "$absent": _YES,
    "$rest": _YES,
    "$type": _Form(f"one of {', '.join(TYPES)}", lambda value: isinstance(value, str) and value in TYPES),
    "$contains": _Form("a text", lambda value: isinstance(value, str)),
    **dict.fromkeys(COMPARISONS, _NUMBER),
    **dict.fromkeys(PATTERNS, _ANYTHING),
    "$literal": _ANYTHING,
    "$capture": _NAME,
    "$ref": _NAME,
}


def has_placeholder(value: Any) -> bool:
    """Whether one is in it, however deep."""
    return is_placeholder(value) or any(has_placeholder(inner) for _, inner in _inside(value, ""))


def check_expected(value: Any, known: Set[str], path: str = "$") -> set[str]:
    """The names known after this line. Raises Misplaced."""
    names = set(known)
    _check(value, names, path, negated=False)
    return names


def check_sent(value: Any, known: Set[str], path: str = "$") -> None:
    """Raises Misplaced."""
    if is_placeholder(value):
        for name in value:
            if name in FORMS and name not in SENT:
                raise Misplaced(f"{path}: `{name}` is for what is expected, not for what is sent")
        if len(value) > 1:
            raise Misplaced(f"{path}: one value is sent: {differences.rendered(value)}")
        _check(value, set(known), path, negated=False)
    else:
        for at, inner in _inside(value, path):
            check_sent(inner, known, at)


def filled(value: Any, names: dict[str, Any]) -> Any:
    """The value that is sent. Every name in it is known."""
    if is_placeholder(value):
        return value["$literal"] if "$literal" in value else names[value["$ref"]]
    if isinstance(value, dict):
        return {name: filled(inner, names) for name, inner in value.items()}
    return [filled(inner, names) for inner in value] if isinstance(value, list) else value


def _check(value: Any, names: set[str], path: str, negated: bool, in_array: bool = False) -> None:
    if not is_placeholder(value):
        for at, inner in _inside(value, path):
            _check(inner, names, at, negated, in_array=isinstance(value, list))
        return
    for name, argument in value.items():
        if name not in FORMS:
            raise Misplaced(f"{path}: `{name}` is no placeholder")
        if not FORMS[name].fits(argument):
            raise Misplaced(f"{path}: `{name}` takes {FORMS[name].words}, not {differences.rendered(argument)}")
        if name in ALONE and len(value) > 1:
            raise Misplaced(f"{path}: `{name}` stands alone")
        if name == "$rest" and not in_array:
            raise Misplaced(f"{path}: `$rest` is for items of an array")
        if name == "$capture":
            _capture(argument, names, path, negated)
        elif name == "$ref" and argument not in names:
            raise Misplaced(f"{path}: nothing before has captured `{argument}`")
        elif name in PATTERNS:
            _check(argument, names, path, negated or name == "$not")


def _capture(name: str, names: set[str], path: str, negated: bool) -> None:
    if negated:
        raise Misplaced(f"{path}: what must not match can not be captured")
    if name == STATE_DIR:
        raise Misplaced(f"{path}: `{STATE_DIR}` is the name of this run's state directory")
    names.add(name)


def _inside(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(path + differences.step(name), inner) for name, inner in value.items()]
    return [(f"{path}[{at}]", inner) for at, inner in enumerate(value)] if isinstance(value, list) else []
