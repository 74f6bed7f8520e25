"""Takes what leaves a session's view into the archive, before the answer that holds its markers leaves.

Rules:
1. A verb that lets something leave adds its row to `session.leaving` where it assigns the new state; nobody else
   empties that list. Rows are added only where the host declared `retrieve` or `archive`; without, they are passed
   over.
2. A row is held here until the archive has it: what can not be saved can still be retrieved. That is said once.
3. What the archive did not take is put again with the next rows, and when the session ends: a disk at fault costs
   no call that lets nothing leave.
4. Held is so much and no more, the newest: what a full disk keeps away must not fill the memory.
"""

from ctxmgr.model import ArchiveAnswer, ArchiveRow, CallFailed
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import ArchivePut, Verb

HELD_CHARACTERS = 32_000_000  # of one session; a whole one comes to 8 MB


def check(session: SessionCore) -> None:
    """Raises CallFailed where nothing is archived of a session."""
    if not session.capabilities.keeps_originals:
        said = "nothing is archived: `capabilities.retrieve` was not declared in initialize, nor `archive`"
        raise CallFailed(said)


def archived(session: SessionCore, again: bool = False) -> Verb[None]:
    """Asks for the archive where something has left; `again`: also for what it did not take before."""
    leaving = tuple(session.pending_archive)
    if not session.capabilities.keeps_originals:
        session.pending_archive.clear()
        return
    if not leaving and not (again and session.unarchived):
        return
    held = session.unarchived | {row.key: row for row in leaving}
    session.unarchived = _bounded(held)
    session.pending_archive.clear()
    rows = tuple(session.unarchived.values())
    answer: ArchiveAnswer = yield ArchivePut(rows, session.policy.archive)
    if answer.fault:
        warn(session, f"what left could not be archived and is kept in memory: {answer.fault}")
    else:
        session.unarchived = {}
    warn(session, answer.note)


def unarchived_row(session: SessionCore, handle: str) -> ArchiveRow | None:
    """What is under this handle and not in the archive yet; None where two things are."""
    rows = [row for row in (*session.unarchived.values(), *session.pending_archive) if row.handle == handle]
    return rows[-1] if len({row.key for row in rows}) == 1 else None


def warn(session: SessionCore, text: str | None) -> None:
    """A sentence for people: on stderr, and once in the status."""
    if text and text not in session.warnings:
        session.warnings = (*session.warnings, text)
        session.log_lines.append(text)


def _bounded(rows: dict[str, ArchiveRow]) -> dict[str, ArchiveRow]:
    """Rule 4, oldest first; the newest row stays however long it is."""
    room = HELD_CHARACTERS
    kept: dict[str, ArchiveRow] = {}
    for key, row in reversed(rows.items()):
        room -= len(row.text)
        if room < 0 and kept:
            break
        kept[key] = row
    return dict(reversed(kept.items()))
