"""Preset `turns`: the newest turns stay, one packet stands for the rest, and bulky results of older ones are
cut."""

from ctxmgr.engine.presets.turns.project import Limits
from ctxmgr.engine.presets.turns.whole_turns import WholeTurns
from ctxmgr.engine.pressure import Gauge


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
