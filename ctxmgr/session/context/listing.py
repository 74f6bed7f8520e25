"""The method `context`: a list arrives, is projected, and goes back as messages, edits or `unchanged`.

The road: `delta_of` (and `respelling`) -> `arrived` -> the preset's plan -> its checks -> `Projection` -> `answer`.
What can fail runs inside one attempt; if it fails, the fallback answers, and the session stays as it was.
What was attempted for a call that was cancelled meanwhile is there for the next.
"""

from typing import Any

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.engine.conversation import Delta
from ctxmgr.engine.presets import NeedsThread
from ctxmgr.model import Message, faults
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import Ledger
from ctxmgr.session.context import removed, respelling
from ctxmgr.session.context.answering import Compared, Parts, ProjectionFailure, answer, fall_back
from ctxmgr.session.context.arriving import Stale, arrived, delta_of, is_read
from ctxmgr.session.context.comparing import begins_with, resumed
from ctxmgr.session.context.marking import marked
from ctxmgr.session.context.projecting import Checked, Faulty, projected
from ctxmgr.session.context.raw_messages import RawMessages
from ctxmgr.session.session import SessionCore
from ctxmgr.session.unanswered import Unanswered
from ctxmgr.session.work import INLINE_BYTES, Offload, Verb

__all__ = ["Parts", "Stale", "context"]


class Attempt(msgspec.Struct, frozen=True):
    """What came of projecting, and the ledger that has learnt from the list. `anew`: the list begins anew.
    `fresh`: the messages that were new."""

    result: Checked | ProjectionFailure | NeedsThread
    ledger: Ledger
    anew: bool = False
    fresh: tuple[Message, ...] = ()


def context(
    session: SessionCore,
    raw_messages: RawMessages,
    params: lifecycle.ContextParams,
    stripped: int | None = None,
    mended: int = 0,
) -> Verb[Parts]:
    """The members of the answer as bytes, without the enclosing braces.

    `stripped`: so many messages were recognised in the request's bytes, and left out of `params.messages`;
    `mended`: so many unpaired surrogates were mended in the request. Raises Stale, and InvalidParams where the
    messages are in another format.
    """
    delta = delta_of(session, params, stripped)
    where = "$.messages" if params.append is None else "$.append.messages"
    session.check_format(delta.appended, where)
    delta = yield from _newest(session, raw_messages, delta, params, stripped)
    takes_long = sum(map(len, delta.appended)) > INLINE_BYTES
    attempt, held = Attempt(NeedsThread(), session.ledger), session.unanswered
    if held is not None and held.is_of(*_begun(session, delta, params)):
        attempt = held.attempt
    elif not takes_long and is_read(session):
        attempt = _attempt(session, delta, params, may_take_long=False)
    if isinstance(attempt.result, NeedsThread):
        try:
            attempt = yield Offload(lambda: _kept(session, delta, params))
        except Exception as fault:  # noqa: BLE001  no thread for it: the host's call must go on all the same
            attempt = _failed(session, fault)
    done, before, session.unanswered = attempt.result, session.projection, None
    if isinstance(done, NeedsThread):  # it has had one
        done = ProjectionFailure("internal fault: the preset can not decide")
    if isinstance(done, ProjectionFailure):
        return fall_back(session, raw_messages, delta, done)
    begins: tuple[int, int, int] | None = (0, 0, 0)
    if before.plan.pieces:
        begins = begins_with(before, done.projection, delta.shared_count)
    elif not session.failure_count:
        begins = resumed(session.state, done.projection)
    session.pending_archive += removed.from_lists(session, done.projection.messages, delta.shared_count)
    raw_messages.truncate(delta.shared_count)
    raw_messages.extend(delta.appended)
    time_ms = int(params.at) if params.at is not None else None
    counted = truth.listed(session.state.counted, begins[1] if begins is not None else 0, time_ms)
    session.state = msgspec.structs.replace(done.planned.state, counted=counted)
    session.projection, session.ledger = done.projection, attempt.ledger
    session.listed_ms = time_ms if time_ms is not None else session.state.clock or None
    session.pending_archive += done.planned.originals
    if attempt.anew:
        session.prefetch.forget()
    session.pending_messages.clear()
    session.source_messages.add(*done.projection.messages[delta.shared_count :])
    session.memo.keep_for(len(done.projection.messages), len(delta.appended))
    session.failure_count = 0
    own = int(params.own_marks) if params.own_marks is not None else None
    marks = marked(session, done.projection, begins[0] if begins is not None else None, own, session.listed_ms)
    session.state = msgspec.structs.replace(session.state, marked_starts=marks.starts)
    return answer(session, raw_messages, params.answer, done.planned, Compared(begins, marks.indices, mended))


def _newest(
    session: SessionCore,
    raw_messages: RawMessages,
    delta: Delta,
    params: lifecycle.ContextParams,
    stripped: int | None,
) -> Verb[Delta]:
    """How the list stands to the last one, which is held in the bytes of this one from here on."""
    held, whole = session.projection, params.append is None
    if delta.shared_count < len(held.messages) and sum(map(len, delta.appended)) > INLINE_BYTES:
        spelled = yield Offload(lambda: respelling.newest(held, delta, whole))
    else:
        spelled = respelling.newest(held, delta, whole)
    if not spelled:
        return delta
    session.projection = respelling.respelled(held, spelled, session.fmt, session.memo)
    first = min(spelled)
    raw_messages.truncate(first)
    raw_messages.extend([message.raw for message in session.projection.messages[first:]])
    return delta_of(session, params, stripped)


def _begun(
    session: SessionCore, delta: Delta, params: lifecycle.ContextParams
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """All that an attempt is made from: what the session is, and what was asked."""
    core = session
    return (core.state, core.projection, core.ledger, core.reader), (delta, params.at, params.overhead_tokens)


def _kept(session: SessionCore, delta: Delta, params: lifecycle.ContextParams) -> Attempt:
    """One attempt, in a thread; what came of it stays with the session until a call takes it."""
    attempt = _attempt(session, delta, params, may_take_long=True)
    if isinstance(attempt.result, Checked):
        begun = _begun(session, delta, params)
        session.unanswered = Unanswered(*begun, session.reader, attempt.fresh, attempt)
    return attempt


def _attempt(session: SessionCore, delta: Delta, params: lifecycle.ContextParams, may_take_long: bool) -> Attempt:
    """Assigns nothing: may run in another thread while the session waits."""
    try:
        time_ms = int(params.at) if params.at is not None else None
        read = arrived(session, delta, time_ms)
        overhead = read.state.overhead if params.overhead_tokens is None else int(params.overhead_tokens)
        state = msgspec.structs.replace(read.state, overhead=overhead)
        inputs = session.inputs(state, read.ledger, time_ms, may_take_long)
        made = projected(read, session.preset, inputs, session.reader)
        if isinstance(made, Faulty):
            return Attempt(ProjectionFailure(f"checks failed: {', '.join(made.checks)}", made.checks), read.ledger)
        return Attempt(made, read.ledger, read.anew, read.messages[delta.shared_count :])
    except Exception as fault:  # noqa: BLE001  whatever it is, the host's call must go on
        return _failed(session, fault)


def _failed(session: SessionCore, fault: Exception) -> Attempt:
    kind = f"internal fault: {type(fault).__name__}"
    name = type(fault).__name__
    return Attempt(ProjectionFailure(kind, (), faults.where(fault), name), session.ledger)
