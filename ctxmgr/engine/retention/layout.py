"""Lays out a list by the decisions of an epoch: the same decisions give the same bytes, call after call.

1. A dropped message is omitted; edited blocks are rewritten; all others stay as they came.
2. The packet stays before the message it was put before.
3. A list that continues the last one is laid out by its new part only: its messages stay as they came, except
   results that are cut on arrival.
4. A replacement that was sent once is sent again unchanged, whatever the counts are now.

Which decisions still hold (`in_force`): a decision identifies a message by its content and the number of earlier
messages with the same content, as for all reasoning that only the provider can read.

5. Decisions about what the list does not contain are forgotten. Otherwise a message that comes again would be
   removed at once, and only after a restart, since a list that continues does not consult them.
6. An assistant's message of several items, or a call and its results, are omitted as a whole or not at all. If a
   host removed older messages, decisions point to other messages with the same content. Then the messages of the
   step with unique content decide.
7. For the same reason they may point to a message that must stay (the user's newest): it stays, with its step.
8. Steps in the promised working set stay as they came, except what was cut or removed to fit. The decision was
   about an older part: what followed it is gone, or it has the same content as something that was removed.

Makes no decisions.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ctxmgr.engine.conversation import STEP_ROLES, BlockRef, ConversationIndex, Step, block_key, promised_start
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.rewriting import Rewrite, Shorten, arguments_of, cut_edit
from ctxmgr.model import BlockEdit, Decision, Keep, Packet, Piece, Plan, WorkingSet, Zone


class Layout(msgspec.Struct, frozen=True):
    """What a plan is laid out by. `packet` is before message `packet_index`; its text may be "". `allowance`:
    tokens that it may have beyond what was removed. `newest`: the working set.
    """

    decisions: Mapping[str, Decision]
    packet: Packet
    packet_index: int
    rewrite: Rewrite
    shorten: Shorten
    rules: Invariants
    allowance: int = 0
    newest: WorkingSet = WorkingSet(0, 0)


def drops(conversation: ConversationIndex, decisions: Mapping[str, Decision], message_index: int) -> bool:
    """Whether these decisions omit a message."""
    decision = decisions.get(conversation.key(message_index))
    return decision is not None and decision.kind == "dropped"


def parted(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], first_index: int = 0
) -> frozenset[int]:
    """The omitted messages that a shown one continues (a result, an outcome), among the messages from `first_index`
    on.
    """
    if not decisions:
        return frozenset()
    return frozenset(
        earlier
        for later, earlier in conversation.halves(first_index)
        if drops(conversation, decisions, earlier) and not drops(conversation, decisions, later)
    )


def lay_out(conversation: ConversationIndex, zone: Zone, layout: Layout) -> Plan:
    """The plan of a whole list. Its `floor` is the place of its packet."""
    pieces: list[Piece] = []
    start, weight, dropped = 0, 0, 0
    held: dict[str, Decision] = {}
    decisions = in_force(conversation, layout.decisions, layout.rules, layout.newest)
    edited = dict.fromkeys(("distilled", "pruned", "shortened", "cut"), 0)
    for position, message in enumerate(conversation.messages):
        mine = of_message(conversation, position, decisions) if decisions else None
        if not mine:  # most of a list: unchanged
            weight += message.weight
            continue
        held |= mine
        if drops(conversation, held, position):
            _keep(pieces, start, position)
            start = position + 1
            dropped += 1
            continue
        weight += message.weight
        edits = _edits(conversation, position, layout)
        if edits:
            _keep(pieces, start, position)
            pieces += edits
            start = position + 1
        for edit in edits:
            weight -= edit.before_tokens - edit.after_tokens
            edited[edit.kind] += 1
    _keep(pieces, start, conversation.size)
    plan = Plan(
        pieces=tuple(pieces),
        zone=zone,
        floor=0,
        weight=weight,
        raw_weight=conversation.raw_weight,
        decisions=held,
        turns_kept=len(conversation.turns),
        distilled=edited["distilled"] + edited["shortened"],
        pruned=edited["pruned"],
        dropped=dropped,
        blocks_cut=edited["cut"],
        packet_weight=0,
        allowance=layout.allowance,
    )
    return (
        with_packet(plan, layout.packet, layout.packet_index)
        if layout.packet.text and layout.packet_index < conversation.size
        else plan
    )


def with_packet(plan: Plan, packet: Packet, packet_index: int) -> Plan:
    """A whole list's plan, with a packet inserted before message `packet_index`."""
    before: list[Piece] = []
    after: list[Piece] = []
    for piece in plan.pieces:
        start = (
            piece.start if isinstance(piece, Keep) else piece.message_index if isinstance(piece, BlockEdit) else 0
        )
        if isinstance(piece, Keep) and start < packet_index < piece.end:
            before.append(Keep(start, packet_index))
            piece, start = Keep(packet_index, piece.end), packet_index
        (before if start < packet_index else after).append(piece)
    return msgspec.structs.replace(
        plan,
        pieces=(*before, packet, *after),
        floor=packet_index,
        weight=plan.weight + packet.weight,
        packet_weight=packet.weight,
    )


def extended(plan: Plan, conversation: ConversationIndex, before: int, zone: Zone, layout: Layout) -> Plan:
    """The plan of a list that continues that of `plan`, which had `before` messages (rule 3)."""
    size, start, edits = conversation.size, before, list[BlockEdit]()
    last = plan.pieces[-1] if plan.pieces else None
    pieces = list(plan.pieces)
    if isinstance(last, Keep) and last.end == before:
        start = last.start
        pieces.pop()
    for position in range(before, size) if layout.decisions else ():
        made = [edit for edit in _edits(conversation, position, layout) if edit.kind == "cut"]
        if made:
            _keep(pieces, start, position)
            pieces += made
            start = position + 1
            edits += made
    _keep(pieces, start, size)
    weight = plan.weight + conversation.weight_of(range(before, size))
    cut = {edit.key: layout.decisions[edit.key] for edit in edits}
    return msgspec.structs.replace(
        plan,
        pieces=tuple(pieces),
        zone=zone,
        weight=weight - sum(edit.before_tokens - edit.after_tokens for edit in edits),
        raw_weight=conversation.raw_weight,
        decisions=plan.decisions | cut if cut else plan.decisions,
        turns_kept=len(conversation.turns),
        blocks_cut=plan.blocks_cut + len(edits),
    )


def _keep(pieces: list[Piece], start: int, end: int) -> None:
    if end > start:
        pieces.append(Keep(start, end))


def _edits(conversation: ConversationIndex, position: int, layout: Layout) -> list[BlockEdit]:
    message = conversation.messages[position]
    edits: list[BlockEdit] = []
    for number, block in enumerate(message.view.blocks):
        if block.kind in ("thinking", "summary"):
            continue
        ref = BlockRef(position, number)
        index = conversation.block_key(ref)
        decision = layout.decisions.get(index)
        if decision is None or decision.kind == "dropped":
            continue
        before = message.weights[number]
        if decision.kind == "cut":
            if layout.rules.may_edit(conversation, ref, "cut"):
                edits.append(cut_edit(conversation, ref, decision))
            continue
        if decision.kind in ("distilled", "pruned") and block.kind == "result":
            text, after = layout.rewrite(ref, decision)
            if after < before or decision.written:
                edits.append(BlockEdit(position, number, decision.kind, text, index, before, after))
        elif decision.kind == "shortened" and block.kind == "call":
            may_edit = layout.rules.may_edit(conversation, ref, "shortened")
            shorter = _shorter(ref, decision, layout) if may_edit else None
            if shorter is not None and (shorter[1] < before or decision.written):
                arguments, after = shorter
                edits.append(BlockEdit(position, number, "shortened", "", index, before, after, arguments))
    return edits


def _shorter(ref: BlockRef, decision: Decision, layout: Layout) -> tuple[dict[str, Any], int] | None:
    """The shorter arguments of a call, and their tokens; None if they save nothing."""
    if decision.written:
        return arguments_of(decision.written), decision.weight
    return layout.shorten(ref)


def in_force(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], rules: Invariants, newest: WorkingSet
) -> Mapping[str, Decision]:
    """The decisions that hold, by key. `newest`: the working set."""
    return _of_older(conversation, _whole_steps(conversation, decisions, rules), newest)


def of_message(
    conversation: ConversationIndex, position: int, decisions: Mapping[str, Decision]
) -> dict[str, Decision]:
    """The decisions about a message and its blocks (rule 5)."""
    key, held = conversation.key(position), dict[str, Decision]()
    if key in decisions:
        held[key] = decisions[key]
    for number in range(1, len(conversation.messages[position].view.blocks)):
        of_block = block_key(key, number)
        if of_block in decisions:
            held[of_block] = decisions[of_block]
    return held


def _of_older(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], newest: WorkingSet
) -> Mapping[str, Decision]:
    """The decisions without those of rule 8."""
    if not decisions:
        return decisions
    voided: set[str] = set()
    for index in range(promised_start(conversation, newest), conversation.size):
        if conversation.messages[index].view.role in STEP_ROLES:
            made = of_message(conversation, index, decisions)
            voided.update(key for key, decision in made.items() if decision.kind != "cut" and not decision.to_fit)
    return {key: decision for key, decision in decisions.items() if key not in voided} if voided else decisions


def _whole_steps(
    conversation: ConversationIndex, decisions: Mapping[str, Decision], rules: Invariants
) -> Mapping[str, Decision]:
    """The decisions, consistent within each step (rules 6 and 7)."""
    dropped = {key for key, decision in decisions.items() if decision.kind == "dropped"}
    if not dropped:
        return decisions
    must_stay = rules.must_stay(conversation)
    changed = dict(decisions)
    for index in must_stay:
        _forget(changed, dropped, conversation.key(index))
    for step in rules.steps(conversation).steps:
        stays = not must_stay.isdisjoint(step.message_indices)
        keys = {index: conversation.key(index) for index in step.message_indices}
        leaving = {index for index, key in keys.items() if key in dropped}
        calling = len(leaving.intersection(step.assistant_indices))
        if not stays and (not leaving or calling == len(step.assistant_indices)):  # a late result brings it back
            continue
        if not stays and _leaves(conversation, step, leaving) and rules.may_leave(conversation, step):
            changed |= dict.fromkeys(keys.values(), Decision("dropped"))
        else:
            for index in leaving:
                _forget(changed, dropped, keys[index])
    return changed


def _forget(decisions: dict[str, Decision], dropped: set[str], key: str) -> None:
    """Nothing is removed by this key any more."""
    if key in dropped:
        decisions.pop(key, None)


def _leaves(conversation: ConversationIndex, step: Step, leaving: set[int]) -> bool:
    """Whether all messages of the step are removed, ignoring those whose content another message repeats."""
    sure = [index for index in step.message_indices if conversation.digest_counts[conversation.digest(index)] == 1]
    return bool(sure) and leaving.issuperset(sure)
