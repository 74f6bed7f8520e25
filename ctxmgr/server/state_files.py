"""Carries out what concerns snapshots and the archive: opens, writes, rewrites, syncs and closes their files.

A write that failed is told once a stretch of failures: the session goes on, and the next save tries again.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

from ctxmgr.server import effects as do

# Devices are imported when the first session needs them: a host waits for the answer to `initialize`.
if TYPE_CHECKING:
    from ctxmgr.devices import ArchiveDatabases
    from ctxmgr.devices.snapshots import SnapshotFile, SnapshotStore

SYNC_SECONDS = 2.0  # at most so much is lost when the power fails

Say = Callable[[str], None]


class StateFiles:
    """The open snapshots of a process by session, and its archives. `say`: one line for people; `not_saved` is
    told the session and the line when a stretch of failures begins."""

    def __init__(self, say: Say, not_saved: Callable[[str, str], None]) -> None:
        self.say, self.not_saved = say, not_saved
        self.stores: dict[str, SnapshotStore] = {}
        self.files: dict[str, SnapshotFile] = {}
        self.archives: ArchiveDatabases | None = (
            None  # from the first row on: hosts that declare no `retrieve` pay nothing
        )
        self.live: frozenset[str] = frozenset()  # sessions that are open
        self.dirty: set[str] = set()
        self.faulty: set[str] = set()

    def save(self, effect: do.Save | do.Begin) -> None:
        file = self.files.get(effect.session_id)
        if file is None:
            return
        try:
            if isinstance(effect, do.Begin) and effect.anew:
                self.say(f"a snapshot was set aside as {file.set_aside()}")
            if not _appended(file, effect.line) or file.grown:
                file.rewrite([effect.line] if isinstance(effect, do.Begin) else effect.whole())
        except (OSError, ValueError) as fault:
            self._failed(effect.session_id, fault)
            return
        self.faulty.discard(effect.session_id)
        self.dirty.add(effect.session_id)

    def _failed(self, session_id: str, fault: Exception) -> None:
        if session_id not in self.faulty:
            self.faulty.add(session_id)
            text = f"a snapshot could not be written: {fault}"
            self.not_saved(session_id, text)
            self.say(text)

    def open(self, effect: do.Open) -> do.SnapshotLoaded:
        from pathlib import Path

        from ctxmgr.devices import default_state_dir
        from ctxmgr.devices.snapshots import SnapshotStore

        directory = effect.state_dir or default_state_dir()
        store = self.stores.get(directory)
        if store is None:
            store = self.stores[directory] = SnapshotStore(Path(directory))
        self._set_live(self.live | {effect.session_id})
        opened = store.open(effect.session_id)
        if opened.file is not None:
            self.files[effect.session_id] = opened.file
        return do.SnapshotLoaded(opened.lines, opened.fault, opened.refused)

    def close(self, session_id: str) -> None:
        self._set_live(self.live - {session_id})
        file = self.files.pop(session_id, None)
        self.dirty.discard(session_id)
        if file is not None:
            self._unless_it_fails(file.close)

    def close_all(self) -> None:
        for session_id in list(self.files):
            self.close(session_id)
        if self.archives is not None:
            self.archives.close()

    def _set_live(self, live: frozenset[str]) -> None:
        self.live = live
        if self.archives is not None:
            self.archives.live = live

    def archive(self, effect: do.PutRows | do.GetRow) -> "Future[Any]":
        from ctxmgr.devices import ArchiveDatabases, default_state_dir

        if self.archives is None:
            self.archives = ArchiveDatabases(self.live)
        directory, id = effect.state_dir or default_state_dir(), effect.session_id
        if isinstance(effect, do.PutRows):
            return self.archives.put(directory, id, effect.rows, effect.limits)
        return self.archives.get(directory, id, effect.handle, effect.limits)

    async def sync_now_and_then(self, threads: Executor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            dirty, self.dirty = self.dirty, set()
            for file in [self.files[one] for one in dirty if one in self.files]:
                await loop.run_in_executor(threads, self._unless_it_fails, file.sync)

    def _unless_it_fails(self, sync: Callable[[], None]) -> None:
        try:
            sync()
        except OSError as fault:
            self.say(f"a snapshot could not be synced: {fault}")


def _appended(file: "SnapshotFile", line: bytes) -> bool:
    """False where the disk did not take it, or did not take the base before; a rewrite may fit by now."""
    try:
        file.append(line)
    except (OSError, ValueError):
        return False
    return True
