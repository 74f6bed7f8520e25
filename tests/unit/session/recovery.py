"""Lets things leave a session by hand, and seeds what epochs leave behind: for tests of how they come back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import msgspec

from ctxmgr.engine.conversation import DIGESTS, BlockRef
from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import ArchiveRow, Epoch, EvictedItem, Receipt
from ctxmgr.model.projection import Decision
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session import journal
from ctxmgr.session.context import listing
from ctxmgr.session.session import SessionCore
from tests.contract.talk import Fields, Talk
from tests.notation import indexed, read

RETRIEVE = {"retrieve": True}
CALL = 'read path="a.py"'


def row(name: str, text: str = "") -> ArchiveRow:
    return ArchiveRow(handle(name), name, CALL, text or f"the text of {name}")


@contextmanager
def leaving(*rows: ArchiveRow) -> Iterator[None]:
    """Within, these rows leave with each `context`."""
    real = listing.context

    def context(session: SessionCore, *given: Any) -> Any:
        parts = yield from real(session, *given)
        session.pending_archive += rows
        return parts

    with mock.patch.object(listing, "context", context):
        yield


def session_of(talk: Talk) -> SessionCore:
    session = talk.connection.sessions.queues.by_session["s"].session
    assert session is not None
    return session


def key_of(messages: Sequence[Fields], position: int) -> str:
    known = read([msgspec.json.encode(message) for message in messages])
    return indexed(known).block_key(BlockRef(position, 0))


def after_an_epoch(
    messages: Sequence[Fields], pruned: Sequence[int], omitted: int = 0, **more: Any
) -> SnapshotLoaded:
    """The snapshot of a session in which epoch 1 has pruned the results at these places."""
    keys = [key_of(messages, at) for at in pruned]
    left = tuple(EvictedItem(key, "pruned", CALL, "old tool output", 900, 20, handle(key)) for key in keys)
    receipt = Receipt(1, "cold", 10_000, 4_000, "free: the cache was cold", left, omitted_count=omitted)
    fields: dict[str, Any] = {
        "decisions": {key: Decision("pruned") for key in keys},
        "epoch": Epoch(number=1),
        "receipts": (receipt,),
    }
    return SnapshotLoaded(
        (journal.base(State("s", ModelSpec("model-1", 200_000), digests=DIGESTS, **(fields | more))),)
    )
