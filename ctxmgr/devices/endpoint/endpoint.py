"""A configured model server: turns a prompt into one model call over HTTP and its outcome.

1. It never raises for faults of a server or network. Those give a completion with stop "error" and a fault in
   words, without conversation and without the key. Cancellation is raised, as usual in asyncio, and closes the
   connection at once.
2. One deadline, `timeoutMs`, covers everything: pauses, retries, the last byte.
3. Answers are streamed, so that an endless one can be cut. A server that answers at once is understood.
4. Failures before an answer begins are retried RETRIES times: no connection, 408, 409, 429, 5xx. An answer that
   breaks off is not retried: the caller decides whether to pay twice. A failure before the answer is final for the
   caller, whose own retries would multiply with these.
5. `api` names what the server speaks. Servers of chat completions differ in two parameters. If a server refuses one
   by name, the request is repeated with the other variant, and the accepted one is remembered.
6. The key is read for each call, so it may be replaced while the process runs.

Many calls may run at once; the caller limits them. Needs the `endpoint` extra, and imports it with the first call.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from ctxmgr.devices.endpoint.apis import TIMED_OUT, AnthropicApi, Api, ChatApi, EndpointFault
from ctxmgr.extras import needs
from ctxmgr.model import Endpoint
from ctxmgr.model.compaction import Completion, CompletionRequest

if TYPE_CHECKING:
    import httpx

    from ctxmgr.devices.endpoint.client import EndpointClient

RETRIES = 2  # as OpenAI's own client, like the pause
BACKOFF_SECONDS = 0.5  # before the first retry, doubled before the next
RETRY_AFTER_SECONDS = 20.0  # the caller decides about longer delays that a server asks for
NO_ADDRESS = "the endpoint's baseUrl is no http or https address"
CLOSED = "the endpoint is closed"

APIS: dict[str, Api] = {"chat": ChatApi(), "anthropic": AnthropicApi()}

Pause = Callable[[float], Awaitable[object]]


class Chat:
    """One endpoint. `environment` holds the key under the configured name. `pause` sleeps seconds. `api`: the
    request form, if it is not a summary's.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        environment: Mapping[str, str],
        pause: Pause = asyncio.sleep,
        api: Api | None = None,
    ) -> None:
        self._endpoint, self._environment, self._pause = endpoint, environment, pause
        self._api = api or APIS[endpoint.api]
        self._opening = asyncio.Lock()
        self._client: EndpointClient | None = None
        self._closed = False

    async def complete(self, ask: CompletionRequest) -> Completion:
        """One model call. Raises only CancelledError."""
        answer, began = self._api.answer(ask.max_tokens), False
        try:
            async with asyncio.timeout(self._endpoint.timeout_ms / 1_000):
                client, key = await self._opened(), self._key()
                response = await self._sent(client, ask, key)
                began = True
                await client.read(response, answer)
        except TimeoutError:
            fault = TIMED_OUT
        except EndpointFault as trouble:
            fault = str(trouble)
        except RuntimeError:  # how the client refuses requests after its end
            if not self._closed:
                raise
            fault = CLOSED
        else:
            return answer.completion()
        if answer.ended:  # the text is complete; only usage or the end mark failed
            return answer.completion()
        settled = not began or fault == TIMED_OUT
        if fault == TIMED_OUT:
            fault += f" after {self._endpoint.timeout_ms} ms"
        return Completion(stop="error", fault=CLOSED if self._closed else fault, settled=settled)

    async def close(self) -> None:
        """Closes the connections. Running and later calls fail."""
        self._closed = True
        async with self._opening:
            client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _opened(self) -> "EndpointClient":
        async with self._opening:
            if self._closed:
                raise EndpointFault(CLOSED)
            if self._client is None:
                try:  # in a thread: the import would block every session for a tenth of a second
                    self._client = await asyncio.to_thread(_open, self._endpoint)
                except ImportError:
                    raise EndpointFault(f"the endpoint {needs('endpoint')}") from None
                except ValueError:
                    raise EndpointFault(NO_ADDRESS) from None
            return self._client

    def _key(self) -> str | None:
        name = self._endpoint.api_key_env
        if name is None:
            return None
        key = self._environment.get(name, "").strip()  # a key file's final newline is easily included
        if not key:
            raise EndpointFault(f"no key: the environment variable {name} is not set")
        if not (key.isascii() and key.isprintable()):
            raise EndpointFault(f"the key in {name} holds characters that no header can hold")
        return key

    async def _sent(self, client: "EndpointClient", ask: CompletionRequest, key: str | None) -> "httpx.Response":
        """The response, begun. Raises `EndpointFault` otherwise."""
        api, tries = self._api, 0
        changed: set[str] = set()  # each variant is changed once per call at most
        while True:
            try:
                response = await client.send(
                    api, api.body(self._endpoint.model, ask), key, self._endpoint.api_key_env
                )
            except EndpointFault as trouble:
                way = api.refused_by(trouble.refused)
                if way and way not in changed:
                    changed.add(way)
                    api = api.other(way)
                    continue
                wait = _wait(trouble, tries)
                if wait is None:
                    raise
            else:
                self._api = api
                return response
            tries += 1
            await self._pause(wait)


def _open(endpoint: Endpoint) -> "EndpointClient":
    from ctxmgr.devices.endpoint.client import EndpointClient

    return EndpointClient(endpoint.base_url, endpoint.timeout_ms)


def _wait(trouble: EndpointFault, tries: int) -> float | None:
    """Seconds until the next attempt; None: no further attempt."""
    if not trouble.again or tries == RETRIES:
        return None
    if trouble.after is None:
        return BACKOFF_SECONDS * 2.0**tries
    return trouble.after if trouble.after <= RETRY_AFTER_SECONDS else None
