"""Turns the result of a call that the user rejected into what the user said to it.

Rules:

1. Hosts put the user's words behind a sentence of their own. It is the host's only where the result begins with it,
   and the format has no mark of errors, or the mark is set.
2. A tool may print that sentence. Surely the user's are words in a result that the host marked as an error, of a
   tool that it has itself, known by its whole name, and whose errors begin with the host's words: one for files and
   the like, or the shell of the host whose sentence it is, where that puts its status before any output (Claude
   Code: "Exit code 1"). Of every other the words are told as what its result says.
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
_HINT = "\n\nNote: The user's next message may"  # that Claude Code adds for the model
_PRINTS = frozenset(("run", "delegate", "call", "fetch"))  # families whose errors may begin with what others wrote


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
    row = CATALOG.listed(call.tool, call.arguments or {})
    return row is not None and (row.family not in _PRINTS or call.tool == shell)
