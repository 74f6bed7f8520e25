"""Measures what the proxy adds to the time to the first byte of an answer, compared with a plain pass-through proxy
in the same run.

A conversation in Claude Code's format grows step by step beyond 1 MB. Each list is sent through both proxies in
turn; the provider answers at once. Calls that open an epoch do not count.
"""

import asyncio
import contextlib
import os
import random
import tempfile
from collections.abc import AsyncIterator
from statistics import median
from time import perf_counter
from typing import Any

import aiohttp
import msgspec
from aiohttp import web

from ctxmgr import settings
from ctxmgr.proxy import Proxy, ProxySettings
from scripts.benching.figures import Figure, figure
from scripts.benching.pair import Options, environment
from scripts.benching.prepared import prose

LIST_BYTES = 1_000_000
STEADY_CALLS = 60  # in one round, beyond the size
RESULT_CHARACTERS = 4_000
STRIDE = 20
WINDOW = 200_000
MILLISECONDS = 1_000
MARK = {"cache_control": {"type": "ephemeral"}}
ANSWER = (
    b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":5,'
    b'"cache_read_input_tokens":90000,"cache_creation_input_tokens":900}}}\n\n'
    b'event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":90}}\n\n'
    b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
)
_encode = msgspec.json.Encoder().encode


class Call(msgspec.Struct, frozen=True):
    """`ours` and `floor` in milliseconds, and the bytes of its body."""

    ours: float
    floor: float
    opened: bool
    size: int

    @property
    def is_steady(self) -> bool:
        return self.size >= LIST_BYTES and not self.opened


def measure(options: Options) -> list[Figure]:
    """The conversation grows by `STRIDE` steps a call up to 1 MB, then by one."""
    rounds = [asyncio.run(_round(options, number)) for number in range(options.rounds)]
    steady = [[call for call in calls if call.is_steady] for calls in rounds]
    ours = [median(call.ours for call in calls) for calls in steady]
    floor = [median(call.floor for call in calls) for calls in steady]
    return [figure("call through the proxy, 1 MB, steady", "ms", ours, floor)]


async def _round(options: Options, number: int) -> list[Call]:
    chance = random.Random(number)
    calls: list[Call] = []
    async with (
        _provider() as upstream,
        _bare(upstream) as bare,
        _proxy(upstream, options) as proxy,
        aiohttp.ClientSession() as session,
    ):
        await _settled(proxy)
        messages: list[Any] = [{"role": "user", "content": "Look at all parts."}]
        epoch, beyond = 0, 0
        while beyond < STEADY_CALLS:
            body = _body(messages)
            beyond += len(body) >= LIST_BYTES
            await _first_byte(session, bare, body)
            floor = await _first_byte(session, bare, body)
            ours = await _first_byte(session, proxy.url, body)
            (conversation,) = proxy.conversations.all()
            report = conversation.session.outcome.report if conversation.session.outcome else None
            opened = report is not None and report.epoch != epoch
            epoch = report.epoch if report is not None else epoch
            calls.append(Call(ours * MILLISECONDS, floor * MILLISECONDS, opened, len(body)))
            for _ in range(1 if beyond else STRIDE):
                messages += _step(chance, len(messages))
    return calls


async def _first_byte(session: aiohttp.ClientSession, url: str, body: bytes) -> float:
    """Returns seconds."""
    headers = {"x-claude-code-session-id": "bench", "content-type": "application/json"}
    start = perf_counter()
    async with session.post(f"{url}/v1/messages?beta=true", data=_pieces(body), headers=headers) as response:
        await response.content.readany()
        seconds = perf_counter() - start
        await response.read()
    return seconds


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    yield body


def _step(chance: random.Random, number: int) -> list[Any]:
    path = f"/p/part_{chance.randrange(60)}.py"
    call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": path}}
    text = {"type": "text", "text": prose(chance, RESULT_CHARACTERS)}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": [text]}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def _body(messages: list[Any]) -> bytes:
    *before, last = messages
    content = last["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    marked = {**last, "content": [*blocks[:-1], {**blocks[-1], **MARK}]}
    tools = [{"name": "Read", "description": "x" * 20_000, "input_schema": {"type": "object"}}]
    fields = {"model": "claude-opus-5-5", "messages": [*before, marked], "system": [], "tools": tools}
    return _encode({**fields, "max_tokens": 8_000, "stream": True})


async def _settled(proxy: Proxy) -> None:
    """Waits for the engine, which starts with the proxy; a real program takes longer until its first call."""
    async with aiohttp.ClientSession() as session:
        engine = ""
        while engine != "ready":
            async with session.get(f"{proxy.url}/healthz") as response:
                engine = (await response.json())["engine"]
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def _served(handler: Any) -> AsyncIterator[str]:
    app = web.Application(client_max_size=1 << 28)
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def _provider() -> AsyncIterator[str]:
    async def answered(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=ANSWER, content_type="text/event-stream")

    async with _served(answered) as url:
        yield url


@contextlib.asynccontextmanager
async def _bare(upstream: str) -> AsyncIterator[str]:
    """The cost of any proxy made with aiohttp: it reads, forwards and answers."""
    async with aiohttp.ClientSession() as session:

        async def passed(request: web.Request) -> web.StreamResponse:
            body = await request.read()
            async with session.post(upstream + request.path_qs, data=_pieces(body)) as came:
                response = web.StreamResponse(status=came.status, headers={"Content-Type": "text/event-stream"})
                await response.prepare(request)
                async for chunk in came.content.iter_any():
                    await response.write(chunk)
                return response

        async with _served(passed) as url:
            yield url


@contextlib.asynccontextmanager
async def _proxy(upstream: str, options: Options) -> AsyncIterator[Proxy]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the engine is spawned with this environment
    os.environ |= environment(options)
    layers = settings.read({"window": WINDOW}, {}, options.state_dir)
    with tempfile.TemporaryDirectory(dir=options.state_dir) as state_dir:
        async with Proxy(ProxySettings(upstream, layers.settings_for, state_dir=state_dir)) as proxy:
            yield proxy
