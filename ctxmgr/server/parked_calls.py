"""Turns the request of a parked call into an effect, and the result of a device into the value for the call."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ctxmgr.model import ArchiveAnswer, faults
from ctxmgr.server.effects import (
    Effect,
    FindRows,
    Flush,
    GetRow,
    Open,
    PutRows,
    Record,
    Rest,
    RunInThread,
    SnapshotLoaded,
    WeighTexts,
)
from ctxmgr.server.memory import ReadingGate, Release, Room
from ctxmgr.server.session_loading import Snapshot
from ctxmgr.server.session_queue import SessionQueue
from ctxmgr.session import ArchiveGet, ArchivePut, ArchiveSearch, Offload, StoreFlush, Weighing
from ctxmgr.wire import transcript

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
