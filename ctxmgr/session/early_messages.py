"""The messages that events told before a list shows them, by their bytes: what was read of them is not read again.

The newest stay, bounded by bytes; those of the event that was heard last stay whatever their size.
"""

from collections.abc import Sequence

from ctxmgr.model import Message

BYTES_AT_MOST = 16 << 10  # of messages heard before the last event


class EarlyMessages(dict[bytes, Message]):
    size = 0  # bytes

    def hear(self, messages: Sequence[Message]) -> None:
        """One event's."""
        for message in messages:
            if self.pop(message.raw, None) is None:
                self.size += len(message.raw)
            self[message.raw] = message
        room = BYTES_AT_MOST + sum([len(message.raw) for message in messages])
        while self.size > room:
            oldest = next(iter(self))
            del self[oldest]
            self.size -= len(oldest)

    def clear(self) -> None:
        super().clear()
        self.size = 0
