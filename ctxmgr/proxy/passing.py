"""Sends a request to the provider and its answer back, each byte as it arrives.

1. Status, reason, headers and body of an answer pass unchanged, chunk by chunk. If the provider cuts an answer, the
   program's connection is cut too, because a regular end would make it a short answer. The same goes for a
   connection that the provider breaks before an answer.
2. If a program disconnects, its request to the provider ends too.
3. If the provider cannot be reached, the program gets an error in the shape that it knows, with status 502.
4. The machine's HTTP proxy is used, as by the program itself; other settings (`.netrc`) are not sent.
5. All headers pass unchanged, in both directions, except those for a single connection.

Time limits for an incoming request, so that an unfinished one does not hold a connection:

6. A head that has begun and is incomplete is dropped after HEAD_SECONDS.
7. A body is dropped after BODY_SECONDS without any new byte, while it is awaited.
8. A connection without a request is closed after IDLE_SECONDS.
"""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Iterable
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import CIMultiDict
from yarl import URL

HOP_BY_HOP = frozenset(
    ("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host")
)
ANSWERED_HERE = frozenset(("expect",))
RawHeaders = Iterable[tuple[bytes, bytes]]


def passed_headers(raw: RawHeaders, without: Iterable[str] = ()) -> CIMultiDict[str]:
    """Headers to pass on: in order, with their spelling and repetitions. `without`: names in lower case to omit.
    Headers named by `connection` are omitted too.
    """
    listed = [(name.decode("latin-1"), value.decode("utf-8", "surrogateescape")) for name, value in raw]
    named = {
        word.strip().lower() for name, value in listed if name.lower() == "connection" for word in value.split(",")
    }
    left = HOP_BY_HOP | ANSWERED_HERE | named | set(without)
    return CIMultiDict((name, value) for name, value in listed if name.lower() not in left)


def one_spelling(given: CIMultiDict[str]) -> CIMultiDict[str]:
    """A request's headers, with repeated names spelled like the first. With two spellings, aiohttp would send only
    the last.
    """
    spelled: dict[str, str] = {}
    return CIMultiDict((spelled.setdefault(name.lower(), name), value) for name, value in given.items())


def with_value(headers: CIMultiDict[str], name: str, value: str) -> CIMultiDict[str]:
    """Adds the value to a header that lists several. Without a name the headers stay unchanged."""
    told = [each for each in headers.getall(name, ()) if each]
    if name and value not in ",".join(told):
        headers[name] = ",".join((*told, value))
    return headers


CONNECT_SECONDS = 60.0
SKIPPED = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")  # the library would add them itself
ADDED = ("Date", "Server", "Content-Type")  # to an answer
LONGEST_LINE, LONGEST_FIELD = 1 << 16, 1 << 18  # bytes in a head; programs send long ones
BUFFER_BYTES = 1 << 20
RESET = (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED)
PIECE_BYTES = 1 << 18  # size of the pieces in which a body is sent, so that nothing waits for all of it

Tee = Callable[[bytes], None]


class Outgoing(msgspec.Struct, frozen=True):
    """A request to send. `body`: all of it, or a stream."""

    method: str
    url: URL
    headers: CIMultiDict[str]
    body: bytes | AsyncIterator[bytes] | None


class Unreachable(Exception):
    """The provider cannot be reached. The text names only its host."""


class Broken(Exception):
    """The provider broke the connection without an answer."""


class PassedAnswer(web.StreamResponse):
    """An answer of the provider, without additions."""

    def __init__(self, came: aiohttp.ClientResponse) -> None:
        passed = passed_headers(came.raw_headers)
        super().__init__(status=came.status, reason=came.reason, headers=passed)
        self.missing = [name for name in ADDED if name not in passed]


class Upstream:
    """The one provider of a proxy. Must be created in a running event loop."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            skip_auto_headers=SKIPPED,
            max_line_size=LONGEST_LINE,
            max_field_size=LONGEST_FIELD,
            read_bufsize=BUFFER_BYTES,
            connector=aiohttp.TCPConnector(limit=0),
        )
        self._by = _http_proxy(URL(self._base))

    def url(self, raw_path: str) -> URL:
        """The provider's address of a path with its query, as requested."""
        return URL(self._base + raw_path, encoded=True)

    async def ask(self, outgoing: Outgoing) -> aiohttp.ClientResponse:
        """Sends the request and returns the answer's head. Raises Unreachable and Broken."""
        sent, body = one_spelling(outgoing.headers), outgoing.body
        if isinstance(body, bytes):
            sent["Content-Length"] = str(len(body))
        try:
            return await self._session.request(
                outgoing.method,
                outgoing.url,
                headers=sent,
                data=_pieces(body) if isinstance(body, bytes) and len(body) > PIECE_BYTES else body,
                allow_redirects=False,
                proxy=self._by,
            )
        except (aiohttp.ClientError, OSError, TimeoutError) as fault:
            if _was_reset(fault):
                raise Broken from None
            raise Unreachable(f"{outgoing.url.host} cannot be reached: {type(fault).__name__}") from None

    async def close(self) -> None:
        await self._session.close()


def _http_proxy(url: URL) -> URL | None:
    """The HTTP proxy that the environment sets for this address."""
    address = getproxies().get(url.scheme)
    if not address or (url.host and proxy_bypass(f"{url.host}:{url.port}")):
        return None
    return URL(address if "://" in address else f"http://{address}")


async def _pieces(body: bytes) -> AsyncIterator[memoryview]:
    for start in range(0, len(body), PIECE_BYTES):
        yield memoryview(body)[start : start + PIECE_BYTES]


def _was_reset(fault: BaseException) -> bool:
    """Whether the provider ended an existing connection. The library reports that in several ways."""
    if isinstance(fault, aiohttp.ClientConnectorError):
        return False
    cause = fault.__cause__
    return (
        isinstance(fault, aiohttp.ServerDisconnectedError | ConnectionError)
        or getattr(fault, "errno", None) in RESET
        or (cause is not None and _was_reset(cause))
    )


async def answer(
    request: web.Request, came: aiohttp.ClientResponse, tee: Tee | None = None, held: bytes = b""
) -> web.StreamResponse:
    """Passes an answer on (rule 1). `tee` gets each chunk; `held` is the part that was read before."""
    response = PassedAnswer(came)
    try:
        await response.prepare(request)
        if held:
            if tee is not None:
                tee(held)
            await response.write(held)
        async for chunk in came.content.iter_any():
            if tee is not None:
                tee(chunk)
            await response.write(chunk)
        await response.write_eof()
    except aiohttp.ClientError:  # of either side
        broken(request)
    finally:
        came.close() if not came.content.is_eof() else came.release()
    return response


def broken(request: web.Request) -> web.StreamResponse:
    """Breaks the program's connection; the returned response is never sent."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def without_additions(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Removes the headers that the library adds to an answer that is passed on."""
    for name in response.missing if isinstance(response, PassedAnswer) else ():
        response.headers.popall(name, None)


HEAD_SECONDS = 30.0
BODY_SECONDS = 120.0
IDLE_SECONDS = 300.0  # programs keep connections for less


class HalfBody(Exception):
    """A body that stopped before its end (rule 7). Its connection is broken."""


class PatientHandler(web.RequestHandler):
    """One connection (rule 6). While a request is answered, no time limit for a head runs."""

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
        """A request's head is complete."""
        self._answering += 1
        self._has_head()

    def ended(self) -> None:
        """A request has been answered."""
        self._answering -= 1

    def _has_head(self) -> None:
        if self._half_head is not None:
            self._half_head.cancel()
            self._half_head = None


@web.middleware
async def noting_heads(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Must be the outermost middleware."""
    connection = request.protocol
    assert isinstance(connection, PatientHandler)
    connection.begun()
    try:
        return await handler(request)
    finally:
        connection.ended()


async def body_of(request: web.Request) -> AsyncIterator[bytes]:
    """A request's body as it arrives. Raises HalfBody."""
    while True:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                piece = await request.content.readany()
        except TimeoutError:
            broken(request)
            raise HalfBody from None
        if not piece:
            return
        yield piece


async def whole_body(request: web.Request, most_bytes: int) -> bytes:
    """A request's whole body. Raises HalfBody and HTTPRequestEntityTooLarge."""
    pieces, size = list[bytes](), 0
    async for piece in body_of(request):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            raise web.HTTPRequestEntityTooLarge(most_bytes, size)
    return b"".join(pieces)
