"""Lanes: the calls of one session, one after the other, while other sessions go on.

A call that needs something from outside (a snapshot, work in a thread) parks its lane, and nothing else, until
it has got it. A lane never waits for the host: a host may send an event before it answers our request.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from typing import Any

from ctxmgr.model.saved import State
from ctxmgr.session import Reader, SessionCore
from ctxmgr.session.context import Spool

PENDING = object()  # the value of a call that has not ended

Routine = Generator[Any, Any, Any]


class QueuedCall:
    """One call on its way through a lane. `finish` turns its value into the answer, once it has ended."""

    def __init__(self, start: Callable[[], Any], finish: Callable[[Any], Any], name: str) -> None:
        self.start, self.finish, self.name = start, finish, name
        self.routine: Routine | None = None
        self.future: Future[Any] | None = None

    @property
    def cancelled(self) -> bool:
        return self.future is not None and self.future.cancelled()


class SessionQueue:
    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.queue: deque[QueuedCall] = deque()
        self.busy: QueuedCall | None = None
        self.forget()

    def forget(self) -> None:
        """The session has ended, or not begun; what is queued stays."""
        self.session: SessionCore | None = None
        self.spool = Spool()
        self.saved: State | None = None  # as the snapshot knows it
        self.unreadable = False  # what its snapshot held made up no state
        self.strange: tuple[bytes, ...] = ()  # snapshot lines of kinds not known here
        self.next_reader: Reader | None = None

    @property
    def idle(self) -> bool:
        return self.busy is None and not self.queue


class SessionQueues:
    """`park` is called with (ticket, wanted) when a call needs something; `resume` brings its value."""

    def __init__(self, park: Callable[[int, SessionQueue, Any], None], tickets: Iterator[int]) -> None:
        self.by_session: dict[str, SessionQueue] = {}
        self._park = park
        self._tickets: dict[int, SessionQueue] = {}
        self._ticket = tickets

    @property
    def idle(self) -> bool:
        return all(lane.idle for lane in self.by_session.values())

    def submit(self, lane: SessionQueue, job: QueuedCall) -> Any:
        """Runs the job now if the lane is free. The value it ended with, or a future of it."""
        if lane.idle:
            value = self._run(lane, job)
            if value is not PENDING:
                return value
        else:
            lane.queue.append(job)
        job.future = Future()
        return job.future

    def resume(self, ticket: int, value: Any) -> None:
        """What a parked call asked for is there."""
        lane = self._tickets.pop(ticket, None)
        if lane is None:
            return  # an errand that has ended waited for it
        job = lane.busy
        assert job is not None
        lane.busy = None
        self._settle(job, lambda: self._step(lane, job, value))
        while lane.busy is None and lane.queue:
            following = lane.queue.popleft()
            if not following.cancelled:
                self._settle(following, lambda: self._run(lane, following))  # noqa: B023  called at once

    def _run(self, lane: SessionQueue, job: QueuedCall) -> Any:
        value = job.start()
        if isinstance(value, Generator):
            job.routine = value
            return self._step(lane, job, None)
        return job.finish(value)

    def _step(self, lane: SessionQueue, job: QueuedCall, value: Any) -> Any:
        assert job.routine is not None
        if job.cancelled:
            job.routine.close()
            return PENDING
        try:
            failed = isinstance(value, BaseException)
            wanted = job.routine.throw(value) if failed else job.routine.send(value)
        except StopIteration as stop:
            return job.finish(stop.value)
        lane.busy = job
        ticket = next(self._ticket)
        self._tickets[ticket] = lane
        self._park(ticket, lane, wanted)
        return PENDING

    @staticmethod
    def _settle(job: QueuedCall, run: Callable[[], Any]) -> None:
        """Gives the job's future what the run gives."""
        future = job.future
        assert future is not None
        try:
            value = run()
        except Exception as fault:  # noqa: BLE001  it becomes the error answer
            if not future.cancelled():
                future.set_exception(fault)
            return
        if value is not PENDING and not future.cancelled():
            future.set_result(value)
