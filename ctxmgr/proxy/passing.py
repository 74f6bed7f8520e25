"""Carries a request to the provider and its answer back, each byte when it comes.

1. Status, reason, headers and body of an answer pass as they came, chunk by chunk. One that the provider cuts is
   cut for the program too: a clean end would make a short answer of it. So is a connection that it breaks before
   an answer.
2. A program that goes away takes its request with it.
3. A provider that cannot be reached is told in the shape that the program knows, with status 502.
4. The machine's HTTP proxy is heeded, as by the program itself; of its other settings (`.netrc`) nothing is sent.
5. All headers pass as they came, both ways, but for those that speak of one connection alone.

How long a request may take to come: who begins one and does not go on holds no connection.

6. A head that has begun and is not whole is given up after HEAD_SECONDS.
7. A body is given up after BODY_SECONDS in which nothing of it came, while it is waited for.
8. A connection on which nothing is asked is closed after IDLE_SECONDS.
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
    """Headers to send on: in their order, as they were spelled, repeated ones too. `without`: names in lower case;
    what `connection` names is of the connection as well."""
    listed = [(name.decode("latin-1"), value.decode("utf-8", "surrogateescape")) for name, value in raw]
    named = {
        word.strip().lower() for name, value in listed if name.lower() == "connection" for word in value.split(",")
    }
    left = HOP_BY_HOP | ANSWERED_HERE | named | set(without)
    return CIMultiDict((name, value) for name, value in listed if name.lower() not in left)


def one_spelling(given: CIMultiDict[str]) -> CIMultiDict[str]:
    """A request's headers, a name that comes again spelled as the first time: of two spellings aiohttp sends the
    last alone."""
    spelled: dict[str, str] = {}
    return CIMultiDict((spelled.setdefault(name.lower(), name), value) for name, value in given.items())


def with_value(headers: CIMultiDict[str], name: str, value: str) -> CIMultiDict[str]:
    """With this among the values of a header that lists several; none where there is no name."""
    told = [each for each in headers.getall(name, ()) if each]
    if name and value not in ",".join(told):
        headers[name] = ",".join((*told, value))
    return headers


CONNECT_SECONDS = 60.0
SKIPPED = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")  # the library would add them by itself
ADDED = ("Date", "Server", "Content-Type")  # to an answer
LONGEST_LINE, LONGEST_FIELD = 1 << 16, 1 << 18  # bytes, of what a head may hold: programs tell much in theirs
BUFFER_BYTES = 1 << 20
RESET = (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED)
PIECE_BYTES = 1 << 18  # a body goes out so, and nothing waits for all of it

Tee = Callable[[bytes], None]


class Outgoing(msgspec.Struct, frozen=True):
    """A request as it goes on. `body`: all of it, or a stream of it."""

    method: str
    url: URL
    headers: CIMultiDict[str]
    body: bytes | AsyncIterator[bytes] | None


class Unreachable(Exception):
    """There is no way to the provider. The text names no address beyond its host."""


class Broken(Exception):
    """The provider broke the connection and did not answer."""


class PassedAnswer(web.StreamResponse):
    """An answer of the provider's: nothing is added to it."""

    def __init__(self, came: aiohttp.ClientResponse) -> None:
        passed = passed_headers(came.raw_headers)
        super().__init__(status=came.status, reason=came.reason, headers=passed)
        self.missing = [name for name in ADDED if name not in passed]


class Upstream:
    """The one provider of a proxy. Made on a running loop."""

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
        """Of a path with its query, as it was asked for."""
        return URL(self._base + raw_path, encoded=True)

    async def ask(self, outgoing: Outgoing) -> aiohttp.ClientResponse:
        """The answer's head. Raises Unreachable and Broken."""
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
    """By which one the environment has this address reached."""
    address = getproxies().get(url.scheme)
    if not address or (url.host and proxy_bypass(f"{url.host}:{url.port}")):
        return None
    return URL(address if "://" in address else f"http://{address}")


async def _pieces(body: bytes) -> AsyncIterator[memoryview]:
    for start in range(0, len(body), PIECE_BYTES):
        yield memoryview(body)[start : start + PIECE_BYTES]


def _was_reset(fault: BaseException) -> bool:
    """Whether there was a connection that the provider has ended. The library tells that in several ways."""
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
    """Passes an answer on (rule 1). `tee` sees each chunk; `held` is what was read of it before."""
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
    """Breaks the program's connection; what is given back goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def without_additions(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Takes off what the library adds to an answer that is passed on."""
    for name in response.missing if isinstance(response, PassedAnswer) else ():
        response.headers.popall(name, None)


HEAD_SECONDS = 30.0
BODY_SECONDS = 120.0
IDLE_SECONDS = 300.0  # programs hold connections for less


class HalfBody(Exception):
    """A body that stopped before its end (rule 7). Its connection is broken."""


class PatientHandler(web.RequestHandler):
    """One connection (rule 6). Between a request and its answer it waits for no head."""

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
            broken(request)
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
