"""Turns messages into the names in them: what refers to old text does so by these.

A name is an identifier (`identifiers`) without what begins a path. The names of one message are looked for once,
and kept in a memo by the message's digest.
"""

from collections.abc import Iterator
from typing import Any

from ctxmgr.engine.text import bare
from ctxmgr.engine.tools import Memo
from ctxmgr.model import Message, Unit

DEEPEST = 20  # of arguments within arguments
READ_AT_MOST = 200_000  # characters of one text: names of what is longer repeat

Names = tuple[frozenset[str], ...]


def names(text: str) -> frozenset[str]:
    """The names in a text."""
    return bare(text[:READ_AT_MOST])


def of_message(message: Message, memo: Memo) -> Names:
    """The names of each unit of a message."""
    key = ("names", message.digest)
    found: Names | None = memo.get(key)
    if found is None:
        found = memo[key] = tuple(names(_told(unit)) for unit in message.view.units)
    return found


def _told(unit: Unit) -> str:
    """What a unit says; of a call the texts in its arguments, for its JSON spells line ends as letters."""
    if unit.kind == "call" and unit.arguments:
        return "\n".join(_texts(unit.arguments, DEEPEST))
    return unit.text


def _texts(value: Any, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple) and deep:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one, deep - 1)


def whole(message: Message, memo: Memo) -> Iterator[str]:
    """The names of a message, those of each unit in turn."""
    for unit in of_message(message, memo):
        yield from unit
