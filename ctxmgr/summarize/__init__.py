"""Turns a preparation into a written summary: prompts, strategies, and what is read of a model's answer.

Strategies ask for completions and never make one.
"""

from ctxmgr.summarize import writing
from ctxmgr.summarize.brief import FinishedSummary, HostContext, Prepared, SummaryInput
from ctxmgr.summarize.formats import BRANCH, CONTINUE, HANDOFF, NINE, STRUCTURED, TURN
from ctxmgr.summarize.on_context import WayCosts

__all__ = [
    "BRANCH",
    "CONTINUE",
    "FinishedSummary",
    "HANDOFF",
    "HostContext",
    "NINE",
    "Prepared",
    "STRUCTURED",
    "SummaryInput",
    "TURN",
    "WayCosts",
    "writing",
]
