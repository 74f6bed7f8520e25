"""Turns the bytes of a message into what measures ask of it: its weight, its texts, the names in it. Each distinct
message once, however often and in however many projections it is shown.

Knows nothing of calls, prices or projections.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Protocol

from ctxmgr.closed_loop.references import names_in, strings
from ctxmgr.formats import MessageFormat
from ctxmgr.model import Message, estimate, media


class MessageReader(Protocol):
    """Reads messages of one format."""

    def read(self, raws: Sequence[bytes]) -> Sequence[Message]: ...


class EstimatingReader:
    """Of one format. Weighs as a session of ctxmgr does, and loads nothing of what decides there."""

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
    """What is known of messages by their bytes. Weights in tokens, by the reader's weigher."""

    def __init__(self, reader: MessageReader) -> None:
        self._reader = reader
        self._messages: dict[bytes, Message] = {}
        self._names: dict[bytes, frozenset[str]] = {}

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
        """All texts a model reads in it, and each string in the arguments of its calls."""
        for block in self.message(raw).view.blocks:
            if block.kind == "call":
                yield from strings(block.arguments)
            elif block.text and (thinking or block.kind != "thinking"):
                yield block.text
