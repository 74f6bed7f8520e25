"""How a call ended, from its mark, its status and its output. Knows no fact and no packet."""

from ctxmgr.engine.tools.outcome.ended import is_lost, outcome, run_report
from ctxmgr.engine.tools.outcome.report import RunReport, counts_text, only_counts

__all__ = ["RunReport", "is_lost", "only_counts", "outcome", "run_report", "counts_text"]
