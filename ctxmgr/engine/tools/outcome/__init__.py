"""How a call ended, from its mark, its status and its output. Knows no fact and no packet."""

from ctxmgr.engine.tools.outcome.covering import scopes_of
from ctxmgr.engine.tools.outcome.ended import is_refused, outcome, weighed_run
from ctxmgr.engine.tools.outcome.report import counts_text

__all__ = [
    "counts_text",
    "is_refused",
    "outcome",
    "scopes_of",
    "weighed_run",
]
