"""Turns a preparation into a written summary: prompts, strategies, and the reading of a model's answer.

Strategies request completions and never make one.
"""

from ctxmgr.summarize import writing
from ctxmgr.summarize.brief import FinishedSummary, HostContext, Prepared, SummaryInput
from ctxmgr.summarize.compacting import WayCosts

__all__ = [
    "FinishedSummary",
    "HostContext",
    "Prepared",
    "SummaryInput",
    "WayCosts",
    "writing",
]
