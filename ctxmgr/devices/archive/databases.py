"""The archives of a process: one thread in which they are put into, looked up and tidied. Answers are futures.

A thread of its own, since a connection of SQLite belongs to the thread that opened it, and one that waits for
another process must not hold up what is being weighed. Nothing in here raises: a fault is in the answer.

What is kept is blotted out where it is a secret, unless the policy keeps secrets. A text keeps its length, so that
the places in it that a marker or a hit named are the same, and a blot is a character that no other text has:
`masking.legible` makes `[masked]` of it where it is read.
"""

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec

from ctxmgr.devices.archive.database import ArchiveDatabase, ArchiveFault, hits_among
from ctxmgr.masking import masked
from ctxmgr.model import Archive as Limits
from ctxmgr.model import ArchiveAnswer, ArchiveRow


class ArchiveDatabases:
    """By state directory. `live`: the sessions that are open here, whose rows stay; only ever replaced."""

    def __init__(self, live: frozenset[str] = frozenset()) -> None:
        self.live = live
        self._thread = ThreadPoolExecutor(1, "archive")
        self._archives: dict[str, ArchiveDatabase] = {}
        self._closing = False

    def put(
        self,
        directory: str,
        session_id: str,
        rows: Sequence[ArchiveRow],
        limits: Limits,
        on_put: Callable[[Sequence[ArchiveRow]], None] = lambda rows: None,
    ) -> "Future[ArchiveAnswer]":
        """`on_put` gets the rows as they are kept, in the thread and before the answer; none after a fault."""

        def put(archive: ArchiveDatabase) -> ArchiveAnswer:
            kept = at_rest(rows, limits)
            archive.put(session_id, kept)
            on_put(kept)
            return ArchiveAnswer()

        return self._thread.submit(self._answered, directory, limits, put)

    def get(self, directory: str, session_id: str, handle: str, limits: Limits) -> "Future[ArchiveAnswer]":
        return self._thread.submit(
            self._answered, directory, limits, lambda archive: ArchiveAnswer(archive.get(session_id, handle))
        )

    def search(
        self,
        directory: str,
        session_id: str,
        question: tuple[str, int],
        held: Sequence[ArchiveRow],
        limits: Limits,
    ) -> "Future[ArchiveAnswer]":
        """`question`: a query, and how many hits. `held`: rows that the archive did not take; their hits come
        first."""
        query, limit = question

        def search(archive: ArchiveDatabase) -> ArchiveAnswer:
            hits = {hit.handle: hit for hit in (hits_among(held, query, limit) if held else ())}
            for row in archive.search(session_id, query, limit):
                hits.setdefault(row.hit.handle, row.hit)
            return ArchiveAnswer(hits=tuple(hits.values())[:limit])

        return self._thread.submit(self._answered, directory, limits, search)

    def close(self) -> None:
        """Waits for what is under way, seconds at the most; what is only tidying ends with its step."""
        self._closing = True
        self._thread.submit(self._close)
        self._thread.shutdown()

    # in the thread

    def _answered(
        self, directory: str, limits: Limits, action: Callable[[ArchiveDatabase], ArchiveAnswer]
    ) -> ArchiveAnswer:
        archive = self._archives.get(directory)
        if archive is None:
            archive = self._archives[directory] = ArchiveDatabase(Path(directory))
        try:
            answer = action(archive)
        except ArchiveFault as fault:
            answer = ArchiveAnswer(fault=str(fault))
        notes, archive.notes = archive.notes, []
        self._tidy_later(archive, limits)
        return ArchiveAnswer(answer.row, answer.fault, "; ".join(notes) or None, answer.hits)

    def _tidy_later(self, archive: ArchiveDatabase, limits: Limits) -> None:
        """After what is waiting by then: a call waits for one step at the most."""
        if archive.due and not self._closing:
            with contextlib.suppress(RuntimeError):  # it closes at this moment
                self._thread.submit(self._tidy, archive, limits)

    def _tidy(self, archive: ArchiveDatabase, limits: Limits) -> None:
        if not archive.due or self._closing:  # a step that was asked for twice
            return
        try:
            archive.tidy(limits, self.live)
        except ArchiveFault as fault:
            archive.notes.append(f"the archive could not be tidied: {fault}")
            return
        self._tidy_later(archive, limits)

    def _close(self) -> None:
        for archive in self._archives.values():
            archive.close()


def at_rest(rows: Sequence[ArchiveRow], limits: Limits) -> tuple[ArchiveRow, ...]:
    return tuple(rows) if limits.keep_secrets else tuple(map(_masked, rows))


def _masked(row: ArchiveRow) -> ArchiveRow:
    call, text = masked(row.call_text), masked(row.text)
    if call == row.call_text and text == row.text:
        return row
    return msgspec.structs.replace(row, call_text=call, text=text)
