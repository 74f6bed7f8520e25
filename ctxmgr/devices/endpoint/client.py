"""Turns an endpoint's address into requests by `httpx`, kept to that one address.

The only module that imports `httpx`, which costs a tenth of a second: it is imported when the first call is made,
in a thread.

1. Nothing but the configured address is spoken to: no proxy from the environment, no redirect is followed.
2. Nothing but what the call needs is sent: no report of this machine, no cookie, nothing from a `.netrc`.
3. What is read of one response is bounded, an error's body as well; it is asked for uncompressed, so that a
   small response cannot become a large one.
4. Nothing is tried again here: that is decided with the deadline in view, in `endpoint`.
5. Nothing is logged: stderr is the host's.
6. Words for a fault hold nothing that the server wrote: it may quote the prompt or the key.
7. An event stream is read by the WHATWG HTML standard, section 9.2.6: a line ends with CR LF, LF or CR; `data`
   lines add up to one event, joined by LF; a blank line sends it; what the last blank line does not end is thrown
   away; other fields say nothing that is wanted here. Bytes stay bytes: a character may be cut in two by where a
   piece ends.
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

RESPONSE_BYTES = 32 << 20  # a stream spends about 300 bytes a token: 100 000 tokens, reasoning included
CONNECT_SECONDS = 10.0  # an address that does not answer is not waited for until the deadline
DRAIN_SECONDS = 1.0  # after the end mark, for the end of the response: then the connection can be used again
HEADERS = {
    "Accept": "text/event-stream, application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "ctxmgr",
}
END_MARK = b"[DONE]"  # of chat completions; another API's last event is known to its answer

TOO_LARGE = f"the answer is larger than {RESPONSE_BYTES >> 20} MiB"
COMPRESSED = "the answer came compressed, which was not asked for"
BROKE_OFF = "the connection broke off before the answer was whole"
UNREACHABLE = "the server cannot be reached"
PROMPT_TOO_LARGE = "the prompt is too large"
NOTHING_LEFT = "the account has nothing left to spend"
REFUSED = "the request was refused"
OVERLOADED = "the server is overloaded or down"

TRY_AGAIN = frozenset(
    {408, 409, 429}
)  # and 5xx: the statuses on which OpenAI's and Anthropic's own clients try again
OUT_OF_QUOTA = "insufficient_quota"  # a 429 that no waiting mends
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
    """The response is not read (on)."""


class EndpointClient:
    """Nothing is connected until the first request. The constructor blocks: it reads certificates.

    ValueError: `base_url` is no http(s) address.
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
            trust_env=False,  # of the environment, certificates to trust alone
            verify=httpx.create_ssl_context(trust_env=True),
            follow_redirects=False,
        )

    async def send(self, api: Api, body: object, key: str | None, key_name: str | None) -> httpx.Response:
        """The response, begun. `key_name` is for words alone. `EndpointFault`."""
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
        """Reads until the end or as far as it is wanted, and lets go of the connection. `EndpointFault`."""
        pieces = _pieces(response)
        with _endpoint_faults():
            try:
                if "json" in response.headers.get("content-type", ""):  # it took no notice of "stream"
                    answer.take(json.loads(b"".join([piece async for piece in pieces]).decode()))
                elif await _read_events(pieces, answer):
                    await _drain(pieces)
            finally:
                await response.aclose()

    async def close(self) -> None:
        await self._http.aclose()


def _base(base_url: str) -> httpx.URL:
    """ValueError."""
    try:
        base = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise ValueError from None
    if base.scheme not in ("http", "https") or not base.host:
        raise ValueError
    return base


def _address(base: httpx.URL, api: Api) -> httpx.URL:
    """What the API asks below it; a query stays."""
    path, mark, query = base.raw_path.partition(b"?")
    return base.copy_with(raw_path=api.address(path) + mark + query)


async def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    """As they come, within bounds."""
    came = 0
    async for piece in response.aiter_raw():
        came += len(piece)
        if came > RESPONSE_BYTES:
            raise _Unread(TOO_LARGE)
        yield piece


async def _read_events(pieces: AsyncIterator[bytes], answer: Answer) -> bool:
    """Whether the end mark has come. False: no more is wanted, or there is no more."""
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
    """What comes after the end mark is of no weight, nor is a fault in it."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in pieces:
                pass
    except (TimeoutError, httpx.HTTPError, _Unread):
        pass


@contextmanager
def _endpoint_faults() -> Iterator[None]:
    """Turns what the client and the layers below it raise into an EndpointFault."""
    try:
        yield
    except (httpx.HTTPError, httpx.StreamError) as fault:
        raise _connection(fault) from None
    except _Unread as fault:
        raise EndpointFault(str(fault)) from None
    except (msgspec.MsgspecError, ValueError, RecursionError):  # no JSON, another shape, no UTF-8
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
    """OpenAI's word for what is wrong; "" where there is none. Some servers leave out the `error` around it."""
    try:
        body = msgspec.json.decode(content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    error = body.get("error", body) if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def _seconds(retry_after: str | None) -> float | None:
    """As the server asked for. The form with a date is left alone: it needs two clocks that agree."""
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
    """What is behind it, the nearest first; of a name with several addresses, what each of them gave."""
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
        self._line: list[bytes] = []  # what came of a line that has not ended
        self._at_beginning = True
        self._after_return = False  # the last line ended with a CR: an LF now belongs to it
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece ends, in order."""
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
