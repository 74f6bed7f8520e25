"""Tells whether a text, such as a summary, states what is known, in whatever words. Knows no packet and no list."""

from ctxmgr.engine.stating.draft import DraftItem, DraftLines, draft_lines
from ctxmgr.engine.stating.stated import FAILS, bare_command, names_file, says, says_failure, tests_named

__all__ = [
    "DraftItem",
    "DraftLines",
    "FAILS",
    "bare_command",
    "draft_lines",
    "names_file",
    "says",
    "says_failure",
    "tests_named",
]
