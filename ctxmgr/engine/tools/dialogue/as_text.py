"""Says of a tool's result that a host tells as a user's text (Cline, Roo Code) whether the user's words may be in.

A tool that asks has them, and so has one that ends a task or a mode: the user answers it. One that changes
something or runs has them where the user denied it: what it prints stands behind a line of the host's. What a tool
shows of files or of servers is others' words, whatever it says.
"""

from ctxmgr.engine.tools.catalog import CATALOG

DENIED = "The user denied this operation and provided the following feedback:"
_ENDS = frozenset(("attempt_completion", "plan_mode_respond", "switch_mode", "new_task"))
_CHANGES = frozenset(("write", "edit", "patch", "run"))


def may_tell_of_the_user(tool: str, result: str) -> bool:
    """`tool`: its name, `result`: what stands behind it."""
    row = CATALOG.row(tool, {})
    if tool in _ENDS or (row is not None and row.tells == "answers"):
        return True
    return row is not None and row.family in _CHANGES and result.startswith(DENIED)
