"""Checks and fills in placeholders: objects in a line of a script that stand for a value (`script.FORMAT`).

1. A placeholder is an object whose members all begin with `$`. An object with some such members is a mistake.
2. Several in one object hold together: `{"$gte": 1, "$lt": 5, "$capture": "n"}`; `$absent` and `$rest` stand alone.
3. What is sent has `$ref` and `$literal` alone. A `$ref` names what an earlier line, or the same one, has captured.
4. Nothing is captured inside of `$not`.
"""

import operator
from collections.abc import Callable
from typing import Any

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
