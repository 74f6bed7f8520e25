"""Preset `off`: the list as it came; ledger, status and compactions alone."""

from ctxmgr.engine.presets.turns import WholeTurns


class Off(WholeTurns):
    """Nothing new is decided. What was stays only where the raw list no longer fits the window."""

    name = "off"
    prunes = False
    asks_for_compaction = False
