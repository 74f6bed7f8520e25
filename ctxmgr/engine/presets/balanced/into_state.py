"""Turns what `balanced` decided into the state that remembers it, and what left into rows and names for others."""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.balanced import Original, Projected, receipts
from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.tools import tool_call
from ctxmgr.model import ArchiveRow, Plan
from ctxmgr.model.saved import RenderedPacket, State


def with_epoch(state: State, conversation: ConversationIndex, done: Projected) -> State:
    """The state with what was decided."""
    plan, opened = done.plan, done.opened
    totals = state.totals
    state = msgspec.structs.replace(state, epoch=done.epoch, resume=False, force_prune=False, reopen=None)
    if opened is None:
        return _unchanged(state, conversation, plan)
    edits = [one for one in opened.originals if one.kind != "dropped"]
    pruned = [one for one in opened.originals if one.kind == "pruned"]
    totals = msgspec.structs.replace(
        totals,
        results_distilled=totals.results_distilled + len(edits) - len(pruned),
        results_pruned=totals.results_pruned + len(pruned),
        tokens_pruned=totals.tokens_pruned + sum(one.before - one.after for one in opened.originals),
    )
    packet = opened.packet
    return msgspec.structs.replace(
        state,
        decisions=plan.decisions,
        packet=RenderedPacket(f"epoch {done.epoch.number}", packet.text, packet.weight) if packet.text else None,
        anchor=conversation.key(plan.floor) if packet.text and plan.floor else "",
        receipts=receipts.filed(state.receipts, opened.receipt),
        totals=totals,
    )


def _unchanged(state: State, conversation: ConversationIndex, plan: Plan) -> State:
    """The packet that is shown stays, and what is no longer in the list needs no memory."""
    packet = plan.packet if state.packet is None else None
    if packet is not None:
        anchor = conversation.key(plan.floor) if plan.floor else ""
        rendered = RenderedPacket(f"epoch {state.epoch.number}", packet.text, packet.weight)
        state = msgspec.structs.replace(state, packet=rendered, anchor=anchor)
    if plan.decisions is state.decisions or plan.decisions == state.decisions:  # == looks at each key
        return state
    return msgspec.structs.replace(state, decisions=plan.decisions)


def originals(left: Sequence[Original]) -> tuple[ArchiveRow, ...]:
    """What left, for the archive; without one there are no handles."""
    return tuple(ArchiveRow(one.handle, one.key, one.call, one.text) for one in left if one.handle)


def reads_gone(conversation: ConversationIndex, left: Sequence[Original]) -> tuple[str, ...]:
    """The files of which a read left."""
    paths: set[str] = set()
    for one in left:
        for ref, _ in conversation.results(one.ref.message_index):
            if one.kind == "dropped" or one.ref == ref:
                call = conversation.call_of(ref)
                paths.update(tool_call(call.tool, call.arguments).read_paths)
    return tuple(sorted(paths))
