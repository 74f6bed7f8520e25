"""Turns the result of a call that the user rejected into what the user said to it.

Rules:

1. Hosts put the user's words behind a sentence of their own. It is the host's only where the result begins with it,
   and the format has no mark of errors, or the mark is set.
2. A tool may print that sentence: what a file holds, or a process wrote, may be the whole of an error. Surely the
   user's are words in a result that the host marked as an error, of a tool that it has itself, known by its whole
   name, and that shows nothing but its host's words: one that changes files, plans or asks. So are those of Claude
   Code's shell, which puts its status ("Exit code 1") before any output; that it is this host's, a member of the
   call tells that others' tools of the same name have not. Of every other the words are told as what its result
   says.
"""

import re

import msgspec

from ctxmgr.engine.tools.catalog import CATALOG
from ctxmgr.model import Block

SAID_CHARACTERS = 4_000

_CLAUDE_CODE = re.compile(
    r"(?:The user doesn['’]t want to (?:proceed with this tool use|take this action right now)"
    r"|Permission for this tool use was denied)\. The tool use was rejected(?: \([^\n)]{1,200}\))?\. "
    r"(?:To tell you how to proceed, the user said|The user said"
    r"|The user provided the following reason for the rejection):\s*(?P<said>\S.*)",
    re.DOTALL,
)
_OPEN_CODE = re.compile(
    r"The user rejected permission to use this specific tool call with the following feedback: (?P<said>\S.*)",
    re.DOTALL,
)
_CLINE = re.compile(
    r"The user denied this operation and provided the following feedback:"
    r"\s*<feedback>\s*(?P<said>\S.*?)\s*</feedback>",
    re.DOTALL,
)
_FRAMES = ((_CLAUDE_CODE, "Bash"), (_OPEN_CODE, ""), (_CLINE, ""))  # with the shell of the host, as it spells it
_ITS_SHELLS = "description"  # a member of each call of that shell
_HINT = "\n\nNote: The user's next message may"  # that Claude Code adds for the model
# families whose results are the host's words alone, and those whose results are the user's
_OWN_WORDS = frozenset(("write", "edit", "patch", "delete", "move", "copy", "plan"))
_USERS = frozenset(("answers", "plan"))


class Rejection(msgspec.Struct, frozen=True):
    """`reason`: behind the host's sentence. `sure`: the user did, and no tool."""

    reason: str
    sure: bool


def rejection(result: Block, call: Block) -> Rejection | None:
    """What the user said to a call that did not run; None where the result says nothing of it."""
    if not (result.is_error or result.doubtful or result.untold):
        return None
    for frame, shell in _FRAMES:
        found = frame.match(result.text)
        if found:
            said = found["said"].partition(_HINT)[0].strip()[:SAID_CHARACTERS]
            return Rejection(said, result.marked and _is_own(call, shell))
    return None


def _is_own(call: Block, shell: str) -> bool:
    """Rule 2."""
    if any(one.name == call.tool for one in call.declared):
        return False
    given = call.arguments or {}
    if shell and call.tool == shell:
        return isinstance(given.get(_ITS_SHELLS), str)
    row = CATALOG.listed(call.tool, given)
    return row is not None and (row.family in _OWN_WORDS or row.tells in _USERS)
