"""Keeps one session in the store, from `session_start` to its end, on the loop of `SessionStore`.

1. The stored copy decides at the start. The exception is what only this machine has: lines that were saved here and
   not uploaded yet. They are uploaded if nobody else has written since (`beginning` compares bytes).
2. A store that cannot be reached stops nobody. The session uses the local copy, is claimed as soon as possible, and
   uploads its changes then. If another machine has written in the meantime, the stored copy wins there.
3. An owner that lost the session says so once, and uploads nothing more.
4. A live owner renews its head every third of the lease. After `IDLE_LEASES` without changes it releases the
   session, so that an unused session costs nothing. The next change claims it again, if nobody else did. A session
   that is dropped from memory is released at once.
5. A change is uploaded at most `delay_ms` later, or when the previous batch is done. The time counts from the first
   change that was not uploaded, not from the end of that batch.
6. A session that was deleted in the store on purpose continues here and is not uploaded again. One that was purged,
   or whose head is gone, is uploaded again with its next change.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence

import msgspec

from ctxmgr.devices import ArchiveFault
from ctxmgr.model import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.store import beginning
from ctxmgr.store.beginning import Begun, Location
from ctxmgr.store.head import SessionHead
from ctxmgr.store.objects import StoreFault
from ctxmgr.store.protocol import Away, Busy, Fenced, Ownership
from ctxmgr.store.uploading import Uploading

IDLE_LEASES = 10  # without changes: five minutes
START_MS = 3_000  # how long a start waits for a store that does not answer
RETRY_SECONDS = 1.0  # after the first failed attempt; doubles each time, up to
RETRY_SECONDS_AT_MOST = 30.0
FLUSH_SECONDS = 4.0  # how long a call waits for a store that does not answer; clients wait five
OFFLINE = "nothing goes to the store for now"  # prefix of the reason
NO_ANSWER = "the store gives no clear answer"
LATER = "what is new is kept here, and goes there later"
FENCED = "another machine has gone on with this session: nothing more of it is saved in the store from here"
DELETED = "the session was deleted in the store: nothing more of it is saved there from here"
NOT_KEPT = "the session is not saved in the store: {}"
ROWS_NOT_KEPT = "what left the session is not saved in the store: {}"

Heard = Callable[[str, Stored], None]


class Terms(msgspec.Struct, frozen=True):
    """`delay_ms`: how far the store may lag behind. `start_ms`: how long a start waits for the store's first
    answers.
    """

    delay_ms: int
    lease_ms: int
    start_ms: int = START_MS


class SessionKeeper:
    """Call `begin`, then `go` and the methods of a running session, or `abandon`.

    Calls `heard` whenever it changes how far the session is safe.
    """

    def __init__(self, location: Location, terms: Terms, heard: Heard) -> None:
        self._location, self._terms, self._notify = location, terms, heard
        self._uploading: Uploading | None = None  # while this machine owns it
        self._over = False  # nothing is uploaded any more
        self.stored = Stored()
        self._unsent: set[str] = set()  # keys of rows; other threads add to it
        self._wake = asyncio.Event()
        self._hurry = asyncio.Event()
        self._flushes: list[asyncio.Future[None]] = []
        self._changed = self._leaving = self._resting = False
        self._failures = 0
        self._renewed = self._used = self._changed_since = time.monotonic()
        self._task: asyncio.Task[None] | None = None
        self._beginning: asyncio.Task[Begun] | None = None
        self.begin_count = 0  # how often `begin` was called
        self._began_from: int | None = None  # hash of the local copy at the start

    async def begin(self) -> Begun:
        """Claims the session and fetches the stored copy. A second call before `go` gets the same result."""
        self.begin_count += 1
        if self._beginning is None:
            self._beginning = asyncio.create_task(self._begin())
        return await asyncio.shield(self._beginning)

    async def _begin(self) -> Begun:
        self._began_from = hash(await asyncio.to_thread(self._location.saved))
        try:
            begun = await beginning.begun(self._location, self._terms.lease_ms, self._terms.start_ms / 1000)
        except StoreFault as fault:
            self._end(NOT_KEPT.format(fault))
            return Begun(stored=self.stored)
        if begun.refused:
            return begun
        if begun.ownership is None:
            self._tell(_offline(begun.cause))
        else:
            self._owns(begun)
        return msgspec.structs.replace(begun, stored=self.stored)

    async def still_holds(self) -> bool:
        """Whether a second `begin` may get the first result: it is still running, or the lease is still ours and
        the local copy has not changed.
        """
        begun = self._beginning
        if begun is not None and begun.done():
            is_over = self._uploading is None or time.monotonic() - self._renewed > self._terms.lease_ms / 1000
            if is_over or begun.cancelled():
                return False
        return self._began_from in (None, hash(await asyncio.to_thread(self._location.saved)))

    async def abandon(self) -> None:
        """Nobody used the result of `begin`: releases the session."""
        if self._beginning is not None and not self._beginning.done():
            self._beginning.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._beginning
        if self._uploading is not None:
            self._uploading.tail.close()
            with contextlib.suppress(StoreFault):
                await beginning.let_go(self._location, self._uploading.ownership)

    def go(self) -> None:
        """The local copy is now as `begin` returned it. Uploads start."""
        self._notify(self._location.session_id, self.stored)
        if not self._over and self._task is None:
            self._task = asyncio.create_task(self._run())

    @property
    def knows_of_change(self) -> bool:
        return self._changed

    def changed(self) -> None:
        """The snapshot has grown."""
        if not self._changed:
            self._changed_since = time.monotonic()
        self._changed, self._resting = True, False
        self._wake.set()

    def rest(self) -> None:
        """The session was dropped from memory: rule 4."""
        self._resting = True
        self._wake.set()

    def add(self, rows: Sequence[ArchiveRow]) -> None:
        """These rows are in the local archive. Thread-safe."""
        self._unsent.update([row.key for row in rows])

    async def flush(self, leaving: bool = False) -> Stored:
        """Returns when everything saved before this call is stored, or cannot be stored now. `leaving`: also
        releases the session; no call may follow.
        """
        self._leaving |= leaving
        if not self._over and self._task is not None:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._flushes.append(done)
            self._wake.set()
            self._hurry.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_SECONDS):
                    await done
        if leaving:
            await self._stop()
        return self.stored

    async def _stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if self._uploading is not None:
            self._uploading.tail.close()

    # the task

    async def _run(self) -> None:
        while not self._over:
            await self._waited()
            changed, self._changed = self._changed, False
            flushes, self._flushes = self._flushes, []
            try:
                done = await self._batch()
            except (StoreFault, OSError, ArchiveFault) as fault:
                self._tell(NOT_KEPT.format(fault.strerror if isinstance(fault, OSError) else fault))
                done = False
            if done:
                self._failures = 0
                for flush in flushes:
                    if not flush.done():
                        flush.set_result(None)
                if self._leaving and flushes:
                    return
            else:
                self._failures += 1
                self._changed |= changed
                self._flushes = [*flushes, *self._flushes]

    async def _waited(self) -> None:
        """Waits until there is something to do, and then as long as it may be delayed."""
        if self._failures:
            pause = min(RETRY_SECONDS * 2.0 ** (self._failures - 1), RETRY_SECONDS_AT_MOST)
            self._hurry.clear()
            await _within(self._hurry, pause)
            return
        if not self._changed and not self._flushes:
            self._wake.clear()
            await _within(self._wake, self._until_renewal())
        if self._changed and not self._flushes:
            self._hurry.clear()
            due = self._changed_since + self._terms.delay_ms / 1000  # rule 5
            await _within(self._hurry, max(0.0, due - time.monotonic()))

    def _until_renewal(self) -> float | None:
        if self._uploading is None:
            return 0.0
        if not self._uploading.ownership.head.is_open:
            return None
        return max(0.0, self._renewed + self._terms.lease_ms / 3000 - time.monotonic())

    async def _batch(self) -> bool:
        """Uploads one batch. Returns whether nothing is left to upload."""
        if self._uploading is None:
            return await self._claimed()
        now = time.monotonic()
        renews = self._until_renewal() == 0.0
        idle = renews and now - self._used > IDLE_LEASES * self._terms.lease_ms / 1000
        lets_go = self._leaving or (not self._changed and (idle or self._resting))
        before = self._uploading.ownership.head.contents
        came = await self._uploading.upload(not lets_go, renews)
        if isinstance(came, Away):
            self._tell(_offline(came.cause))
            return False
        if isinstance(came, Fenced):
            return await self._lost(came.head)
        if isinstance(came, Ownership):
            self._renewed = now
            if came.head.contents != before:
                self._used = now
            if not came.head.is_open and not self._leaving:
                self._uploading.tail.rest()
        fault = self._uploading.archive_fault
        self._tell(None if fault is None else ROWS_NOT_KEPT.format(fault))
        return fault is None

    async def _claimed(self) -> bool:
        """Rule 2: it could not be claimed at the start."""
        came = await beginning.claimed_later(self._location, self._terms.lease_ms)
        if isinstance(came, Away):
            self._tell(_offline(came.cause))
            return False
        if isinstance(came, Busy):
            self._end(DELETED if came.head.deleted else FENCED)
            return True
        self._owns(came)
        return await self._batch()

    async def _lost(self, head: SessionHead | None) -> bool:
        """Rules 3 and 6."""
        if head is not None and not head.deleted:
            self._end(FENCED)
            return True
        assert self._uploading is not None
        self._uploading.tail.close()
        self._uploading, self.stored = None, Stored()  # the store has nothing any more
        if head is not None and not head.is_purged:
            self._end(DELETED)
            return True
        return await self._claimed()

    def _owns(self, begun: Begun) -> None:
        assert begun.ownership is not None
        location = self._location
        self._unsent |= begun.unsent
        uploading = Uploading(location, begun.ownership, self._unsent)
        if begun.stored_bytes is not None:
            uploading.tail.knows(begun.stored_bytes)
        self._uploading = uploading
        self.changed()
        self._renewed = self._used = time.monotonic()
        self._tell(None)

    # what is told

    def _tell(self, note: str | None) -> None:
        seq = self.stored.seq
        if self._uploading is not None and self._uploading.ownership.head.contents.lines:
            seq = self._uploading.ownership.head.contents.seq
        stored = Stored(seq, note)
        if stored != self.stored:
            self.stored = stored
            if self._task is not None:
                self._notify(self._location.session_id, stored)

    def _end(self, note: str) -> None:
        """Rule 3."""
        self._over = True
        self._tell(note)
        for flush in self._flushes:
            if not flush.done():
                flush.set_result(None)


def _offline(cause: str) -> str:
    return f"{OFFLINE}, as {cause or NO_ANSWER}: {LATER}"


async def _within(event: asyncio.Event, seconds: float | None) -> None:
    if seconds == 0.0:
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):  # `wait_for` in 3.11 can lose a cancellation
            await event.wait()
