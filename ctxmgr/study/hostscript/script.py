"""Reads a script of a host: JSON lines, a transcript in which placeholders may stand for values.

FORMAT below is the page of it; `ctxmgr drive --help` shows it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ctxmgr import __version__
from ctxmgr.model import rules
from ctxmgr.study.conformance import Head, head
from ctxmgr.study.hostscript.matching import MatchMode
from ctxmgr.study.hostscript.placeholders import (
    STATE_DIR,
    Misplaced,
    check_expected,
    check_sent,
    has_placeholder,
    is_placeholder,
)
from ctxmgr.wire import TranscriptLine, transcript

FORMAT = """\
A script is a transcript: JSON lines, as `ctxmgr serve --record FILE` writes them and protocol/transcripts has them.
Those are scripts too, but for what no host brings about: faults inside, deadlines, snapshots of before.
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


class ScriptLine(msgspec.Struct, frozen=True):
    """`number` of its line, from 1."""

    number: int


class HostLine(ScriptLine, frozen=True):
    """`fields` where something is to be filled in, else `body` goes as it is."""

    body: bytes
    fields: Any = None


class ExpectedLine(ScriptLine, frozen=True):
    """A message of ctxmgr. `key` is what it is told apart by (`key_of`)."""

    key: str
    pattern: Any


class CloseInput(ScriptLine, frozen=True):
    """The input of the process is closed."""


class KillProcess(ScriptLine, frozen=True):
    """The process is killed."""


class ExpectedExit(ScriptLine, frozen=True):
    """The process must end. `exit_pattern`: of its exit code."""

    exit_pattern: Any


PROCESS: dict[str, type[ScriptLine]] = {"close": CloseInput, "kill": KillProcess}


class Script(msgspec.Struct, frozen=True):
    mode: MatchMode
    lines: tuple[ScriptLine, ...]


def parse(content: bytes) -> Script:
    """Raises ScriptError."""
    try:
        lines = list(transcript.read(content))
    except ValueError as fault:
        raise ScriptError(str(fault)) from None
    if not lines or lines[0].kind != "header":
        raise ScriptError("line 1: a script begins with the header of a transcript")
    header = lines[0].fields
    by_hand = "match" in header and "rules" not in header  # it expects of no rules what only they would answer
    if not by_hand and (why := rules.refusal(header, __version__)) is not None:
        raise ScriptError(f"line {lines[0].number}: {why}")
    mode = header.get("match", "literal")
    if mode not in MODES:
        raise ScriptError(f"line {lines[0].number}: `match` is subset or exact, not {json.dumps(mode)}")
    return Script(mode, tuple(_Reader(mode, content.split(b"\n")).steps(lines[1:])))


def key_of(one: Head) -> str:
    """What a message is told apart by: an answer by its id, all else by its method."""
    if one.method:
        return f"{'request' if 'id' in one.fields else 'notification'} `{one.method}`"
    return f"answer to id {one.id}"


class _Reader:
    """`names`: the names that lines so far have captured."""

    def __init__(self, mode: MatchMode, texts: list[bytes]) -> None:
        self.mode, self.texts = mode, texts
        self.names = {STATE_DIR}

    def steps(self, lines: Iterable[TranscriptLine]) -> Iterator[ScriptLine]:
        for line in lines:
            try:
                step = self._step(line)
            except Misplaced as fault:
                raise ScriptError(f"line {line.number}, {fault}") from None
            except (ValueError, RecursionError) as fault:  # a transcript may hold what strict JSON has not
                raise ScriptError(f"line {line.number}: it can not be read: {fault}") from None
            if step is not None:
                yield step

    def _step(self, line: TranscriptLine) -> ScriptLine | None:
        if line.kind == "message" and line.sender == "host":
            return self._send(line)
        if line.kind == "message" and line.sender == "ctxmgr":
            return self._expect(line)
        if line.kind == "broken" and line.sender == "host":
            return HostLine(line.number, line.body)
        if line.kind in AROUND and line.sender == "ctxmgr":
            return None
        if line.kind == "unknown":
            return self._around(line.number, json.loads(self.texts[line.number - 1]))
        raise ScriptError(f"line {line.number}: this is no line of a script")

    def _send(self, line: TranscriptLine) -> HostLine:
        fields = json.loads(line.body)
        if self.mode == "literal":
            return HostLine(line.number, line.body)
        check_sent(fields, self.names)
        return HostLine(line.number, line.body, fields if has_placeholder(fields) else None)

    def _expect(self, line: TranscriptLine) -> ExpectedLine:
        one = head(line.body)
        if not isinstance(one.fields, dict):
            raise ScriptError(f"line {line.number}: a message of ctxmgr is an object")
        if not one.method and ("method" in one.fields or is_placeholder(one.fields.get("id"))):
            raise ScriptError(f"line {line.number}: the method, or the id of an answer, is written out")
        if self.mode != "literal":
            self.names = check_expected(one.fields, self.names)
        return ExpectedLine(line.number, key_of(one), one.fields)

    def _around(self, number: int, fields: dict[str, Any]) -> ScriptLine | None:
        """What is no message."""
        sender = fields.get("from")
        if "comment" in fields:
            return None
        if sender == "host" and isinstance(word := fields.get("process"), str) and word in PROCESS:
            return PROCESS[word](number)
        if sender == "ctxmgr" and "exit" in fields:
            if self.mode != "literal":
                self.names = check_expected(fields["exit"], self.names)
            return ExpectedExit(number, fields["exit"])
        raise ScriptError(f"line {number}: this is no line of a script")
