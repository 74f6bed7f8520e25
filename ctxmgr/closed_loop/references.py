"""Turns a reply into what it acts on.

Rules:

1. A reply acts on the lines that its edits replace (`edits`), where they have LETTERS letters or digits or more;
   and on the paths, identifiers and error codes (`mentions`) in the arguments of its tool calls. What its text or
   its thinking names does not count: it can be said from a summary.
2. In this order: lines as the edits have them, then names, sorted. Each once a reply.
3. A call that repeats an earlier one of the conversation, with the same tool and arguments, acts on nothing: it is
   a re-fetch that the conversation holds, and is billed as it was.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from ctxmgr.closed_loop.edits import replaced
from ctxmgr.closed_loop.message_cache import names_in, strings
from ctxmgr.model import Block, Message

LETTERS = 3  # letters and digits of a line: of those with fewer every file is full

_spelled = msgspec.json.Encoder(order="sorted").encode


class Reference(NamedTuple):
    """One thing that a reply acts on: a line to be replaced, or a name in an argument."""

    is_name: bool
    text: str


class EarlierCalls:
    """The calls of one conversation so far (rule 3)."""

    def __init__(self) -> None:
        self._spellings: set[bytes] = set()

    def add(self, came: Iterable[Message]) -> None:
        self._spellings.update(_spelling(block) for one in came for block in _calls(one))

    def acted_on(self, reply: Iterable[Message]) -> tuple[Reference, ...]:
        """What a reply acts on, whether or not the conversation had it before."""
        new = [block for one in reply for block in _calls(one) if _spelling(block) not in self._spellings]
        lines = (line for block in new for line in replaced(block.arguments) if _is_telling(line))
        names = {name for block in new for text in strings(block.arguments) for name in names_in(text)}
        return (
            *(Reference(False, line) for line in dict.fromkeys(lines)),
            *(Reference(True, name) for name in sorted(names)),
        )


def _calls(message: Message) -> list[Block]:
    return [block for block in message.view.blocks if block.kind == "call"]


def _spelling(block: Block) -> bytes:
    what: list[Any] = [block.tool, block.arguments]
    return _spelled(what)


def _is_telling(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= LETTERS
