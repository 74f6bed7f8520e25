"""Turns a list that arrived into the next projection and state: the road of each list, whatever the preset.

1. How the list stands to what was shown before is made out once (`Delta`), and what is new and too long is cut
   (`arrival`), whatever the preset.
2. The preset plans; what does not fit is cut (`fitting`); its invariants check the plan; a plan that breaks one
   does not leave.
3. What a plan puts in a block's place is written once: its decision remembers it, and it is sent again as written.
4. A preset that keeps the prefix keeps it: between two epochs the answer only grows at its end. A cut that breaks
   it opens one.
5. What its provider would refuse does not leave (`accepting`).

Knows no wire and no IO. Every function is pure but for the memo of rewritten results, which only saves time.
"""

import msgspec

from ctxmgr.engine.arrival import ArrivalInputs, arriving
from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Incoming, extend
from ctxmgr.engine.invariants import FRESH
from ctxmgr.engine.presets import Inputs, NeedsThread, Planned, PresetStrategy
from ctxmgr.engine.rewriting import as_written
from ctxmgr.engine.tools import Memo
from ctxmgr.formats import MessageFormat
from ctxmgr.model import WEIGHER, BlockEdit, Decision, Keep, Message, Plan, WorkingSet
from ctxmgr.model.saved import LastProjection, Outline, State
from ctxmgr.session import ledger_updates
from ctxmgr.session.context.accepting import accepted, newly_refused
from ctxmgr.session.context.arriving import Arrived
from ctxmgr.session.context.comparing import first_changed, only_grew, sized
from ctxmgr.session.context.fitting import announced, fitting
from ctxmgr.session.context.outline import outline
from ctxmgr.session.projection import Projection, Replacements, hashed, is_of, tag_of
from ctxmgr.session.reading import Reader


class Checked(msgspec.Struct, frozen=True):
    """A projection that may leave, and the plan it is of, whose state is the session's next."""

    projection: Projection
    planned: Planned


class Faulty(msgspec.Struct, frozen=True):
    """A plan that breaks its promises: it must not leave. `checks` names them."""

    checks: tuple[str, ...]


def projected(
    arrived: Arrived, preset: PresetStrategy, inputs: Inputs, reader: Reader
) -> Checked | Faulty | NeedsThread:
    """The next projection of this list."""
    before = arrived.before
    incoming = incoming_of(arrived)
    shared = incoming.delta.shared_count
    state = ledger_updates.with_instructions(arrived.state, incoming.conversation, shared, inputs)
    arrived = msgspec.structs.replace(arrived, state=state)
    incoming, with_cuts = _cut_on_arrival(incoming, arrived.state, preset, inputs, reader)
    planned = preset.project(incoming, with_cuts, inputs)
    if isinstance(planned, NeedsThread):
        return planned
    fresh = planned.plan
    planned = fitting(incoming, planned, arrived.state, preset, inputs, reader)
    planned = _promising(planned, inputs.policy.working_set)
    goes_on = incoming.last_plan is not None
    check_state = before.check_state if goes_on else FRESH
    faults, check_state = preset.invariants.check(incoming.conversation, planned.plan, check_state)
    if faults:
        return Faulty(faults)
    messages = arrived.messages
    planned = _written_once(planned, incoming.conversation, before.plan)
    hash = hashed(before.hash if goes_on else None, messages[shared if goes_on else 0 :])
    projection = Projection(
        conversation=incoming.conversation,
        plan=planned.plan,
        check_state=check_state,
        etag=tag_of(hash, len(messages)),
        hash=hash,
        reader=reader,
        replacements=replacements(messages, planned.plan, reader.fmt, inputs.memo),
        answered=True,
    )
    projection = sized(projection, before, shared)
    grew = goes_on and _ends_open(before, projection, shared)
    projection = accepted(projection, before if grew else None, reader.fmt, inputs.memo)
    if faults := newly_refused(projection, reader.fmt):
        return Faulty(tuple(f"provider: {name}" for name in faults))  # rule 5
    between_epochs = preset.is_active(arrived.state) and goes_on and planned.receipt is None
    if preset.keeps_prefix and between_epochs and first_changed(before, projection, shared) >= 0:  # rule 4
        if planned.plan.pieces == fresh.pieces:
            return Faulty(("epoch",))
        planned = announced(planned, fresh, incoming, inputs)
    sent = (planned.state.sent if grew else ()) or outline(projection)
    return Checked(projection, _with_state(planned, projection, sent))


def _promising(planned: Planned, newest: WorkingSet) -> Planned:
    """With what the policy promises of the newest steps, to be checked by."""
    return msgspec.structs.replace(planned, plan=msgspec.structs.replace(planned.plan, working_set=newest))


def incoming_of(arrived: Arrived) -> Incoming:
    """How the list stands to what was shown before (rule 1)."""
    state, before, delta = arrived.state, arrived.before, arrived.delta
    conversation = indexed(before, arrived.messages, delta.shared_count)
    goes_on = before.answered and delta.shared_count == before.conversation.size
    shown = state.last_projection
    if shown is not None and not goes_on and not is_of(shown, arrived.messages):
        shown = None
    known = delta.shared_count if state.last_projection is not None else conversation.size
    if shown is not None:
        known = shown.message_count
    elif not state.decisions and before.plan.decisions:  # what was edited comes back as it was
        known = min(known, _untouched(before.plan))
    delta = msgspec.structs.replace(delta, unchanged_count=known)
    return Incoming(conversation, delta, shown, before.plan if goes_on else None)


def _cut_on_arrival(
    incoming: Incoming, state: State, preset: PresetStrategy, inputs: Inputs, reader: Reader
) -> tuple[Incoming, State]:
    """Rule 1: list and state, with what is decided of the results that came now."""
    if not preset.is_active(state):
        return incoming, state
    ask = ArrivalInputs(inputs.policy, reader.weigh, preset.invariants, inputs.archives)
    conversation, first = incoming.conversation, incoming.delta.unchanged_count
    if state.last_projection is None:  # others may have sent all but what came since the reply
        first = conversation.newest_reply + 1
    done = arriving(conversation, first, state, ask)
    if not done.decisions:
        return incoming, state
    last = incoming.last_plan
    if last is not None:
        last = msgspec.structs.replace(last, decisions=last.decisions | done.decisions)
    incoming = msgspec.structs.replace(incoming, last_plan=last, cut_tokens=done.saved_tokens)
    return incoming, msgspec.structs.replace(state, decisions=state.decisions | done.decisions)


def indexed(old: Projection, messages: tuple[Message, ...], shared: int) -> ConversationIndex:
    """The index of a list that shares its first `shared` messages with the last one."""
    start = old.conversation if shared == old.conversation.size else ConversationIndex()
    return extend(start, messages)


def _untouched(plan: Plan) -> int:
    """So many messages at the head of its list are shown as they came."""
    first = plan.pieces[0] if plan.pieces else None
    return first.end if isinstance(first, Keep) and first.start == 0 else 0


def _written_once(planned: Planned, conversation: ConversationIndex, before: Plan) -> Planned:
    """Rule 3, in plan and state alike."""
    plan, state = planned.plan, planned.state
    if plan.decisions is before.decisions:
        return planned
    fresh: dict[str, Decision] = {}
    for piece in plan.pieces:
        decision = plan.decisions.get(piece.key) if isinstance(piece, BlockEdit) else None
        if isinstance(piece, BlockEdit) and decision is not None and not decision.written and not decision.media:
            block = conversation.block(BlockRef(piece.message_index, piece.block_index))
            fresh[piece.key] = as_written(decision, piece, block.text)
    if not fresh:
        return planned
    decisions = plan.decisions | fresh
    held = decisions
    if state.decisions is not plan.decisions:
        held = state.decisions | {at: one for at, one in fresh.items() if at in state.decisions}
    return msgspec.structs.replace(
        planned,
        plan=msgspec.structs.replace(plan, decisions=decisions),
        state=msgspec.structs.replace(state, decisions=held),
    )


def _ends_open(before: Projection, after: Projection, shared: int) -> bool:
    """Is the answer the one before with nothing but a longer end, so that both have one outline?"""
    if len(before.plan.pieces) != len(after.plan.pieces) or not only_grew(before, after, shared):
        return False
    both = ((one.plan.pieces[-1], one.conversation.size) for one in (before, after))
    return all(isinstance(last, Keep) and last.end == size for last, size in both)


def _with_state(planned: Planned, projection: Projection, sent: Outline) -> Planned:
    """What is remembered of any projection."""
    state, weight = planned.state, planned.plan.weight
    state = msgspec.structs.replace(
        state,
        last_projection=LastProjection(projection.etag, projection.conversation.size, weight, WEIGHER),
        sent=sent,
        outgoing_tokens=weight,
        totals=msgspec.structs.replace(state.totals, contexts=state.totals.contexts + 1),
    )
    return msgspec.structs.replace(planned, state=state)


def replacements(messages: tuple[Message, ...], plan: Plan, fmt: MessageFormat, memo: Memo) -> Replacements:
    """The bytes of edited messages. A message has results or calls that are edited, never both. The packet is dated
    by the message that it stands before, so that the same packet has the same bytes."""
    edits: dict[int, list[BlockEdit]] = {}
    for piece in plan.pieces:
        if isinstance(piece, BlockEdit):
            edits.setdefault(piece.message_index, []).append(piece)
    made: dict[int, bytes] = {}
    for index, some in edits.items():
        key = ("put", messages[index].raw, *map(_put, some))
        if key not in memo:
            memo[key] = _edited(messages[index].raw, some, fmt)
        made[index] = memo[key]
    packet = plan.packet
    if packet is None:
        return Replacements(made)
    time_ms = messages[plan.floor].view.time_ms if plan.floor < len(messages) else None
    return Replacements(made, bytes(fmt.packet(packet.text, time_ms or 0)))


def _put(edit: BlockEdit) -> tuple[object, ...]:
    """What an edit puts where."""
    shorter = edit.text if edit.arguments is None else msgspec.json.encode(edit.arguments)
    return edit.block_index, edit.kind, shorter, edit.media


def _edited(raw: bytes, edits: list[BlockEdit], fmt: MessageFormat) -> bytes:
    arguments = {edit.block_index: edit.arguments for edit in edits if edit.arguments is not None}
    if arguments:
        return bytes(fmt.set_arguments(raw, arguments))
    texts = {edit.block_index: edit.text for edit in edits if edit.kind == "cut" and edit.text}
    results = {edit.block_index: edit.text for edit in edits if edit.kind != "cut"}
    media = {edit.block_index: dict(edit.media) for edit in edits if edit.media}
    raw = fmt.set_result(raw, results) if results else raw
    raw = fmt.set_text(raw, texts) if texts else raw
    return bytes(fmt.set_media(raw, media) if media else raw)
