"""The client for programs without an event loop: the asynchronous client on a loop of its own in a thread. Each
call blocks.

Callbacks of `Host` may call the client, except `on_trouble`, which runs on that loop.
"""

import asyncio
import contextlib
import functools
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any, Concatenate, ParamSpec, TypeVar

from ctxmgr.client.client import AsyncClient, State
from ctxmgr.client.host import Host, InProcessSidecar, SpawnedSidecar, Timing
from ctxmgr.client.outbox import Entries
from ctxmgr.client.session import AsyncClientSession, ContextOutcome
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model import Policy
from ctxmgr.model.api import GivenTools, M, lifecycle, message_list

Value = TypeVar("Value")
P = ParamSpec("P")


class Client:
    """A sidecar and its sessions, as a context manager: on exit the sidecar saves and ends. Any thread may call
    it. The parameters are those of `AsyncClient`."""

    def __init__(
        self,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        format: str = "pi",
        tools: GivenTools | None = None,
        sidecar: SpawnedSidecar | InProcessSidecar | None = None,
        host: Host | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._client = AsyncClient(policy, format=format, tools=tools, sidecar=sidecar, host=host, timing=timing)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    @property
    def trouble(self) -> SidecarFault | None:
        """See `AsyncClient`."""
        return self._client.trouble

    @property
    def state(self) -> State:
        """See `AsyncClient`."""
        return self._client.state

    @property
    def server(self) -> lifecycle.InitializeResult | None:
        """The answer to `initialize`, or None before it."""
        return self._client.server

    def session(
        self,
        session_id: str,
        model: lifecycle.Model | Mapping[str, Any],
        *,
        cwd: str | None = None,
        entries: Entries = None,
        leaf_id: str | None = None,
    ) -> "ClientSession":
        """See `AsyncClient`. Raises SidecarFault once the client is closed."""
        begun = self.run(self._client.session(session_id, model, cwd=cwd, entries=entries, leaf_id=leaf_id))
        return ClientSession(self, begun)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout_ms: float | None = None
    ) -> Any:
        """See `AsyncClient`. Raises SidecarFault."""
        return self.run(self._client.request(method, params, timeout_ms=timeout_ms))

    def restart(self) -> None:
        """See `AsyncClient`."""
        self._client.restart()

    def close(self) -> None:
        """See `AsyncClient`. After that, `context` returns the best list without ctxmgr."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._client.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    def run(self, call: Coroutine[Any, Any, Value]) -> Value:
        """Waits for a call of the asynchronous client. Raises SidecarFault if the client is closed. Raises
        RuntimeError on the loop's own thread, where the call would wait for itself.
        """
        try:
            loop = self._running_loop()
        except BaseException:
            call.close()
            raise
        try:
            waiting = asyncio.run_coroutine_threadsafe(call, loop)
        except RuntimeError:  # another thread has just closed it
            call.close()
            raise SidecarFault("disposed", "the client was closed") from None
        try:
            return waiting.result()
        except CancelledError:
            raise SidecarFault("disposed", "the client was closed meanwhile") from None
        except BaseException:  # an interrupt: nobody waits for the call any more
            waiting.cancel()
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise SidecarFault("disposed", "the client was closed")
            if self._thread is threading.current_thread():
                raise RuntimeError("called on the client's own loop")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_turn, args=(self._loop,), name="ctxmgr-client", daemon=True)
                self._thread.start()
            return self._loop


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    """Runs the loop from its first call to `stop`."""
    asyncio.set_event_loop(loop)
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    with contextlib.suppress(Exception):
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.close()


def _waited(
    call: Callable[Concatenate[AsyncClientSession, P], Coroutine[Any, Any, Value | None]],
) -> Callable[Concatenate["ClientSession", P], Value | None]:
    """A blocking version of the call. Returns None if the client is closed, as when ctxmgr does not answer."""

    @functools.wraps(call)
    def wait(self: "ClientSession", /, *args: P.args, **kwargs: P.kwargs) -> Value | None:
        try:
            return self._client.run(call(self._session, *args, **kwargs))
        except SidecarFault:
            return None

    return wait


class ClientSession:
    """Made by `Client.session`. Its methods are documented at `AsyncClientSession`."""

    def __init__(self, client: Client, session: AsyncClientSession) -> None:
        self._client, self._session = client, session
        self.session_id = session.session_id

    @property
    def restored(self) -> bool | None:
        return self._session.restored

    @property
    def outcome(self) -> ContextOutcome | None:
        return self._session.outcome

    @property
    def last_status(self) -> lifecycle.Status | None:
        return self._session.last_status

    def context(
        self,
        messages: Sequence[M],
        *,
        overhead_tokens: int | None = None,
        time_ms: float | None = None,
        own_marks: int | None = None,
        prefix_change: lifecycle.PrefixChange | None = None,
    ) -> list[M]:
        given = message_list(messages)
        try:
            call = self._session.context(
                given,
                overhead_tokens=overhead_tokens,
                time_ms=time_ms,
                own_marks=own_marks,
                prefix_change=prefix_change,
            )
            return self._client.run(call)
        except (SidecarFault, RuntimeError) as fault:
            return self._session.without(given, overhead_tokens, fault)

    turn_end = _waited(AsyncClientSession.turn_end)
    model_select = _waited(AsyncClientSession.model_select)
    session_compact = _waited(AsyncClientSession.session_compact)
    session_compact_failed = _waited(AsyncClientSession.session_compact_failed)
    session_tree = _waited(AsyncClientSession.session_tree)
    before_compact = _waited(AsyncClientSession.before_compact)
    before_tree = _waited(AsyncClientSession.before_tree)
    status = _waited(AsyncClientSession.status)
    end = _waited(AsyncClientSession.end)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout_ms: float | None = None
    ) -> Any:
        return self._client.run(self._session.request(method, params, timeout_ms=timeout_ms))
