"""Tells whether a text, such as a summary, states what is known, in whatever words. Knows no packet and no list."""

from ctxmgr.engine.stating.claims import CODE, FAILS, WORKS, Claim, claims, ending, is_plain
from ctxmgr.engine.stating.draft import DraftItem, DraftLines, draft_lines
from ctxmgr.engine.stating.stated import (
    SAID_SHARE,
    bare_command,
    directory_of,
    items_saying,
    names_any,
    names_file,
    says,
    says_failure,
    states_it,
    tests_named,
)

__all__ = [
    "CODE",
    "Claim",
    "DraftItem",
    "DraftLines",
    "FAILS",
    "SAID_SHARE",
    "WORKS",
    "bare_command",
    "claims",
    "directory_of",
    "draft_lines",
    "ending",
    "is_plain",
    "items_saying",
    "names_any",
    "names_file",
    "says",
    "says_failure",
    "states_it",
    "tests_named",
]
