"""How long a request may take to come: who begins one and does not go on holds no connection.

1. A head that has begun and is not whole is given up after HEAD_SECONDS.
2. A body is given up after BODY_SECONDS in which nothing of it came, while it is waited for.
3. A connection on which nothing is asked is closed after IDLE_SECONDS.
"""

import asyncio
from collections.abc import AsyncIterator

from aiohttp import web
from aiohttp.typedefs import Handler

from ctxmgr.proxy import passing

HEAD_SECONDS = 30.0
BODY_SECONDS = 120.0
IDLE_SECONDS = 300.0  # programs hold connections for less


class HalfBody(Exception):
    """A body that stopped before its end (rule 2). Its connection is broken."""


class PatientHandler(web.RequestHandler):
    """One connection (rule 1). Between a request and its answer it waits for no head."""

    __slots__ = ("_answering", "_half_head")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._answering = 0
        self._half_head: asyncio.TimerHandle | None = None
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._answering and self._half_head is None:
            self._half_head = asyncio.get_running_loop().call_later(HEAD_SECONDS, self.force_close)

    def connection_lost(self, exc: BaseException | None) -> None:
        self._has_head()
        super().connection_lost(exc)

    def begun(self) -> None:
        """A request's head is whole."""
        self._answering += 1
        self._has_head()

    def ended(self) -> None:
        """Its answer is, too."""
        self._answering -= 1

    def _has_head(self) -> None:
        if self._half_head is not None:
            self._half_head.cancel()
            self._half_head = None


@web.middleware
async def noting_heads(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Goes before all other middlewares."""
    connection = request.protocol
    assert isinstance(connection, PatientHandler)
    connection.begun()
    try:
        return await handler(request)
    finally:
        connection.ended()


async def body_of(request: web.Request) -> AsyncIterator[bytes]:
    """A request's body as it comes. Raises HalfBody."""
    while True:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                piece = await request.content.readany()
        except TimeoutError:
            passing.broken(request)
            raise HalfBody from None
        if not piece:
            return
        yield piece


async def whole_body(request: web.Request, most_bytes: int) -> bytes:
    """All of it. Raises HalfBody, and HTTPRequestEntityTooLarge."""
    pieces, size = list[bytes](), 0
    async for piece in body_of(request):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            raise web.HTTPRequestEntityTooLarge(most_bytes, size)
    return b"".join(pieces)
