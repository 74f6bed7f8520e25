"""What a parked call waits for. Brings its session into memory, from its snapshot or new; and turns its request
into an effect, and the result of a device into the value for it.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import msgspec

from ctxmgr.model import ArchiveAnswer, faults
from ctxmgr.model.saved import ModelSpec
from ctxmgr.server.config import ConnectionConfig
from ctxmgr.server.effects import (
    Close,
    Effect,
    FindRows,
    Flush,
    GetRow,
    Log,
    Open,
    PutRows,
    Record,
    Rest,
    RunInThread,
    SnapshotLoaded,
    WeighTexts,
)
from ctxmgr.server.memory import ReadingGate, Release, Room
from ctxmgr.server.session_queue import SessionQueue
from ctxmgr.server.weighers import SessionWeighers
from ctxmgr.session import (
    ArchiveGet,
    ArchivePut,
    ArchiveSearch,
    Offload,
    Reader,
    SessionCore,
    StoreFlush,
    Weighing,
    begun,
    journal,
    restored,
)
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


Wanted = Offload | ArchivePut | ArchiveGet | ArchiveSearch | StoreFlush | Snapshot | Release | Room


class ParkedCalls:
    def __init__(self, state_dir: str | None, record: bool, emit: Callable[[Effect], None]) -> None:
        self._state_dir, self._record, self._emit = state_dir, record, emit
        self.gate = ReadingGate()
        self._answers: dict[int, Callable[[Any], Any]] = {}  # ticket -> function that makes the value from a result

    def park(self, ticket: int, queue: SessionQueue, wanted: Wanted) -> None:
        id, directory = queue.session_id, self._state_dir
        if isinstance(wanted, Snapshot):
            self._answers[ticket] = _loaded
            self._emit(Open(ticket, id, directory, wanted.wakes))
        elif isinstance(wanted, ArchivePut):
            self._answers[ticket] = partial(self._archived, id, {"put": [row.handle for row in wanted.rows]})
            self._emit(PutRows(ticket, id, directory, wanted.limits, wanted.rows))
        elif isinstance(wanted, ArchiveGet):
            self._answers[ticket] = partial(self._archived, id, {"retrieve": wanted.handle})
            self._emit(GetRow(ticket, id, directory, wanted.limits, wanted.handle))
        elif isinstance(wanted, ArchiveSearch):
            self._answers[ticket] = partial(self._archived, id, {"search": wanted.query, "limit": wanted.limit})
            self._emit(FindRows(ticket, id, directory, wanted.limits, wanted.query, wanted.limit, wanted.unsaved))
        elif isinstance(wanted, StoreFlush):
            self._emit(Flush(ticket, id, wanted.leaving))
        elif isinstance(wanted, Release):
            self._emit(Rest(ticket, id))
        elif isinstance(wanted, Room):
            self.gate.wait(ticket, wanted.size)
        elif isinstance(wanted, Weighing):
            self._emit(WeighTexts(ticket, wanted.run))
        else:
            self._emit(RunInThread(ticket, wanted.run))

    def answered(self, ticket: int, value: Any) -> Any:
        """The value for the call: an `ArchiveAnswer` from an archive, a `SnapshotLoaded` from a snapshot."""
        answer = self._answers.pop(ticket, None)
        return value if answer is None else answer(value)

    def _archived(self, session_id: str, call: transcript.Asked, value: Any) -> ArchiveAnswer:
        """The archive's answer. It is recorded in the transcript, because it depends on other runs and on the
        disk.
        """
        answer = value if isinstance(value, ArchiveAnswer) else ArchiveAnswer(fault=faults.cause(value))
        if self._record:
            self._emit(Record(transcript.archive(session_id, call, answer)))
        return answer


def _loaded(value: Any) -> SnapshotLoaded:
    if isinstance(value, SnapshotLoaded):
        return value
    return SnapshotLoaded(
        fault=f"the snapshot could not be opened, the session is not saved: {faults.cause(value)}"
    )
