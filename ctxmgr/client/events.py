"""The events of one session: told in the order in which they come, and held until they are answered.

1. An event is held until it is answered, however late; what one process has not answered is told to the next one,
   before anything else. So nothing that was said while a process hung or was gone is lost.
2. One that is refused is not told again: it would be refused again. One that comes to a process without its session
   is. One that `MOST_TELLINGS` processes have not answered is let go: it may be what ends them.
3. A notification has no answer: what is answered after it says that it was read.
4. At most `HELD_BYTES` are held, the oldest leave first.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from ctxmgr.client.answering import requested
from ctxmgr.client.beginning import Beginning, Line
from ctxmgr.client.channel import Channel
from ctxmgr.client.coding import decoded, encoded
from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model.api import lifecycle
from ctxmgr.wire import errors

HELD_BYTES = 8 << 20  # some hundred turns
MOST_TELLINGS = 3
ANSWERS = {"turn_end": lifecycle.TurnEndResult, "setPolicy": lifecycle.PolicyResult}  # of all others a status


@dataclass(eq=False)
class Event:
    """`sent`: to this process, the last of `tellings`. `answer`: of it; None for a notification."""

    method: str
    params: msgspec.Raw
    notify: bool
    sent: Channel | None = None
    tellings: int = 0
    answer: "asyncio.Future[bytes] | None" = None


class Events:
    """`failed` is called with what went wrong and the method, `status` with the status of each answer. A command in
    an answer is carried out, however late it comes."""

    def __init__(
        self,
        line: Line,
        beginning: Beginning,
        failed: Callable[[Exception, str], object],
        status: Callable[[lifecycle.Status], None],
    ) -> None:
        self._line, self._beginning, self._failed, self._status = line, beginning, failed, status
        self._events: list[Event] = []
        self._carrying: set[asyncio.Task[None]] = set()

    async def ready(self, end: float) -> Channel:
        """A sidecar that knows of the session, and was told all that is held."""
        channel = await self._beginning.ready(end)
        self._send(channel)
        return channel

    async def tell(self, method: str, params: Mapping[str, Any], notify: bool = False) -> Any:
        """An event: its decoded answer, None where none came in time."""
        try:
            end = self._line.ends(method, params)
            event = self._add(method, encoded(method, params), notify)
            channel = await self.ready(end)
            if event.answer is None:
                return None
            self._line.trusts(channel, method)
            try:
                async with asyncio.timeout_at(end):
                    answer = await asyncio.shield(event.answer)
            except TimeoutError:
                channel.life.late(self._line.timing.now_ms())
                raise SidecarFault("timeout", f"no answer to {method} in time", method) from None
            return decoded(method, answer, ANSWERS.get(method, lifecycle.StatusResult))
        except Exception as thrown:  # noqa: BLE001  rule 1
            self._failed(thrown, method)
            return None

    def _add(self, method: str, params: msgspec.Raw, notify: bool) -> Event:
        """Told by the next `send`."""
        event = Event(method, params, notify)
        self._events.append(event)
        while len(self._events) > 1 and sum(len(bytes(one.params)) for one in self._events) > HELD_BYTES:
            del self._events[0]
        return event

    def _send(self, channel: Channel) -> None:
        """Tells this process all that it was not told yet. Does not wait."""
        self._events = [event for event in self._events if event.sent is channel or event.tellings < MOST_TELLINGS]
        for event in [*self._events]:
            if event.sent is channel:
                continue
            event.sent, event.tellings = channel, event.tellings + 1
            if event.notify:
                channel.notify(event.method, event.params)
                continue
            answer = event.answer = channel.ask(event.method, event.params)[1]
            settled = partial(self._settled, event)
            if answer.done():
                settled(answer)
            else:
                answer.add_done_callback(settled)

    def notified(self, channel: Channel) -> list[Event]:
        """The notifications that an answer to what is asked now shows to be read (rule 3)."""
        return [event for event in self._events if event.notify and event.sent is channel]

    def drop(self, told: list[Event]) -> None:
        self._events = [event for event in self._events if event not in told]

    def clear(self) -> None:
        self._events = []

    def _settled(self, event: Event, answer: "asyncio.Future[bytes]") -> None:
        if answer.cancelled():
            return
        fault = answer.exception()
        if isinstance(fault, SidecarFault) and fault.code == errors.UNKNOWN_SESSION:
            event.sent = None
            self._beginning.lost()
        elif fault is None or (isinstance(fault, SidecarFault) and fault.kind == "error"):
            self.drop([event])
            if fault is None:
                self._heard(event, answer.result())

    def _heard(self, event: Event, answer: bytes) -> None:
        """An event was answered, in time or late."""
        if event.sent is not None:
            event.sent.life.answered()
        try:
            found = decoded(event.method, answer, ANSWERS.get(event.method, lifecycle.StatusResult))
        except SidecarFault as fault:
            self._failed(fault, event.method)
            return
        self._line.works(event.method, self._beginning.params.session_id)
        if not isinstance(found, lifecycle.PolicyResult):
            self._status(found.status)
        if isinstance(found, lifecycle.TurnEndResult) and self._line.host.on_request_compaction is not None:
            for command in found.commands:
                if command.method == "requestCompaction":
                    self._carry_out(command.params)

    def _carry_out(self, params: Any) -> None:
        """Not waited for: a program may compact before it answers, and needs the end of the turn for that."""

        async def carried_out() -> None:
            try:
                wanted = msgspec.convert(params, lifecycle.RequestCompactionParams)
            except msgspec.ValidationError as fault:
                self._failed(fault, "requestCompaction")
                return
            result = await requested(self._line.host, wanted)
            if not result.accepted:
                named = {"sessionId": self._beginning.params.session_id, "reason": result.reason or "refused"}
                await self.tell("session_compact_failed", named)

        task = asyncio.get_running_loop().create_task(carried_out())
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)
