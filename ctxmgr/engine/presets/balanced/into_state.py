"""Turns what `balanced` decided into the state that remembers it, and what left into rows and names for others."""

from collections.abc import Sequence

import msgspec

from ctxmgr.engine.conversation import ConversationIndex
from ctxmgr.engine.retention import BalancedResult, Original, receipts
from ctxmgr.engine.rewriting import handles
from ctxmgr.model import ArchiveRow, Plan
from ctxmgr.model.saved import RenderedPacket, State


def with_epoch(state: State, done: BalancedResult, anchor: str, conversation: ConversationIndex) -> State:
    """The state with what was decided. `anchor`: the key of the message that the packet stands before, "" where it
    stands at the head."""
    plan, opened = done.plan, done.epoch_result
    totals = state.totals
    state = msgspec.structs.replace(state, epoch=done.epoch, resumed=state.resume, force_prune=False, reopen=None)
    if opened is None:
        return _unchanged(state, plan, anchor)
    edits = [one for one in opened.originals if one.kind != "dropped"]
    pruned = [one for one in opened.originals if one.kind == "pruned"]
    scanned, shown = receipts.result_tokens(conversation, plan)
    totals = msgspec.structs.replace(
        totals,
        scanned_tokens=scanned,
        protected_tokens=shown,
        prunable_tokens=scanned - shown,
        results_distilled=totals.results_distilled + len(edits) - len(pruned),
        results_pruned=totals.results_pruned + len(pruned),
        pruned_tokens=totals.pruned_tokens + sum(one.before_tokens - one.after_tokens for one in opened.originals),
    )
    packet = opened.packet
    return msgspec.structs.replace(
        state,
        decisions=plan.decisions,
        packet=RenderedPacket(f"epoch {done.epoch.number}", packet.text, packet.weight) if packet.text else None,
        anchor=anchor if packet.text else "",
        receipts=receipts.filed(state.receipts, opened.receipt),
        totals=totals,
    )


def _unchanged(state: State, plan: Plan, anchor: str) -> State:
    """The packet that is shown stays, and what is no longer in the list needs no memory."""
    packet = plan.packet if state.packet is None else None
    if packet is not None:
        rendered = RenderedPacket(f"epoch {state.epoch.number}", packet.text, packet.weight)
        state = msgspec.structs.replace(state, packet=rendered, anchor=anchor)
    if plan.decisions is state.decisions or plan.decisions == state.decisions:  # == looks at each key
        return state
    return msgspec.structs.replace(state, decisions=plan.decisions)


def originals(left: Sequence[Original]) -> tuple[ArchiveRow, ...]:
    """What left, for the archive, under its handle, whether a marker names it or not."""
    return tuple(ArchiveRow(handles.handle(one.key), one.key, one.call_text, one.text) for one in left)
