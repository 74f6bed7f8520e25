"""The store of a process: its sessions, each kept by a task, on a loop in a thread of their own. No answer of the
sidecar waits for it but the start and the end of a session, and `flush`.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from ctxmgr.model import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.store.beginning import Begun, Place
from ctxmgr.store.head import LEASE_MS
from ctxmgr.store.keeping import Heard, SessionKeeper, Terms
from ctxmgr.store.objects import opened

DELAY_MS = 1_000  # what a turn saves within a second goes in one batch
Value = TypeVar("Value")


class SessionStore:
    """`heard` is called in another thread."""

    def __init__(self, url: str, heard: Heard, delay_ms: int | None = None, lease_ms: int | None = None) -> None:
        """Asks for nothing yet. BadAddress."""
        self._objects = opened(url)
        self._terms = Terms(DELAY_MS if delay_ms is None else delay_ms, LEASE_MS if lease_ms is None else lease_ms)
        self._notify = heard
        self._keepers: dict[str, SessionKeeper] = {}
        self._ending: dict[str, asyncio.Task[Stored]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None

    def begin(self, session_id: str, snapshot: Path) -> "Future[Begun]":
        """Claims the session; `snapshot` is its file here, which is not touched. Then comes `go` or `close`."""

        async def begin() -> Begun:
            ending = self._ending.get(session_id)
            if ending is not None:
                await asyncio.wait([ending])
            kept = SessionKeeper(Place(self._objects, session_id, snapshot), self._terms, self._notify)
            begun = await kept.begin()
            if begun.refused is None:
                self._keepers[session_id] = kept
            return begun

        return self._submit(begin())

    def go(self, session_id: str) -> None:
        """The file here is as `begin` said: from now on it goes to the store."""
        self._call(session_id, SessionKeeper.go)

    def changed(self, session_id: str) -> None:
        """The file here has grown, or was written anew."""
        kept = self._keepers.get(session_id)
        if kept is not None and not kept.knows_of_change:
            self._loop.call_soon_threadsafe(kept.changed)

    def add(self, session_id: str, rows: Sequence[ArchiveRow]) -> None:
        """The archive here has these rows."""
        kept = self._keepers.get(session_id)
        if kept is not None:
            for row in rows:
                kept.add(row)
            self._loop.call_soon_threadsafe(kept.changed)

    def flush(self, session_id: str, leaving: bool = False) -> "Future[Stored]":
        """What was saved before this call is there, or can not be had there now. `leaving`: the session ends."""

        async def flush() -> Stored:
            kept = self._keepers.get(session_id)
            return await kept.flush(leaving) if kept is not None else Stored()

        return self._submit(flush())

    def close(self, session_id: str) -> None:
        """Sends what is left, and lets go of the session, in the background."""

        def close() -> None:
            kept = self._keepers.pop(session_id, None)
            if kept is not None:
                task = self._loop.create_task(kept.flush(leaving=True))
                self._ending[session_id] = task
                task.add_done_callback(lambda _: self._ending.pop(session_id, None))

        if self._thread is not None:
            self._loop.call_soon_threadsafe(close)

    def end(self, seconds: float) -> None:
        """Waits so long for what was closed. Nothing comes after."""
        if self._thread is None:
            self._loop.close()
            return

        async def ended() -> None:
            if self._ending:
                await asyncio.wait(list(self._ending.values()), timeout=seconds)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        with contextlib.suppress(TimeoutError):
            self._submit(ended()).result(seconds + 1.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1.0)
        if not self._thread.is_alive():
            self._loop.close()

    def _call(self, session_id: str, does: Callable[[SessionKeeper], None]) -> None:
        kept = self._keepers.get(session_id)
        if kept is not None:
            self._loop.call_soon_threadsafe(does, kept)

    def _submit(self, work: Awaitable[Value]) -> "Future[Value]":
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop.run_forever, name="store", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)  # type: ignore[arg-type]
