"""A provider on loopback that answers as a test says and remembers what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request, bytes], Awaitable[web.StreamResponse]]


@dataclass
class Asked:
    """One request as it came."""

    method: str
    raw_path: str
    headers: list[tuple[str, str]]
    body: bytes


@dataclass
class Provider:
    """`answer` is called for each request; the default is a short Anthropic stream."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answer: Answer | None = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)  # a program went away before its answer's end


def sse(*events: dict[str, object]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)


def turn(tokens: int = 100, read: int = 0, output: int = 10, hour: int | None = None) -> bytes:
    """A whole stream of Anthropic's. `hour`: so many of what it wrote it says to keep for an hour, None: it
    does not say."""
    written = tokens - read - 1
    usage: dict[str, Any] = {"input_tokens": 1, "cache_read_input_tokens": read}
    usage["cache_creation_input_tokens"] = written
    if hour is not None:
        split = {"ephemeral_5m_input_tokens": written - hour, "ephemeral_1h_input_tokens": hour}
        usage["cache_creation"] = split
    return sse(
        {"type": "message_start", "message": {"usage": usage}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "done"}},
        {"type": "message_delta", "usage": {"output_tokens": output}},
        {"type": "message_stop"},
    )


def answers(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """This body, whole."""

    async def answered(request: web.Request, asked: bytes) -> web.StreamResponse:
        return web.Response(body=body, status=status, headers=headers or {"Content-Type": "text/event-stream"})

    return answered


def one_after_another(given: Sequence[Answer]) -> Answer:
    """The first of them for the first request, and so on."""
    waiting = list(given)

    async def answered(request: web.Request, asked: bytes) -> web.StreamResponse:
        return await waiting.pop(0)(request, asked)

    return answered


@asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    made = Provider()

    async def serve(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        made.asked.append(Asked(request.method, request.raw_path, list(request.headers.items()), body))
        try:
            return await (made.answer or answers(turn()))(request, body)
        except asyncio.CancelledError:
            made.gone.set()
            raise

    app = web.Application(client_max_size=1 << 28)
    app.router.add_route("*", "/{path:.*}", serve)
    runner = web.AppRunner(
        app, auto_decompress=False, handler_cancellation=True, access_log=None, max_line_size=1 << 16
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        await runner.cleanup()
