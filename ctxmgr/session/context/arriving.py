"""Turns a `context` request into the list that is to be projected: how much of it is old, and what it says.

1. An appended list must fit what was answered before; a whole one is compared, message by message, as bytes: what
   is held has the newest ones (`respelling`).
2. Messages known from `turn_end`, from the list before it was written anew, or from a call that was cancelled,
   are not read again.
3. Where the session is in another format now, or pictures weigh otherwise, the whole list is read again.
4. The ledger learns from messages not heard before; summaries are folded and kept whole. Where the list begins
   anew (`compacted`), of the compaction first.
5. A packet that resumes is written for the list that is answered: hosts ask once more with the list from before a
   compaction, and then with the one that begins with its summary.
"""

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, Delta
from ctxmgr.engine.invariants import FRESH
from ctxmgr.engine.memory import fold, with_shared_words
from ctxmgr.model import Message
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import Ledger, State
from ctxmgr.session import ledger_updates
from ctxmgr.session.context.compacted import begins_anew, compacted
from ctxmgr.session.projection import Projection
from ctxmgr.session.session import SessionCore


class Stale(Exception):
    """`append` does not fit what was sent before: the host must send the whole list."""


class Arrived(msgspec.Struct, frozen=True):
    """A list that was read: its messages, the projection before it, and state and ledger that have learnt from
    it. `anew`: its program has compacted by itself."""

    messages: tuple[Message, ...]
    delta: Delta
    before: Projection
    state: State
    ledger: Ledger
    anew: bool = False


def delta_of(session: SessionCore, params: lifecycle.ContextParams, stripped: int | None) -> Delta:
    """Rule 1. `stripped`: so many messages were recognised in the request's bytes. Raises Stale."""
    held = session.projection.messages
    if params.append is not None:
        if not session.projection.etag or params.append.base != session.projection.etag:
            raise Stale("the base is not of the last answer")
        if params.append.after != len(held):
            raise Stale(f"{len(held)} messages were sent before")
        return Delta(len(held), tuple(bytes(raw) for raw in params.append.messages))
    raws = tuple(bytes(raw) for raw in params.messages or ())
    shared = known = stripped or 0
    for message, raw in zip(held[known:], raws, strict=False):
        if message.raw != raw:
            break
        shared += 1
    return Delta(shared, raws[shared - known :])


def arrived(session: SessionCore, delta: Delta, time_ms: int | None) -> Arrived:
    """The list, read. Assigns nothing."""
    state, before = session.state, session.projection
    if is_read(session):
        read = Arrived(
            (*before.messages[: delta.shared_count], *_read(session, delta)), delta, before, state, session.ledger
        )
    else:
        read = _read_anew(session, delta)
    state = read.state
    if state.resumed and delta.shared_count < len(before.messages):  # rule 5
        state = msgspec.structs.replace(state, packet=None, reopen=session.reopen("compaction"))
    told = begins_anew(before, session.state, read.messages, delta.shared_count)
    heard = session.source_messages
    if told is not None:
        state, ledger = compacted(state, session.ledger, told)
        read = msgspec.structs.replace(read, ledger=ledger, anew=True)
        heard = session.source_messages if told.view.summary else session.source_messages.having(told)
    read = msgspec.structs.replace(read, state=state)
    state, ledger = _learn(session, read, delta.shared_count, time_ms, heard)
    return msgspec.structs.replace(read, state=state, ledger=ledger)


def is_read(session: SessionCore) -> bool:
    """Is the last list read as the session reads now?"""
    return session.projection.reader in (None, session.reader)


def _read_anew(session: SessionCore, delta: Delta) -> Arrived:
    """Rule 3."""
    old = session.projection
    held = old.messages[: delta.shared_count]
    messages = session.reader.read([*(message.raw for message in held), *delta.appended])
    before = sum(message.weight for message in held)
    after = sum(message.weight for message in messages[: len(held)])
    state, shown = session.state, session.state.last_projection
    if shown is not None and before and after:
        shown = msgspec.structs.replace(shown, weight=round(shown.weight * after / before))
        state = msgspec.structs.replace(state, last_projection=shown)
    bare = msgspec.structs.replace(old, conversation=ConversationIndex(), check_state=FRESH, answered=False)
    return Arrived(messages, Delta(0, delta.appended), bare, state, session.ledger)


def _read(session: SessionCore, delta: Delta) -> tuple[Message, ...]:
    """Rule 2."""
    known: dict[bytes, Message] = dict(session.pending_messages)
    messages, cancelled = session.projection.messages, session.cancelled_attempt
    if cancelled is not None and cancelled.reader is session.reader:
        known |= {message.raw: message for message in cancelled.messages}
    if delta.shared_count < len(messages):
        known |= {message.raw: message for message in messages[delta.shared_count :]}
    return session.reader.read(delta.appended, known)


def _learn(
    session: SessionCore, read: Arrived, shared: int, time_ms: int | None, heard: ledger_updates.SourceMessages
) -> tuple[State, Ledger]:
    """Rule 4."""
    state, ledger, messages = read.state, read.ledger, read.messages
    fresh = [(position, messages[position]) for position in range(shared, len(messages))]
    if state.away:
        shown = messages[shared:] if session.projection.etag else messages
        state, back = ledger_updates.returned(state, {message.digest for message in shown})
        ledger = fold(ledger, back)
    for _, message in fresh:
        view = message.view
        if view.summary:
            state, facts = ledger_updates.from_summary(state, view.summary_text, view.summary, view.time_ms, None)
            state, ledger = ledger_updates.learn(state, facts, bound=False), fold(ledger, facts)
    calls = session.calls(message for _, message in fresh)
    before, (state, facts) = state, ledger_updates.from_messages(state, fresh, calls, time_ms, {}, heard)
    facts = with_shared_words(ledger, facts)
    state = ledger_updates.learn(state, facts, bound=False)
    return state, ledger_updates.merged(ledger, before, state, facts)
