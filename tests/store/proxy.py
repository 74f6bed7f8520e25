"""A proxy before a store that does to a request what a test says: cuts it off before or after it takes effect, has
it done twice, holds it until it is let go, or answers in the store's place. No request waits for time to pass.
"""

import asyncio
from collections.abc import Callable

from aiohttp import ClientSession, web

Act = Callable[[str, str], str | None]
"""By method and path: `cut before`, `cut after`, `twice`, `hold`, or a status (`503`); None: as it is."""
DROPPED = ("host", "content-length", "transfer-encoding", "connection", "content-encoding")


class Proxy:
    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.act: Act = lambda method, path: None
        self.requests: list[tuple[str, str]] = []
        self.let_go = asyncio.Event()
        self.is_held = asyncio.Event()

    async def __aenter__(self) -> "Proxy":
        self._client = ClientSession(auto_decompress=False)
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self._passed)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *about: object) -> None:
        self.let_go.set()
        await self._runner.cleanup()
        await self._client.close()

    async def _passed(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((request.method, request.path))
        does, body = self.act(request.method, request.path), await request.read()
        if does is not None and does.isdigit():
            return web.Response(status=int(does), text="<Error><Code>Planted</Code></Error>")
        if does == "cut before":
            return self._cut(request)
        if does == "hold":
            self.is_held.set()
            await self.let_go.wait()
        answer = await self._sent(request, body)
        if does == "twice":
            answer = await self._sent(request, body)
        return self._cut(request) if does == "cut after" else answer

    async def _sent(self, request: web.Request, body: bytes) -> web.Response:
        """The signature is of the host that the client named, so that goes along."""
        headers = {name: value for name, value in request.headers.items() if name.lower() not in DROPPED}
        headers["Host"] = request.headers["Host"]
        url = f"{self.upstream}{request.raw_path}"
        async with self._client.request(request.method, url, headers=headers, data=body) as answer:
            content = await answer.read()
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in DROPPED}
            return web.Response(status=answer.status, body=content, headers=kept)

    def _cut(self, request: web.Request) -> web.Response:
        request.transport.abort()
        return web.Response()
