"""Queues: the calls of one session run one after the other, while other sessions continue.

A call that needs something from outside (a snapshot, work in a thread) parks its queue, and no other, until it
gets it. A queue never waits for the host: a host may send an event before it answers our request.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from typing import Any

import msgspec

from ctxmgr.formats import MessageFormat
from ctxmgr.model.saved import Latch, ModelSpec, State, Totals
from ctxmgr.session import SessionCore
from ctxmgr.session.context import RawMessages

PENDING = object()  # the value of a call that has not ended

Routine = Generator[Any, Any, Any]


class QueuedCall:
    """One call in a queue. `finish` turns its value into the answer when it has ended."""

    def __init__(self, start: Callable[[], Any], finish: Callable[[Any], Any]) -> None:
        self.start, self.finish = start, finish
        self.routine: Routine | None = None
        self.future: Future[Any] | None = None

    @property
    def cancelled(self) -> bool:
        return self.future is not None and self.future.cancelled()


class Resting(msgspec.Struct, frozen=True):
    """What is kept of a session that left memory. `latch` and `totals` belong to the state at `seq`."""

    model: ModelSpec
    fmt: MessageFormat
    format_settled: bool
    warnings: tuple[str, ...]
    seq: int
    latch: Latch
    totals: Totals

    @staticmethod
    def of(session: SessionCore) -> "Resting":
        state = session.state
        settled = session.fmt, session.format_settled, session.warnings
        return Resting(state.model, *settled, state.seq, state.latch, state.totals)

    def resume(self, session: SessionCore) -> None:
        """Restores this in the session."""
        if session.fmt is not self.fmt:
            session.read_as(self.fmt)
        session.format_settled = self.format_settled
        session.warnings = tuple(dict.fromkeys((*self.warnings, *session.warnings)))
        if session.state.seq == self.seq:  # no other process continued it meanwhile
            session.state = msgspec.structs.replace(session.state, latch=self.latch, totals=self.totals)


class SessionQueue:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.calls: deque[QueuedCall] = deque()
        self.busy: QueuedCall | None = None
        self.idle_minutes = 0  # since the last call
        self.last_use = 0  # number of the last call
        self.asking = 0  # our requests about it that the host has not answered
        self.forget()

    def forget(self) -> None:
        """Resets the session, which has ended or not begun; queued calls stay."""
        self.session: SessionCore | None = None
        self.raw_messages = RawMessages()
        self.saved: State | None = None  # as in the snapshot
        self.unreadable = False  # its snapshot contained no valid state
        self.strange: tuple[bytes, ...] = ()  # snapshot lines of kinds not known here
        self.resting: Resting | None = None  # what is kept of a session that has left memory

    @property
    def idle(self) -> bool:
        return self.busy is None and not self.calls


class SessionQueues:
    """`park` is called with (ticket, wanted) when a call needs something. `resume` brings its value."""

    def __init__(self, park: Callable[[int, SessionQueue, Any], None], tickets: Iterator[int]) -> None:
        self.by_session: dict[str, SessionQueue] = {}
        self._park = park
        self._tickets: dict[int, SessionQueue] = {}
        self._ticket = tickets

    @property
    def idle(self) -> bool:
        return all(queue.idle for queue in self.by_session.values())

    def submit(
        self, queue: SessionQueue, start: Callable[[], Any], finish: Callable[[Any], Any] = lambda value: value
    ) -> Any:
        """Runs the call now if the queue is free. Returns its value, or a future of it."""
        call = QueuedCall(start, finish)
        if queue.idle:
            value = self._run(queue, call)
            if value is not PENDING:
                return value
        else:
            queue.calls.append(call)
        call.future = Future()
        return call.future

    def resume(self, ticket: int, value: Any) -> None:
        """Delivers what a parked call asked for."""
        queue = self._tickets.pop(ticket, None)
        if queue is None:
            return  # a job that has ended waited for it
        call = queue.busy
        assert call is not None
        queue.busy = None
        self._settle(call, lambda: self._step(queue, call, value))
        while queue.busy is None and queue.calls:
            following = queue.calls.popleft()
            if not following.cancelled:
                self._settle(following, lambda: self._run(queue, following))  # noqa: B023  called at once

    def _run(self, queue: SessionQueue, call: QueuedCall) -> Any:
        value = call.start()
        if isinstance(value, Generator):
            call.routine = value
            return self._step(queue, call, None)
        return call.finish(value)

    def _step(self, queue: SessionQueue, call: QueuedCall, value: Any) -> Any:
        assert call.routine is not None
        if call.cancelled:
            call.routine.close()
            return PENDING
        try:
            failed = isinstance(value, BaseException)
            wanted = call.routine.throw(value) if failed else call.routine.send(value)
        except StopIteration as stop:
            return call.finish(stop.value)
        queue.busy = call
        ticket = next(self._ticket)
        self._tickets[ticket] = queue
        self._park(ticket, queue, wanted)
        return PENDING

    @staticmethod
    def _settle(call: QueuedCall, run: Callable[[], Any]) -> None:
        """Sets the call's future to the result of `run`."""
        future = call.future
        assert future is not None
        try:
            value = run()
        except Exception as fault:  # noqa: BLE001  it becomes the error answer
            if not future.cancelled():
                future.set_exception(fault)
            return
        if value is not PENDING and not future.cancelled():
            future.set_result(value)
