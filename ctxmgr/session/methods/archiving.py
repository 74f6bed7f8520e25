"""Archives removed content before the answer with its markers is sent, and returns it: the methods `retrieve` and
`search`.

Rules:
1. A method that removes something adds its row to `session.pending_archive` where it assigns the new state; nobody
   else empties that list. Rows are only kept if the host declared `retrieve` or `archive`.
2. A row is held in memory until the archive has it, so content that cannot be saved can still be retrieved. That is
   reported once.
3. Rows that the archive refused are put again with the next rows, and when the session ends. A disk fault affects
   no call that removes nothing.
4. Memory for held rows is limited, newest first, so a full disk does not fill it.
5. Retrieved content counts as requested: the result that holds it is not pruned at once. A search records nothing,
   since it returns only a part of a text.
6. An unknown handle is refused with how to get the content again, if a receipt still names its call. The call is in
   the error's `data`: a message never holds conversation.
7. Secrets that were masked on archiving read `[masked]`, and the answer says so. Offsets are those of the original.
"""

from typing import Any

import msgspec

from ctxmgr.engine.protection import RETURNED_EPOCHS
from ctxmgr.masking import legible
from ctxmgr.model import ArchiveAnswer, ArchiveHit, ArchiveRow, CallError, CallFailed, InvalidParams
from ctxmgr.model.api import recovery
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import ArchiveGet, ArchivePut, ArchiveSearch, Verb

HELD_CHARACTERS = 32_000_000  # of one session; a whole one is about 8 MB


def check(session: SessionCore) -> None:
    """Raises CallFailed if nothing of the session is archived."""
    if not session.capabilities.keeps_originals:
        reason = "nothing is archived: `capabilities.retrieve` was not declared in initialize, nor `archive`"
        raise CallFailed(reason)


def archived(session: SessionCore, again: bool = False) -> Verb[None]:
    """Archives newly removed content; `again`: also what the archive refused before."""
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
        warn(session, f"what was removed could not be archived and is kept in memory: {answer.fault}")
    else:
        session.unarchived = {}
    warn(session, answer.note)


def unarchived_row(session: SessionCore, handle: str) -> ArchiveRow | None:
    """The row under this handle that is not in the archive yet; None if there are two."""
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


PAGE_CHARACTERS = 20_000  # about 5,000 tokens: a page that a model can take without losing much of its window


def retrieve(session: SessionCore, params: recovery.RetrieveParams) -> Verb[recovery.RetrieveResult]:
    """One page. Raises CallFailed if nothing is archived or the archive cannot be read, InvalidParams for an
    unknown handle.
    """
    check(session)
    row = unarchived_row(session, params.handle)
    if row is None:
        answer: ArchiveAnswer = yield ArchiveGet(params.handle, session.policy.archive)
        warn(session, answer.note)
        if answer.fault:
            warn(session, f"the archive could not be read: {answer.fault}")
            raise _missing(session, params.handle, CallFailed, "the archive could not be read now")
        row = answer.row
    if row is None:
        reason = "invalid params at $.handle: nothing is archived under this handle"
        raise _missing(session, params.handle, InvalidParams, reason)
    _note(session, params.handle)
    return _page(session, row, params)


def _page(session: SessionCore, row: ArchiveRow, params: recovery.RetrieveParams) -> recovery.RetrieveResult:
    total = len(row.text)
    start = min(total, int(params.offset or 0))
    end = min(total, start + int(params.limit or PAGE_CHARACTERS))
    text = legible(row.text[start:end])
    return recovery.RetrieveResult(
        text=text,
        offset=start,
        next=end if end < total else None,
        total=total,
        more=end < total,
        call=legible(row.call_text),
        seq=session.state.seq,
        masked=text != row.text[start:end],
    )


def _note(session: SessionCore, handle: str) -> None:
    """Rule 5. Forgets old retrievals."""
    now = session.state.epoch.number
    returned = {key: epoch for key, epoch in session.state.returned.items() if now - epoch < RETURNED_EPOCHS}
    returned[handle] = now
    if returned != session.state.returned:
        session.state = msgspec.structs.replace(session.state, returned=returned)


def _missing(session: SessionCore, handle: str, kind: type[CallError], reason: str) -> CallError:
    """Rule 6."""
    data: dict[str, Any] = {"path": "$.handle"} if kind is InvalidParams else {}
    for receipt in reversed(session.state.receipts):
        for left in receipt.evicted:
            if left.handle == handle:
                return kind(f"{reason}; make the call in `data.call` again", {**data, "call": left.call_text})
    return kind(reason, data or None)


USUAL_HITS = 10  # about 1,000 tokens with their snippets
MOST_HITS = 50


def search(session: SessionCore, params: recovery.SearchParams) -> Verb[recovery.SearchResult]:
    """Raises CallFailed if nothing is archived or the archive cannot be read."""
    check(session)
    limit = min(int(params.limit or USUAL_HITS), MOST_HITS)
    held = tuple(session.unarchived.values())
    answer: ArchiveAnswer = yield ArchiveSearch(params.query, limit, held, session.policy.archive)
    warn(session, answer.note)
    if answer.fault:
        warn(session, f"the archive could not be searched: {answer.fault}")
        raise CallFailed("the archive could not be searched now")
    epochs = {
        left.handle: receipt.epoch_number
        for receipt in session.state.receipts
        for left in receipt.evicted
        if left.handle
    }
    hits = tuple(_hit(rank, hit, epochs.get(hit.handle)) for rank, hit in enumerate(answer.hits, 1))
    return recovery.SearchResult(hits, session.state.seq)


def _hit(rank: int, hit: ArchiveHit, epoch: int | None) -> recovery.SearchHit:
    return recovery.SearchHit(
        hit.handle,
        rank,
        hit.call_text,
        hit.tool,
        hit.path,
        epoch,
        hit.snippet,
        hit.offset,
        hit.total,
    )
