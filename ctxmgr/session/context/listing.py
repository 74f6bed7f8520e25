"""The method `context`: a list arrives, is projected, and is returned as messages, edits or `unchanged`.

The path: `delta_of` (and `respelled`) -> `arrived` -> the passes of `projected` -> `commit` -> `answer`. Everything
that can fail runs inside one attempt. If it fails, the fallback answers, and the session stays unchanged. The next
call reuses the plan of a cancelled one.
"""

from typing import Any

import msgspec

from ctxmgr.engine.presets import Delta, NeedsThread
from ctxmgr.model import faults
from ctxmgr.model.api import lifecycle
from ctxmgr.session.context.answering import Parts, ProjectionFailure, answer, fall_back
from ctxmgr.session.context.arriving import Stale, arrived, delta_of, is_read, newest_spelling, respelled
from ctxmgr.session.context.committing import commit
from ctxmgr.session.context.fitting import ListPlan, Rejected
from ctxmgr.session.context.projecting import projected
from ctxmgr.session.context.raw_messages import RawMessages
from ctxmgr.session.projection import CancelledAttempt
from ctxmgr.session.session import SessionCore
from ctxmgr.session.work import INLINE_BYTES, Offload, Verb

__all__ = ["Parts", "ProjectionFailure", "Stale", "attempt", "context"]


def context(
    session: SessionCore,
    raw_messages: RawMessages,
    params: lifecycle.ContextParams,
    stripped: int | None = None,
    mended: int = 0,
) -> Verb[Parts]:
    """The members of the answer as bytes, without the enclosing braces.

    `stripped`: how many messages were recognized in the request's bytes and are missing in `params.messages`.
    `mended`: how many unpaired surrogates were repaired in the request. Raises Stale, and InvalidParams if the
    messages are in another format.
    """
    delta = delta_of(session, params, stripped)
    where = "$.messages" if params.append is None else "$.append.messages"
    session.check_format(delta.appended, where)
    delta = yield from _newest(session, raw_messages, delta, params, stripped)
    plan = yield from _planned(session, delta, params)
    session.cancelled_attempt = None
    if isinstance(plan, ProjectionFailure):
        return fall_back(session, raw_messages, delta, plan)
    compared = commit(session, raw_messages, delta, params, plan)
    return answer(session, raw_messages, params.answer, plan.planned, compared, mended)


def _newest(
    session: SessionCore,
    raw_messages: RawMessages,
    delta: Delta,
    params: lifecycle.ContextParams,
    stripped: int | None,
) -> Verb[Delta]:
    """How the list compares with the last one, which is held in the new spelling from here on."""
    held, whole = session.projection, params.append is None
    if delta.shared_count < len(held.messages) and sum(map(len, delta.appended)) > INLINE_BYTES:
        spelled = yield Offload(lambda: newest_spelling(held, delta, whole))
    else:
        spelled = newest_spelling(held, delta, whole)
    if not spelled:
        return delta
    session.projection = respelled(held, spelled, session.fmt, session.memo)
    first = min(spelled)
    raw_messages.truncate(first)
    raw_messages.extend([message.raw for message in session.projection.messages[first:]])
    return delta_of(session, params, stripped)


def _planned(
    session: SessionCore, delta: Delta, params: lifecycle.ContextParams
) -> Verb[ListPlan | ProjectionFailure]:
    """The plan of the list: that of a cancelled call, made at once, or made in a thread."""
    given, asked = _inputs(session, delta, params)
    cancelled = session.cancelled_attempt
    if cancelled is not None and cancelled.is_of(given, asked):
        plan: ListPlan | ProjectionFailure = cancelled.plan
        return plan
    if sum(map(len, delta.appended)) <= INLINE_BYTES and is_read(session):
        try:
            return attempt(session, delta, params, may_take_long=False)
        except NeedsThread:
            pass
    try:
        plan = yield Offload(lambda: _kept(session, delta, params))
    except Exception as fault:  # noqa: BLE001  no thread for it: the host's call must go on all the same
        plan = _failed(fault)
    return plan


def _inputs(
    session: SessionCore, delta: Delta, params: lifecycle.ContextParams
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Everything a plan is made from: the session and the request."""
    given = session.state, session.projection, session.ledger, session.reader
    return given, (delta, params.at, params.overhead_tokens)


def _kept(session: SessionCore, delta: Delta, params: lifecycle.ContextParams) -> ListPlan | ProjectionFailure:
    """One attempt, in a thread. Its result stays with the session until a call uses it."""
    plan = attempt(session, delta, params, may_take_long=True)
    if isinstance(plan, ListPlan):
        messages = plan.arrived.messages[delta.shared_count :]
        made_from = _inputs(session, delta, params)
        session.cancelled_attempt = CancelledAttempt(*made_from, session.reader, messages, plan)
    return plan


def attempt(
    session: SessionCore, delta: Delta, params: lifecycle.ContextParams, may_take_long: bool
) -> ListPlan | ProjectionFailure:
    """Assigns nothing, so it may run in another thread while the session waits. Raises NeedsThread if it would take
    long and may not.
    """
    try:
        time_ms = int(params.at) if params.at is not None else None
        read = arrived(session, delta, time_ms)
        if params.overhead_tokens is not None:
            state = msgspec.structs.replace(read.state, overhead=int(params.overhead_tokens))
            read = msgspec.structs.replace(read, state=state)
        inputs = session.inputs(read.state, read.ledger, time_ms, may_take_long)
        return projected(read, session.preset, inputs, session.reader)
    except Rejected as fault:
        return ProjectionFailure(f"checks failed: {fault}", fault.checks)
    except NeedsThread:
        if not may_take_long:
            raise
        return ProjectionFailure("internal fault: the preset cannot decide")
    except Exception as fault:  # noqa: BLE001  whatever it is, the host's call must go on
        return _failed(fault)


def _failed(fault: Exception) -> ProjectionFailure:
    name = type(fault).__name__
    return ProjectionFailure(f"internal fault: {name}", (), faults.where(fault), name)
