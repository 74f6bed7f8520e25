"""Makes a plan what the session answered last: the one place where a list changes a session."""

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import Delta
from ctxmgr.model.api import lifecycle
from ctxmgr.session.context import removed
from ctxmgr.session.context.answering import Compared
from ctxmgr.session.context.comparing import begins_with, resumed
from ctxmgr.session.context.list_plan import ListPlan
from ctxmgr.session.context.marking import marked
from ctxmgr.session.context.raw_messages import RawMessages
from ctxmgr.session.projection import Projection
from ctxmgr.session.session import SessionCore


def commit(
    session: SessionCore, raw_messages: RawMessages, delta: Delta, params: lifecycle.ContextParams, plan: ListPlan
) -> Compared:
    """How the answer stands to the one before, which is gone with this call. `delta`: as the list came."""
    projection, planned = plan.projection, plan.planned
    time_ms = int(params.at) if params.at is not None else None
    begins = _begins(session, projection, delta)
    session.pending_archive += removed.from_lists(session, projection.messages, delta.shared_count)
    session.pending_archive += planned.originals
    raw_messages.truncate(delta.shared_count)
    raw_messages.extend(delta.appended)
    counted = truth.listed(session.state.counted, begins[1] if begins is not None else 0, time_ms)
    session.state = msgspec.structs.replace(planned.state, counted=counted)
    session.projection, session.ledger = projection, plan.arrived.ledger
    session.listed_ms = time_ms if time_ms is not None else session.state.clock or None
    if plan.arrived.anew:
        session.prefetch.forget()
    session.pending_messages.clear()
    session.source_messages.add(*projection.messages[delta.shared_count :])
    session.memo.keep_for(len(projection.messages), len(delta.appended))
    session.failure_count = 0
    own = int(params.own_marks) if params.own_marks is not None else None
    marks = marked(session, projection, begins[0] if begins is not None else None, own, session.listed_ms)
    session.state = msgspec.structs.replace(session.state, marked_starts=marks.starts)
    return Compared(begins, marks.indices)


def _begins(session: SessionCore, projection: Projection, delta: Delta) -> tuple[int, int, int] | None:
    """What the answer and the one before begin with, as `comparing` has it; None where there was none before."""
    if session.projection.plan.pieces:
        return begins_with(session.projection, projection, delta.shared_count)
    return (0, 0, 0) if session.failure_count else resumed(session.state, projection)
