"""Turns a recorded reply into what it acts on, and messages into which of that they hold.

Rules:

1. A reply acts on the lines that its edits replace (`edits`), where they have LETTERS letters or digits or more;
   and on the paths, identifiers and error codes (`mentions`) in the arguments of its tool calls. What its text or
   its thinking names does not count: it can be said from a summary.
2. In this order: lines as the edits have them, then names, sorted. Each once a reply.
3. A call that repeats an earlier one of the conversation, with the same tool and arguments, acts on nothing: it is
   a re-fetch that the recording holds, and is billed as recorded.
4. A message holds a reference where that is verbatim part of a text of it or of a string in the arguments of its
   calls: `max_tokens` stands in `self.max_tokens = 1` too, and `app.py` in `/src/app.py`. Thinking does not count:
   of earlier turns a model is not sent it again.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from ctxmgr.model import Block
from ctxmgr.study.metrics import LinePresence, MessageCache, Observation, edits, names_in, new_messages, strings

LETTERS = 3  # letters and digits of a line: of those with fewer every file is full

_spelled = msgspec.json.Encoder(order="sorted").encode


class Reference(NamedTuple):
    """One thing that a reply acts on: a line to be replaced, or a name in an argument."""

    is_name: bool
    text: str


class Occurrences:
    """Which of these references a message holds (rule 4). A message is looked through once."""

    def __init__(self, references: Iterable[Reference], known: MessageCache) -> None:
        self._messages = known
        self._by_text: dict[str, list[Reference]] = {}
        for one in sorted(set(references)):
            self._by_text.setdefault(one.text, []).append(one)
        self._texts = LinePresence(self._by_text)
        self._within: dict[bytes, frozenset[Reference]] = {}

    def within(self, raw: bytes) -> frozenset[Reference]:
        found = self._within.get(raw)
        if found is None:
            texts = self._texts.within(raw, self._messages)
            found = self._within[raw] = frozenset(one for text in texts for one in self._by_text[text])
        return found


def acted_on(sights: Sequence[Observation], known: MessageCache) -> tuple[tuple[Reference, ...], ...]:
    """What each call's recorded reply acts on, whether or not the conversation had it before."""
    earlier: set[bytes] = set()
    out = []
    for sight, came in zip(sights, new_messages(sights), strict=True):
        earlier.update(_spelling(block) for one in came for block in _calls(one.raw, known))
        new = [block for block in _calls(sight.reply.raw, known) if _spelling(block) not in earlier]
        lines = (line for block in new for line in edits.replaced(block.arguments) if _is_telling(line))
        names = {name for block in new for text in strings(block.arguments) for name in names_in(text)}
        out.append(
            (
                *(Reference(False, line) for line in dict.fromkeys(lines)),
                *(Reference(True, name) for name in sorted(names)),
            )
        )
    return tuple(out)


def _calls(raw: bytes, known: MessageCache) -> list[Block]:
    return [block for block in known.message(raw).view.blocks if block.kind == "call"]


def _spelling(block: Block) -> bytes:
    what: list[Any] = [block.tool, block.arguments]
    return _spelled(what)


def _is_telling(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= LETTERS
