"""The verb `search`: what left and holds the words of a query, each with the handle that `retrieve` takes.

It changes nothing: what a model only saw a stretch of was not brought back.
"""

from ctxmgr.model import ArchiveAnswer, ArchiveHit, CallFailed
from ctxmgr.model.api import recovery
from ctxmgr.session.methods import archiving
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import ArchiveSearch, Verb

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
