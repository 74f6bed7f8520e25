"""Preset `tools`: replaces old tool output with markers and keeps everything else. A packet holds what the host
removed itself, and the model's notes.
"""

from ctxmgr.engine.conversation import Incoming
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.presets.turns import Pruning, WholeTurns, pruning_of, why_nothing
from ctxmgr.model import Policy
from ctxmgr.model.saved import State


class Tools(WholeTurns):
    """Removes no turn. Prunes old tool output when it reaches the policy's minimum."""

    name = "tools"
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
