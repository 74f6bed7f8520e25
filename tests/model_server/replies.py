"""Turns a reply that a test wrote down into the bytes of an HTTP answer, in the good ways and the bad ones.

Knows neither sockets nor scripts: `tests/model_server.py` has those.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.model_server.dialects import CHAT, DIALECTS, Dialect

LINE_BYTES = 1 << 18  # of one write of an endless line

Write = Callable[[bytes], Awaitable[None]]

Way = Literal[
    "whole",
    "one-piece",  # no stream, whatever was asked for
    "hangs-up",  # the connection ends before the answer begins
    "breaks-off",  # it ends in the middle of the text
    "half-json",  # the answer ends in the middle of a piece, and its body says that this is all
    "unfinished",  # no finish reason, then the end mark
    "no-end-mark",  # a finish reason, then nothing
    "stays-open",  # a finish reason, then nothing, and no end of the body until the gate opens
    "lingers",  # all of it and the end mark, and no end of the body until the gate opens
    "error-event",  # an error as a piece, after some text
    "endless",  # the text again and again, until the client goes away
    "endless-line",  # one line without an end
    "garbage",  # a page for people
    "garbled",  # a stream of pieces that are no JSON
]


OPEN_AT_THE_END = ("stays-open", "lingers")  # what is held back is the end


class Gate:
    """Holds an answer back until the test opens it, from any thread."""

    def __init__(self) -> None:
        self._open = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def open(self) -> None:
        self._open = True
        for loop, event in self._waiting:
            with contextlib.suppress(RuntimeError):  # that server has ended
                loop.call_soon_threadsafe(event.set)

    async def passed(self) -> None:
        event = asyncio.Event()
        self._waiting.append((asyncio.get_running_loop(), event))
        if not self._open:
            await event.wait()


@dataclass(frozen=True)
class Reply:
    """What is answered. `text` in `chunks` pieces; for a `status` over 200 it is the error's message.

    `usage` is input and output tokens, sent where it is asked for. `hold` is waited for before the answer
    begins, or after `hold_after` pieces of text. `headers` are added; `code` and `param` are an error's.
    `deltas` are sent before the text, as they are; `raw` instead of all of it, as the body of a stream;
    `whole`: as the JSON of an answer in one piece.
    """

    text: str = "ok"
    stop: str = "stop"  # "tool" for a call, and in each API's own words "stop", "length"; any other as it is
    usage: tuple[int, int] | None = (11, 7)
    status: int = 200
    chunks: int = 3
    way: Way = "whole"
    hold: Gate | None = None
    hold_after: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    param: str | None = None
    deltas: tuple[Any, ...] = ()
    raw: bytes | None = None
    whole: Any = None

    @property
    def pieces(self) -> list[str]:
        size = max(-(-len(self.text) // max(self.chunks, 1)), 1)
        return [self.text[at : at + size] for at in range(0, len(self.text), size)]


@dataclass
class Request:
    """One request as it came. `others`: how many were in flight then; `connection` counts from 0."""

    path: str
    headers: dict[str, str]
    body: Any
    others: int
    connection: int
    ended: Literal["", "answered", "cancelled", "broken"] = ""  # cancelled: the client went away first

    @property
    def cancelled(self) -> bool:
        return self.ended == "cancelled"

    @property
    def dialect(self) -> Dialect:
        return DIALECTS.get(self.path, CHAT)

    @property
    def system(self) -> str:
        return self.dialect.system(self.body)

    @property
    def prompt(self) -> str:
        return "\n".join(one["content"] for one in self.body["messages"] if one["role"] == "user")


class Answering:
    """Gives one reply to one request."""

    def __init__(self, write: Write, reply: Reply, request: Request) -> None:
        self._write, self._reply, self._request = write, reply, request
        self._dialect = request.dialect

    @property
    def _model(self) -> str:
        name: str = self._request.body["model"]
        return name

    async def run(self) -> bool:
        """Whether the answer is whole as HTTP sees it, so that the connection can be used on."""
        reply = self._reply
        if reply.hold is not None and reply.hold_after is None and reply.way not in OPEN_AT_THE_END:
            await reply.hold.passed()
        if reply.way == "hangs-up":
            return False
        if reply.status != 200:
            return await self._whole("application/json", json.dumps(self._dialect.fault(reply)).encode())
        if reply.raw is not None:
            return await self._whole("text/event-stream", reply.raw)
        if reply.whole is not None:
            return await self._whole("application/json", json.dumps(reply.whole).encode())
        if reply.way == "garbage":
            return await self._whole("text/html", b"<html><body>Welcome to the proxy.</body></html>")
        if reply.way == "one-piece" or (reply.way == "whole" and not (self._request.body or {}).get("stream")):
            return await self._whole(
                "application/json", json.dumps(self._dialect.whole(reply, self._model)).encode()
            )
        await self._head("text/event-stream", {"Transfer-Encoding": "chunked"})
        async for part in self._stream():
            await self._write(b"%x\r\n%s\r\n" % (len(part), part))
        if reply.way == "breaks-off":
            return False
        await self._write(b"0\r\n\r\n")
        return True

    async def _head(self, content_type: str, more: Mapping[str, str]) -> None:
        headers = {"Content-Type": content_type, **more, **self._reply.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        await self._write(f"HTTP/1.1 {self._reply.status} Scripted\r\n{lines}\r\n".encode("latin-1"))

    async def _whole(self, content_type: str, content: bytes) -> bool:
        await self._head(content_type, {"Content-Length": str(len(content))})
        await self._write(content)
        return True

    async def _stream(self) -> AsyncIterator[bytes]:
        """The parts of a stream's body, as long as the way of the reply goes well."""
        reply = self._reply
        if reply.way == "endless-line":
            while True:
                yield b"data: " + b"x" * LINE_BYTES
        speak, model = self._dialect, self._model
        yield speak.begin(reply, model)
        for delta in reply.deltas:
            yield speak.piece(delta, model)
        async for part in self._texts():
            yield part
        if reply.way in ("whole", "no-end-mark", *OPEN_AT_THE_END):
            yield speak.end(reply, model)
        if reply.way == "stays-open" and reply.hold is not None:
            await reply.hold.passed()
        if reply.way == "whole" and (usage := speak.usage(reply, self._request.body)):
            yield usage
        if reply.way in ("whole", "unfinished", "lingers"):
            yield speak.end_mark
        if reply.way == "lingers" and reply.hold is not None:
            await reply.hold.passed()

    async def _texts(self) -> AsyncIterator[bytes]:
        reply, pieces = self._reply, self._reply.pieces
        if reply.way in ("breaks-off", "half-json", "error-event", "garbled"):
            pieces = pieces[: max(len(pieces) // 2, 1)]
        for number, text in enumerate(pieces):
            if reply.hold is not None and number == reply.hold_after:
                await reply.hold.passed()
            yield self._dialect.text(text, self._model)
        if reply.way == "endless":
            part = self._dialect.text(reply.text, self._model)
            while True:
                yield part
        if reply.way == "half-json":
            yield self._dialect.cut_piece
        if reply.way == "garbled":
            yield b"data: {not json}\n\n"
        if reply.way == "error-event":
            yield self._dialect.fault_event(reply)
