"""Turns what a call printed, and what an assistant says, into facts of exact values, each with where it came from.

Rules:
1. Of a call's output count values of what it ran, not of what it read: a file's text holds values of everything.
   Of a look those count that alone are asked for: its output is short.
2. A longer output tells by its first and last lines. Where a message's are too many, its last ones count.
3. What git says of a commit, or a program as git does, is told with its subject (`commits`). Of all else that a
   tool printed the value alone.
4. What the assistant says, in words or in a command, it may say again; a bare number or hash stands with its
   sentence. A value that was committed, printed and said
   is three facts: how it is told and how new it is goes by all of them (`packet`).
"""

import re
from collections.abc import Callable

from ctxmgr.engine.ledger.commits import PRINTED, commits_of_call
from ctxmgr.engine.ledger.statements import Statements
from ctxmgr.engine.text import count_words, exact_values, one_line, plain, sentences_of, shorten, unfenced
from ctxmgr.engine.tools import CallOutcome, ToolCall
from ctxmgr.model.saved import GOES_ON

SAID = "said"
OUTPUT_CHARACTERS = 2_000  # of an output that is read whole
LOOK_CHARACTERS = 400  # of a look's
EDGE_LINES = 6  # of the start and of the end of a longer output
LINE_CHARACTERS = 400  # of a line that is read: what is longer is data
MOST_OF_A_MESSAGE = 8  # values
COMMAND_CHARACTERS = 80
SAID_CHARACTERS = 120  # of a sentence that says a value
LEAST_SAID_WORDS = 4

_BARE = re.compile(r"#?\d[\d.,]*|[0-9a-f]{7,40}")  # what it is of nobody sees
_IN_JSON = re.compile(r"\":\s?\"")
_NOT_OF_WORK = frozenset(("read", "search", "plan"))  # texts of files, ids of tasks


def values_of_call(
    call: ToolCall, output: str, ended: CallOutcome, into: Statements, place: str = "", run: str = ""
) -> None:
    """Add the values that a call's result holds (rules 1 to 3), and those that its command says (rule 4). `place`:
    the directory that the call names to run in; `run`: the one that went on, whose output it asks for."""
    if call.shell is not None:
        _said(call.shell.command.partition("\n")[0][:LINE_CHARACTERS], into)
    if ended == "failed" or {call.kind, *(effect.kind for effect in call.effects)} & _NOT_OF_WORK:
        return
    output = _unwrapped(output)
    looks = call.shell.status.about == "look" if call.shell is not None else call.kind in ("list", "fetch")
    if looks and len(output) > LOOK_CHARACTERS:
        return
    command = shorten(plain(call.shell.command if call.shell is not None else call.tool), COMMAND_CHARACTERS)
    command = f"{GOES_ON}{run}\n{command}" if run else command  # what ran is known when the ledger is read
    found: dict[str, None] = {}
    for line in commits_of_call(call, _lines(output), ended, (command, place), into):
        found.update(dict.fromkeys(exact_values(line)))
    for value in list(found)[-MOST_OF_A_MESSAGE:]:
        into.add("value", f"{PRINTED}\n{value}", value, "tool", detail=command)


def values_of_words(text: str, into: Statements) -> None:
    """Add the values that the assistant says, each with its sentence where it says nothing by itself."""
    _said(text, into, lambda value: _sentence(text, value))


def _said(text: str, into: Statements, sentence: Callable[[str], str] = lambda _: "") -> None:
    for value in exact_values(text)[-MOST_OF_A_MESSAGE:]:
        into.add("value", f"{SAID}\n{value}", value, "assistant", detail=sentence(value))


def _sentence(text: str, value: str) -> str:
    """The last that holds a bare number or hash, "" where it is of few words, or none."""
    if not _BARE.fullmatch(value):
        return ""
    whole = re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w)")
    line = next((one for one in reversed(unfenced(text)) if whole.search(one)), "")
    said = next((one for one in reversed(sentences_of(line)) if whole.search(one)), "")
    said = one_line(said, len(said))
    if count_words(said) < LEAST_SAID_WORDS:
        return ""
    at = said.find(value) - SAID_CHARACTERS // 2 if len(said) > SAID_CHARACTERS else 0
    start = said.find(" ", at) + 1 if at > 0 else 0
    return shorten(f"{'…' if start else ''}{said[start:]}", SAID_CHARACTERS)


def _unwrapped(output: str) -> str:
    """An output that a tool hands on as a text in JSON, with its line ends."""
    return output.replace("\\n", "\n") if _IN_JSON.search(output) else output


def _lines(output: str) -> list[str]:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if len(output) > OUTPUT_CHARACTERS and len(lines) > 2 * EDGE_LINES:
        lines = [*lines[:EDGE_LINES], *lines[-EDGE_LINES:]]
    return [line for line in lines if len(line) <= LINE_CHARACTERS]
