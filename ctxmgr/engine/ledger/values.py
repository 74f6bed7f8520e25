"""Turns what a call printed, and what an assistant says, into facts of exact values, each with where it came from.

Rules:
1. Of a call's output count values of what it ran, not of what it read: a file's text holds values of everything.
   Of a look those count that alone are asked for: its output is short.
2. A longer output tells by its first and last lines. Where a message's are too many, its last ones count.
3. What git says of a commit, or a program as git does, is told with its subject (`commits`). Of all else that a
   tool printed the value alone.
4. What the assistant says, in words or in a command, it may say again. A value that was committed, printed and said
   is three facts: how it is told and how new it is goes by all of them (`packet`).
"""

import re

from ctxmgr.engine.ledger.commits import PRINTED, commits_of_call
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import exact_values, plain, shorten
from ctxmgr.engine.tools import CallOutcome, ToolCall

SAID = "said"
OUTPUT_CHARACTERS = 2_000  # of an output that is read whole
LOOK_CHARACTERS = 400  # of a look's
EDGE_LINES = 6  # of the start and of the end of a longer output
LINE_CHARACTERS = 400  # of a line that is read: what is longer is data
MOST_OF_A_MESSAGE = 8  # values
COMMAND_CHARACTERS = 80

_IN_JSON = re.compile(r"\":\s?\"")
_NOT_OF_WORK = frozenset(("read", "search", "plan"))  # texts of files, ids of tasks


def values_of_call(call: ToolCall, output: str, ended: CallOutcome, into: Statements, place: str = "") -> None:
    """Add the values that a call's result holds (rules 1 to 3), and those that its command says (rule 4). `place`:
    the directory that the call names to run in."""
    if call.shell is not None:
        values_of_words(call.shell.command.partition("\n")[0][:LINE_CHARACTERS], into)
    if ended == "failed" or {call.kind, *(effect.kind for effect in call.effects)} & _NOT_OF_WORK:
        return
    output = _unwrapped(output)
    looks = call.shell.status.about == "look" if call.shell is not None else call.kind in ("list", "fetch")
    if looks and len(output) > LOOK_CHARACTERS:
        return
    command = shorten(plain(call.shell.command if call.shell is not None else call.tool), COMMAND_CHARACTERS)
    found: dict[str, None] = {}
    for line in commits_of_call(call, _lines(output), ended, (command, place), into):
        found.update(dict.fromkeys(exact_values(line)))
    for value in list(found)[-MOST_OF_A_MESSAGE:]:
        into.add("value", f"{PRINTED}\n{value}", value, "tool", detail=command)


def values_of_words(text: str, into: Statements) -> None:
    """Add the values that the assistant says."""
    for value in exact_values(text)[-MOST_OF_A_MESSAGE:]:
        into.add("value", f"{SAID}\n{value}", value, "assistant")


def _unwrapped(output: str) -> str:
    """An output that a tool hands on as a text in JSON, with its line ends."""
    return output.replace("\\n", "\n") if _IN_JSON.search(output) else output


def _lines(output: str) -> list[str]:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if len(output) > OUTPUT_CHARACTERS and len(lines) > 2 * EDGE_LINES:
        lines = [*lines[:EDGE_LINES], *lines[-EDGE_LINES:]]
    return [line for line in lines if len(line) <= LINE_CHARACTERS]
