"""Sessions that nobody has asked for in `idleMinutes` leave memory; the next call about one brings it back from its
snapshot, as it was.

1. It leaves only where its snapshot is known to be whole on the disk, and while nothing is under way for it.
2. What no snapshot holds and a host has settled stays: the format, the notes, the counts (`Resting`). Its list does
   not: the next one is answered as after a restart.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import msgspec

from ctxmgr.server.session_queue import QueuedCall, Resting, SessionQueue, SessionQueues
from ctxmgr.session import SessionCore


class Release(msgspec.Struct, frozen=True):
    """What a session asks for that is to leave: its snapshot closed. Whether it was whole is answered."""


class IdleSessions:
    """`busy`: has this session a job under way? `rested` is told of each that left."""

    def __init__(self, queues: SessionQueues, busy: Callable[[str], bool], rested: Callable[[str], None]) -> None:
        self._queues, self._busy, self._rested = queues, busy, rested

    def minute(self) -> None:
        """A minute has passed."""
        for queue in list(self._queues.by_session.values()):
            session = queue.session
            if session is None or not self._may_leave(queue, session):
                continue
            queue.idle_minutes += 1
            if session.policy.idle_minutes and queue.idle_minutes >= session.policy.idle_minutes:
                start = partial(self._leave, queue, session)
                self._queues.submit(queue, QueuedCall(start, lambda value: value, "rest"))

    def _may_leave(self, queue: SessionQueue, session: SessionCore) -> bool:
        """Rule 1."""
        under_way = not queue.idle or queue.asking or session.prefetch.future or self._busy(queue.session_id)
        return not under_way and queue.saved is not None and not session.pending_archive and not session.unarchived

    def _leave(self, queue: SessionQueue, session: SessionCore) -> Generator[Any, Any, None]:
        released = yield Release()
        if released is True and queue.session is session:
            resting = Resting.of(session)
            queue.forget()
            queue.resting = resting
            self._rested(queue.session_id)
