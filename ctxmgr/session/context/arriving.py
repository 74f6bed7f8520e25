"""Turns a `context` request into the list to project: how much of it is known, and what it says.

1. An appended list must match the last answer. A whole list is compared message by message, as bytes.
2. Messages of the last list are kept in the bytes of their newest spelling, which are sent back. A message that
   comes again with the same content in other bytes (`formats.same_content`) is the same message: it is not read
   again, and decisions about it hold. New messages that come alone, with cache marks, say where the marks are now;
   the previous marks are removed.
3. Messages known from `turn_end`, from the list before it was rewritten, or from a cancelled call are not read
   again.
4. If the session's format changed, or pictures count differently now, the whole list is read again.
5. The ledger learns from new messages; summaries are folded and kept whole. If the list starts over, it learns of
   the compaction first.
6. A list starts over if its program compacted by itself without reporting it. Such a list does not continue the
   last one, and the host has reported no compaction since. It holds a compaction's summary that the last list did
   not: recognized by the host's mark or words (its format knows them), or an item that represents a past which only
   the provider can read. Alternatively its first user message is new and has the sections of a summary, while most
   of the last list is gone.
7. It is then handled like a reported compaction: the ledger is kept and learns the summary, the reading is void,
   the next packet says where the work stood, and the prefix is lost anyway.
8. A packet that resumes belongs to the list that is answered: some hosts ask once more with the list from before a
   compaction, and then with the one that begins with its summary.
9. After a reported compaction or move, what was shown stays until a list comes that does not continue the last one.
   So a compaction that changed nothing costs nothing, also after a restart.
"""

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH
from ctxmgr.engine.memory import fold, sections_of, with_shared_words
from ctxmgr.engine.presets import Delta
from ctxmgr.engine.pressure import latch, meter
from ctxmgr.engine.tools import Memo
from ctxmgr.formats import MessageFormat, is_marked, mark_count, same_content, unmarked
from ctxmgr.model import Message
from ctxmgr.model.api import lifecycle
from ctxmgr.model.saved import Ledger, State
from ctxmgr.session import ledger_updates
from ctxmgr.session.context.comparing import runs
from ctxmgr.session.projection import Projection, is_of, replacements
from ctxmgr.session.session import SessionCore


class Stale(Exception):
    """`append` does not match what was sent before; the host must send the whole list."""


class Arrived(msgspec.Struct, frozen=True):
    """A list that was read: its messages, the projection before it, and the state and ledger that learned from it.
    `anew`: its program compacted by itself.
    """

    messages: tuple[Message, ...]
    delta: Delta
    before: Projection
    state: State
    ledger: Ledger
    anew: bool = False


def delta_of(session: SessionCore, params: lifecycle.ContextParams, stripped: int | None) -> Delta:
    """Rule 1. `stripped`: the number of messages recognized in the request's bytes. Raises Stale."""
    held = session.projection.messages
    if params.append is not None:
        if not session.projection.etag or params.append.base != session.projection.etag:
            raise Stale("the base is not of the last answer")
        if params.append.after != len(held):
            raise Stale(f"{len(held)} messages were sent before")
        return Delta(len(held), tuple(bytes(raw) for raw in params.append.messages))
    raws = tuple(map(bytes, params.messages or ()))
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
    if state.resumed and delta.shared_count < len(before.messages):  # rule 8
        state = msgspec.structs.replace(state, packet=None, reopen=session.reopen("compaction"))
    if state.resume and not state.resumed and _is_another(before, state, read.messages, delta.shared_count):
        state = msgspec.structs.replace(state, anchor="", packet=None)  # rule 9
    message = begins_anew(before, session.state, read.messages, delta.shared_count)
    heard = session.source_messages
    if message is not None:
        state, ledger = compacted(state, session.ledger, message)
        read = msgspec.structs.replace(read, ledger=ledger, anew=True)
        heard = session.source_messages if message.view.summary else session.source_messages.having(message)
    read = msgspec.structs.replace(read, state=state)
    state, ledger = _learn(session, read, delta.shared_count, time_ms, heard)
    return msgspec.structs.replace(read, state=state, ledger=ledger)


def is_read(session: SessionCore) -> bool:
    """Whether the last list was read the way the session reads now."""
    return session.projection.reader in (None, session.reader)


def _read_anew(session: SessionCore, delta: Delta) -> Arrived:
    """Rule 4."""
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
    """Rule 3."""
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
    """Rule 5."""
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
    last = messages[shared - 1].view if shared else None
    before, (state, facts) = state, ledger_updates.from_messages(state, fresh, calls, time_ms, {}, heard, last)
    facts = with_shared_words(ledger, facts)
    state = ledger_updates.learn(state, facts, bound=False)
    return state, ledger_updates.merged(ledger, before, state, facts)


LEAST_SECTIONS = 3  # with a heading that summaries use; a person's message rarely has as many
GONE = 0.5  # of the last list's tokens; if less is gone it is an edit, not a new list


def begins_anew(before: Projection, state: State, messages: Sequence[Message], shared: int) -> Message | None:
    """The message with the summary. None if the list does not start over. `shared`: how many messages it shares
    with the last list.
    """
    if state.reopen in ("compaction", "tree") or not _is_another(before, state, messages, shared):
        return None
    last = {message.raw for message in before.messages}  # what only the provider can read has one digest
    known = {summary.digest for summary in state.summaries}
    for message in messages[shared:]:
        if message.view.summary == "compaction" and message.raw not in last:
            summary_text = message.view.summary_text
            if not summary_text or ledger_updates.summary_digest(summary_text) not in known:
                return message
    first = next((message for message in messages if message.view.opens_turn), None)
    if first is None or first.raw in last or first.digest in known or not before.messages:
        return None
    held = {message.digest for message in messages}
    gone = sum(message.weight for message in before.messages if message.digest not in held)
    return first if gone >= GONE * before.conversation.raw_weight and _reads_as_summary(first) else None


def compacted(state: State, ledger: Ledger, message: Message) -> tuple[State, Ledger]:
    """State and ledger after the compaction that this message reports."""
    summary_text = message.view.summary_text
    text, origin = (summary_text, "") if message.view.summary else (_text(message), message.digest)
    state, facts = ledger_updates.from_summary(state, text, "compaction", message.view.time_ms, None, origin)
    state, bound = ledger_updates.bind(state, None)
    state = ledger_updates.learn(state, facts, bound=True)
    done, _ = latch.apply(state.latch, "compacted")
    again = state.reopen if state.reopen in ("pin", "undo") else "compaction"
    state = msgspec.structs.replace(
        state, latch=done, meter=meter.void(state.meter), resume=True, anchor="", packet=None, reopen=again
    )
    return state, ledger_updates.ledger(state) if bound else fold(ledger, facts)


def _is_another(before: Projection, state: State, messages: Sequence[Message], shared: int) -> bool:
    """Whether the list does not continue the last one, of this process or the previous one."""
    if before.messages:
        return shared < len(before.messages)
    return state.last_projection is not None and not is_of(state.last_projection, messages)


def _text(message: Message) -> str:
    return "\n".join(block.text for block in message.view.blocks if block.is_text)


def _reads_as_summary(message: Message) -> bool:
    """Rule 6, by its words."""
    named = {part.kind for part in sections_of(_text(message)) if part.kind != "context"}
    return len(named) >= LEAST_SECTIONS


def newest_spelling(held: Projection, delta: Delta, whole: bool) -> dict[int, bytes]:
    """The newest bytes of known messages, by index, where they differ. `delta`: by bytes only. `whole`: all
    messages came, not only new ones.
    """
    spelled: dict[int, bytes] = {}
    shared, messages = delta.shared_count, held.messages
    if shared == len(messages):
        if not whole and any(map(is_marked, delta.appended)):
            bare = ((index, message.raw, unmarked(message.raw)) for index, message in enumerate(messages))
            spelled = {index: raw for index, old, raw in bare if raw is not old}
        return spelled
    for index, raw in enumerate(delta.appended[: len(messages) - shared], shared):
        old = messages[index].raw
        if old == raw:
            continue
        if not same_content(old, raw):
            break
        spelled[index] = raw
    return spelled


def respelled(held: Projection, spelled: dict[int, bytes], fmt: MessageFormat, memo: Memo) -> Projection:
    """The same projection with these bytes."""
    messages = list(held.messages)
    for index, raw in spelled.items():
        messages[index] = msgspec.structs.replace(messages[index], raw=raw)
    conversation = extend(held.conversation, tuple(messages))
    put = replacements(conversation.messages, held.plan, fmt, memo)
    indices = sorted(spelled)
    changed = [(held.replacements.messages[index], raw) for index, raw in put.messages.items() if index in spelled]
    for start, end, content, _ in runs(held):
        if not content:
            kept = indices[bisect_left(indices, start) : bisect_left(indices, end)]
            changed += [(held.messages[index].raw, spelled[index]) for index in kept]
    marks = held.replacements.accepted.mark_count + sum(mark_count(new) - mark_count(old) for old, new in changed)
    progress = msgspec.structs.replace(held.replacements.accepted, mark_count=marks)
    put = msgspec.structs.replace(held.replacements, messages=put.messages, accepted=progress)
    return msgspec.structs.replace(held, conversation=conversation, replacements=put, settled=None)
