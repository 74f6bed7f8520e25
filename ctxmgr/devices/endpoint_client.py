"""Turns an endpoint's address into requests by the official `openai` client, kept to that one address.

The only module that imports `openai` and `httpx2` (what that is built on). Importing it costs half a second
and 28 MB: it is imported when the first call is made, in a thread.

1. Nothing but the configured address is spoken to: no proxy from the environment, no redirect is followed.
2. Nothing but what the call needs is sent: no report of this machine, no organisation and no header that the
   client would take from the environment for OpenAI's own server.
3. What is read of one response is bounded, an error's body as well; it is asked for uncompressed, so that a
   small response can not become a large one.
4. The client does not try again by itself: its pauses can not be had short, and it does not know the deadline.
5. The client logs nothing, whatever OPENAI_LOG says: stderr is the host's.
6. Words for a fault hold nothing that the server wrote: it may quote the prompt or the key.
"""

import logging
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import httpx2
import msgspec
import openai

from ctxmgr.devices.endpoint_answer import GARBAGE, SERVER_FAULT, TIMED_OUT, Answer, Trouble

RESPONSE_BYTES = 32 << 20  # a stream spends about 300 bytes a token: 100 000 tokens, reasoning included
CONNECT_SECONDS = 10.0  # an address that does not answer is not waited for until the deadline
SENT_HEADERS = frozenset(
    {"host", "accept", "connection", "user-agent", "content-type", "content-length", "authorization"}
)

TOO_LARGE = f"the answer is larger than {RESPONSE_BYTES >> 20} MiB"
COMPRESSED = "the answer came compressed, which was not asked for"
BROKE_OFF = "the connection broke off before the answer was whole"
UNREACHABLE = "the server can not be reached"
PROMPT_TOO_LARGE = "the prompt is too large"
NOTHING_LEFT = "the account has nothing left to spend"
REFUSED = "the request was refused"

TRY_AGAIN = frozenset({408, 409, 429})  # and 5xx: the statuses on which the official client tries again
OUT_OF_QUOTA = "insufficient_quota"  # a 429 that no waiting mends
STATUSES = {
    402: NOTHING_LEFT,
    403: "the key is not allowed to do this",
    404: "no such address or model",
    408: "the server waited too long for the request",
    413: PROMPT_TOO_LARGE,
    429: "too many requests",
    503: "the server is overloaded or down",
}
CODES = {
    "context_length_exceeded": PROMPT_TOO_LARGE,
    OUT_OF_QUOTA: NOTHING_LEFT,
    "model_not_found": "no such model",
}
"""OpenAI's error codes that say more than the status, and in our words."""

_CONTEXT = re.compile(r"context (?:length|window|size)", re.IGNORECASE)
"""How servers without codes (vLLM, llama.cpp) say that the prompt is too large."""


class _Unread(httpx2.DecodingError):
    """The response is not read (on)."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        came = 0
        async for chunk in self._stream:
            came += len(chunk)
            if came > RESPONSE_BYTES:
                raise _Unread(TOO_LARGE)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Transport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        for name in set(request.headers) - SENT_HEADERS:
            del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Bounded(response.stream)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise _Unread(COMPRESSED)
        return response


class Client:
    """Nothing is connected until the first request. The constructor blocks: it reads certificates.

    ValueError: `base_url` is no http(s) address.
    """

    def __init__(self, base_url: str, timeout_ms: int) -> None:
        try:
            address = httpx2.URL(base_url)
        except httpx2.InvalidURL:
            raise ValueError from None
        if address.scheme not in ("http", "https") or not address.host:
            raise ValueError
        for name in ("openai", "httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        seconds = timeout_ms / 1_000
        # The transport may look at the environment for certificates to trust, the client not for proxies.
        http = httpx2.AsyncClient(transport=_Transport(trust_env=True), trust_env=False, follow_redirects=False)
        self._openai = openai.AsyncOpenAI(
            api_key="given with each call",
            base_url=base_url,
            timeout=openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            max_retries=0,
            http_client=http,
        )

    async def send(self, body: object, key: str | None, key_name: str | None) -> openai.AsyncStream[object]:
        """The response, begun; no `Authorization` without a key. `key_name` is for words alone. `Trouble`."""
        authorization: str | openai.Omit = openai.Omit() if key is None else f"Bearer {key}"
        with _told(key_name):
            # Not chat.completions.create: it builds its models unchecked, and here an answer's shape is checked.
            return await self._openai.post(
                "/chat/completions",
                body=body,
                cast_to=object,
                options={"headers": {"Authorization": authorization}},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )

    async def read(self, stream: openai.AsyncStream[object], answer: Answer) -> None:
        """Reads until the end or as far as it is wanted, and lets go of the connection. `Trouble`."""
        with _told(None):
            async with stream:
                if "json" in stream.response.headers.get("content-type", ""):  # it took no notice of "stream"
                    answer.take(msgspec.json.decode(await stream.response.aread()))
                    return
                async for piece in stream:
                    if not answer.take(piece):
                        return

    async def close(self) -> None:
        await self._openai.close()


@contextmanager
def _told(key_name: str | None) -> Iterator[None]:
    """Tells in a `Trouble` what the client and what is under it raise."""
    try:
        yield
    except openai.APIStatusError as fault:
        raise _status(fault, key_name) from None
    except (openai.APIConnectionError, httpx2.HTTPError) as fault:  # the latter while an error's body is read
        raise _connection(fault) from None
    except openai.APIError:
        raise Trouble(SERVER_FAULT) from None
    except (msgspec.MsgspecError, ValueError, RecursionError):  # no JSON, another shape, no UTF-8
        raise Trouble(GARBAGE) from None


def _status(fault: openai.APIStatusError, key_name: str | None) -> Trouble:
    status, response = fault.status_code, fault.response
    code = fault.code if isinstance(fault.code, str) else ""
    written = f"{fault.param} {response.text}" if status in (400, 422) else ""
    if status == 401:
        words = f"the key in {key_name} was refused" if key_name else "a key is wanted, and apiKeyEnv names none"
    elif status < 400:
        words = "a redirect, which is not followed"
    elif code not in CODES and _CONTEXT.search(written):
        words = PROMPT_TOO_LARGE
    else:
        words = CODES.get(code) or STATUSES.get(status) or ("the server failed" if status >= 500 else REFUSED)
    again = (status in TRY_AGAIN or status >= 500) and code != OUT_OF_QUOTA
    return Trouble(f"{status}: {words}", again, _seconds(response.headers.get("retry-after")), written)


def _seconds(retry_after: str | None) -> float | None:
    """As the server asked for. The form with a date is left alone: it needs two clocks that agree."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _connection(fault: Exception) -> Trouble:
    causes = [fault, *_causes(fault)]
    for cause in causes:
        if isinstance(cause, _Unread):
            return Trouble(str(cause))
        if isinstance(cause, ConnectionRefusedError):
            return Trouble("the connection was refused", again=True)
        if isinstance(cause, ssl.SSLError):
            return Trouble("no secure connection could be made")
    if any(isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout) for cause in causes):
        return Trouble(UNREACHABLE, again=True)
    if any(isinstance(cause, httpx2.TimeoutException) for cause in causes):
        return Trouble(TIMED_OUT)
    return Trouble(BROKE_OFF, again=True)


def _causes(fault: BaseException) -> Iterator[BaseException]:
    cause = fault.__cause__ or fault.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
