"""Carries out effects on snapshots and the archive: opens, writes, rewrites, syncs and closes their files.

1. A failed write is reported once per series of failures. The session continues in memory, and the next save writes
   the whole snapshot again.
2. If a session's file could not be opened, or is gone, each save tries to open it again. A file that exists by then
   is set aside, unless the session was started from it. If it could not be read when the session started, it stays.
3. With a store, the version in the store has priority if another machine has continued the session. The local
   version is set aside, unless the one in the store starts with it.
4. If few file descriptors are left, `spare` is called, so that sessions leave memory. If hardly any are left, a
   session has no file until there are more, because everything else that is opened or imported needs them (rule 2).
5. A session that left memory stays claimed in the store. The call that brings it back continues from its file at
   once, if nobody else wrote to it. A start asks the store again.
"""

import asyncio
import errno
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ctxmgr.model import ArchiveRow, faults
from ctxmgr.model.saved import Stored
from ctxmgr.server import effects as do
from ctxmgr.server.config import Setup
from ctxmgr.server.effects import FEW, FEWEST, outcome

# Devices are imported when the first session needs them: a host waits for the answer to `initialize`.
if TYPE_CHECKING:
    from ctxmgr.devices import ArchiveDatabases
    from ctxmgr.devices.snapshots import OpenedSnapshot, SnapshotFile, SnapshotStore
    from ctxmgr.store import Begun, SessionStore

OPEN_DESCRIPTORS = "/proc/self/fd", "/dev/fd"  # Linux; macOS and the BSDs
SYNC_SECONDS = 2.0  # maximum that is lost in a power failure
STORE_SECONDS = 5.0  # time for saving to the store at the end
DELETED = "the session was deleted in the store, so it starts empty"
ELSEWHERE = "another machine continued the session, so it continues from the version in the store"

Say = Callable[[str], None]
FileState = tuple[int, int, int] | None  # inode, size and time of change; None if the file is gone


class NotSaved(Exception):
    """A session's file is not available now. The text is a sentence."""


class OpenSession:
    """A session that is open in this process. `begun_from`: the hash of the lines that it continued from; None if
    they could not be read. `anew`: its file is not a valid state and is to be set aside. `is_dirty`: not everything
    that was saved is on disk. `is_faulty`: the last save failed, and that was reported. `ticket`: of the call that
    opened it.
    """

    def __init__(self, state_dir: str | None, ticket: int = 0) -> None:
        self.state_dir, self.ticket = state_dir, ticket
        self.file: SnapshotFile | None = None
        self.begun_from: int | None = None
        self.anew = self.written = self.is_dirty = self.is_faulty = False


class StateFiles:
    """The open snapshots of a process by session, and its archives. `say` prints a line for people; `not_saved` is
    called with the session and the line when a series of failures begins. `store`: also saves them.
    """

    def __init__(
        self,
        say: Say,
        not_saved: Callable[[str, str], None],
        store: "SessionStore | None" = None,
        spare: Callable[[], object] = lambda: None,
    ) -> None:
        self.say, self.not_saved, self.store, self.spare = say, not_saved, store, spare
        self.stores: dict[str, SnapshotStore] = {}
        self.sessions: dict[str, OpenSession] = {}
        self.resting: dict[str, FileState] = {}  # sessions that left memory and stay claimed in the store (rule 5)
        self.archives: ArchiveDatabases | None = (
            None  # from the first row on: hosts that declare no `retrieve` do not need it
        )

    # snapshots

    def open(self, effect: do.Open) -> do.SnapshotLoaded:
        session = self.sessions[effect.session_id] = OpenSession(effect.state_dir, effect.ticket)
        self._tell_live()
        opened = self._opened(effect.state_dir, effect.session_id)
        session.file = opened.file
        session.begun_from = None if opened.unread else hash(opened.lines)
        session.is_faulty = opened.file is None  # reported in the answer
        return do.SnapshotLoaded(opened.lines, _sayable(opened.fault), opened.refused)

    def begin_stored(self, effect: do.Open) -> "Future[Begun] | None":
        """Claims the opened session in the store; None if there is no store, the session has no file here, or it is
        claimed already (rule 5).
        """
        session = self.sessions[effect.session_id]
        if self.store is None or session.file is None:
            return None
        if (rested := self.resting.pop(effect.session_id, None)) is not None:
            if effect.wakes and rested == _state_of(session.file.path):
                return None
            self.store.close(effect.session_id)
        return self.store.begin(effect.session_id, session.file.path)

    def begun_stored(
        self, effect: do.Open, loaded: do.SnapshotLoaded, begun: "Begun | Exception | None"
    ) -> do.SnapshotLoaded:
        """The lines that the session continues from; from now on its file is saved to the store (rule 3)."""
        session = self.sessions.get(effect.session_id)
        if begun is None and self.store is not None:
            return msgspec.structs.replace(loaded, stored=self.store.safe(effect.session_id))
        if begun is None or self.store is None or session is None or session.file is None:
            return loaded
        if session.ticket != effect.ticket:
            return loaded  # the host cancelled that start, and has begun another
        if isinstance(begun, Exception):
            fault = f"the session is not saved in the store: {faults.cause(begun)}"
            return do.SnapshotLoaded(loaded.lines, fault)
        if begun.refused is not None:
            return do.SnapshotLoaded(fault=begun.refused, refused=True)
        if begun.records is not None and begun.records != loaded.lines:
            note = loaded.fault
            if loaded.lines and begun.records[: len(loaded.lines)] != loaded.lines:
                why = ELSEWHERE if begun.records else DELETED
                note = f"{why}; the local version is kept as {session.file.set_aside()}"
            if begun.records:
                session.file.rewrite(begun.records)
            session.begun_from = hash(begun.records)
            loaded = do.SnapshotLoaded(begun.records, note)
        self.store.go(effect.session_id)
        return msgspec.structs.replace(loaded, stored=begun.stored)

    def flush(self, effect: do.Flush) -> "Future[Any] | None":
        return None if self.store is None else self.store.flush(effect.session_id, effect.leaving)

    def flushed(self, value: "Stored | Exception | None") -> "Stored | None":
        """What is in the store, for the status. A failed wait for the store fails no call."""
        if not isinstance(value, Exception):
            return value
        self.say(f"waiting for the store failed: {faults.cause(value)}")
        return None

    def not_opened(self, effect: do.Open) -> None:
        """Marks the session as faulty. Its previous content is unknown; saves try to open its file again."""
        self.sessions.setdefault(effect.session_id, OpenSession(effect.state_dir)).is_faulty = True

    def _opened(self, state_dir: str | None, session_id: str) -> "OpenedSnapshot":
        """Opens the session's file, unless hardly any file descriptors are left (rule 4)."""
        opened = self._store(state_dir).open(session_id)
        free = free_descriptors()
        if free < FEW:
            self.spare()
        if free >= FEWEST or opened.file is None:
            return opened
        outcome(opened.file.close)
        fault = f"{opened.file.path} cannot be written, the session is not saved: {os.strerror(errno.EMFILE)}"
        return msgspec.structs.replace(opened, file=None, fault=fault)

    def _store(self, state_dir: str | None) -> "SnapshotStore":
        from pathlib import Path

        from ctxmgr.devices import default_state_dir
        from ctxmgr.devices.snapshots import SnapshotStore

        directory = state_dir or default_state_dir()
        if directory not in self.stores:
            self.stores[directory] = SnapshotStore(Path(directory))
        return self.stores[directory]

    def save(self, effect: do.Save) -> None:
        session = self.sessions.get(effect.session_id)
        if session is None:
            return
        session.anew |= effect.anew
        file = self._file(effect.session_id, session)
        if session.anew:
            self.say(f"a snapshot was set aside as {file.set_aside()}")
            session.anew = False
        file.save(effect.line, effect.whole, effect.more)
        session.written = True
        if self.store is not None:
            self.store.changed(effect.session_id)
        session.is_faulty, session.is_dirty = False, True

    def _file(self, session_id: str, session: OpenSession) -> "SnapshotFile":
        """The session's file, in its place (rule 2). Raises NotSaved and OSError."""
        if session.file is not None:
            if session.file.in_place:
                return session.file
            self.say("a snapshot was missing and is written again as a whole")
            file, session.file = session.file, None
            outcome(file.close)
        opened = self._opened(session.state_dir, session_id)
        if opened.file is None:
            raise NotSaved(opened.fault)
        if opened.lines and not self._may_replace(session, opened):
            outcome(opened.file.close)
            raise NotSaved("its existing file could not be read at the start and is not overwritten")
        session.file = opened.file
        session.file.lacks()
        session.anew &= bool(opened.lines)
        return session.file

    def _may_replace(self, session: OpenSession, opened: "OpenedSnapshot") -> bool:
        """Whether an existing file may be replaced. It is set aside unless the session continued from it."""
        if session.begun_from is None and not session.written:
            return False
        session.anew |= session.written or session.begun_from != hash(opened.lines)
        return True

    def failed(self, session_id: str, fault: Exception) -> None:
        """Reports a failed write (rule 1)."""
        session = self.sessions.get(session_id)
        if session is not None and not session.is_faulty:
            session.is_faulty = True
            cause = str(fault) if isinstance(fault, NotSaved | OSError) else faults.cause(fault)
            text = _sayable(f"a snapshot could not be written: {cause}") or ""
            self.not_saved(session_id, text)
            self.say(text)

    def rest(self, session_id: str) -> bool:
        """Releases a session whose snapshot is complete, in its place and on disk. Returns whether it did. After an
        OSError nothing has changed.
        """
        session = self.sessions.get(session_id)
        if session is None or session.file is None or session.is_faulty or not session.file.in_place:
            return False
        if session.is_dirty:
            session.file.sync()
        path = session.file.path
        self._let_go(session_id)
        if self.store is not None:
            self.resting[session_id] = _state_of(path)
            self.store.rest(session_id)
        return True

    def close(self, session_id: str) -> None:
        self._let_go(session_id)
        self.resting.pop(session_id, None)
        if self.store is not None:
            self.store.close(session_id)

    def _let_go(self, session_id: str) -> None:
        session = self.sessions.pop(session_id, None)
        self._tell_live()
        if session is not None and session.file is not None:
            self._unless_it_fails(session.file.close)

    def close_all(self) -> None:
        for session_id in [*self.sessions, *self.resting]:
            outcome(partial(self.close, session_id))
        if self.archives is not None:
            outcome(self.archives.close)
        if self.store is not None:
            outcome(partial(self.store.end, STORE_SECONDS))

    # archives

    def _tell_live(self) -> None:
        if self.archives is not None:
            self.archives.live = frozenset(self.sessions)

    def archive(self, effect: do.ArchiveEffect) -> "Future[Any]":
        from ctxmgr.devices import ArchiveDatabases, default_state_dir

        if self.archives is None:
            self.archives = ArchiveDatabases(frozenset(self.sessions))
        directory, id = effect.state_dir or default_state_dir(), effect.session_id
        if isinstance(effect, do.PutRows):
            return self.archives.put(directory, id, effect.rows, effect.limits, partial(self._also_in_store, id))
        if isinstance(effect, do.FindRows):
            return self.archives.search(directory, id, (effect.query, effect.limit), effect.unsaved, effect.limits)
        return self.archives.get(directory, id, effect.handle, effect.limits)

    def _also_in_store(self, session_id: str, rows: Sequence[ArchiveRow]) -> None:
        """Adds the rows to the store. Runs in the archive's thread, before the waiting call continues."""
        if self.store is not None:
            self.store.add(session_id, rows)

    async def sync_now_and_then(self, threads: Executor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SYNC_SECONDS)
            for session in [session for session in self.sessions.values() if session.is_dirty]:
                session.is_dirty = False
                if session.file is not None:
                    try:
                        await loop.run_in_executor(threads, self._unless_it_fails, session.file.sync)
                    except RuntimeError as fault:  # no thread is available
                        self._not_synced(fault)

    def _unless_it_fails(self, sync: Callable[[], None]) -> None:
        if (fault := outcome(sync)) is not None:
            self._not_synced(fault)

    def _not_synced(self, fault: Exception) -> None:
        self.say(f"a snapshot could not be synced: {faults.cause(fault)}")


def free_descriptors() -> int:
    """The number of free file descriptors. They are counted, because opening some as a test would take them from
    others. If the system does not tell, `sys.maxsize`.
    """
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except Exception:  # noqa: BLE001  Windows has no such limit
        return sys.maxsize
    for directory in OPEN_DESCRIPTORS if limit != resource.RLIM_INFINITY else ():
        names = outcome(partial(os.listdir, directory))
        if not isinstance(names, Exception):
            # one of them belonged to the listing itself
            return limit + 1 - sum(int(name) < limit for name in names)
        if isinstance(names, OSError) and names.errno in (errno.EMFILE, errno.ENFILE):
            return 0
    return sys.maxsize


def _state_of(path: Path) -> FileState:
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_ino, there.st_size, there.st_mtime_ns


def store_of(setup: Setup, heard: Callable[[str, Stored], None]) -> "SessionStore | None":
    """The configured store, or None; `heard` is called in its thread. Raises ValueError for an invalid address."""
    if setup.store is None:
        return None
    from ctxmgr.store import SessionStore

    return SessionStore(setup.store, heard, setup.store_delay_ms, setup.store_lease_ms)


def _sayable(text: str | None) -> str | None:
    """Replaces bytes in a path that are not text, for messages to the host."""
    return None if text is None else text.encode("utf-8", "replace").decode()
