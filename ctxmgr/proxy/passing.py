"""Carries a request to the provider and its answer back, each byte when it comes.

1. Status, reason, headers and body of an answer pass as they came, chunk by chunk. One that the provider cuts is
   cut for the program too: a clean end would make a short answer of it.
2. A program that goes away takes its request with it.
3. A provider that can not be reached is told in the shape that the program knows, with status 502.
"""

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

import aiohttp
import msgspec
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from ctxmgr.proxy import headers

CONNECT_SECONDS = 60.0
SKIPPED = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")  # the library would add them by itself
ADDED = ("Date", "Server", "Content-Type")  # to an answer
LONGEST_LINE, LONGEST_FIELD = 1 << 16, 1 << 18  # bytes, of what a head may hold: programs tell much in theirs
BUFFER_BYTES = 1 << 20

Tee = Callable[[bytes], None]


class Outgoing(msgspec.Struct, frozen=True):
    """A request as it goes on. `body`: all of it, or a stream of it."""

    method: str
    url: URL
    headers: CIMultiDict[str]
    body: bytes | AsyncIterator[bytes] | None


class Unreachable(Exception):
    """Nothing came back from the provider. The text names no address beyond its host."""


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
            trust_env=True,
        )

    def url(self, raw_path: str) -> URL:
        """Of a path with its query, as it was asked for."""
        return URL(self._base + raw_path, encoded=True)

    async def ask(self, outgoing: Outgoing) -> aiohttp.ClientResponse:
        """The answer's head. Raises Unreachable."""
        try:
            return await self._session.request(
                outgoing.method,
                outgoing.url,
                headers=outgoing.headers,
                data=outgoing.body,
                allow_redirects=False,
            )
        except (aiohttp.ClientError, OSError, TimeoutError) as fault:
            raise Unreachable(f"{outgoing.url.host} can not be reached: {type(fault).__name__}") from None

    async def close(self) -> None:
        await self._session.close()


async def body_of(request: web.Request) -> AsyncIterator[bytes]:
    """A request's body as it comes."""
    async for chunk, _ in request.content.iter_chunks():
        yield chunk


async def answer(request: web.Request, came: aiohttp.ClientResponse, tee: Tee | None = None) -> web.StreamResponse:
    """Passes an answer on (rule 1). `tee` sees each chunk after it has gone. Raises ConnectionResetError where the
    program went away."""
    response = _headed(_Passed(status=came.status, reason=came.reason), came)
    try:
        await response.prepare(request)
        async for chunk in came.content.iter_any():
            await response.write(chunk)
            if tee is not None:
                tee(chunk)
        await response.write_eof()
    except aiohttp.ClientError:
        if request.transport is not None:
            request.transport.abort()
    finally:
        came.close() if not came.content.at_eof() else came.release()
    return response


def whole(came: aiohttp.ClientResponse, body: bytes) -> web.Response:
    """An answer whose body was read."""
    return _headed(_PassedWhole(status=came.status, reason=came.reason, body=body), came)


def error(status: int, body: bytes) -> web.Response:
    """An answer of our own."""
    return web.Response(status=status, body=body, content_type="application/json")


class _Passed(web.StreamResponse):
    """An answer of the provider's. `own_names`: of the headers that came with it, in lower case."""

    own_names: frozenset[str] = frozenset()


class _PassedWhole(_Passed, web.Response):
    """The same of one whose body was read."""


_R = TypeVar("_R", bound=_Passed)


def _headed(response: _R, came: aiohttp.ClientResponse) -> _R:
    passed = headers.passed(came.raw_headers)
    response.headers.clear()
    response.headers.extend(passed)
    response.own_names = frozenset(name.lower() for name in passed)
    return response


async def without_additions(request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Takes off what the library adds to an answer that is passed on."""
    if isinstance(response, _Passed):
        for name in ADDED:
            if name.lower() not in response.own_names:
                response.headers.popall(name, None)
