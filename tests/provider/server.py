"""The scripted provider: an HTTP server on the loopback that plays scripts, refuses, caches and fails as told.

    with Provider.threaded(script("Look", *looking(30)), root=tree) as provider:
        run_a_program(base_url=provider.url)
        assert provider.record.refused == []

In a test's own loop: `async with Provider(...) as provider`.
"""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from aiohttp import web

from tests.provider.apis import API, GEMINI, Api, Caches, api_of, asked_at
from tests.provider.apis.anthropic import counted
from tests.provider.binding import Binding
from tests.provider.caching import Clock, MarkedCache, PrefixCache, Usage, tokens
from tests.provider.faults import Cut, Fault, Hold, Reset, Status
from tests.provider.playing import Stage
from tests.provider.record import Exchange, Record
from tests.provider.scripts import Script
from tests.serving import closed_to_others, served_in_thread

WINDOW_TOKENS = 200_000
BODY_BYTES = 64 * 1024 * 1024
COUNT_TOKENS = "/v1/messages/count_tokens"
Json = dict[str, Any]


class Provider:
    """`root` is the work tree as the program names it; `faults` by the number of the call."""

    def __init__(
        self,
        *scripts: Script,
        root: str | Path = ".",
        window_tokens: int = WINDOW_TOKENS,
        faults: Mapping[int, Fault] | None = None,
        binds_thinking: bool = False,
    ) -> None:
        self.clock = Clock()
        self.record = Record()
        self._stage = Stage(scripts, str(root))
        self._caches = Caches(MarkedCache(self.clock), PrefixCache(self.clock))
        self._window_tokens = window_tokens
        self._faults = faults or {}
        self._binding = Binding() if binds_thinking else None
        self._connections: dict[int, int] = {}
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await closed_to_others(self._listening.fileno())
        await self._runner.cleanup()

    @classmethod
    @contextlib.contextmanager
    def threaded(cls, *scripts: Script, **settings: Any) -> Iterator[Self]:
        """In a thread and loop of its own, for tests that start programs."""
        provider = cls(*scripts, **settings)
        with served_in_thread(provider, "scripted provider"):
            yield provider

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        exchange = await self._arrived(request)
        try:
            answer = await self._answer(request, exchange)
            exchange.ended = exchange.ended or "answered"
            return answer
        except (asyncio.CancelledError, ConnectionError):
            exchange.ended = exchange.ended or "dropped"
            raise
        finally:
            self.record.changed()

    async def _arrived(self, request: web.Request) -> Exchange:
        headers = tuple((name.decode(), value.decode()) for name, value in request.raw_headers)
        connection = self._connections.setdefault(id(request.transport), len(self._connections))
        body = await request.read()
        number = len(self.record.exchanges)
        exchange = Exchange(number, request.method, request.path_qs, headers, body, connection)
        self.record.exchanges.append(exchange)
        self.record.changed()
        return exchange

    async def _answer(self, request: web.Request, exchange: Exchange) -> web.StreamResponse:
        path = request.path
        if "upgrade" in exchange.named:
            return _json(exchange, 426, {"error": {"message": "Upgrade Required"}})
        api = api_of(path)
        if api is None or request.method != "POST":
            return _json(exchange, 404, API["/v1/messages"].error(404, f"Not found: {request.method} {path}"))
        if not {"x-api-key", "authorization", "x-goog-api-key"} & exchange.named.keys():
            return _json(exchange, 401, api.error(401, "x-api-key header is required"))
        try:
            body = exchange.json
        except ValueError as fault:
            exchange.refused = f"The request body is not valid JSON: {fault}"
            return _json(exchange, 400, api.error(400, exchange.refused))
        if path == COUNT_TOKENS:
            exchange.kind = "count"
            return _json(exchange, 200, {"input_tokens": counted(body)})
        if path.endswith(":countTokens"):
            exchange.kind = "count"
            return _json(exchange, 200, {"totalTokens": tokens(json.dumps(body.get("contents")))})
        return await self._call(request, exchange, api, asked_at(path, body) if api is GEMINI else body)

    async def _call(self, request: web.Request, exchange: Exchange, api: Api, body: Json) -> web.StreamResponse:
        fault = self._faults.get(len(self.record.calls))
        exchange.kind = "refused"
        exchange.conversation = api.conversation(exchange.named)
        exchange.refused = _refused(api, body, exchange.named)
        if self._binding is not None and not exchange.refused:
            exchange.refused = self._binding.refused(body, exchange.named)
        if exchange.refused:
            return _json(exchange, 400, api.error(400, exchange.refused))
        asked = api.request(body)
        exchange.kind = asked.asks
        for came in api.results(body):
            self.record.results.setdefault(f"{exchange.conversation} {came.id}", came.text)
        if isinstance(fault, Hold):
            await fault.gate.passed()
        if isinstance(fault, Status):
            return _json(exchange, fault.status, api.error(fault.status, fault.sentence), fault.headers)
        if isinstance(fault, Reset):
            exchange.ended = "reset"
            return _reset(request)
        usage = api.use(body, exchange.body, self._caches)
        if usage.sent > self._window_tokens:
            exchange.refused = api.too_long(usage.sent, self._window_tokens)
            return _json(exchange, 400, api.error(400, exchange.refused))
        answer = self._stage.answer(asked)
        exchange.kind, exchange.place, exchange.status = answer.kind, answer.place, 200
        output = api.output(answer, body)
        if self._binding is not None:
            self._binding.made(body, output)
        exchange.usage = usage + Usage(output=tokens(json.dumps(output)))
        if not body.get("stream"):
            return _json(exchange, 200, api.whole(answer, output, exchange.usage, body))
        return await self._stream(request, exchange, list(api.events(answer, output, exchange.usage, body)), fault)

    async def _stream(
        self, request: web.Request, exchange: Exchange, events: list[bytes], fault: Fault | None
    ) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8", **_ids(exchange)})
        await answer.prepare(request)
        for one in events[: fault.after_events] if isinstance(fault, Cut) else events:
            await answer.write(one)
        if isinstance(fault, Cut):
            exchange.ended = "cut"
            assert request.transport is not None
            request.transport.close()  # what was written leaves; the end that follows does not
            return answer
        await answer.write_eof()
        return answer


def _refused(api: Api, body: Json, headers: Mapping[str, str]) -> str:
    """What the rules say, and of a shape that they know nothing of that it is one."""
    try:
        return api.refused(body, headers)
    except (AttributeError, KeyError, TypeError, IndexError) as fault:
        return f"The request body has another shape: {fault!r}"


def _json(exchange: Exchange, status: int, body: Json, headers: Mapping[str, str] | None = None) -> web.Response:
    exchange.status = status
    return web.json_response(body, status=status, headers={**_ids(exchange), **(headers or {})})


def _ids(exchange: Exchange) -> dict[str, str]:
    name = "request-id" if exchange.path.startswith("/v1/messages") else "x-request-id"
    return {name: f"req_{exchange.number:05}"}


def _reset(request: web.Request) -> web.Response:
    assert request.transport is not None
    bare: socket.socket = request.transport.get_extra_info("socket")
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close() sends a reset
    request.transport.abort()
    return web.Response()  # which nobody gets
