"""Turns the result of a call into how it ended.

Rules:

1. A result that the host marks as an error tells of a failure; of a format that has no mark, one that looks like an
   error may be one, and one that says nothing of it may be anything.
2. Of a call that failed nothing is known to be done.

Everything that asks how a call ended asks here.
"""

from typing import Literal

from ctxmgr.engine.tools.effects import ToolCall

CallOutcome = Literal["ok", "failed", "unknown"]


def outcome(call: ToolCall, text: str, is_error: bool, doubtful: bool = False) -> CallOutcome:
    """How a call ended, from its result: `text`, the host's mark of an error, and whether that is in doubt."""
    if is_error:
        return "failed"
    return "unknown" if doubtful else "ok"
