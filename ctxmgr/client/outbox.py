"""The outbox of a session: what the sidecar is sent about it. First its start, once per process, then its events in
order.

1. An event is kept until it is answered, however late. Events that one process has not answered go to the next one,
   before anything else. So nothing is lost while a process hangs or is gone.
2. A refused event is not sent again, because it would be refused again. An event that reached a process without its
   session is sent again. An event that `MOST_SENDINGS` processes have not answered is dropped, because it may be
   what ends them.
3. A notification has no answer. The answer to a later request shows that it was read.
4. At most `HELD_BYTES` are kept. The oldest events are dropped first.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from ctxmgr.client.channel import Channel, decoded, encoded, fault_of
from ctxmgr.client.host import Host, Timing, requested
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model.api import lifecycle, raw_json
from ctxmgr.wire import errors

HELD_BYTES = 8 << 20  # a few hundred turns
MOST_SENDINGS = 3

Answer = TypeVar("Answer")
Entries = Sequence[Mapping[str, Any]] | Callable[[], Sequence[Mapping[str, Any]] | None] | None


@dataclass(eq=False)
class Event:
    """`kind`: the type of its answer. `sent`: the process that it was last sent to. `sendings`: how many processes
    it was sent to. `answer`: its answer; None for a notification.
    """

    method: str
    params: msgspec.Raw
    kind: Any
    notify: bool
    sent: Channel | None = None
    sendings: int = 0
    answer: "asyncio.Future[bytes] | None" = None


class Sidecar(Protocol):
    """What a session needs from its client."""

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


class Outbox:
    """`restored`: whether ctxmgr knew the session; None until it answered. `failed` is called with each fault and
    its method, `heard` with the status of each answer. A command in an answer is carried out, however late it
    comes.
    """

    def __init__(
        self,
        client: Sidecar,
        params: lifecycle.SessionStartParams,
        entries: Entries,
        failed: Callable[[Exception, str], object],
        heard: Callable[[lifecycle.Status], None],
    ) -> None:
        self.params = params
        self.restored: bool | None = None
        self._client, self._entries, self._failed, self._heard = client, entries, failed, heard
        self._on: Channel | None = None  # the process that knows the session
        self._starting: asyncio.Task[SidecarFault | None] | None = None
        self._events: list[Event] = []
        self._carrying: set[asyncio.Task[None]] = set()

    # the session

    @property
    def is_started(self) -> bool:
        return self._on is not None and self._on.fault is None

    def lost(self) -> None:
        """The process is a new one, or does not know the session any more."""
        self._on = None

    async def ready(self, end: float) -> Channel:
        """Returns a sidecar that knows the session and was sent all events. `end`: when to stop waiting, in the
        loop's time; a start then continues in the background. Raises SidecarFault.
        """
        channel = await self._client.connected(end)
        if self._on is not channel:
            if self._starting is None:
                self._starting = asyncio.get_running_loop().create_task(self._start(channel))
            try:
                async with asyncio.timeout_at(end):
                    fault = await asyncio.shield(self._starting)
            except TimeoutError:
                raise SidecarFault("starting", "the session is starting") from None
            if fault is not None:
                raise fault.again()
        self._send(channel)
        return channel

    async def _start(self, channel: Channel) -> SidecarFault | None:
        try:
            params = msgspec.structs.replace(self.params, entries=self._entry_list())
            answer = await self._client.ask(channel, "session_start", params, self._client.ends("session_start"))
            started = decoded("session_start", answer, lifecycle.SessionStartResult)
        except Exception as thrown:  # noqa: BLE001  the next call tries again
            return fault_of(thrown, "session_start")
        finally:
            self._starting = None
        self._client.works("session_start", self.params.session_id)
        self.restored, self._on = started.restored, channel
        self._heard(started.status)
        return None

    def _entry_list(self) -> list[msgspec.Raw] | None:
        """The entries for `session_start`. A list is sent only the first time, because later it is outdated and
        ctxmgr has a snapshot; a function is called each time.
        """
        is_old = self.restored is not None
        entries = self._entries() if callable(self._entries) else None if is_old else self._entries
        return None if entries is None else [msgspec.Raw(raw_json(entry, "$.entries")) for entry in entries]

    # its events

    async def event(
        self, method: str, params: Mapping[str, Any], kind: type[Answer], notify: bool = False
    ) -> Answer | None:
        """The decoded answer, or None without one in time."""
        try:
            end = self._client.ends(method, params)
            event = self._add(Event(method, encoded(method, params), kind, notify))
            channel = await self.ready(end)
            if event.answer is None:
                return None
            self._client.trusts(channel, method)
            try:
                async with asyncio.timeout_at(end):
                    answer = await asyncio.shield(event.answer)
            except TimeoutError:
                channel.life.late(self._client.timing.now_ms())
                raise SidecarFault("timeout", f"no answer to {method} in time", method) from None
            return decoded(method, answer, kind)
        except Exception as thrown:  # noqa: BLE001  rule 1
            self._failed(thrown, method)
            return None

    def notified(self, channel: Channel) -> list[Event]:
        """The notifications that the answer to a request sent now proves to be read (rule 3)."""
        return [event for event in self._events if event.notify and event.sent is channel]

    def drop(self, events: list[Event]) -> None:
        self._events = [event for event in self._events if event not in events]

    def clear(self) -> None:
        self._events = []

    def _add(self, event: Event) -> Event:
        """Queues an event. The next `ready` sends it."""
        self._events.append(event)
        while len(self._events) > 1 and sum(len(bytes(held.params)) for held in self._events) > HELD_BYTES:
            del self._events[0]
        return event

    def _send(self, channel: Channel) -> None:
        """Sends this process everything that it was not sent yet. Does not block."""
        self._events = [event for event in self._events if event.sent is channel or event.sendings < MOST_SENDINGS]
        for event in [*self._events]:
            if event.sent is channel:
                continue
            event.sent, event.sendings = channel, event.sendings + 1
            if event.notify:
                channel.notify(event.method, event.params)
                continue
            answer = event.answer = channel.ask(event.method, event.params)[1]
            settled = partial(self._settled, event)
            if answer.done():
                settled(answer)
            else:
                answer.add_done_callback(settled)

    def _settled(self, event: Event, answer: "asyncio.Future[bytes]") -> None:
        if answer.cancelled():
            return
        fault = answer.exception()
        if isinstance(fault, SidecarFault) and fault.code == errors.UNKNOWN_SESSION:
            event.sent = None
            self.lost()
        elif fault is None or (isinstance(fault, SidecarFault) and fault.kind == "error"):
            self.drop([event])
            if fault is None:
                self._answered(event, answer.result())

    def _answered(self, event: Event, answer: bytes) -> None:
        """Called for each answer, in time or late."""
        if event.sent is not None:
            event.sent.life.answered()
        try:
            result = decoded(event.method, answer, event.kind)
        except SidecarFault as fault:
            self._failed(fault, event.method)
            return
        self._client.works(event.method, self.params.session_id)
        if not isinstance(result, lifecycle.PolicyResult):
            self._heard(result.status)
        if isinstance(result, lifecycle.TurnEndResult) and self._client.host.on_request_compaction is not None:
            for command in result.commands:
                if command.method == "requestCompaction":
                    task = asyncio.get_running_loop().create_task(self._carry_out(command.params))
                    self._carrying.add(task)
                    task.add_done_callback(self._carrying.discard)

    async def _carry_out(self, params: Any) -> None:
        """Carries out a requested compaction. Nothing waits for it: a program may compact before it answers, and
        for that the turn must have ended.
        """
        try:
            wanted = msgspec.convert(params, lifecycle.RequestCompactionParams)
        except msgspec.ValidationError as fault:
            self._failed(fault, "requestCompaction")
            return
        result = await requested(self._client.host, wanted)
        if not result.accepted:
            named = {"sessionId": self.params.session_id, "reason": result.reason or "refused"}
            await self.event("session_compact_failed", named, lifecycle.StatusResult)
