"""Preset `off`: returns the list unchanged; only the ledger, the status and compactions work."""

from ctxmgr.engine.presets.turns import WholeTurns


class Off(WholeTurns):
    """Decides nothing new. Earlier decisions apply only if the raw list no longer fits the window."""

    name = "off"
    prunes = False
    asks_for_compaction = False
