"""Reads a script of a host: JSON lines, a transcript in which placeholders may stand for values.

FORMAT below is the page of it; `ctxmgr drive --help` shows it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from ctxmgr import __version__
from ctxmgr.model import rules
from ctxmgr.study.conformance.golden import Head, head, header_of
from ctxmgr.study.conformance.placeholders import (
    STATE_DIR,
    MatchMode,
    Misplaced,
    check,
    has_placeholder,
    is_placeholder,
)
from ctxmgr.wire import TranscriptLine, transcript

FORMAT = """\
A script is a transcript: JSON lines, as `ctxmgr serve --record FILE` writes them and protocol/transcripts has them.
Those are scripts too, but for what no host brings about: faults inside, deadlines, snapshots of before, weights of
a vocabulary. A recording with such a thing, or whose policy does not set the tokenizer to "estimate", is skipped,
with the reason, and the exit code is 1.
To write one, record a conversation, then put placeholders where values may differ.

    {"ctxmgr": {"protocolVersion": "1.0", "match": "subset"}}
    {"comment": "It fits: the host sends its own list."}
    {"from": "host", "message": {"jsonrpc": "2.0", "id": 1, "method": "getStatus", "params": {"sessionId": "s"}}}
    {"from": "ctxmgr", "message": {"id": 1, "result": {"zone": {"$type": "string"}, "tokens": {"$gte": 2140}}}}

The header's `match`
    "subset"    placeholders are read; an object that is expected may come with more members than are named
    "exact"     placeholders are read; an object has the members that are named and no others
    "literal"   no placeholder is read: each line is as it stands. So it is without `match`, as in a recording
With it a script that names no `rules` is taken by any release; a recording, or one that names some, by those that
have them.

Lines
    {"from": "host", "message": ...}     is sent as it stands, when all lines before it are done
    {"from": "host", "broken": "..."}    is sent as it stands; no JSON
    {"from": "ctxmgr", "message": ...}   is awaited and must match. Answers are told apart by their id, requests and
                                         notifications by their method: the oldest that no line has taken
    {"from": "host", "process": "kill"}  ends the process at once, with the requests that are open
    {"from": "host", "process": "close"} closes its input
    {"from": "ctxmgr", "exit": 0}        it must end, with this exit code
    {"comment": "..."}                   is passed over, and so are ctxmgr's lines that are no messages
After its end, the next line of the host starts the process again, on the same state directory.

Placeholders in what is expected
    {"$any": true}         a value, whatever it is
    {"$absent": true}      no value: the member is not there
    {"$type": "string"}    string, number, integer, boolean, object, array or null
    {"$contains": "text"}  a string that holds the text, or a value with such a string anywhere in it
    {"$gt": 5}             a number; also $gte, $lt, $lte
    {"$not": PATTERN}      anything else, or nothing
    {"$rest": true}        in an array: any number of items
    {"$exact": PATTERN}    objects in it have no members but those that are named
    {"$capture": "name"}   a value, which gets a name
and in either
    {"$ref": "name"}       the value of that name; "stateDir" is the state directory of this run
    {"$literal": VALUE}    the value as it stands, though it looks like a placeholder
Several in one object hold together: {"$gte": 1, "$lt": 5, "$capture": "epoch"}.

`initialize` gets the state directory of this run where it names no `stateDir`. A request whose answer no line
expects must not be answered with an error. At the end each request must have been answered, each request of ctxmgr
taken, and the process must end when its input does. Notifications that no line expects are passed over.
What needs loops or decisions is a Python program: see protocol/examples/epochs.py.
"""

MODES = ("literal", "exact", "subset")
AROUND = ("weigher", "restored", "woke", "completed", "prepared", "archive", "stored")  # kinds that are no messages


class ScriptError(Exception):
    """A line that is none of a script. The text begins with its number, from 1."""


class ScriptStep(msgspec.Struct, frozen=True):
    """What one line asks for; `number` of the line, from 1.

    `send`: `body` goes as it is; where there is a `pattern`, that goes instead, filled in. `expect`: a message of
    ctxmgr under `key` (`key_of`), like `pattern`. `exit`: the process must end, with a code like `pattern`. `close`
    the process's input, `kill` it.
    """

    number: int
    kind: Literal["send", "expect", "exit", "close", "kill"]
    body: bytes = b""
    key: str = ""
    pattern: Any = None


class Script(msgspec.Struct, frozen=True):
    """`lines`: as they were read."""

    lines: tuple[TranscriptLine, ...]
    mode: MatchMode
    steps: tuple[ScriptStep, ...]


def parse(content: bytes) -> Script:
    """Raises ScriptError."""
    try:
        lines = tuple(transcript.read(content))
    except ValueError as fault:
        raise ScriptError(str(fault)) from None
    header = header_of(lines)
    if header is None:
        raise ScriptError("line 1 is no header of a transcript")
    by_hand = "match" in header and "rules" not in header  # it expects of no rules what only they would answer
    if not by_hand and (why := rules.refusal(header, __version__)) is not None:
        raise ScriptError(f"line {lines[0].number}: {why}")
    mode = header.get("match", "literal")
    if mode not in MODES:
        raise ScriptError(f"line {lines[0].number}: `match` is subset or exact, not {json.dumps(mode)}")
    return Script(lines, mode, tuple(_steps(mode, lines[1:], content.split(b"\n"))))


def key_of(message: Head) -> str:
    """What a message is told apart by: an answer by its id, all else by its method."""
    if message.method:
        return f"{'request' if message.id else 'notification'} `{message.method}`"
    return f"answer to id {message.id}"


def _steps(mode: MatchMode, lines: Iterable[TranscriptLine], texts: list[bytes]) -> Iterator[ScriptStep]:
    names = {STATE_DIR}  # that lines so far have captured
    for line in lines:
        try:
            if (step := _step(line, texts[line.number - 1])) is None:
                continue
            is_sent = step.kind == "send"
            if mode != "literal":
                check(step.pattern, names, is_sent)
            if is_sent and (mode == "literal" or not has_placeholder(step.pattern)):
                step = msgspec.structs.replace(step, pattern=None)
        except Misplaced as fault:
            raise ScriptError(f"line {line.number}, {fault}") from None
        except (ValueError, RecursionError) as fault:  # a transcript may hold what strict JSON has not
            raise ScriptError(f"line {line.number}: it can not be read: {fault}") from None
        yield step


def _step(line: TranscriptLine, text: bytes) -> ScriptStep | None:
    """None for a line that is passed over. Raises ScriptError, ValueError."""
    number, sent_by = line.number, (line.sender, line.kind)
    if sent_by in (("host", "message"), ("host", "broken")):
        return ScriptStep(
            number, "send", line.body, pattern=json.loads(line.body) if line.kind == "message" else None
        )
    if sent_by == ("ctxmgr", "message"):
        message = head(line.body)
        if not isinstance(message.fields, dict):
            raise ScriptError(f"line {number}: a message of ctxmgr is an object")
        if not message.method and ("method" in message.fields or is_placeholder(message.fields.get("id"))):
            raise ScriptError(f"line {number}: the method, or the id of an answer, is written out")
        return ScriptStep(number, "expect", key=key_of(message), pattern=message.fields)
    if line.sender == "ctxmgr" and line.kind in AROUND:
        return None
    fields = json.loads(text) if line.kind == "unknown" else {}
    if "comment" in fields:
        return None
    if fields.get("from") == "host" and fields.get("process") in ("close", "kill"):
        return ScriptStep(number, fields["process"])
    if fields.get("from") == "ctxmgr" and "exit" in fields:
        return ScriptStep(number, "exit", pattern=fields["exit"])
    raise ScriptError(f"line {number}: this is no line of a script")
