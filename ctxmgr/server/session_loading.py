"""Brings a session into memory, from its snapshot or new."""

from collections.abc import Callable, Generator
from typing import Any

import msgspec

from ctxmgr.model.saved import ModelSpec
from ctxmgr.server.config import ConnectionConfig
from ctxmgr.server.effects import Close, Effect, Log, Record, SnapshotLoaded
from ctxmgr.server.session_queue import SessionQueue
from ctxmgr.server.weighers import SessionWeighers
from ctxmgr.session import Reader, SessionCore, begun, journal, restored
from ctxmgr.wire import RpcError, errors, transcript

GONE = "the session was unloaded and its snapshot no longer exists, so it starts empty"


class Snapshot(msgspec.Struct, frozen=True):
    """A session's request for its saved lines. `wakes`: it was in memory before."""

    wakes: bool = False


class SessionLoader:
    def __init__(self, terms: ConnectionConfig, weighers: SessionWeighers, emit: Callable[[Effect], None]) -> None:
        self._terms, self._weighers, self._emit = terms, weighers, emit

    def load(self, queue: SessionQueue, model: ModelSpec, starts: bool = True) -> Generator[Any, Any, bool]:
        """Loads the session. Returns whether it was restored. Raises RpcError if another process has it open."""
        loaded: SnapshotLoaded = yield Snapshot(queue.resting is not None and not starts)
        if self._terms.record and (loaded.lines or loaded.fault or loaded.stored):
            wrong = loaded.fault, loaded.refused
            line = transcript.restored(queue.session_id, loaded.lines, *wrong, loaded.stored)
            self._emit(Record(line))
        if loaded.refused:
            raise RpcError(errors.REQUEST_FAILED, loaded.fault or "the session is held by another process")
        return self._restore(queue, model, loaded)

    def awake(self, queue: SessionQueue) -> Generator[Any, Any, None]:
        """Loads a session that has left memory. Raises RpcError like `load`; the next call tries again."""
        resting = queue.resting
        if resting is None:
            return
        try:
            known = yield from self.load(queue, resting.model, starts=False)
        except RpcError:
            self._emit(Close(queue.session_id))
            raise
        assert queue.session is not None
        if not known:
            queue.session.warnings = (*queue.session.warnings, GONE)
            self._emit(Log(GONE))
        self._weighers.request(queue, queue.session)

    def _restore(self, queue: SessionQueue, model: ModelSpec, loaded: SnapshotLoaded) -> bool:
        state = begun(queue.session_id, model)
        notes: tuple[str, ...] = ()
        lines = loaded.lines
        if loaded.fault:
            notes = (loaded.fault,)
            self._emit(Log(loaded.fault))
        if lines:
            try:
                saved, queue.strange = journal.restore(lines)
                state, queue.saved = restored(saved), saved
            except journal.UnreadableJournal as fault:
                lines, queue.unreadable = (), True
                notes = (f"the snapshot could not be read and was set aside, so the session starts empty: {fault}",)
                self._emit(Log(notes[0]))
        terms = self._terms
        reader = Reader(terms.fmt, tools=terms.tools)
        queue.session = SessionCore(state, terms.fmt, terms.keys, terms.capabilities, reader, terms.embed)
        if queue.session.set_aside:
            names = ", ".join(path[1:] for path in queue.session.set_aside)
            what = "the snapshot has policy settings that this version does not support"
            notes += (f"{what}; they are kept but not applied: {names}",)
        queue.session.warnings, queue.session.version = notes, terms.version
        if loaded.stored is not None:
            queue.session.stored = loaded.stored
            if loaded.stored.note:
                self._emit(Log(loaded.stored.note))
        if terms.models is not None:
            queue.session.knows(terms.models)
        if queue.resting is not None:
            queue.resting.resume(queue.session)
            queue.resting = None
        return bool(lines)
