"""The values and patterns of a script as they were written, and the value that one stands for."""

import json
from collections.abc import Callable
from typing import Any

import msgspec


class ScriptFault(Exception):
    """A line that is not of the language, or stands where it can not. `line` counts from 1."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line, self.text = line, text


class Node(msgspec.Struct, frozen=True, eq=False):
    """A value or a pattern as it was written."""


class Literal(Node, frozen=True):
    value: Any


class Ref(Node, frozen=True):
    """`$name` with the steps into it: a member, a place, or a range of places. `$` alone has an empty name."""

    name: str
    steps: tuple[str | int | slice, ...] = ()
    source: str = "$"


class Text(Node, frozen=True):
    """Parts of a string, said so many times over."""

    parts: tuple[str | Ref, ...]
    times: Node | None = None


class Object(Node, frozen=True):
    """`more`: members that are not named may be there."""

    members: tuple[tuple[str, Node], ...]
    more: bool = False


class Items(Node, frozen=True):
    """In a pattern an item may be `Anything(more=True)`: any number of items."""

    items: tuple[Node, ...]


class Anything(Node, frozen=True):
    more: bool = False


class Holds(Node, frozen=True):
    """A string with this text in it, or a value with such a string anywhere."""

    text: Node


class Not(Node, frozen=True):
    pattern: Node


class Compared(Node, frozen=True):
    sign: str
    value: Node


Look = Callable[[Ref], Any]


def evaluate(node: Node, look: Look) -> Any:
    """The value that this stands for. `look` gives what a reference means, or raises."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Ref):
        return look(node)
    if isinstance(node, Text):
        said = "".join(part if isinstance(part, str) else _said(look(part)) for part in node.parts)
        return said if node.times is None else said * int(evaluate(node.times, look))
    if isinstance(node, Object):
        return {name: evaluate(inner, look) for name, inner in node.members}
    if isinstance(node, Items):
        return [evaluate(inner, look) for inner in node.items]
    raise TypeError(f"{type(node).__name__} has no value")  # the reader takes it in patterns alone


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
