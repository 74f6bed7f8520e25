"""Makes a plan the session's last answer: the one place where a list changes a session.

Also says which messages of the answer should carry a cache mark (`engine.caching`). A marked message is one that
every host sends, and its last block can carry a mark: no thinking, no empty text, no failed reply.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import msgspec

from ctxmgr.engine.caching import Breakpoints, MarkInputs, placed, truth
from ctxmgr.engine.presets import Delta
from ctxmgr.late import late
from ctxmgr.model import OWN_MARKS, Message
from ctxmgr.model.api import lifecycle
from ctxmgr.session.context import removed
from ctxmgr.session.context.answering import Compared
from ctxmgr.session.context.comparing import begins_with, resumed, runs
from ctxmgr.session.context.fitting import ListPlan
from ctxmgr.session.context.raw_messages import RawMessages
from ctxmgr.session.projection import Projection
from ctxmgr.session.session import SessionCore

if TYPE_CHECKING:
    from ctxmgr.session.context.busts import bust_of, with_bust
else:
    bust_of = late("ctxmgr.session.context.busts:bust_of")
    with_bust = late("ctxmgr.session.context.busts:with_bust")


def commit(
    session: SessionCore, raw_messages: RawMessages, delta: Delta, params: lifecycle.ContextParams, plan: ListPlan
) -> Compared:
    """How the answer compares with the previous one, which this call replaces. `delta`: the list as it came."""
    projection, planned = plan.projection, plan.planned
    time_ms = int(params.at) if params.at is not None else None
    begins = _begins(session, projection, delta)
    session.pending_archive += removed.from_lists(session, projection.messages, delta.shared_count)
    session.pending_archive += planned.originals
    raw_messages.truncate(delta.shared_count)
    raw_messages.extend(delta.appended)
    if session.state.force_prune and not planned.state.force_prune:
        session.unpruned = planned.unpruned
    prefix_tokens = begins[1] if begins is not None else 0
    is_changed = params.prefix_change is not None or delta.shared_count < len(session.projection.messages)
    bust = bust_of(session, params, delta.shared_count, plan, prefix_tokens) if is_changed else None
    counted = truth.listed(session.state.counted, prefix_tokens, time_ms)
    state = msgspec.structs.replace(planned.state, counted=counted)
    session.state = with_bust(state, bust) if bust is not None else state
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
    return Compared(begins, marks.indices, bust)


def _begins(session: SessionCore, projection: Projection, delta: Delta) -> tuple[int, int, int] | None:
    """The common beginning of the answer and the previous one, as in `comparing`; None if there was none."""
    if session.projection.plan.pieces:
        return begins_with(session.projection, projection, delta.shared_count)
    return (0, 0, 0) if session.failure_count else resumed(session.state, projection)


FAILED = ("error", "aborted")
BEARING = frozenset(("text", "call", "result", "image", "summary"))


def marked(
    session: SessionCore, projection: Projection, position: int | None, own: int | None, time_ms: int | None
) -> Breakpoints:
    """Cache marks for this projection's answer. `position`: as in `begins_with`; None without a previous answer."""
    rule = session.model.terms_by(session.state).cache
    if rule.kind != "marks":
        return Breakpoints()
    answered = AnsweredMessages(projection)
    inputs = MarkInputs(
        rule=rule,
        message_count=answered.count,
        same_count=None if position == -1 else position or 0,
        own_marks=OWN_MARKS if own is None else own,
        blocks=answered.blocks,
        may_bear=answered.may_bear,
        time_ms=time_ms,
    )
    return placed(inputs, session.state.marked_starts)


class AnsweredMessages:
    """The messages of an answer by their positions in it."""

    def __init__(self, projection: Projection) -> None:
        self._messages, self._runs = projection.messages, runs(projection)
        *self._starts, self.count = accumulate((run.message_count for run in self._runs), initial=0)

    def _message(self, position: int) -> Message | None:
        """None: the packet."""
        number = bisect_right(self._starts, position) - 1
        run = self._runs[number]
        return None if run.start == run.end else self._messages[run.start + position - self._starts[number]]

    def blocks(self, start: int, end: int) -> int:
        """Content blocks of the messages [start, end)."""
        messages = (self._message(position) for position in range(start, end))
        return sum(1 if message is None else max(1, len(message.view.blocks)) for message in messages)

    def may_bear(self, position: int) -> bool:
        """Whether its last block may bear a mark."""
        message = self._message(position)
        if message is None:
            return True
        last = message.view.blocks[-1] if message.view.blocks else None
        if last is None or last.kind not in BEARING or message.view.stop in FAILED:
            return False
        return last.kind != "text" or bool(last.text)
