"""Presets `turns`, `tools` and `off`: compute plan and state from a list and a state, in whole turns.

1. The first kept turn is remembered by its key (`anchor`), so that a rewritten list begins at the same turn.
2. Tool output is pruned when the host requests it; in `tools`, on each call.
3. While pruning is off, the list is unchanged. Earlier decisions apply only if the raw list no longer fits the
   window, because then ctxmgr is the reason why the host did not compact.
"""

from collections.abc import Callable
from typing import ClassVar

import msgspec

from ctxmgr.engine.conversation import (
    BlockRef,
    ConversationIndex,
    digest_of,
    turn_at,
    turn_weights,
    working_set_start,
)
from ctxmgr.engine.invariants import TURNS, Invariants
from ctxmgr.engine.presets.strategy import Incoming, Inputs, Planned, PresetStrategy
from ctxmgr.engine.presets.turns.packets import Folding, Packets
from ctxmgr.engine.presets.turns.project import TurnsInputs, project
from ctxmgr.engine.presets.turns.prune import Pruning, prune, why_nothing
from ctxmgr.engine.pressure import Gauge
from ctxmgr.engine.protection import Protection
from ctxmgr.engine.retention import receipts
from ctxmgr.engine.rewriting import Rewrite, memoised
from ctxmgr.model import BlockEdit, Decision, Plan, Policy
from ctxmgr.model.saved import State


class WholeTurns(PresetStrategy):
    """Removes whole turns, or none."""

    invariants: ClassVar[Invariants] = TURNS

    def newest_limit(self, gauge: Gauge) -> float | None:
        """What the newest turn may have, in tokens, or None if no more turns may be removed."""
        return None

    def pruning(self, incoming: Incoming, state: State, inputs: Inputs) -> Pruning:
        """The tool output to remove now (rule 2)."""
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
        packets = Packets(conversation, state, zone, inputs, protection, self.newest_limit(gauge) is None)
        pruned = {target.key: Decision("pruned") for target in pruning.targets}
        ask = TurnsInputs(
            zone=zone,
            protection=protection,
            floor=floor,
            decisions=state.decisions | pruned if pruned else state.decisions,
            folding=self._folding(conversation, state, packets, gauge),
            rules=self.invariants,
            newest_limit=self.newest_limit(gauge),
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
            plan = project(conversation, msgspec.structs.replace(ask, newest_limit=None))
        return Planned(plan, msgspec.structs.replace(state, packet=packets.rendered), tokens, unpruned=unpruned)

    def _folding(self, conversation: ConversationIndex, state: State, packets: Packets, gauge: Gauge) -> Folding:
        known = frozenset(summary.digest for summary in state.summaries)
        folds = (
            self.newest_limit(gauge) is not None and packets.budget > 0
        )  # otherwise nothing would repeat its content
        return Folding(
            packets.render if packets.may_say else None,
            _folded(conversation, known if folds else frozenset()),
            packets.allowance if packets.budget > 0 else 0,
            gauge.fit_weight,
            packets.stays,
            packets.whole,
        )


def pruning_of(incoming: Incoming, state: State, inputs: Inputs) -> Pruning:
    """The tool output that may be pruned now. If the host requested it, the policy's minimum is ignored."""
    conversation = incoming.conversation
    newest = working_set_start(conversation, inputs.policy.working_set)
    return prune(Protection(conversation, inputs.policy), state.decisions, state.force_prune, newest)


def _sparing(rewrite: Rewrite, conversation: ConversationIndex, held: frozenset[BlockRef]) -> Rewrite:
    """A rewrite function that leaves the results in `held` unchanged, unless they were cut earlier to fit the
    window.
    """

    def rewritten(ref: BlockRef, decision: Decision) -> tuple[str, int]:
        if ref in held and not decision.written:
            return conversation.block(ref).text, conversation.block_weight(ref)
        return rewrite(ref, decision)

    return rewritten


def remaining_weight(conversation: ConversationIndex, floor: int) -> int:
    """The tokens of prompts and of the turns from `floor` on, before any edit."""
    turns = conversation.turns
    first = turns[turn_at(turns, floor)].start if turns else 0
    return conversation.raw_weight - turn_weights(conversation)[first]


def _floor(incoming: Incoming, state: State) -> int:
    """The index of the first kept turn's first message so far, or 0 if it is gone (rule 1)."""
    if incoming.last_plan is not None and incoming.last_plan.floor:
        return incoming.last_plan.floor
    if state.anchor:
        for turn in incoming.conversation.turns:
            if incoming.conversation.key(turn.start) == state.anchor:
                return turn.start
    return 0


def _folded(conversation: ConversationIndex, known: frozenset[str]) -> Callable[[int], bool]:
    """Returns a function that says whether the summary at an index is in the ledger."""

    def folded(message_index: int) -> bool:
        is_summary = conversation.messages[message_index].view.role == "summary"
        return is_summary and conversation.digest(message_index) in known

    return folded


def _goes_as_it_came(conversation: ConversationIndex, floor: int, state: State, gauge: Gauge) -> bool:
    """Whether the list stays unchanged while pruning is off (rule 3)."""
    fits = gauge.tokens(conversation.raw_weight) <= gauge.thresholds.limit
    return fits or not (floor or state.decisions)


def _next_state(state: State, incoming: Incoming, ask: TurnsInputs, plan: Plan, pruning: Pruning) -> State:
    """The changes of state that happen only while pruning is on. If turns were removed, all tool output counts as
    scanned, as in an epoch.
    """
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
    if incoming.last_plan is None:  # decisions for messages that are no longer in the list are not needed
        there = {key: kept for key, kept in decisions.items() if digest_of(key) in conversation.digest_counts}
        decisions = there if len(there) < len(decisions) else decisions
    anchor = conversation.key(plan.floor) if plan.floor else ""
    return msgspec.structs.replace(
        state, totals=totals, decisions=decisions, anchor=anchor, resumed=state.resume, force_prune=False
    )


def _left_tokens(conversation: ConversationIndex, state: State, ask: TurnsInputs, floor: int) -> int:
    """The tokens of the turns removed now, without what was pruned in them, which is already counted."""
    if floor <= ask.floor:
        return 0
    weights, gone = turn_weights(conversation), 0
    for ref in (ref for index in range(ask.floor, floor) for ref, _ in conversation.results(index)):
        decision = state.decisions.get(conversation.block_key(ref))
        if ask.rewrite is not None and decision is not None and decision.kind == "pruned":
            gone += conversation.block_weight(ref) - ask.rewrite(ref, decision)[1]
    return weights[floor] - weights[ask.floor] - gone


class Turns(WholeTurns):
    """Decides on each call. A removed turn does not come back."""

    name = "turns"
    summary = "keeps the newest turns and replaces the others with a packet"
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

    def newest_limit(self, gauge: Gauge) -> float | None:
        """The newest turn may reach red at most."""
        return gauge.weight_at(gauge.thresholds.red)


class Off(WholeTurns):
    """Decides nothing new. Earlier decisions apply only if the raw list no longer fits the window."""

    name = "off"
    summary = "changes nothing"
    prunes = False
    asks_for_compaction = False


class Tools(WholeTurns):
    """Removes no turn. Prunes old tool output when it reaches the policy's minimum."""

    name = "tools"
    summary = "prunes old tool output"
    policy_keys = frozenset(
        (
            "packetTokens",
            "protectedTools",
            "protectedTurns",
            "prunableTools",
            "pruneMinimum",
            "pruneProtect",
            "resumeTokens",
        )
    )
    asks_for_compaction = False

    def pruning(self, incoming: Incoming, state: State, inputs: Inputs) -> Pruning:
        """Prunes on each call."""
        return pruning_of(incoming, state, inputs)

    def why_idle(self, state: State, policy: Policy) -> str:
        totals = state.totals
        if not state.enabled or not totals.contexts or totals.pruned_tokens:
            return ""
        if not totals.prunable_tokens:
            return f"nothing is pruned yet: {why_nothing(totals.scanned_tokens, policy)}"
        few = f"{totals.prunable_tokens} tokens of old tool output could be, fewer than pruneMinimum"
        return f"nothing is pruned yet: {few} ({policy.prune_minimum})"
