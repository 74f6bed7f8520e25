"""Turns a list into its answer, for every preset: a list of passes, each from plan to plan.

1. The comparison with what was shown before is made once (`Delta`), and new content that is too long is cut
   (`arrival`), for every preset.
2. The preset plans; what does not fit is cut (`fitting`); invariants check the plan. A plan that breaks one is not
   sent.
3. The replacement of a block is written once: its decision remembers it, and it is sent again unchanged.
4. What the provider would refuse is not sent (`formats.acceptance`).
5. A preset that keeps the prefix keeps it: between two epochs the answer only grows at its end. A cut that breaks
   it opens an epoch.

No pass changes anything but its own value (`committing` does): a pass that raises leaves the session unchanged. The
memo of rewritten results only saves time.
"""

from collections.abc import Callable, Iterator

import msgspec

from ctxmgr.engine.arrival import ArrivalInputs, arriving
from ctxmgr.engine.conversation import BlockRef, ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH
from ctxmgr.engine.presets import Incoming, Inputs, Planned, PresetStrategy
from ctxmgr.engine.rewriting import as_written
from ctxmgr.engine.tools import Memo
from ctxmgr.formats import BEGINNING, MessageFormat, refused
from ctxmgr.model import WEIGHER, BlockEdit, Decision, Keep, Message, Plan, View
from ctxmgr.model.saved import LastProjection
from ctxmgr.session import ledger_updates
from ctxmgr.session.context.arriving import Arrived
from ctxmgr.session.context.comparing import (
    answer_bytes,
    edits,
    first_changed,
    only_grew,
    outline,
    runs,
    settled,
)
from ctxmgr.session.context.fitting import ListPlan, Rejected, announced, fit
from ctxmgr.session.projection import NO_PLAN, Projection, hashed, is_of, replacements, tag_of
from ctxmgr.session.reading import Reader

Pass = Callable[[ListPlan], ListPlan]


def projected(arrived: Arrived, preset: PresetStrategy, inputs: Inputs, reader: Reader) -> ListPlan:
    """The answer to this list. Raises Rejected, and NeedsThread if the preset would block others."""
    plan = ListPlan(arrived, preset, inputs, reader, incoming_of(arrived), Planned(NO_PLAN, arrived.state, 0))
    for make in PASSES:
        plan = make(plan)
    return plan


def incoming_of(arrived: Arrived) -> Incoming:
    """How the list compares with what was shown before (rule 1)."""
    state, before, delta = arrived.state, arrived.before, arrived.delta
    conversation = indexed(before, arrived.messages, delta.shared_count)
    goes_on = before.answered and delta.shared_count == before.conversation.size
    shown = state.last_projection
    if shown is not None and not goes_on and not is_of(shown, arrived.messages):
        shown = None
    known = delta.shared_count if state.last_projection is not None else conversation.size
    if shown is not None:
        known = shown.message_count
    elif not state.decisions and before.plan.decisions:  # edited content returns in its original form
        known = min(known, _untouched(before.plan))
    delta = msgspec.structs.replace(delta, unchanged_count=known)
    return Incoming(conversation, delta, shown, before.plan if goes_on else None)


def indexed(old: Projection, messages: tuple[Message, ...], shared: int) -> ConversationIndex:
    """The index of a list that shares its first `shared` messages with the last one."""
    start = old.conversation if shared == old.conversation.size else ConversationIndex()
    return extend(start, messages)


def _untouched(plan: Plan) -> int:
    """How many messages at the head of its list are shown as they came."""
    first = plan.pieces[0] if plan.pieces else None
    return first.end if isinstance(first, Keep) and first.start == 0 else 0


def remember_instructions(plan: ListPlan) -> ListPlan:
    """Remembers instructions in new messages, in case the host removes them."""
    arrived, conversation = plan.arrived, plan.incoming.conversation
    state = ledger_updates.with_instructions(arrived.state, conversation, plan.shared_count, plan.inputs)
    planned = msgspec.structs.replace(plan.planned, state=state)
    return msgspec.structs.replace(plan, arrived=msgspec.structs.replace(arrived, state=state), planned=planned)


def cut_arrivals(plan: ListPlan) -> ListPlan:
    """Decides to cut new results that are too long (rule 1)."""
    state, incoming, inputs = plan.planned.state, plan.incoming, plan.inputs
    if not plan.preset.is_active(state):
        return plan
    ask = ArrivalInputs(inputs.policy, plan.reader.weigh, plan.preset.invariants, inputs.archives)
    conversation, first = incoming.conversation, incoming.delta.unchanged_count
    if state.last_projection is None:  # others may have sent everything up to the reply
        first = conversation.newest_reply + 1
    cut = arriving(conversation, first, state, ask)
    if not cut.decisions:
        return plan
    last = incoming.last_plan
    if last is not None:
        last = msgspec.structs.replace(last, decisions=last.decisions | cut.decisions)
    incoming = msgspec.structs.replace(incoming, last_plan=last, cut_tokens=cut.saved_tokens)
    state = msgspec.structs.replace(state, decisions=state.decisions | cut.decisions)
    planned = msgspec.structs.replace(plan.planned, state=state)
    return msgspec.structs.replace(plan, incoming=incoming, planned=planned)


def plan_by_preset(plan: ListPlan) -> ListPlan:
    """Decides what stays and in which form, as the preset says (rule 2). Raises NeedsThread."""
    planned = plan.preset.project(plan.incoming, plan.planned.state, plan.inputs)
    return msgspec.structs.replace(plan, planned=planned, uncut=planned.plan)


def check_invariants(plan: ListPlan) -> ListPlan:
    """Checks the promises of every list, and the policy's about the newest steps (rule 2). Raises Rejected."""
    promised = msgspec.structs.replace(plan.plan, working_set=plan.inputs.policy.working_set)
    known = plan.arrived.before.check_state if plan.goes_on else FRESH
    faults, check_state = plan.preset.invariants.check(plan.incoming.conversation, promised, known)
    if faults:
        raise Rejected(faults)
    projection = msgspec.structs.replace(plan.projection, check_state=check_state)
    planned = msgspec.structs.replace(plan.planned, plan=promised)
    return msgspec.structs.replace(plan, planned=planned, projection=projection)


def write_once(plan: ListPlan) -> ListPlan:
    """Decisions remember the replacement of a block, in plan and state (rule 3)."""
    pieces, state, conversation = plan.plan, plan.planned.state, plan.incoming.conversation
    before = plan.arrived.before.plan
    same = plan.goes_on and pieces.decisions is before.decisions and pieces.goes_on_from(before.pieces)
    fresh: dict[str, Decision] = {}
    for piece in pieces.pieces[len(before.pieces) - 1 if same else 0 :]:  # earlier ones are written already
        decision = pieces.decisions.get(piece.key) if isinstance(piece, BlockEdit) else None
        if isinstance(piece, BlockEdit) and decision is not None and not decision.written and not decision.media:
            block = conversation.block(BlockRef(piece.message_index, piece.block_index))
            fresh[piece.key] = as_written(decision, piece, block.text)
    if not fresh:
        return plan
    decisions = pieces.decisions | fresh
    held = decisions
    if state.decisions is not pieces.decisions:
        held = state.decisions | {key: decision for key, decision in fresh.items() if key in state.decisions}
    planned = msgspec.structs.replace(
        plan.planned,
        plan=msgspec.structs.replace(pieces, decisions=decisions),
        state=msgspec.structs.replace(state, decisions=held),
    )
    return msgspec.structs.replace(plan, planned=planned)


def render(plan: ListPlan) -> ListPlan:
    """The answer's bytes and its tag."""
    before, messages = plan.arrived.before, plan.arrived.messages
    shared = settled(before, plan.plan) if plan.goes_on else None
    hash = hashed(before.hash if plan.goes_on else None, messages[plan.shared_count if plan.goes_on else 0 :])
    projection = Projection(
        conversation=plan.incoming.conversation,
        plan=plan.plan,
        check_state=plan.projection.check_state,
        etag=tag_of(hash, len(messages)),
        hash=hash,
        reader=plan.reader,
        replacements=replacements(
            messages,
            plan.plan,
            plan.reader.fmt,
            plan.inputs.memo,
            shared,
            plan.preset.invariants.packet_inside,
        ),
        answered=True,
        settled=shared,
    )
    grew = plan.goes_on and _ends_open(before, projection, plan.shared_count)
    return msgspec.structs.replace(plan, projection=projection, only_grew=grew)


def accept_format(plan: ListPlan) -> ListPlan:
    """Checks the answer against the provider's rules (rule 4), from the bytes that are sent. Raises Rejected if the
    provider would refuse them, unless it would refuse the host's own list too. An answer that only grew is checked
    from where it grew.
    """
    fmt, projection, before = plan.reader.fmt, plan.projection, plan.arrived.before
    if plan.only_grew:
        new = projection.messages[before.conversation.size :]
        progress = fmt.accept(before.replacements.accepted, ((message.raw, message.view) for message in new))
    else:
        progress = fmt.accept(BEGINNING, _answered(projection, fmt, plan.inputs.memo))
    strict = plan.preset.invariants.packet_inside
    if broken := refused(progress, strict):
        came = fmt.accept(BEGINNING, ((message.raw, message.view) for message in projection.messages))
        torn = "pairs" in refused(came)  # whatever of it is sent
        if not torn and (broken := broken - refused(came, strict)):
            raise Rejected(tuple(f"provider: {name}" for name in sorted(broken)))
    replacements = msgspec.structs.replace(projection.replacements, accepted=progress)
    return msgspec.structs.replace(plan, projection=msgspec.structs.replace(projection, replacements=replacements))


def _answered(projection: Projection, fmt: MessageFormat, memo: Memo) -> Iterator[tuple[bytes, View]]:
    for start, end, content, _ in runs(projection):
        if not content:
            yield from ((message.raw, message.view) for message in projection.messages[start:end])
            continue
        key = ("view", content)
        if key not in memo:
            memo[key] = fmt.view(content)
        yield content, memo[key]


def announce(plan: ListPlan) -> ListPlan:
    """A cut that changes the prefix between two epochs opens one (rule 5). Raises Rejected if the preset itself
    changed it.
    """
    between_epochs = plan.preset.is_active(plan.arrived.state) and plan.goes_on and plan.planned.receipt is None
    if not (plan.preset.keeps_prefix and between_epochs):
        return plan
    if first_changed(plan.arrived.before, plan.projection, plan.shared_count) < 0:
        return plan
    if plan.plan.pieces == plan.uncut.pieces:
        raise Rejected(("epoch",))
    return announced(plan)


def remember(plan: ListPlan) -> ListPlan:
    """Remembers what every answer needs."""
    projection, state, weight = plan.projection, plan.planned.state, plan.plan.weight
    for made in (answer_bytes, edits):  # with the list that they are of: the next call goes on from them
        made(projection)
    state = msgspec.structs.replace(
        state,
        last_projection=LastProjection(projection.etag, projection.conversation.size, weight, WEIGHER),
        sent=(state.sent if plan.only_grew else ()) or outline(projection),
        outgoing_tokens=weight,
        totals=msgspec.structs.replace(state.totals, contexts=state.totals.contexts + 1),
    )
    return msgspec.structs.replace(plan, planned=msgspec.structs.replace(plan.planned, state=state))


PASSES: tuple[Pass, ...] = (
    remember_instructions,
    cut_arrivals,
    plan_by_preset,
    fit,
    check_invariants,
    write_once,
    render,
    accept_format,
    announce,
    remember,
)


def _ends_open(before: Projection, after: Projection, shared: int) -> bool:
    """Whether the answer is the previous one with only a longer end, so that both have the same outline."""
    if len(before.plan.pieces) != len(after.plan.pieces) or not only_grew(before, after, shared):
        return False
    both = ((projection.plan.pieces[-1], projection.conversation.size) for projection in (before, after))
    return all(isinstance(last, Keep) and last.end == size for last, size in both)
