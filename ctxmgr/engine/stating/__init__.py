"""Tells whether a text, such as a summary, states what is known, in whatever words. Knows no packet and no list."""

from ctxmgr.engine.stating.draft import DraftItem, DraftLines, draft_lines
from ctxmgr.engine.stating.stated import (
    FAILS,
    SAID_SHARE,
    WORKS,
    bare_command,
    items_saying,
    names_any,
    names_file,
    says,
    says_failure,
    states_it,
    tests_named,
)

__all__ = [
    "DraftItem",
    "DraftLines",
    "FAILS",
    "SAID_SHARE",
    "WORKS",
    "bare_command",
    "draft_lines",
    "items_saying",
    "names_any",
    "names_file",
    "says",
    "says_failure",
    "states_it",
    "tests_named",
]
