"""Preset `tools`: old tool output is replaced by markers, all else stays."""

from ctxmgr.engine.conversation import Incoming
from ctxmgr.engine.presets.strategy import Inputs
from ctxmgr.engine.presets.turns import WholeTurns, pruning_of
from ctxmgr.engine.rewriting import Pruning
from ctxmgr.model.saved import State


class Tools(WholeTurns):
    """No turn leaves. What is old enough is pruned whenever it comes to the policy's minimum."""

    name = "tools"
    policy_keys = frozenset(("protectedTools", "protectedTurns", "prunableTools", "pruneMinimum", "pruneProtect"))
    asks_for_compaction = False

    def pruning(self, incoming: Incoming, state: State, inputs: Inputs) -> Pruning:
        """On each call."""
        return pruning_of(incoming, state, inputs)
