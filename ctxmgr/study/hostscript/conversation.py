"""A conversation with a spawned command as a host has it: what comes is sorted, and taken one by one.

1. What comes is kept under its key (`script.key_of`), in the order in which it came.
2. A wait ends with what is awaited, with the end of the output, or with the bound: `NotReceived` says which.
3. What is on the output and is no message, or not in the framing the host uses, ends the conversation.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, Literal

from ctxmgr.study.conformance import head
from ctxmgr.study.hostscript.script import key_of
from ctxmgr.study.spawning import Clock, Framing, Spawned, TimedOut
from ctxmgr.wire import Framer, FramingFault, frame

Fields = dict[str, Any]
OnMessage = Callable[[Literal["host", "ctxmgr"], bytes], None]
SHOWN_BYTES = 120  # of what is no message


class NotReceived(Exception):
    """What was awaited does not come."""


class Conversation:
    """`on_message` gets each message, either way, as it goes or comes. `seconds` bound each wait."""

    def __init__(self, process: Spawned, framing: Framing, seconds: float, on_message: OnMessage) -> None:
        self.process, self.framing, self.seconds, self._on_message = process, framing, seconds, on_message
        self._received: dict[str, deque[Fields]] = defaultdict(deque)
        self._framer = Framer()
        self._ended = False

    def send(self, body: bytes) -> None:
        self._on_message("host", body)
        self.process.write(b"".join(frame(self.framing, [body])))

    def take(self, key: str) -> Fields:
        """The oldest under this key that was not taken. Raises NotReceived."""
        self._until(lambda: bool(self._received[key]), key)
        return self._received[key].popleft()

    def read_to_end(self) -> None:
        """Takes in what comes until the output ends. Raises NotReceived."""
        self._until(lambda: self._ended, "the end of the process")

    def left(self) -> Iterator[tuple[str, Fields]]:
        """What nobody has taken, with its key."""
        for key, messages in self._received.items():
            for fields in messages:
                yield key, fields

    def _until(self, there: Callable[[], bool], what: str) -> None:
        clock = Clock(self.seconds)
        while not there():
            if self._ended:
                raise NotReceived(f"{what}: the process ended its output before it came")
            try:
                chunk = self.process.read(clock.left)
            except TimedOut:
                raise NotReceived(f"{what}: it did not come within {self.seconds:g} s") from None
            self._ended = not chunk
            for item in self._framer.feed(chunk) if chunk else self._framer.eof():
                self._receive(item)

    def _receive(self, item: bytes | FramingFault) -> None:
        if isinstance(item, FramingFault):
            raise NotReceived(f"what stands on the output is no message: {item.message}")
        if self._framer.mode not in (self.framing, "ended"):
            raise NotReceived(f"the host sends {self.framing}, it was answered in {self._framer.mode}")
        one = head(item)
        if not isinstance(one.fields, dict):
            raise NotReceived(f"what stands on the output is no message: {item[:SHOWN_BYTES]!r}")
        self._on_message("ctxmgr", item)
        self._received[key_of(one)].append(one.fields)
