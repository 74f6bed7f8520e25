"""Tells which statements of a summary evidence contradicts, which a commit settled, and how a command ended.

Asks no model.
"""

from ctxmgr.engine.judging.against import Contradiction, contradictions
from ctxmgr.engine.judging.run_ends import counts_of, error_line, how_it_ended, quoted_error, reason, was_stopped
from ctxmgr.engine.judging.settled import settled
from ctxmgr.engine.judging.summarised import uncontradicted

__all__ = [
    "Contradiction",
    "contradictions",
    "counts_of",
    "error_line",
    "how_it_ended",
    "quoted_error",
    "reason",
    "settled",
    "uncontradicted",
    "was_stopped",
]
