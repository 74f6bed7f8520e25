"""The proxy: an HTTP listener on loopback, with one provider behind it and one sidecar beside it.

1. A request whose body has a message list is a call (`rewriting`); every other request passes unchanged, and so
   does what ctxmgr cannot read. A list that is refused as too long is sent again, shorter each time.
2. The sidecar is started at once and loads what it needs, so that the first call does not wait for it.
3. A WebSocket request is answered with 426: the program then continues with HTTP, where lists are complete.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import aiohttp
import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from ctxmgr.client import AsyncClient, Host, SidecarFault, SpawnedSidecar, Timing
from ctxmgr.holdout import HoldoutCalls
from ctxmgr.proxy import access, passing
from ctxmgr.proxy.access import PAGE, PageAccess, is_ours
from ctxmgr.proxy.answers import UsageReader
from ctxmgr.proxy.apis import CalledTool, ErrorKind, ListCall, ProviderApi, WrittenAnswer, api_of, error_of
from ctxmgr.proxy.body import (
    LARGE_BYTES,
    PLAIN,
    THREADS,
    Beginning,
    Bomb,
    Crowded,
    RecentLists,
    UnreadableBody,
    decoded,
)
from ctxmgr.proxy.conversations import Conversations, ListEnds
from ctxmgr.proxy.hearing import UNHEARD, Heard, heard
from ctxmgr.proxy.page import PageRoutes, ToolRoutes
from ctxmgr.proxy.passing import Broken, HalfBody, Outgoing, PatientHandler, Unreachable, Upstream
from ctxmgr.proxy.rewriting import Prepared, Rewriter, read_ahead
from ctxmgr.proxy.settings import ProxySettings
from ctxmgr.proxy.summarising import SummaryWriter

OK = 200
PAUSE_MS = 120_000.0  # before a cache ends
WARM_MS = 60_000.0  # nobody waits for it
LARGEST_BYTES = 256 << 20  # of a request; providers take 32 MB
TRIES = 3  # after a refusal; each asks for little more than half of the list that was too long
REWRITTEN_WITHOUT = ("content-length", "content-encoding")
POLICY = {"tokenizer": "estimate"}  # the provider's own count comes with each answer


class Proxy:
    """An async context manager: inside, it serves at `url`."""

    def __init__(self, settings: ProxySettings, timing: Timing | None = None) -> None:
        self.settings = settings
        self._client = AsyncClient(
            POLICY,
            format="anthropic",
            sidecar=_sidecar(settings),
            host=Host(
                deliver=None,
                name="ctxmgr-proxy",
                on_trouble=lambda fault: settings.say(
                    f"ctxmgr stopped pruning, its sidecar failed: {fault.message}"
                ),
                on_recovery=lambda: settings.say("ctxmgr prunes again"),
                retrieve=bool(settings.tools_token),
                archive=settings.keeps_originals,
            ),
            timing=timing,
        )
        self._holdout_calls = None if settings.observe else HoldoutCalls(settings.directory)
        self.conversations = Conversations(
            self._client,
            settings.settings_for,
            (timing or Timing()).now_ms,
            ListEnds(settings.directory),
            self._holdout_calls,
            settings.project,
        )
        self.rewriter = Rewriter(self.conversations, settings)
        self._summaries = SummaryWriter(self.conversations, self.rewriter.account)
        self._access = PageAccess(settings.tools_token)
        self._lists = RecentLists()
        self._readers = ThreadPoolExecutor(THREADS, "read")
        self._runner: web.AppRunner | None = None
        self._listening: asyncio.Server | None = None
        self._upstream: Upstream | None = None
        self._warming: asyncio.Task[None] | None = None
        self.url = ""
        self.cache_lines: list[str] = []  # of its conversations, once it has ended

    async def __aenter__(self) -> "Proxy":
        """Raises OSError if it cannot listen."""
        app = web.Application(middlewares=[passing.noting_heads, self._guarded, self._access.guarded])
        PageRoutes(self.settings, lambda: self.engine, self.conversations, self.rewriter.account).add(app)
        ToolRoutes(self.conversations).add(app)
        app.router.add_route("*", "/{path:.*}", self._serve)
        app.on_response_prepare.append(passing.without_additions)
        if self._holdout_calls is not None:
            await asyncio.to_thread(self._holdout_calls.load)  # before any call could wait for it
        self._runner = web.AppRunner(app, handler_cancellation=True)
        await self._runner.setup()
        try:
            self._listening = await asyncio.get_running_loop().create_server(
                self._connected, self.settings.host, self.settings.port
            )
        except OSError:
            await self._runner.cleanup()
            raise
        self._upstream = Upstream(self.settings.upstream)
        host, port = self._listening.sockets[0].getsockname()[:2]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._warming = asyncio.get_running_loop().create_task(self._warm())
        return self

    async def __aexit__(self, *fault: object) -> None:
        assert self._runner is not None
        assert self._listening is not None
        assert self._upstream is not None
        if self._warming is not None:
            self._warming.cancel()
        self._listening.close()
        await self._runner.cleanup()
        await self.rewriter.close()
        if not self.settings.observe:  # in observe mode the cache counts are not the provider's
            self.cache_lines = await self.conversations.cache_lines()
        self._readers.shutdown(wait=False, cancel_futures=True)
        await self._upstream.close()
        await self._client.close()

    @property
    def held_out(self) -> list[str]:
        """A line for people; empty without a holdout."""
        arms = [one.enrolment.arm for one in self.conversations.all() if one.enrolment is not None]
        if not arms:
            return []
        return [
            f"{arms.count('heldOut')} of {len(arms)} conversations held out; compare with: ctxmgr savings --live"
        ]

    async def pause(self) -> str:
        """A line for people, two minutes before a large and unused prompt cache ends; otherwise ""."""
        return "" if self.settings.observe else await self.conversations.pause(PAUSE_MS)

    @property
    def page_url(self) -> str:
        """The page's address with its token: only for whoever started the proxy, never for a log. If the proxy
        listens on every address, a loopback one.
        """
        return self._reached + self._access.address

    def page_url_once(self) -> str:
        """An address that opens the page once: for the arguments of a browser, which others can see."""
        return self._reached + self._access.once()

    @property
    def _reached(self) -> str:
        return self.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

    @property
    def engine(self) -> str:
        """The state of the sidecar; "ready" once it has loaded what a list needs."""
        loads = self._warming is not None and not self._warming.done()
        return "starting" if loads and self._client.state == "ready" else self._client.state

    def _connected(self) -> PatientHandler:
        assert self._runner is not None
        assert self._runner.server is not None
        return PatientHandler(
            self._runner.server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=passing.IDLE_SECONDS,
            auto_decompress=False,
            access_log=_silent(),
            logger=_silent(),
            max_line_size=passing.LONGEST_LINE,
            max_field_size=passing.LONGEST_FIELD,
        )

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        refused = access.refusal(request.headers, self.settings.names)
        if not refused:
            return await handler(request)
        api = api_of(request.method, request.path)
        return _refusal(api, 403, "permission_error", refused)

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        api = api_of(request.method, request.path)
        if is_ours(request.path):
            return _refusal(api, 404, "not_found_error", f"the page is {PAGE}")
        if not request.raw_path.startswith("/"):
            text = "this proxy forwards calls to one provider only: send a path, not a full URL"
            return _refusal(api, 400, "invalid_request_error", text)
        if request.headers.get("upgrade", "").lower() == "websocket":
            text = "this proxy does not support WebSocket: use HTTP"
            return _refusal(api, 426, "invalid_request_error", text)
        try:
            if api is None:
                sent = passing.body_of(request) if request.body_exists else None
                return await passing.answer(request, await self._ask(request, sent))
            return await self._called(request, api)
        except web.HTTPRequestEntityTooLarge:
            text = f"the request is larger than {LARGEST_BYTES >> 20} MB, so it was not forwarded"
            return _refusal(api, 413, "request_too_large", text)
        except (Broken, HalfBody):
            return passing.broken(request)
        except Bomb as fault:
            text = f"the body was not forwarded: {fault}"
            return _refusal(api, 413, "request_too_large", text)
        except Unreachable as fault:
            return _refusal(api, 502, "api_error", str(fault))

    async def _called(self, request: web.Request, api: ProviderApi) -> web.StreamResponse:
        """Answers a POST request that may contain a list."""
        body = await passing.whole_body(request, LARGEST_BYTES)
        call = await self._read(request, api, body)
        prepared = await self._prepared(call) if call is not None else None
        if prepared is None:
            return await self._passed_on(request, api, body, call, None)
        conversation = prepared.conversation
        conversation.open_calls += 1
        try:
            return await self._passed_on(request, api, body, call, prepared)
        finally:
            conversation.open_calls -= 1

    async def _passed_on(
        self, request: web.Request, api: ProviderApi, body: bytes, call: ListCall | None, prepared: Prepared | None
    ) -> web.StreamResponse:
        """Answers a POST request, whose list was `prepared` if it is one of a conversation."""
        written = await self._written(call, prepared) if call is not None else None
        if written is not None:
            return web.Response(body=written.body, headers={"Content-Type": written.content_type})
        came, beginning = await self._ask(request, body, prepared), UNHEARD
        if prepared is not None and not self.settings.observe:
            prepared, came, beginning = await self._taken(request, body, prepared, came)
        kind, encoding = (came.headers.get(name, "") for name in ("content-type", "content-encoding"))
        reader = UsageReader(api, kind, encoding, self._hearer(prepared))
        try:
            return await passing.answer(request, came, reader.feed, beginning.held)
        finally:  # a program may disconnect with the last byte
            if came.content.is_eof():  # everything arrived, read or not
                reader.end()
            usage = reader.usage if came.status == OK else None
            if prepared is not None:
                if reader.failure is not None and beginning.refusal is None and not self.settings.observe:
                    self.rewriter.note_refusal(prepared, reader.failure)
                if reader.is_cut and not self.settings.observe:
                    self.rewriter.note_cut(prepared, usage)
                self.rewriter.answered(prepared, usage, came.status != OK or reader.failure is not None)
            elif call is not None:
                self.rewriter.passed(call, usage)

    async def _taken(
        self, request: web.Request, body: bytes, prepared: Prepared, came: aiohttp.ClientResponse
    ) -> tuple[Prepared, aiohttp.ClientResponse, Heard]:
        """Returns the answer for the program, with what was sent last, and the part already read. Repeats the call
        after a refusal.
        """
        for tries_left in range(TRIES, -1, -1):
            try:
                beginning = await heard(came, prepared.call.api, prepared.room)
            except BaseException:  # the program disconnects
                came.close()
                raise
            if beginning.refusal is None:
                self.rewriter.note_success(prepared)
            elif not tries_left:
                self.rewriter.note_refusal(prepared, beginning.refusal)
            elif (other := await self.rewriter.again(prepared, beginning.refusal)) is not None:
                came.close()
                prepared, came = other, await self._ask(request, body, other)
                continue
            break
        return prepared, came, beginning

    async def _read(self, request: web.Request, api: ProviderApi, body: bytes) -> ListCall | None:
        """The call; None if ctxmgr cannot read it, or it has no list. Large bodies are read in a thread. Raises
        Bomb.
        """
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._readers)
        encoding = request.headers.get("content-encoding", "")
        try:
            plain = body if encoding in PLAIN else await in_thread(decoded, body, encoding)
            known = self._lists.beginning(plain, api.list_member)
            if len(plain) - known.offset >= LARGE_BYTES:
                return await in_thread(self._read_ahead, request, api, plain, known)
            return self._call_of(request, api, plain, known)
        except Bomb:
            raise
        except Crowded as fault:
            self.settings.say(f"a call was forwarded unchanged: {fault}")
        except UnreadableBody:
            pass
        return None

    def _read_ahead(self, request: web.Request, api: ProviderApi, body: bytes, known: Beginning) -> ListCall | None:
        call = self._call_of(request, api, body, known)
        if call is not None:
            read_ahead(call)
        return call

    def _call_of(self, request: web.Request, api: ProviderApi, body: bytes, known: Beginning) -> ListCall | None:
        """Raises UnreadableBody."""
        body_list = self._lists.read(body, api.list_member, known)
        return api.call_of(request.path, request.headers, body_list) if body_list is not None else None

    async def _prepared(self, call: ListCall) -> Prepared | None:
        """An exception here costs only savings."""
        try:
            return await self.rewriter.prepared(call)
        except Exception as fault:  # noqa: BLE001
            self.settings.say(f"a call was forwarded unchanged: ctxmgr failed ({type(fault).__name__})")
            return None

    async def _written(self, call: ListCall, prepared: Prepared | None) -> WrittenAnswer | None:
        """An exception here makes the provider write the summary."""
        if self.settings.observe:
            return None
        try:
            return await self._summaries.answer(call, prepared.conversation if prepared is not None else None)
        except Exception as fault:  # noqa: BLE001
            self.settings.say(f"ctxmgr could not write a summary, so the provider did ({type(fault).__name__})")
            return None

    def _hearer(self, prepared: Prepared | None) -> Callable[[CalledTool], None] | None:
        """The callback for the model's tool calls in a conversation; None if the model has none of ctxmgr's
        tools.
        """
        if prepared is None or not self.settings.tools_token:
            return None
        return prepared.conversation.tool_calls.append

    async def _warm(self) -> None:
        """Starts the engine and makes it load what a list needs, by a request for a session that does not exist and
        leaves no trace.
        """
        self._client.begin()
        with contextlib.suppress(SidecarFault):
            await self._client.request("context", {"sessionId": "none", "messages": []}, timeout_ms=WARM_MS)

    async def _ask(
        self, request: web.Request, body: bytes | AsyncIterator[bytes] | None, prepared: Prepared | None = None
    ) -> aiohttp.ClientResponse:
        assert self._upstream is not None
        without: tuple[str, ...] = ()
        if prepared is not None and prepared.body is not None:
            body, without = prepared.body, REWRITTEN_WITHOUT
        passed = passing.passed_headers(request.raw_headers, without)
        if prepared is not None and prepared.is_unbound:
            call = prepared.call
            body = call.api.unbound(prepared.body or call.body.with_messages(call.body.messages))
            passed = passing.with_value(
                passing.passed_headers(request.raw_headers, REWRITTEN_WITHOUT), *call.api.unbinding
            )
        return await self._upstream.ask(
            Outgoing(request.method, self._upstream.url(request.raw_path), passed, body)
        )


def _refusal(api: ProviderApi | None, status: int, kind: ErrorKind, text: str) -> web.Response:
    return web.Response(status=status, body=error_of(api, kind, text), content_type="application/json")


def _sidecar(settings: ProxySettings) -> SpawnedSidecar:
    spawned = SpawnedSidecar(state_dir=settings.state_dir)
    if settings.models is None:
        return spawned
    return msgspec.structs.replace(spawned, command=(*spawned.command, "--models", settings.models))


def _silent() -> logging.Logger:
    """A disabled logger: for a request that it cannot read, aiohttp would log the bytes, which may contain keys."""
    made = logging.Logger("ctxmgr.proxy")
    made.disabled = True
    return made
