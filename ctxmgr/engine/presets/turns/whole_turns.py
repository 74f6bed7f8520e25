"""Preset `turns`, and what `tools` and `off` have in common with it: a list and a state become plan and state by
whole turns.

1. The first kept turn is remembered by its key (`anchor`), so that a list that was written anew begins there too.
2. Tool output is pruned where the host asks for it, and by `tools` on each call.
3. Where pruning is off the list goes as it came. What was decided before stays only where the raw list no longer
   fits the window, for then the host did not compact because of us.
"""

from collections.abc import Callable
from typing import ClassVar

import msgspec

from ctxmgr.engine.conversation import (
    BlockRef,
    ConversationIndex,
    Incoming,
    digest_of,
    turn_at,
    turn_weights,
    working_set_start,
)
from ctxmgr.engine.invariants import TURNS, Invariants
from ctxmgr.engine.presets.strategy import Inputs, Planned, PresetStrategy
from ctxmgr.engine.presets.turns.packets import Folding, Packets
from ctxmgr.engine.presets.turns.project import Limits, TurnsInputs, project
from ctxmgr.engine.presets.turns.prune import Pruning, prune, why_nothing
from ctxmgr.engine.pressure import Gauge
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention import receipts
from ctxmgr.engine.rewriting import Rewrite, memoised
from ctxmgr.model import BlockEdit, Decision, Plan
from ctxmgr.model.saved import State


class WholeTurns(PresetStrategy):
    """Leaves out whole turns, or none."""

    invariants: ClassVar[Invariants] = TURNS

    def limits(self, gauge: Gauge) -> Limits | None:
        """What the list has to fit; None where no more turns may leave."""
        return None

    def pruning(self, incoming: Incoming, state: State, inputs: Inputs) -> Pruning:
        """The tool output that leaves now (rule 2)."""
        return pruning_of(incoming, state, inputs) if state.force_prune else Pruning()

    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        """The plan for this list, and the state with what was decided."""
        conversation, gauge = incoming.conversation, inputs.gauge
        active, floor = self.is_active(state), _floor(incoming, state)
        tokens = gauge.tokens(incoming.outgoing_weight(remaining_weight(conversation, floor)))
        zone = gauge.zone_at(tokens)
        if not active and _goes_as_it_came(conversation, floor, state, gauge):
            return Planned(incoming.untouched(zone, state.decisions), state, tokens)
        pruning = self.pruning(incoming, state, inputs) if active else Pruning()
        protection = Protection(conversation, inputs.policy, summary=state.newest_summary)
        held = protection.told()
        packets = Packets(conversation, state, zone, inputs, protection, self.limits(gauge) is None)
        pruned = {target.key: Decision("pruned") for target in pruning.targets}
        ask = TurnsInputs(
            zone=zone,
            protection=protection,
            floor=floor,
            decisions=state.decisions | pruned if pruned else state.decisions,
            folding=self._folding(conversation, state, packets, gauge),
            rules=self.invariants,
            limits=self.limits(gauge),
            rewrite=_sparing(
                memoised(conversation, inputs.weigh, inputs.archives, inputs.memo), conversation, held
            ),
            last_plan=incoming.last_plan,
            last_count=incoming.delta.shared_count,
            held=held,
        )
        unpruned = ""
        if active:
            plan = project(conversation, ask)
            if state.force_prune and not pruning.targets:
                unpruned = f"prune took nothing: {why_nothing(pruning.scanned_tokens, inputs.policy)}"
            state = _next_state(state, incoming, ask, plan, pruning)
        else:
            plan = project(conversation, msgspec.structs.replace(ask, limits=None))
        return Planned(plan, msgspec.structs.replace(state, packet=packets.rendered), tokens, unpruned=unpruned)

    def _folding(self, conversation: ConversationIndex, state: State, packets: Packets, gauge: Gauge) -> Folding:
        known = frozenset(summary.digest for summary in state.summaries)
        folds = self.limits(gauge) is not None and packets.budget > 0  # else nothing would say what it says
        return Folding(
            packets.render if packets.may_say else None,
            _folded(conversation, known if folds else frozenset()),
            packets.allowance if packets.budget > 0 else 0,
            gauge.fit_weight,
            packets.stays,
        )


def pruning_of(incoming: Incoming, state: State, inputs: Inputs) -> Pruning:
    """The tool output that may be pruned now; past the policy's minimum where the host asked for it."""
    conversation = incoming.conversation
    newest = working_set_start(conversation, inputs.policy.working_set)
    return prune(Protection(conversation, inputs.policy), state.decisions, state.force_prune, newest)


def _sparing(rewrite: Rewrite, conversation: ConversationIndex, held: frozenset[BlockRef]) -> Rewrite:
    """The rewriting of results that leaves those `held` as they are, unless they were written already: what did
    not fit the window was cut."""

    def rewritten(ref: BlockRef, decision: Decision) -> tuple[str, int]:
        if ref in held and not decision.written:
            return conversation.block(ref).text, conversation.block_weight(ref)
        return rewrite(ref, decision)

    return rewritten


def remaining_weight(conversation: ConversationIndex, floor: int) -> int:
    """The weight of prompts and of the turns from `floor` on, in tokens, before any edit."""
    turns = conversation.turns
    first = turns[turn_at(turns, floor)].start if turns else 0
    return conversation.raw_weight - turn_weights(conversation)[first]


def _floor(incoming: Incoming, state: State) -> int:
    """The first kept turn's first message so far; 0 where it is gone (rule 1)."""
    if incoming.last_plan is not None and incoming.last_plan.floor:
        return incoming.last_plan.floor
    if state.anchor:
        for turn in incoming.conversation.turns:
            if incoming.conversation.key(turn.start) == state.anchor:
                return turn.start
    return 0


def _folded(conversation: ConversationIndex, known: frozenset[str]) -> Callable[[int], bool]:
    """Whether this summary is in the ledger."""

    def folded(message_index: int) -> bool:
        is_summary = conversation.messages[message_index].view.role == "summary"
        return is_summary and conversation.digest(message_index) in known

    return folded


def _goes_as_it_came(conversation: ConversationIndex, floor: int, state: State, gauge: Gauge) -> bool:
    """Rule 3, where pruning is off."""
    fits = gauge.tokens(conversation.raw_weight) <= gauge.thresholds.limit
    return fits or not (floor or state.decisions)


def _next_state(state: State, incoming: Incoming, ask: TurnsInputs, plan: Plan, pruning: Pruning) -> State:
    """What changes whether pruning is on or off is not here. Where turns left, all tool output was looked at, as in
    an epoch."""
    conversation, totals, floor = incoming.conversation, state.totals, ask.floor
    added, edits = dict[str, Decision](), list[BlockEdit]()
    if plan.decisions is not state.decisions:
        added = {key: kept for key, kept in plan.decisions.items() if state.decisions.get(key) != kept}
        edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit) and piece.key in added]
    pruned = [edit for edit in edits if edit.kind == "pruned"]
    before = turn_at(conversation.turns, floor) if conversation.turns else 0
    scanned, protected, prunable = totals.scanned_tokens, totals.protected_tokens, totals.prunable_tokens
    if pruning.scanned_tokens > 0:
        scanned, protected, prunable = pruning.scanned_tokens, pruning.protected_tokens, pruning.prunable_tokens
    elif plan.floor > floor:
        scanned, protected = receipts.result_tokens(conversation, plan)
        prunable = scanned - protected
    totals = msgspec.structs.replace(
        totals,
        turns_dropped=totals.turns_dropped + max(0, plan.turns_dropped - before),
        results_distilled=totals.results_distilled + len(edits) - len(pruned),
        results_pruned=totals.results_pruned + len(pruned),
        pruned_tokens=totals.pruned_tokens
        + sum(edit.before_tokens - edit.after_tokens for edit in pruned)
        + _left_tokens(conversation, state, ask, plan.floor),
        scanned_tokens=scanned,
        protected_tokens=protected,
        prunable_tokens=prunable,
    )
    decisions = plan.decisions if added else state.decisions
    if incoming.last_plan is None:  # what is no longer in the list needs no memory
        there = {key: kept for key, kept in decisions.items() if digest_of(key) in conversation.digest_counts}
        decisions = there if len(there) < len(decisions) else decisions
    anchor = conversation.key(plan.floor) if plan.floor else ""
    return msgspec.structs.replace(
        state, totals=totals, decisions=decisions, anchor=anchor, resumed=state.resume, force_prune=False
    )


def _left_tokens(conversation: ConversationIndex, state: State, ask: TurnsInputs, floor: int) -> int:
    """Tokens of the turns that left now, but for what was pruned in them: that is counted already."""
    if floor <= ask.floor:
        return 0
    weights, gone = turn_weights(conversation), 0
    for ref in (ref for index in range(ask.floor, floor) for ref, _ in conversation.results(index)):
        decision = state.decisions.get(conversation.block_key(ref))
        if ask.rewrite is not None and decision is not None and decision.kind == "pruned":
            gone += conversation.block_weight(ref) - ask.rewrite(ref, decision)[1]
    return weights[floor] - weights[ask.floor] - gone


class Turns(WholeTurns):
    """Decided anew on each call: a turn that left does not come back."""

    name = "turns"
    policy_keys = frozenset(
        (
            "distill",
            "packetTokens",
            "protectedTools",
            "protectedTurns",
            "prunableTools",
            "pruneProtect",
            "recentUserTurns",
            "resumeTokens",
        )
    )

    def limits(self, gauge: Gauge) -> Limits | None:
        """The newest turn is red at most."""
        return Limits(gauge.weight_at(gauge.thresholds.red))
