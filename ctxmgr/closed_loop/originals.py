"""Tells which messages hold what a reply acts on, and from which of them it is fetched again.

1. A message holds a text that is verbatim part of a text of it or of a string in the arguments of its calls:
   `max_tokens` stands in `self.max_tokens = 1` too, and `app.py` in `/src/app.py`. Thinking does not count: of
   earlier turns a model is not sent it again.
2. The original of a reference is the newest tool result that had it, else the newest message that did: a file is
   read again, not the call that once wrote of it.
3. Who fetches a part gets the text around what was asked for, half of it before and half behind, as far as the
   original goes.
"""

from collections.abc import Iterable

from ctxmgr.closed_loop.message_cache import MessageCache
from ctxmgr.closed_loop.references import Reference
from ctxmgr.model import Message


class Holders:
    """Messages by their bytes. One is looked through once for a text, and when somebody asks for that."""

    def __init__(self, known: MessageCache) -> None:
        self._messages = known
        self._texts: dict[bytes, str] = {}
        self._raws: list[bytes] = []  # in the order they came
        self._by_text: dict[str, tuple[int, set[bytes]]] = {}  # by text: so many were looked through

    def add(self, raw: bytes) -> None:
        if raw not in self._texts:
            self._texts[raw] = "\0".join(self._messages.texts(raw))
            self._raws.append(raw)

    def part(self, raw: bytes, text: str, share: float) -> bytes:
        """What stands for so large a `share` of a message that has this text, around it (rule 3)."""
        whole = self._texts[raw]
        size, found = int(len(whole) * share), whole.find(text)
        middle = found + len(text) // 2
        start = max(0, min(middle - size // 2, len(whole) - size, found))
        end = max(start + size, found + len(text))
        name = b"%b\0%d:%d" % (raw, start, end)
        if name not in self._texts:
            self._texts[name] = whole[start:end]
            self._raws.append(name)
        return name

    def of(self, text: str) -> set[bytes]:
        """Of all that were added so far."""
        count, found = self._by_text.get(text, (0, set()))
        found.update(raw for raw in self._raws[count:] if text in self._texts[raw])
        self._by_text[text] = len(self._raws), found
        return found


class Originals:
    """The conversation so far."""

    def __init__(self, holders: Holders) -> None:
        self._holders = holders
        self._results: dict[bytes, None] = {}  # the newest last
        self._others: dict[bytes, None] = {}

    def add(self, came: Iterable[Message]) -> None:
        """What came since, oldest first."""
        for one in came:
            self._holders.add(one.raw)
            newest = self._results if has_result(one) else self._others
            newest.pop(one.raw, None)
            newest[one.raw] = None

    def __contains__(self, reference: Reference) -> bool:
        """Whether the conversation had it."""
        held = self._holders.of(reference.text)
        return not held.isdisjoint(self._results) or not held.isdisjoint(self._others)

    def holds(self, reference: Reference, raw: bytes) -> bool:
        """Whether this message has it."""
        return raw in self._holders.of(reference.text)

    def of(self, reference: Reference) -> bytes:
        """The message to fetch. KeyError where the conversation never had it."""
        held = self._holders.of(reference.text)
        for newest in (self._results, self._others):
            found = next((raw for raw in reversed(newest) if raw in held), None)
            if found is not None:
                return found
        raise KeyError(reference)


def has_result(message: Message) -> bool:
    """Is it a tool's answer?"""
    return any(block.kind == "result" for block in message.view.blocks)
