"""The store of a process. Each of its sessions is kept by a task, on a loop in a separate thread. Only the start
and the end of a session and `flush` wait for the store.

1. A start that the host gave up continues here, and the next start of that session gets its result, so waiting for
   a lease or a large download is not repeated. If no start follows within a lease, the session is released.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from ctxmgr.model import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.store.beginning import Begun, Location
from ctxmgr.store.head import LEASE_MS
from ctxmgr.store.keeping import START_MS, Heard, SessionKeeper, Terms
from ctxmgr.store.objects import opened

DELAY_MS = 1_000  # changes within a second go in one batch
Value = TypeVar("Value")


class SessionStore:
    """`heard` is called in another thread."""

    def __init__(
        self,
        url: str,
        heard: Heard,
        delay_ms: int | None = None,
        lease_ms: int | None = None,
        start_ms: int = START_MS,
    ) -> None:
        """Sends no request yet. Raises BadAddress."""
        self._objects = opened(url)
        delay = DELAY_MS if delay_ms is None else delay_ms
        self._terms = Terms(delay, LEASE_MS if lease_ms is None else lease_ms, start_ms)
        self._notify = heard
        self._keepers: dict[str, SessionKeeper] = {}
        self._begun: dict[str, SessionKeeper] = {}  # those without `go` so far
        self._ending: dict[str, asyncio.Task[Any]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None

    def begin(self, session_id: str, snapshot: Path) -> "Future[Begun]":
        """Claims the session. `snapshot` is its local file, which is not changed. The caller then calls `go` or
        `close`, or nothing if it gave up (rule 1).
        """

        async def begin() -> Begun:
            ending = self._ending.get(session_id)
            if ending is not None:
                await asyncio.wait([ending])
            keeper = self._begun.get(session_id)
            if keeper is not None and not await keeper.still_holds():
                await self._abandon(session_id, keeper)
                keeper = None
            if keeper is None:
                objects = self._objects.remembered_in(snapshot.parent)
                keeper = SessionKeeper(Location(objects, session_id, snapshot), self._terms, self._notify)
                self._begun[session_id] = keeper
            return await keeper.begin()

        return self._submit(begin())

    def go(self, session_id: str) -> None:
        """The local file is as `begin` returned it. Uploads start."""
        keeper = self._begun.pop(session_id, None)
        if keeper is not None:
            self._keepers[session_id] = keeper
            self._loop.call_soon_threadsafe(keeper.go)

    def rest(self, session_id: str) -> None:
        """The session is idle: another machine may claim it. It is kept until it is closed."""
        keeper = self._keepers.get(session_id)
        if keeper is not None:
            self._loop.call_soon_threadsafe(keeper.rest)

    def safe(self, session_id: str) -> Stored | None:
        """How far the session is safe; None if it is not kept."""
        keeper = self._keepers.get(session_id)
        return None if keeper is None else keeper.stored

    def changed(self, session_id: str) -> None:
        """The local file has grown or was rewritten."""
        keeper = self._keepers.get(session_id)
        if keeper is not None and not keeper.knows_of_change:
            self._loop.call_soon_threadsafe(keeper.changed)

    def add(self, session_id: str, rows: Sequence[ArchiveRow]) -> None:
        """The local archive has these rows."""
        keeper = self._keepers.get(session_id)
        if keeper is not None:
            keeper.add(rows)
            self._loop.call_soon_threadsafe(keeper.changed)

    def flush(self, session_id: str, leaving: bool = False) -> "Future[Stored]":
        """Returns when everything saved before this call is stored, or cannot be stored now. `leaving`: the session
        ends.
        """

        async def flush() -> Stored:
            keeper = self._keepers.get(session_id)
            return await keeper.flush(leaving) if keeper is not None else Stored()

        return self._submit(flush())

    def close(self, session_id: str) -> None:
        """Uploads the rest and releases the session, in the background."""

        def close() -> None:
            keeper = self._keepers.pop(session_id, None)
            if keeper is not None:
                task = self._loop.create_task(keeper.flush(leaving=True))
                self._ending[session_id] = task
                task.add_done_callback(lambda _: self._ending.pop(session_id, None))
            elif (begun := self._begun.get(session_id)) is not None:
                seconds = self._terms.lease_ms / 1000
                self._loop.call_later(seconds, self._forget, session_id, begun, begun.begin_count)

        if self._thread is not None:
            self._loop.call_soon_threadsafe(close)

    def end(self, seconds: float) -> None:
        """Waits this long for closed sessions. No call may follow."""
        if self._thread is None:
            self._loop.close()
            return

        async def ended() -> None:
            leaving = [*self._ending.values()]
            leaving += [asyncio.create_task(self._abandon(*item)) for item in list(self._begun.items())]
            if leaving:
                await asyncio.wait(leaving, timeout=seconds)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        with contextlib.suppress(TimeoutError):
            self._submit(ended()).result(seconds + 1.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1.0)
        if not self._thread.is_alive():
            self._loop.close()

    def _forget(self, session_id: str, begun: SessionKeeper, begin_count: int) -> None:
        """Rule 1."""
        if self._begun.get(session_id) is begun and begun.begin_count == begin_count:
            self._ending[session_id] = task = self._loop.create_task(self._abandon(session_id, begun))
            task.add_done_callback(lambda _: self._ending.pop(session_id, None))

    async def _abandon(self, session_id: str, begun: SessionKeeper) -> None:
        if self._begun.get(session_id) is begun:
            self._begun.pop(session_id, None)
        await begun.abandon()

    def _submit(self, work: Awaitable[Value]) -> "Future[Value]":
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop.run_forever, name="store", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)  # type: ignore[arg-type]
