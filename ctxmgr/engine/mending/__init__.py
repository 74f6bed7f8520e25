"""Turns a summary that a model wrote into one that says what the ledger knows: what it lacks is added under a
heading of its own, what evidence contradicts (`judging`) is told on its line. Asks no model.
"""

from ctxmgr.engine.mending.mend import Evidence, Mended, SummaryDraft, mended

__all__ = ["Evidence", "Mended", "SummaryDraft", "mended"]
