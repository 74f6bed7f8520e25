"""A conversation with a sidecar from the host's side: messages are sorted by key, and taken one by one.

Output that is no message, or not in the host's framing, ends the conversation.
"""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from ctxmgr.study.conformance.golden import Head, head, with_members
from ctxmgr.study.spawning import Framing, SidecarProcess
from ctxmgr.wire import Framer, FramingFault, frame

OnMessage = Callable[[Literal["host", "ctxmgr"], bytes], None]


class OutputEnded(Exception):
    """The sidecar ended its output before the awaited message came."""


class NoMessage(Exception):
    """The output cannot be parsed. Arguments: what was expected of it, and what came."""


class Conversation:
    """`key_of` gives the queue that a message waits in, None to skip it. `seconds` limits each wait. `on_message`
    receives each message, in both directions.
    """

    def __init__(
        self,
        sidecar: SidecarProcess,
        framing: Framing,
        seconds: float,
        key_of: Callable[[Head], str | None],
        on_message: OnMessage = lambda sender, body: None,
    ) -> None:
        self.sidecar, self.framing, self.seconds = sidecar, framing, seconds
        self._key_of, self._on_message = key_of, on_message
        self._queues: dict[str, deque[tuple[Head, bytes]]] = defaultdict(deque)
        self._framer = Framer()
        self._ended = False

    def send(self, body: bytes) -> None:
        self._on_message("host", body)
        self.sidecar.write(b"".join(frame(self.framing, [body])))

    def take(self, key: str) -> tuple[Head, bytes]:
        """The oldest message under this key that was not taken. Raises TimedOut, OutputEnded, NoMessage."""
        end = time.monotonic() + self.seconds
        while not self._queues[key]:
            if self._ended:
                raise OutputEnded
            self._read(end)
        return self._queues[key].popleft()

    def read_to_end(self) -> None:
        """Reads until the output ends. Raises TimedOut, NoMessage."""
        end = time.monotonic() + self.seconds
        while not self._ended:
            self._read(end)

    def left(self) -> Iterator[tuple[str, Head]]:
        """Messages that nobody has taken, with their keys."""
        return ((key, message) for key, messages in self._queues.items() for message, _ in messages)

    def _read(self, end: float) -> None:
        chunk = self.sidecar.read(end - time.monotonic())
        self._ended = not chunk
        for item in self._framer.feed(chunk) if chunk else self._framer.eof():
            if isinstance(item, FramingFault):
                raise NoMessage("a message", f"none: {item.message}")
            message = head(item)
            if not isinstance(message.fields, dict):
                raise NoMessage("a message", message.fault or f"no object: {item[:120]!r}")
            if self._framer.mode not in (self.framing, "ended"):
                raise NoMessage(self.framing, self._framer.mode)
            self._on_message("ctxmgr", item)
            if (key := self._key_of(message)) is not None:
                self._queues[key].append((message, item))


def with_state_dir(body: bytes, state_dir: str) -> bytes:
    """`initialize` with this directory; everything else byte for byte. Raises msgspec.DecodeError."""
    params = msgspec.json.decode(body, type=dict[str, msgspec.Raw])["params"]
    return with_members(body, params=msgspec.Raw(with_members(bytes(params), stateDir=state_dir)))
