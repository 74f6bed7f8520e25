"""Turns what a parked call waits for into an effect, and what a device brought into what the call gets."""

from collections.abc import Callable
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
        self._archiving: dict[int, tuple[str, transcript.Asked]] = {}  # ticket -> session, and what is asked
        self._opening: set[int] = set()  # tickets

    def park(self, ticket: int, queue: SessionQueue, wanted: Wanted) -> None:
        id, directory = queue.session_id, self._state_dir
        if isinstance(wanted, Snapshot):
            self._opening.add(ticket)
            self._emit(Open(ticket, id, directory, wanted.wakes))
        elif isinstance(wanted, ArchivePut):
            self._archiving[ticket] = id, {"put": [row.handle for row in wanted.rows]}
            self._emit(PutRows(ticket, id, directory, wanted.limits, wanted.rows))
        elif isinstance(wanted, ArchiveGet):
            self._archiving[ticket] = id, {"retrieve": wanted.handle}
            self._emit(GetRow(ticket, id, directory, wanted.limits, wanted.handle))
        elif isinstance(wanted, ArchiveSearch):
            self._archiving[ticket] = id, {"search": wanted.query, "limit": wanted.limit}
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
        """What goes back into the call: of an archive an `ArchiveAnswer`, of a snapshot a `SnapshotLoaded`."""
        if ticket in self._opening:
            self._opening.remove(ticket)
            return value if isinstance(value, SnapshotLoaded) else SnapshotLoaded(fault=_unsaved(value))
        asked = self._archiving.pop(ticket, None)
        return value if asked is None else self._of_the_archive(asked, value)

    def _of_the_archive(self, asked: tuple[str, transcript.Asked], value: Any) -> ArchiveAnswer:
        """What the archive holds hangs on other runs and on the disk: a transcript says what it answered."""
        answer = value if isinstance(value, ArchiveAnswer) else ArchiveAnswer(fault=faults.cause(value))
        if self._record:
            self._emit(Record(transcript.archive(*asked, answer)))
        return answer


def _unsaved(fault: BaseException) -> str:
    return f"the snapshot could not be opened, the session is not saved: {faults.cause(fault)}"
