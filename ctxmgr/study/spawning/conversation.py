"""A conversation with a spawned command as a host has it: ids, who answers what, what waits to be taken.

1. What comes is sorted as it comes: answers by their id, requests and notifications in their order.
2. A wait ends with what it waits for, with the end of the output, or with the bound: `Unheard` says which.
3. What is on the output and is no message, or not in the framing the host uses, ends the conversation.
"""

import json
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from ctxmgr.study.spawning.client import Framing, TimedOut
from ctxmgr.study.spawning.spawned import Clock, Spawned
from ctxmgr.wire.framing import Framer, FramingFault, frame

Fields = dict[str, Any]
Heard = Callable[[Literal["host", "ctxmgr"], bytes], None]


class Unheard(Exception):
    """What was waited for does not come."""


class Message(msgspec.Struct, frozen=True):
    """One of ctxmgr's: as it came, and decoded."""

    body: bytes
    fields: Fields


class Conversation:
    """`heard` is told each message, either way, as it goes or comes. `seconds` bound each wait.

    `requests` and `notes` of ctxmgr that nobody has taken; `strays`: answers to no id that was asked with;
    `always` answers requests by method.
    """

    def __init__(self, process: Spawned, framing: Framing, seconds: float, heard: Heard) -> None:
        self.process, self.framing, self.seconds, self._heard = process, framing, seconds, heard
        self.requests: list[Message] = []
        self.notes: list[Message] = []
        self.strays: list[Message] = []
        self.always: Fields = {}
        self._answers: dict[int, Message] = {}
        self._asked: set[int] = set()
        self._framer = Framer()
        self._ended = False

    # host to ctxmgr

    def ask(self, id: int, method: str, params: Any) -> None:
        self._asked.add(id)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def send(self, message: Fields) -> None:
        self.send_body(encode(message))

    def send_body(self, body: bytes) -> None:
        self._heard("host", body)
        self.process.write(b"".join(frame(self.framing, [body])))

    def answer_always(self, method: str, value: Any) -> None:
        """Requests of this method from here on, and those that came and nobody has taken."""
        self.always[method] = value
        waiting, self.requests = self.requests, []
        for message in waiting:
            self._called(message)

    # ctxmgr to host

    def answer(self, id: int, what: str) -> Message:
        """The answer to this id, once. Raises Unheard, with `what` was waited for, as all that wait."""
        self._until(lambda: id in self._answers, what)
        return self._answers.pop(id)

    def stray(self, what: str) -> Message:
        self._until(lambda: bool(self.strays), what)
        return self.strays.pop(0)

    def request(self, method: str) -> Message:
        """The oldest of this method that nobody has taken."""
        return self._take(self.requests, method, f"a request `{method}`")

    def note(self, method: str) -> Message:
        return self._take(self.notes, method, f"a notification `{method}`")

    def hear_out(self) -> None:
        """Takes what comes until the output ends."""
        self._until(lambda: self._ended, "the end of the process")

    def _take(self, of: list[Message], method: str, what: str) -> Message:
        self._until(lambda: any(one.fields["method"] == method for one in of), what)
        at = next(at for at, one in enumerate(of) if one.fields["method"] == method)
        return of.pop(at)

    def _until(self, there: Callable[[], bool], what: str) -> None:
        clock = Clock(self.seconds)
        while not there():
            if self._ended:
                raise Unheard(f"{what} was waited for, and the process ended its output")
            try:
                chunk = self.process.read(clock.left)
            except TimedOut:
                raise Unheard(f"{what} did not come within {self.seconds:g} s") from None
            self._ended = not chunk
            for item in self._framer.feed(chunk) if chunk else self._framer.eof():
                self._came(item)

    def _came(self, item: bytes | FramingFault) -> None:
        if isinstance(item, FramingFault):
            raise Unheard(f"what stands on the output is no message: {item.message}")
        if self._framer.mode not in (self.framing, "ended"):
            raise Unheard(f"the host speaks {self.framing}, it was answered in {self._framer.mode}")
        self._heard("ctxmgr", item)
        fields = _fields(item)
        message = Message(item, fields)
        if isinstance(fields.get("method"), str):
            self._called(message)
        elif (id := fields.get("id")) in self._asked and type(id) is int:
            self._asked.discard(id)
            self._answers[id] = message
        else:
            self.strays.append(message)

    def _called(self, message: Message) -> None:
        method = message.fields["method"]
        if "id" not in message.fields:
            self.notes.append(message)
        elif method in self.always:
            self.send({"jsonrpc": "2.0", "id": message.fields["id"], "result": self.always[method]})
        else:
            self.requests.append(message)


def _fields(body: bytes) -> Fields:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise Unheard(f"what stands on the output is no message: {body[:120]!r}")
    return fields


def encode(value: Any) -> bytes:
    """Compact JSON; escapes only where a text holds half of a surrogate pair, which has no UTF-8."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
