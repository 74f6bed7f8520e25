"""Limits what sessions keep in memory, by bytes and by time.

1. A gate limits how many bytes of lists are read at once: until a list is read, it costs several times its size.
   Other calls wait in their order.
2. Lists that were read are limited over all sessions. The least recently used give way. The bytes of a list are
   stored joined, so that it can be compared and sent without a copy. Beyond `JOINED_BYTES` only the messages keep
   them, and they are joined again when the session's next list arrives (2 ms for 8 MB). Beyond `READ_BYTES` the
   whole list is dropped, and the session continues as after a restart. Lists of current calls and the most recent
   list are never dropped.
3. Sessions without a call for `idleMinutes` leave memory. The next call brings a session back from its snapshot. A
   session leaves only if its snapshot is complete on disk and nothing is running for it. What a host has set and
   no snapshot has stays: the format, the notes, the counts (`Resting`). The list does not stay, so the next one is
   answered as after a restart.
4. If file descriptors run out, as many of the least recently used sessions leave as are needed. The most recent
   one stays, and `KEPT` stay while `FEWEST` are free. A session that cannot leave is skipped.
"""

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from ctxmgr.server.effects import FEW, FEWEST
from ctxmgr.server.session_queue import Resting, SessionQueue, SessionQueues
from ctxmgr.session import SessionCore
from ctxmgr.session.context import RawMessages

FREE_BYTES = 1 << 20  # a list with at most this many new bytes never waits
AT_ONCE_BYTES = 12 << 20  # limit for lists read together; a larger list is read alone
JOINED_BYTES = 12 << 20
HELD = 2  # file descriptors of each session
KEPT = 6  # sessions
READ_BYTES = 40 << 20  # of JSON; the messages read from it take 1.5 times as much


class Room(msgspec.Struct, frozen=True):
    """A call's request to wait for room for this many bytes."""

    size: int


class ReadingGate:
    def __init__(self) -> None:
        self._reading = 0  # bytes
        self._waiting: deque[tuple[int, int]] = deque()  # ticket, bytes

    def enters(self, size: int) -> bool:
        """Whether this many bytes may be read now; they count until `left`."""
        if self._waiting or not self._has_room(size):
            return False
        self._reading += size
        return True

    def wait(self, ticket: int, size: int) -> None:
        self._waiting.append((ticket, size))

    def left(self, size: int) -> None:
        self._reading -= size

    def next(self) -> int | None:
        """The ticket of the call that may enter now; it counts from now on."""
        if not self._waiting or not self._has_room(self._waiting[0][1]):
            return None
        ticket, size = self._waiting.popleft()
        self._reading += size
        return ticket

    def _has_room(self, size: int) -> bool:
        return not self._reading or self._reading + size <= AT_ONCE_BYTES


class ListMemory:
    def __init__(self, by_session: Mapping[str, SessionQueue]) -> None:
        self._by_session = by_session
        self._joined, self._read = RecentlyUsed(JOINED_BYTES), RecentlyUsed(READ_BYTES)

    def used(self, queue: SessionQueue) -> None:
        """Records that this session has just received a list."""
        size = queue.raw_messages.size
        for id in self._joined.used(queue.session_id, size):
            if (other := self._at_rest(id)) is not None and other.session is not None:
                other.raw_messages.part([message.raw for message in other.session.projection.messages])
        for id in self._read.used(queue.session_id, size):
            if (other := self._at_rest(id)) is not None and other.session is not None:
                other.session.let_go()
                other.raw_messages = RawMessages()

    def ended(self, session_id: str) -> None:
        self._joined.forget(session_id)
        self._read.forget(session_id)

    def _at_rest(self, session_id: str) -> SessionQueue | None:
        queue = self._by_session.get(session_id)
        return queue if queue is not None and queue.busy is None else None


class RecentlyUsed:
    """Names and their bytes, by last use."""

    def __init__(self, limit: int) -> None:
        self._limit, self._total = limit, 0
        self._sizes: dict[str, int] = {}

    def used(self, name: str, size: int) -> list[str]:
        """Records a use. Returns the names that exceed the limit, and forgets them."""
        self.forget(name)
        self._sizes[name] = size
        self._total += size
        leaving = []
        for oldest in list(self._sizes) if self._total > self._limit else ():
            if self._total <= self._limit or oldest == name:
                break
            self.forget(oldest)
            leaving.append(oldest)
        return leaving

    def forget(self, name: str) -> None:
        self._total -= self._sizes.pop(name, 0)


class Release(msgspec.Struct, frozen=True):
    """A request of a session that leaves memory: close its snapshot. The value says whether it was complete."""


class IdleSessions:
    """`busy`: whether a session has a running job. `rested` is called with each session that left."""

    def __init__(self, queues: SessionQueues, busy: Callable[[str], bool], rested: Callable[[str], None]) -> None:
        self._queues, self._busy, self._rested = queues, busy, rested
        self._calls = itertools.count(1)

    def used(self, queue: SessionQueue) -> None:
        """Records a call."""
        queue.idle_minutes, queue.last_use = 0, next(self._calls)

    def spare(self, free: int) -> None:
        """Frees file descriptors, if only `free` are left (rule 4)."""
        in_memory = [queue for queue in self._queues.by_session.values() if queue.session is not None]
        oldest = sorted(in_memory, key=lambda queue: queue.last_use)
        self._spare_next(iter(oldest[:-1]), len(oldest), free)

    def _spare_next(self, oldest: Iterator[SessionQueue], count: int, free: int) -> None:
        """`count`: sessions in memory."""
        if free >= FEWEST and (free >= FEW or count <= KEPT):
            return
        for queue in oldest:
            if (session := queue.session) is not None and self._may_leave(queue, session):
                self._queues.submit(queue, partial(self._spare, queue, session, oldest, count, free))
                return

    def _spare(
        self, queue: SessionQueue, session: SessionCore, oldest: Iterator[SessionQueue], count: int, free: int
    ) -> Generator[Any, Any, None]:
        with suppress(Exception):  # its snapshot could not be synced: it stays
            yield from self._leave(queue, session)
        left = queue.session is None
        self._spare_next(oldest, count - left, free + HELD * left)

    def minute(self) -> None:
        """Call this once per minute."""
        for queue in list(self._queues.by_session.values()):
            session = queue.session
            if session is None or not self._may_leave(queue, session):
                continue
            queue.idle_minutes += 1
            if queue.idle_minutes >= session.policy.idle_minutes:
                self._queues.submit(queue, partial(self._leave, queue, session))

    def _may_leave(self, queue: SessionQueue, session: SessionCore) -> bool:
        """Whether the session may leave memory (rule 3)."""
        if not session.policy.idle_minutes:
            return False
        under_way = not queue.idle or queue.asking or session.prefetch.future or self._busy(queue.session_id)
        return not under_way and queue.saved is not None and not session.pending_archive and not session.unarchived

    def _leave(self, queue: SessionQueue, session: SessionCore) -> Generator[Any, Any, None]:
        released = yield Release()
        if released is True and queue.session is session:
            resting = Resting.of(session)
            queue.forget()
            queue.resting = resting
            self._rested(queue.session_id)
