"""Turns an endpoint's address into requests by `httpx`, to that address only.

The only module that imports `httpx`. The import takes a tenth of a second and happens in a thread with the first
call.

1. It only connects to the configured address: no proxy from the environment, no redirects.
2. It only sends what the call needs: nothing about this machine, no cookies, nothing from a `.netrc`.
3. Responses are limited in size, error bodies too. They are requested uncompressed, so a small response cannot
   become a large one.
4. It does not retry; `endpoint` decides that with the deadline in view.
5. It logs nothing: stderr belongs to the host.
6. The words of a fault contain nothing that the server wrote, which may quote the prompt or the key.
7. Event streams follow the WHATWG HTML standard, section 9.2.6. A line ends with CR LF, LF or CR. `data` lines form
   one event, joined by LF. A blank line ends the event; data after the last blank line is dropped. Other fields are
   ignored. Bytes stay bytes, since a piece may end within a character.
"""

import asyncio
import codecs
import json
import logging
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx
import msgspec

from ctxmgr.devices.endpoint.apis import GARBAGE, TIMED_OUT, Answer, Api, EndpointFault

RESPONSE_BYTES = 32 << 20  # a stream takes about 300 bytes a token: 100 000 tokens, reasoning included
CONNECT_SECONDS = 10.0  # the deadline is not spent waiting for an address that does not answer
DRAIN_SECONDS = 1.0  # after the end mark, for the end of the response, so that the connection can be reused
HEADERS = {
    "Accept": "text/event-stream, application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "ctxmgr",
}
END_MARK = b"[DONE]"  # of chat completions; other answers know their API's last event

TOO_LARGE = f"the answer is larger than {RESPONSE_BYTES >> 20} MiB"
COMPRESSED = "the answer came compressed, which was not asked for"
BROKE_OFF = "the connection broke off before the answer was whole"
UNREACHABLE = "the server cannot be reached"
PROMPT_TOO_LARGE = "the prompt is too large"
NOTHING_LEFT = "the account has nothing left to spend"
REFUSED = "the request was refused"
OVERLOADED = "the server is overloaded or down"

TRY_AGAIN = frozenset({408, 409, 429})  # and 5xx: OpenAI's and Anthropic's own clients retry on these statuses
OUT_OF_QUOTA = "insufficient_quota"  # a 429 that waiting does not fix
STATUSES = {
    402: NOTHING_LEFT,
    403: "the key is not allowed to do this",
    404: "no such address or model",
    408: "the server waited too long for the request",
    413: PROMPT_TOO_LARGE,
    429: "too many requests",
    503: OVERLOADED,
    529: OVERLOADED,  # Anthropic's
}
CODES = {
    "context_length_exceeded": PROMPT_TOO_LARGE,
    OUT_OF_QUOTA: NOTHING_LEFT,
    "model_not_found": "no such model",
}
"""OpenAI's error codes that say more than the status, and in our words."""

_SENTENCES = {
    re.compile(r"context (?:length|window|size|limit)|prompt is too long", re.IGNORECASE): PROMPT_TOO_LARGE,
    re.compile(r"credit balance is too low", re.IGNORECASE): NOTHING_LEFT,
}
"""How servers without codes for it (vLLM, llama.cpp, Anthropic) say what is wrong, and our words."""


class _Unread(Exception):
    """The response has not been read (so far)."""


class EndpointClient:
    """Connects with the first request. The constructor blocks while it reads certificates.

    Raises ValueError if `base_url` is not an http(s) address.
    """

    def __init__(self, base_url: str, timeout_ms: int) -> None:
        self._base = _base(base_url)
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        seconds = timeout_ms / 1_000
        self._http = httpx.AsyncClient(
            headers=HEADERS,
            timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            trust_env=False,  # the environment only supplies trusted certificates
            verify=httpx.create_ssl_context(trust_env=True),
            follow_redirects=False,
        )

    async def send(self, api: Api, body: object, key: str | None, key_name: str | None) -> httpx.Response:
        """The response, begun. `key_name` is for error messages. Raises `EndpointFault`."""
        request = self._http.build_request(
            "POST", _address(self._base, api), content=msgspec.json.encode(body), headers=api.headers(key)
        )
        with _endpoint_faults():
            response = await self._http.send(request, stream=True)
            compressed = response.headers.get("content-encoding", "identity") != "identity"
            if response.is_success and not compressed:
                return response
            try:
                if compressed:
                    raise _Unread(COMPRESSED)
                content = b"".join([piece async for piece in _pieces(response)])
            finally:
                await response.aclose()
        raise _status(response, content, key_name)

    async def read(self, response: httpx.Response, answer: Answer) -> None:
        """Reads to the end, or as far as needed, and releases the connection. Raises `EndpointFault`."""
        pieces = _pieces(response)
        with _endpoint_faults():
            try:
                if "json" in response.headers.get("content-type", ""):  # the server ignored "stream"
                    answer.take(json.loads(b"".join([piece async for piece in pieces]).decode()))
                elif await _read_events(pieces, answer):
                    await _drain(pieces)
            finally:
                await response.aclose()

    async def close(self) -> None:
        await self._http.aclose()


def _base(base_url: str) -> httpx.URL:
    """Raises ValueError."""
    try:
        base = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise ValueError from None
    if base.scheme not in ("http", "https") or not base.host:
        raise ValueError
    return base


def _address(base: httpx.URL, api: Api) -> httpx.URL:
    """The API's address below the base; a query is kept."""
    path, mark, query = base.raw_path.partition(b"?")
    return base.copy_with(raw_path=api.address(path) + mark + query)


async def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    """As they arrive, within limits."""
    came = 0
    async for piece in response.aiter_raw():
        came += len(piece)
        if came > RESPONSE_BYTES:
            raise _Unread(TOO_LARGE)
        yield piece


async def _read_events(pieces: AsyncIterator[bytes], answer: Answer) -> bool:
    """Whether the end mark came. False: no more is needed, or there is no more."""
    stream = EventStream()
    async for piece in pieces:
        for event in stream.feed(piece):
            if event.startswith(END_MARK):
                return True
            if not answer.take(json.loads(event.decode())):
                return False
            if answer.closed:
                return True
    return False


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Ignores what follows the end mark, and faults in it."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx.HTTPError, _Unread):
        pass


@contextmanager
def _endpoint_faults() -> Iterator[None]:
    """Turns what the client and the layers below raise into an EndpointFault."""
    try:
        yield
    except (httpx.HTTPError, httpx.StreamError) as fault:
        raise _connection(fault) from None
    except _Unread as fault:
        raise EndpointFault(str(fault)) from None
    except (msgspec.MsgspecError, ValueError, RecursionError):  # not JSON, another shape, not UTF-8
        raise EndpointFault(GARBAGE) from None


def _status(response: httpx.Response, content: bytes, key_name: str | None) -> EndpointFault:
    status, code = response.status_code, _code(content)
    written = content.decode("utf-8", "replace") if status in (400, 422) else ""
    if status == 401:
        words = f"the key in {key_name} was refused" if key_name else "a key is wanted, and apiKeyEnv names none"
    elif status < 400:
        words = "a redirect, which is not followed"
    else:
        explanations = (words for sentence, words in _SENTENCES.items() if sentence.search(written))
        other = "the server failed" if status >= 500 else REFUSED
        words = CODES.get(code) or next(explanations, "") or STATUSES.get(status, other)
    again = (status in TRY_AGAIN or status >= 500) and code != OUT_OF_QUOTA
    return EndpointFault(f"{status}: {words}", again, _seconds(response.headers.get("retry-after")), written)


def _code(content: bytes) -> str:
    """OpenAI's error code; "" if there is none. Some servers omit the `error` object around it."""
    try:
        body = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    error = body.get("error", body) if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def _seconds(retry_after: str | None) -> float | None:
    """The delay that the server asked for. The form with a date is ignored, since it needs two clocks that
    agree.
    """
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _connection(fault: Exception) -> EndpointFault:
    causes = [fault, *_causes(fault)]
    for cause in causes:
        if isinstance(cause, ConnectionRefusedError):
            return EndpointFault("the connection was refused", again=True)
        if isinstance(cause, ssl.SSLError):
            return EndpointFault("no secure connection could be made")
    if any(isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout) for cause in causes):
        return EndpointFault(UNREACHABLE, again=True)
    if any(isinstance(cause, httpx.TimeoutException) for cause in causes):
        return EndpointFault(TIMED_OUT)
    return EndpointFault(BROKE_OFF, again=True)


def _causes(fault: BaseException) -> Iterator[BaseException]:
    """The chain of causes, nearest first; for a name with several addresses, the cause of each."""
    cause = fault.__cause__ or fault.__context__
    if isinstance(fault, BaseExceptionGroup):
        for member in fault.exceptions:
            yield member
            yield from _causes(member)
    if cause is not None:
        yield cause
        yield from _causes(cause)


class EventStream:
    """The events of one response."""

    def __init__(self) -> None:
        self._line: list[bytes] = []  # parts of an unfinished line
        self._at_beginning = True
        self._after_return = False  # the last line ended with a CR; an LF now belongs to it
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes, in order."""
        events = []
        for part in piece.splitlines(keepends=True):
            is_rest_of_end, self._after_return = self._after_return and part == b"\n", part.endswith(b"\r")
            if is_rest_of_end:
                continue
            self._line.append(part)
            if not part.endswith((b"\r", b"\n")):
                break
            line, self._line = b"".join(self._line).rstrip(b"\r\n"), []
            if self._at_beginning:
                line, self._at_beginning = line.removeprefix(codecs.BOM_UTF8), False
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            elif not line and self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        return events
