"""The verb `retrieve`: pages the original of something that left back to the model.

Rules:
1. What comes back counts as asked for: it is noted, so that the result that holds it is not pruned at once.
2. An unknown handle is refused with how to get the thing again, where a receipt still names its call. The call is
   in the error's `data`: a message never holds conversation.
3. Secrets that were masked when it was archived read `[masked]`, and the answer says so. Offsets are those of the
   original all the same.
"""

from typing import Any

import msgspec

from ctxmgr.engine.protection import RETURNED_EPOCHS
from ctxmgr.masking import legible
from ctxmgr.model import ArchiveAnswer, ArchiveHit, ArchiveRow, CallError, CallFailed, InvalidParams
from ctxmgr.model.api import recovery
from ctxmgr.session.methods import archiving
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import ArchiveGet, ArchiveSearch, Verb

PAGE_CHARACTERS = 20_000  # about 5,000 tokens: a page that a model can take in without losing much of its window


def retrieve(session: SessionCore, params: recovery.RetrieveParams) -> Verb[recovery.RetrieveResult]:
    """One page. Raises CallFailed where nothing is archived here, or the archive can not be read;
    InvalidParams for a handle that it does not know."""
    archiving.check(session)
    row = archiving.unarchived_row(session, params.handle)
    if row is None:
        answer: ArchiveAnswer = yield ArchiveGet(params.handle, session.policy.archive)
        archiving.warn(session, answer.note)
        if answer.fault:
            archiving.warn(session, f"the archive could not be read: {answer.fault}")
            raise _missing(session, params.handle, CallFailed, "the archive could not be read now")
        row = answer.row
    if row is None:
        said = "invalid params at $.handle: nothing is archived under this handle"
        raise _missing(session, params.handle, InvalidParams, said)
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
    """Rule 1. What came back too long ago to matter is forgotten."""
    now = session.state.epoch.number
    returned = {one: at for one, at in session.state.returned.items() if now - at < RETURNED_EPOCHS}
    returned[handle] = now
    if returned != session.state.returned:
        session.state = msgspec.structs.replace(session.state, returned=returned)


def _missing(session: SessionCore, handle: str, kind: type[CallError], said: str) -> CallError:
    """Rule 2."""
    place: dict[str, Any] = {"path": "$.handle"} if kind is InvalidParams else {}
    for receipt in reversed(session.state.receipts):
        for left in receipt.evicted:
            if left.handle == handle:
                return kind(f"{said}; make the call in `data.call` again", {**place, "call": left.call_text})
    return kind(said, place or None)


# The verb `search`: what left and holds the words of a query, each with the handle that `retrieve` takes.
#
# It changes nothing: what a model only saw a stretch of was not brought back.


USUAL_HITS = 10  # about 1,000 tokens with their snippets
MOST_HITS = 50


def search(session: SessionCore, params: recovery.SearchParams) -> Verb[recovery.SearchResult]:
    """Raises CallFailed where nothing is archived here, or the archive can not be read."""
    archiving.check(session)
    limit = min(int(params.limit or USUAL_HITS), MOST_HITS)
    held = tuple(session.unarchived.values())
    answer: ArchiveAnswer = yield ArchiveSearch(params.query, limit, held, session.policy.archive)
    archiving.warn(session, answer.note)
    if answer.fault:
        archiving.warn(session, f"the archive could not be searched: {answer.fault}")
        raise CallFailed("the archive could not be searched now")
    epochs = {
        left.handle: receipt.epoch_number
        for receipt in session.state.receipts
        for left in receipt.evicted
        if left.handle
    }
    hits = tuple(_hit(rank, one, epochs.get(one.handle)) for rank, one in enumerate(answer.hits, 1))
    return recovery.SearchResult(hits, session.state.seq)


def _hit(rank: int, found: ArchiveHit, epoch: int | None) -> recovery.SearchHit:
    return recovery.SearchHit(
        found.handle,
        rank,
        found.call_text,
        found.tool,
        found.path,
        epoch,
        found.snippet,
        found.offset,
        found.total,
    )
