"""Compactions written by ctxmgr: all scenarios of them."""

from tests.contract.scenarios.compaction import ahead, applied, chained, checked, failing, planned, warm, written

__all__ = ["ahead", "applied", "chained", "checked", "failing", "planned", "warm", "written"]
