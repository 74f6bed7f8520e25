"""Tells a sidecar of a session, once a process: before anything else that is asked about it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from ctxmgr.client.channel import Channel
from ctxmgr.client.coding import decoded, fault_of
from ctxmgr.client.settings import Host, Timing
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model.api import lifecycle, raw_json

Entries = Sequence[Mapping[str, Any]] | Callable[[], Sequence[Mapping[str, Any]] | None] | None


class Line(Protocol):
    """What a session needs of its client."""

    host: Host
    timing: Timing

    def ends(
        self, method: str, params: Mapping[str, Any] | None = None, timeout_ms: float | None = None
    ) -> float: ...
    async def connected(self, end: float) -> Channel: ...
    async def ask(self, channel: Channel, method: str, params: Any, end: float) -> bytes: ...
    def trusts(self, channel: Channel, method: str) -> None: ...
    def works(self, method: str, session_id: str = "") -> None: ...
    def note(self, fault: SidecarFault, session_id: str = "") -> None: ...
    def forget(self, session_id: str) -> None: ...
    def reserve(self, model_id: str) -> float: ...


class Beginning:
    """`restored`: it was known to ctxmgr; None while it could not be told. `status`: of that answer."""

    def __init__(self, line: Line, params: lifecycle.SessionStartParams, entries: Entries) -> None:
        self.params = params
        self.restored: bool | None = None
        self.status: lifecycle.Status | None = None
        self._line, self._entries = line, entries
        self._on: Channel | None = None  # the one that knows of the session
        self._starting: asyncio.Task[SidecarFault | None] | None = None

    @property
    def is_started(self) -> bool:
        return self._on is not None and self._on.fault is None

    def lost(self) -> None:
        """The process is another one, or has forgotten the session."""
        self._on = None

    async def ready(self, end: float) -> Channel:
        """A sidecar that knows of the session. `end`: the loop's time until which is waited; what is begun goes
        on. Raises SidecarFault."""
        channel = await self._line.connected(end)
        if self._on is channel:
            return channel
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._start(channel))
        try:
            async with asyncio.timeout_at(end):
                fault = await asyncio.shield(self._starting)
        except TimeoutError:
            raise SidecarFault("starting", "the session is being started") from None
        if fault is not None:
            raise fault.again()
        return channel

    async def _start(self, channel: Channel) -> SidecarFault | None:
        try:
            params = msgspec.structs.replace(self.params, entries=self._given())
            answer = await self._line.ask(channel, "session_start", params, self._line.ends("session_start"))
            started = decoded("session_start", answer, lifecycle.SessionStartResult)
        except Exception as thrown:  # noqa: BLE001  the next call tries again
            return fault_of(thrown, "session_start")
        finally:
            self._starting = None
        self._line.works("session_start", self.params.session_id)
        self.restored, self.status, self._on = started.restored, started.status, channel
        return None

    def _given(self) -> list[msgspec.Raw] | None:
        """A list is old by the second time, and ctxmgr has a snapshot; a function is asked again."""
        entries = self._entries() if callable(self._entries) else None if self.is_old else self._entries
        return None if entries is None else [msgspec.Raw(raw_json(one, "$.entries")) for one in entries]

    @property
    def is_old(self) -> bool:
        return self.restored is not None
