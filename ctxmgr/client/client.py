"""Starts a sidecar, sends `initialize`, restarts it after it has ended, and lets it go.

Rules:
1. The first call that needs the sidecar starts it. After it has ended, the first call after the delay does. No
   call waits longer than its time-out, but the start continues.
2. A process that hangs (`SignsOfLife`) is killed and counts as ended. The next one starts when it is gone, because
   it holds the files of its sessions.
3. Some failures are not retried: no such program, `initialize` refused. `restart` tries again.
"""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from ctxmgr.client.channel import Channel, Link, SignsOfLife, decoded, encoded
from ctxmgr.client.fallback import reserve
from ctxmgr.client.host import (
    LONG,
    Host,
    InProcessSidecar,
    RestartLimits,
    SpawnedSidecar,
    Timing,
    answering,
    bound_ms,
    greeting,
    hearing,
)
from ctxmgr.client.links import RuntimeLink, SpawnedLink, cannot_start, load_server
from ctxmgr.client.outbox import Entries
from ctxmgr.client.session import AsyncClientSession
from ctxmgr.client.trouble import SidecarFault, Trouble
from ctxmgr.model import Policy
from ctxmgr.model.api import GivenTools, lifecycle, model_of

KILLED_SECONDS = 10.0  # for the system to remove a killed process

State = Literal["idle", "starting", "ready", "waiting", "failed", "disposed"]


class Restarts:
    """When the next start is allowed. It reads no clock: callers pass the time in milliseconds."""

    def __init__(self, limits: RestartLimits) -> None:
        self._limits = limits
        self._start_times_ms: list[float] = []

    def delay_ms(self, now: float) -> float | None:
        """Milliseconds from now to the next start, which is counted. None after too many starts."""
        limits = self._limits
        self._start_times_ms = [time_ms for time_ms in self._start_times_ms if time_ms > now - limits.within_ms]
        if len(self._start_times_ms) >= limits.limit:
            return None
        self._start_times_ms.append(now)
        return min(limits.first_delay_ms * 2.0 ** (len(self._start_times_ms) - 1), limits.longest_delay_ms)


class AsyncClient:
    """A sidecar and its sessions, on the event loop of its calls. It is an async context manager: on exit the
    sidecar saves and ends.

    `policy` applies to all sessions. `format` is the format of their messages (`pi`, `openai`, `anthropic`,
    `responses`, `gemini`). `tools` says what your own tools do, if their names do not:
    `{"name": "load", "reads": "doc"}`. Raises InvalidParams if `policy` or `tools` are invalid.
    """

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
        self.host, self.timing = host or Host(), timing or Timing()
        self._sidecar = sidecar or SpawnedSidecar()
        self._greeting = greeting(self.host, policy, format, self._sidecar.state_dir, tools)
        self._trouble = Trouble(self.host.on_trouble, self.host.on_recovery)
        self._restarts = Restarts(self.timing.restarts)
        self._sessions: dict[str, AsyncClientSession] = {}
        self._channel: Channel | None = None
        self._link: Link | None = None
        self._starting: asyncio.Task[Channel | SidecarFault] | None = None
        self._down: SidecarFault | None = None  # why no request is possible, until `_retry_ms`
        self._retry_ms: float | None = 0.0  # None: never again
        self._disposed = False
        self.server: lifecycle.InitializeResult | None = None

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *fault: object) -> None:
        await self.close()

    # for programs

    @property
    def trouble(self) -> SidecarFault | None:
        """What went wrong and has not worked since. None if the last answers were good."""
        return self._trouble.last

    @property
    def state(self) -> State:
        """idle: not started yet. waiting: the next start is delayed. failed: given up, or no such program."""
        if self._disposed:
            return "disposed"
        if self._starting is not None:
            return "starting"
        if self._down is not None:
            return "failed" if self._retry_ms is None else "waiting"
        return "ready" if self._channel is not None else "idle"

    async def session(
        self,
        session_id: str,
        model: lifecycle.Model | Mapping[str, Any],
        *,
        cwd: str | None = None,
        entries: Entries = None,
        leaf_id: str | None = None,
        format: str | None = None,
    ) -> AsyncClientSession:
        """Starts a session, or returns the one with that id. `model`: `{"id", "contextWindow"}` and anything else
        that you know of it. `entries`: the session tree, or a function that is called again after each restart.
        `format`: of its messages, if it differs from the client's.

        It never fails because of ctxmgr: what cannot be sent now is sent by a later call. Raises InvalidParams if
        `model` is invalid.
        """
        session = self.opened(session_id, model, cwd=cwd, entries=entries, leaf_id=leaf_id, format=format)
        await session.tell_of_it(self.timing.session_ms)
        return session

    def opened(
        self,
        session_id: str,
        model: lifecycle.Model | Mapping[str, Any],
        *,
        cwd: str | None = None,
        entries: Entries = None,
        leaf_id: str | None = None,
        format: str | None = None,
    ) -> AsyncClientSession:
        """Like `session`, but does not wait: ctxmgr learns of the session with the first call."""
        session = self._sessions.get(session_id)
        if session is None:
            begins = lifecycle.SessionStartParams(
                session_id, model_of(model), cwd, leaf_id=leaf_id, message_format=format
            )
            session = self._sessions[session_id] = AsyncClientSession(self, begins, entries)
        return session

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, timeout_ms: float | None = None
    ) -> Any:
        """Calls any method, with params as in the protocol. Returns the decoded answer. Raises SidecarFault."""
        end = self.ends(method, params, timeout_ms)
        answer = await self.ask(await self.connected(end), method, encoded(method, params), end)
        self.works(method)
        return msgspec.json.decode(answer)

    def begin(self) -> None:
        """Starts the sidecar before a call needs it. It does not wait. If that fails, the first call reports it."""
        if self.state == "idle":
            self._starting = asyncio.get_running_loop().create_task(self._start())

    def restart(self) -> None:
        """Allows the next call to start the sidecar again, after it was given up."""
        self._restarts = Restarts(self.timing.restarts)
        self._retry_ms = 0.0

    async def close(self) -> None:
        """Lets the sidecar save and end within `end_ms`, then kills it. No later call reaches it."""
        if self._disposed:
            return
        self._disposed = True
        end = asyncio.get_running_loop().time() + self.timing.end_ms / 1000
        if self._starting is not None:
            await asyncio.wait({self._starting}, timeout=self.timing.end_ms / 1000)
        channel = self._channel
        if channel is None:
            return
        if channel.fault is None:
            with contextlib.suppress(SidecarFault):
                for session_id in list(self._sessions):
                    with contextlib.suppress(SidecarFault):
                        await channel.call("session_shutdown", lifecycle.SessionParams(session_id), end)
                await channel.call("shutdown", None, end)
                channel.notify("exit")
                channel.end_input()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(end):
                    await asyncio.shield(channel.finished)
        channel.kill(SidecarFault("disposed", "the client was closed"))
        await asyncio.wait({channel.finished}, timeout=KILLED_SECONDS)

    # for its sessions

    def ends(self, method: str, params: Mapping[str, Any] | None = None, timeout_ms: float | None = None) -> float:
        """When to stop waiting for an answer to this call, in the loop's time."""
        if timeout_ms is None:
            deadline = (params or {}).get("deadlineMs")
            timeout_ms = bound_ms(self.timing, method, deadline if isinstance(deadline, int | float) else None)
        return asyncio.get_running_loop().time() + timeout_ms / 1000

    async def connected(self, end: float) -> Channel:
        """The sidecar, after `initialize`. Raises SidecarFault."""
        try:
            async with asyncio.timeout_at(end):
                return await self._connected()
        except TimeoutError:
            raise SidecarFault("starting", "ctxmgr is starting") from None

    async def _connected(self) -> Channel:
        if self._disposed:
            raise SidecarFault("disposed", "the client was closed")
        channel = self._channel
        if self._starting is None and channel is not None and channel.fault is None:
            if not channel.life.hangs(self.timing.now_ms()):
                return channel
            channel.kill(SidecarFault("timeout", "the process does not respond"))
        if self._starting is None:
            retry_at = self._retry_ms
            if self._down is not None and (retry_at is None or self.timing.now_ms() < retry_at):
                raise self._down.again()
            self._starting = asyncio.get_running_loop().create_task(self._start())
        started = await asyncio.shield(self._starting)
        if isinstance(started, SidecarFault):
            raise started.again()
        return started

    async def ask(self, channel: Channel, method: str, params: Any, end: float) -> bytes:
        """The result as JSON. Raises SidecarFault."""
        if method in ("context", *LONG):
            self.trusts(channel, method)
        try:
            answer = await channel.call(method, params, end)
        except SidecarFault as fault:
            if fault.kind == "error":
                channel.life.answered()
            if fault.kind == "timeout" and method not in LONG:
                channel.life.late(self.timing.now_ms())
            raise
        channel.life.answered()
        return answer

    def trusts(self, channel: Channel, method: str) -> None:
        """Raises SidecarFault if the process is in doubt, because then no call should wait for it."""
        if channel.life.doubted:
            raise SidecarFault("timeout", "the process has not answered since a late call", method)

    def works(self, method: str, session_id: str = "") -> None:
        """Records a good answer to this method."""
        self._trouble.works(method, session_id)

    def note(self, fault: SidecarFault, session_id: str = "") -> None:
        """Records a fault that no exception reports to the program."""
        self._trouble.note(fault, session_id)

    def forget(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)
        self._trouble.forget(session_id)

    def reserve(self, model_id: str) -> float:
        """Tokens reserved for the reply."""
        return reserve(self._greeting.policy or {}, model_id)

    # the process

    async def _start(self) -> Channel | SidecarFault:
        try:
            before = self._channel
            if before is not None:
                await before.finished
            return await self._greeted()
        except SidecarFault as fault:
            return fault
        finally:
            self._starting = None

    async def _greeted(self) -> Channel:
        life = SignsOfLife(self.timing.hang_ms)
        channel = Channel(answering(self.host), life, self._broken, hearing(self.host))
        params = self._greeting
        try:
            if isinstance(self._sidecar, InProcessSidecar):
                await load_server()
                self._link = RuntimeLink(self._sidecar, channel.receive, channel.closed)
            else:
                params = msgspec.structs.replace(params, process_id=os.getpid())
                self._link = SpawnedLink(self._sidecar, channel.receive, channel.closed)
        except Exception as fault:  # noqa: BLE001  no such program, a server that cannot be loaded
            missing = SidecarFault("missing", cannot_start(self._sidecar, fault))
            self._broken(missing)
            raise missing from None
        self._channel = channel
        channel.attach(self._link)
        try:
            answer = await channel.call("initialize", params, self.ends("initialize"))
            self.server = decoded("initialize", answer, lifecycle.InitializeResult)
        except SidecarFault as fault:
            channel.kill(fault)
            raise
        channel.notify("initialized")
        self._down = None
        self.works("initialize")
        return channel

    def _broken(self, fault: SidecarFault) -> None:
        """Called when no call to this process is possible any more."""
        if self._disposed:
            return
        lasting = fault.kind == "missing" or (fault.method == "initialize" and fault.kind == "error")
        now = self.timing.now_ms()
        delay = None if lasting else self._restarts.delay_ms(now)
        self._down, self._retry_ms = fault, None if delay is None else now + delay
        self.note(fault)
        if delay is None and not lasting:
            text = f"ctxmgr ended too often; the last time: {fault.message}"
            self._down = SidecarFault("gaveUp", text)
            self.note(self._down)
