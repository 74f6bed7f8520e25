"""How a call ended, from its error mark, its status and its output. Knows no fact and no packet."""

from ctxmgr.engine.tools.outcome.ended import (
    asks_for,
    end_of_run,
    goes_on_as,
    is_refused,
    never_began,
    outcome,
    weighed_run,
)
from ctxmgr.engine.tools.outcome.reading import RunReport, counts_text

__all__ = [
    "RunReport",
    "asks_for",
    "counts_text",
    "end_of_run",
    "goes_on_as",
    "is_refused",
    "never_began",
    "outcome",
    "weighed_run",
]
