"""How a call ended, from its mark, its status and its output. Knows no fact and no packet."""

from ctxmgr.engine.tools.outcome.background import asks_for, goes_on_as
from ctxmgr.engine.tools.outcome.check_kinds import is_of_kind
from ctxmgr.engine.tools.outcome.covering import RunScope, does_nothing, scopes_of
from ctxmgr.engine.tools.outcome.ended import end_of_run, is_lost, is_refused, outcome, weighed_run
from ctxmgr.engine.tools.outcome.failed_parts import TARGET, failed_parts
from ctxmgr.engine.tools.outcome.reading import unwrapped
from ctxmgr.engine.tools.outcome.report import RunReport, counts_text, only_counts
from ctxmgr.engine.tools.outcome.tried_again import (
    is_usage_error,
    part_was_in,
    runs_all_tests,
    tests_quoted,
    was_in,
)

__all__ = [
    "TARGET",
    "RunReport",
    "RunScope",
    "asks_for",
    "counts_text",
    "does_nothing",
    "end_of_run",
    "failed_parts",
    "goes_on_as",
    "is_lost",
    "is_of_kind",
    "is_refused",
    "only_counts",
    "outcome",
    "weighed_run",
    "scopes_of",
    "unwrapped",
    "is_usage_error",
    "runs_all_tests",
    "tests_quoted",
    "was_in",
    "part_was_in",
]
