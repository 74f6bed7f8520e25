"""Turns messages into the names in them: what refers to old text does so by these.

A name is an identifier (`identifiers`) without what begins a path. The names of one message are looked for once,
and kept with it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ctxmgr.engine.text import bare, is_name
from ctxmgr.model import Block, Message, once

DEEPEST = 20  # of arguments within arguments
READ_AT_MOST = 200_000  # characters of one text: names of what is longer repeat

Names = tuple[frozenset[str], ...]

_OWN = ("self.", "this.", "cls.")
_SCRAP = re.compile(r"[0-9a-f]+|(?:[A-Z]+|[A-Z]?[a-z]+)\d[a-z\d]*")  # a part of a hash; a word and a number
_CODE = re.compile(r"[A-Z]{1,4}\d{3,5}")
_LOCAL = re.compile(r"[A-Za-z_]{1,2}\.")
_SLASHED = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)+")


def names(text: str) -> frozenset[str]:
    """The names in a text."""
    return bare(text[:READ_AT_MOST])


@once
def of_message(message: Message) -> Names:
    """The names of each block of a message."""
    return tuple([names(_told(block)) for block in message.view.blocks])


def _told(block: Block) -> str:
    """What a block says; of a call the texts in its arguments, for its JSON spells line ends as letters."""
    if block.kind == "call" and block.arguments:
        return "\n".join(_texts(block.arguments, DEEPEST))
    return block.text


def _texts(value: Any, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple) and deep:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one, deep - 1)


@lru_cache(maxsize=1 << 13)
def telling(name: str) -> str:
    """The name as a list of names tells it, "" for one that says nothing by itself: a member of a local that has a
    letter or two for its name, a part of a hash, a variable of a shell, plain words between slashes."""
    for own in _OWN:
        name = name.removeprefix(own)
    if name.startswith("$") or _LOCAL.match(name) or _SLASHED.fullmatch(name):
        return ""
    if _SCRAP.fullmatch(name) and not _CODE.fullmatch(name):
        return ""
    return name if is_name(name) else ""


def whole(message: Message) -> Iterator[str]:
    """The names of a message, those of each block in turn."""
    for block in of_message(message):
        yield from block
