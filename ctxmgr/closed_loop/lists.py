"""Reconstructs, call by call, the lists that a model would have read, including what it had to fetch again.

Rules:

1. Fetched content is placed right before the reply that needed it.
2. It stays until that reply, or every tool result of it, is no longer shown unchanged. A reply without a result
   stands for itself. Once gone, it does not return; a later need fetches it again.
3. A reference is visible in a shown message; in rewritten or inserted ones, by their current text.
4. A message contains a text that is verbatim part of one of its texts, or of a string in the arguments of its
   calls: `max_tokens` is in `self.max_tokens = 1` too, and `app.py` in `/src/app.py`. Thinking does not count,
   since a model is not sent that of earlier turns.
5. The original of a reference is the newest tool result with it, else the newest message with it: a file is read
   again, not the call that once mentioned it.
6. A partial fetch returns the text around what was requested, half before and half behind, within the original.

What measures need of a message (tokens, texts, names) is computed from its bytes once, however often and in however
many projections it is shown (`MessageCache`).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from ctxmgr.closed_loop.references import Reference, names_in, strings
from ctxmgr.formats import MessageFormat
from ctxmgr.model import Message, estimate, media


class MessageReader(Protocol):
    """Reads messages of one format."""

    def read(self, raws: Sequence[bytes]) -> Sequence[Message]: ...


class EstimatingReader:
    """For one format. Counts as a session of ctxmgr does, and loads nothing that makes decisions there."""

    def __init__(self, fmt: MessageFormat) -> None:
        self._fmt = fmt

    def read(self, raws: Sequence[bytes]) -> Sequence[Message]:
        return tuple(map(self._message, raws))

    def _message(self, raw: bytes) -> Message:
        view = self._fmt.view(raw)
        pictures = [sum(media.tokens(item, media.OTHER) for item in block.media) for block in view.blocks]
        texts = [estimate(block.text) if block.text else 0 for block in view.blocks]
        weights = tuple(map(sum, zip(texts, pictures, strict=True)))
        return Message(raw, "", view, weights, sum(weights) + self._fmt.extra_weight(view))


class MessageCache:
    """What is known of messages by their bytes. Counts in tokens, by the reader's counter."""

    def __init__(self, reader: MessageReader) -> None:
        self._reader = reader
        self._messages: dict[bytes, Message] = {}
        self._names: dict[bytes, frozenset[str]] = {}
        self.holders = Holders(self)  # shared by all meters that count with this cache

    def message(self, raw: bytes) -> Message:
        message = self._messages.get(raw)
        if message is None:
            (message,) = self._reader.read((raw,))
            self._messages[raw] = message
        return message

    def weight(self, raw: bytes) -> int:
        return self.message(raw).weight

    def size(self, raw: Hashable) -> tuple[int, int]:
        """Tokens and content blocks of the message with these bytes."""
        assert isinstance(raw, bytes), "a message goes by its bytes"
        message = self.message(raw)
        return message.weight, max(1, len(message.view.blocks))

    def names(self, raw: bytes) -> frozenset[str]:
        """The file paths, identifiers and error codes in its texts, thinking and the strings of its calls."""
        names = self._names.get(raw)
        if names is None:
            names = frozenset(name for text in self.texts(raw, thinking=True) for name in names_in(text))
            self._names[raw] = names
        return names

    def texts(self, raw: bytes, *, thinking: bool = False) -> Iterator[str]:
        """All its texts, and each string in the arguments of its calls."""
        for block in self.message(raw).view.blocks:
            if block.kind == "call":
                yield from strings(block.arguments)
            elif block.text and (thinking or block.kind != "thinking"):
                yield block.text


class Holders:
    """Messages by their bytes. Each is searched for a text once, on demand."""

    def __init__(self, known: MessageCache) -> None:
        self._messages = known
        self._texts: dict[bytes, str] = {}
        self._raws: list[bytes] = []  # in order of arrival
        self._by_text: dict[str, tuple[int, set[bytes]]] = {}  # by text: how many messages were searched

    def add(self, raw: bytes) -> None:
        if raw not in self._texts:
            self._texts[raw] = "\0".join(self._messages.texts(raw))
            self._raws.append(raw)

    def part(self, raw: bytes, text: str, share: float) -> bytes:
        """A `share` of a message that contains this text, around it (rule 6)."""
        whole = self._texts[raw]
        size, offset = int(len(whole) * share), whole.find(text)
        middle = offset + len(text) // 2
        start = max(0, min(middle - size // 2, len(whole) - size, offset))
        end = max(start + size, offset + len(text))
        name = b"%b\0%d:%d" % (raw, start, end)
        if name not in self._texts:
            self._texts[name] = whole[start:end]
            self._raws.append(name)
        return name

    def of(self, text: str) -> set[bytes]:
        """Of all messages so far, of any list."""
        count, raws = self._by_text.get(text, (0, set()))
        raws.update(raw for raw in self._raws[count:] if text in self._texts[raw])
        self._by_text[text] = len(self._raws), raws
        return raws


class Originals:
    """The conversation so far."""

    def __init__(self, holders: Holders) -> None:
        self._holders = holders
        self._results: dict[bytes, None] = {}  # newest last
        self._others: dict[bytes, None] = {}

    def add(self, came: Iterable[Message]) -> None:
        """Adds new messages, oldest first."""
        for message in came:
            self._holders.add(message.raw)
            newest = self._results if has_result(message) else self._others
            newest.pop(message.raw, None)
            newest[message.raw] = None

    def __contains__(self, reference: Reference) -> bool:
        """Whether the conversation contained it."""
        held = self._holders.of(reference.text)
        return not held.isdisjoint(self._results) or not held.isdisjoint(self._others)

    def holds(self, reference: Reference, raw: bytes) -> bool:
        """Whether this message contains it."""
        return raw in self._holders.of(reference.text)

    def of(self, reference: Reference) -> bytes:
        """The message to fetch. Raises KeyError if the conversation never contained it."""
        held = self._holders.of(reference.text)
        for newest in (self._results, self._others):
            raw = next((raw for raw in reversed(newest) if raw in held), None)
            if raw is not None:
                return raw
        raise KeyError(reference)


def has_result(message: Message) -> bool:
    """Whether it is a tool's answer."""
    return any(block.kind == "result" for block in message.view.blocks)


Key = tuple[str, bytes]  # of a message: what distinguishes it from others with the same bytes, and the bytes


class KeyedMessage(msgspec.Struct, frozen=True):
    """One message of the conversation."""

    key: Key
    message: Message


class ListMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a list that was sent. `key`: of the unchanged message; None if it was rewritten or
    inserted.
    """

    raw: bytes
    key: Key | None


class Fetched(msgspec.Struct, frozen=True, eq=False):
    """One original that came back, with the `tokens` of it and of the call that requested it.

    `reply`: the message that needed it. No two are equal, however similar.
    """

    reply: Key
    tokens: int
    original: bytes


Element = ListMessage | Fetched


class LoopLists:
    """The list of each call, as the session continues."""

    def __init__(self, holders: Holders) -> None:
        self._holders = holders
        self._results: dict[Key, list[Key]] = {}  # by reply
        self._callers: dict[str, Key] = {}  # call id to reply; ids repeat, and the newest counts
        self._replies: dict[Key, Key] = {}  # messages that are one reply, mapped to the first of them
        self._standing: list[Fetched] = []
        self._visible: set[bytes] = set()

    def add(self, came: Iterable[KeyedMessage]) -> None:
        """New messages of the conversation; finds which results belong to which reply."""
        for message in came:
            reply = self._replies.get(message.key, message.key)
            for block in message.message.view.blocks:
                if block.kind == "result" and block.call_id in self._callers:
                    self._results[self._callers[block.call_id]].append(message.key)
                elif block.kind == "call":
                    self._results.setdefault(reply, [])
                    self._callers[block.call_id] = reply

    def replied(self, reply: Sequence[KeyedMessage]) -> None:
        """These messages are one reply."""
        self._replies.update((message.key, reply[0].key) for message in reply[1:])

    def of_call(self, shown: Sequence[ListMessage]) -> list[Element]:
        """The list of this call, before anything is fetched for it."""
        for message in shown:
            self._holders.add(message.raw)
        places = {message.key: number for number, message in enumerate(shown) if message.key is not None}
        self._standing = [fetched for fetched in self._standing if self._stands(fetched, places)]
        self._visible = {item.raw for item in shown} | {item.original for item in self._standing}
        out: list[Element] = []
        start = 0
        in_order = sorted(self._standing, key=lambda fetched: places[fetched.reply])  # stable: in order of arrival
        for fetched in in_order:
            position = places[fetched.reply]
            out += shown[start:position]
            out.append(fetched)
            start = position
        return [*out, *shown[start:]]

    def missing(self, wanted: Iterable[Reference]) -> list[Reference]:
        """Those not visible in this call's list, in order."""
        return [reference for reference in wanted if self._holders.of(reference.text).isdisjoint(self._visible)]

    def fetch(self, original: bytes, tokens: int, reply: Key) -> Fetched:
        """The result of one re-fetch, present from the next call on."""
        fetched = Fetched(reply, tokens, original)
        self._standing.append(fetched)
        return fetched

    def _stands(self, fetched: Fetched, places: dict[Key, int]) -> bool:
        results = self._results.get(fetched.reply)
        return fetched.reply in places and (not results or any(result in places for result in results))
