"""Turns answered calls into `telemetry/event` notifications, if the host declared `telemetry`.

1. Events follow the answer of their call, so nothing waits for them.
2. A fault in telemetry is reported once per kind and affects no call.
3. The only clock is the one that the connection was given. It measures how long a call took. A transcript has no
   clock, so that a replay gives the same bytes.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import msgspec

from ctxmgr.model import faults
from ctxmgr.model.api import TelemetryEvent
from ctxmgr.model.saved import State
from ctxmgr.server.config import ConnectionConfig, SessionRequest
from ctxmgr.server.peer import Peer, SplicedResult
from ctxmgr.session import SessionCore, call_events, job_event

METHOD = "telemetry/event"
LATENCY = "ctxmgr.latency_ms"


class Telling:
    """`say` prints a line for people."""

    def __init__(self, terms: ConnectionConfig, peer: Peer, say: Callable[[str], None]) -> None:
        self._is_wanted = bool(terms.capabilities.telemetry)
        self._clock_ms = None if terms.record else terms.clock_ms
        self._peer, self._say = peer, say
        self._events: list[TelemetryEvent] = []
        self._faults: set[str] = set()

    def now_ms(self) -> float | None:
        """The time of a call, by the given clock."""
        return self._clock_ms() if self._is_wanted and self._clock_ms is not None else None

    def call(
        self,
        session: SessionCore,
        request: SessionRequest,
        before: State | None,
        value: Any,
        began_ms: float | None,
    ) -> None:
        """Records a call that was answered. `before`: the session's state at that time."""
        if not self._is_wanted:
            return
        answer = value.parts[1:-1] if isinstance(value, SplicedResult) else ()
        try:
            events = call_events(session, request.method, request.params, before, answer)
        except Exception as fault:  # noqa: BLE001  rule 2
            self._failed(fault)
        else:
            timed = request.method == "context"
            self._events += [
                self._timed(event, began_ms) if timed and not number else event
                for number, event in enumerate(events)
            ]

    def job(
        self, session: SessionCore | None, request: SessionRequest, done: "Future[Any]", began_ms: float | None
    ) -> None:
        """Records a long call that has ended."""
        if not self._is_wanted or done.cancelled():
            return
        fault = done.exception()
        value = None if fault is not None else done.result()
        event = job_event(session, request.params.session_id, request.method, value, fault)
        if event is not None:
            self._events.append(self._timed(event, began_ms))

    def tell(self) -> None:
        """Sends what has happened since (rule 1)."""
        events, self._events = self._events, []
        for event in events:
            self._peer.notify(METHOD, event)

    def _timed(self, event: TelemetryEvent, began_ms: float | None) -> TelemetryEvent:
        if began_ms is None or self._clock_ms is None:
            return event
        took = round(self._clock_ms() - began_ms, 3)
        return msgspec.structs.replace(event, attributes={**event.attributes, LATENCY: took})

    def _failed(self, fault: Exception) -> None:
        where = faults.where(fault)
        if where not in self._faults:
            self._faults.add(where)
            self._say(f"telemetry: {where}")
