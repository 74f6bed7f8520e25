"""Turns text into the names in it: paths, identifiers, codes of errors. What refers to old text does so by these.

A name is a run of letters, digits and the marks that code and paths are joined by, which no plain word looks like:
it has such a mark, a digit or a capital inside. Line numbers and marks at its ends are no part of it.

The names of one message are looked for once, and kept in a memo by the message's digest.
"""

import re
from collections.abc import Iterator
from typing import Any

from ctxmgr.model.messages import Message, Unit

SHORTEST, LONGEST = 4, 120  # characters: `i.e` is no name, and what is longer was pasted
DEEPEST = 20  # of arguments within arguments
READ_AT_MOST = 200_000  # characters of one text: names of what is longer repeat

_RUN = re.compile(r"[A-Za-z_$@~./][\w$@~./-]{3,}")
_MARKED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9][_./-]+[A-Za-z0-9]|[A-Z]{2,}[a-z0-9]|[A-Za-z]\d")
_LETTERS = re.compile(r"[A-Za-z]{2}|^[A-Z]\d{3,5}$")  # E501, but not x = 12
_ENDS = "./-~@"

Names = tuple[frozenset[str], ...]
Memo = dict[Any, Any]


def names(text: str) -> frozenset[str]:
    """The names in a text."""
    found = {run.strip(_ENDS) for run in set(_RUN.findall(text[:READ_AT_MOST]))}
    return frozenset(name for name in found if _is_name(name))


def _is_name(text: str) -> bool:
    if not SHORTEST <= len(text) <= LONGEST or _MARKED.search(text) is None:
        return False
    joined = "-" in text and not ("/" in text or "." in text or "_" in text)  # "long-lived" is prose
    return _LETTERS.search(text) is not None and not joined


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
