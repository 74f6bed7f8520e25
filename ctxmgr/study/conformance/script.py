"""Reads a script of a host, and plays it against a sidecar: JSON lines, a transcript in which placeholders may
replace values. The player sends the host's lines and matches what comes against ctxmgr's. Each wait is limited; the
first deviation ends the run with `ExpectationFailed`.

FORMAT below documents it; `ctxmgr drive --help` shows it.

Its placeholders are checked, filled in where they are sent, and matched where they are expected:

1. A placeholder is an object whose members all begin with `$`. An object with only some such members is an error.
2. Several in one object all apply: `{"$gte": 1, "$lt": 5, "$capture": "n"}`; `$absent` and `$rest` must be alone.
3. Sent messages only have `$ref` and `$literal`. A `$ref` names what an earlier line, or the same one, has
   captured.
4. Nothing is captured inside `$not`. Captures of a failed match are discarded.
5. Numbers are equal as numbers: `0` is `0.0`. true and false are no numbers.
6. An object has the named members. The script says whether it may have more (`match` in its header); inside
   `$exact` it may not, nor where no placeholder is read (`$literal`, `$ref`).
7. An array has the named items, in order. `$rest` stands for any number of items: what precedes the first one is at
   the start, what follows the last one at the end, the rest somewhere between, in order.
"""

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Any, Literal

import msgspec

from ctxmgr import __version__
from ctxmgr.study.conformance.conversation import Conversation, NoMessage, OutputEnded, with_state_dir
from ctxmgr.study.conformance.golden import ABSENT, Difference, Head, difference_at, head, header_of, rendered, step
from ctxmgr.study.spawning import SidecarProcess, TimedOut
from ctxmgr.wire import TranscriptLine, transcript

STATE_DIR = "stateDir"  # a name that every script may use
TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: is_number(value),
    "integer": lambda value: is_number(value) and (isinstance(value, int) or value.is_integer()),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}
# whether an existing value fits a member of a placeholder; other members fit any
FITS: dict[str, Callable[[Any, Any], bool]] = {
    "$type": lambda value, name: TYPES[name](value),
    "$contains": lambda value, text: contains(value, text),
    "$gt": lambda value, bound: is_number(value) and value > bound,
    "$gte": lambda value, bound: is_number(value) and value >= bound,
    "$lt": lambda value, bound: is_number(value) and value < bound,
    "$lte": lambda value, bound: is_number(value) and value <= bound,
}

MatchMode = Literal["literal", "exact", "subset"]  # without placeholders; with placeholders; and with more members
WITHIN: dict[str, MatchMode] = {"$exact": "exact", "$literal": "literal", "$ref": "literal"}


class Misplaced(ValueError):
    """An invalid or misplaced placeholder. The text begins with the path."""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_placeholder(value: Any) -> bool:
    return isinstance(value, dict) and any(name.startswith("$") for name in value)


_YES: tuple[str, Callable[[Any], bool]] = ("true", lambda value: value is True)
_NUMBER: tuple[str, Callable[[Any], bool]] = ("a number", is_number)
_ANYTHING: tuple[str, Callable[[Any], bool]] = ("a value", lambda value: True)
_NAME: tuple[str, Callable[[Any], bool]] = (
    "a name",
    lambda value: isinstance(value, str) and value.isidentifier(),
)
# valid values of a placeholder's member, for people and as a test
FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "$any": _YES,
    "$absent": _YES,
    "$rest": _YES,
    "$type": (f"one of {', '.join(TYPES)}", lambda value: isinstance(value, str) and value in TYPES),
    "$contains": ("a text", lambda value: isinstance(value, str)),
    **dict.fromkeys(("$gt", "$gte", "$lt", "$lte"), _NUMBER),
    "$not": _ANYTHING,
    "$exact": _ANYTHING,
    "$literal": _ANYTHING,
    "$capture": _NAME,
    "$ref": _NAME,
}


def has_placeholder(value: Any) -> bool:
    """Whether one is in it, however deep."""
    return is_placeholder(value) or any(has_placeholder(inner) for _, inner in _inside(value, ""))


def check(value: Any, names: set[str], sent: bool, path: str = "$", negated: bool = False) -> None:
    """Adds what is captured to `names`. `sent`: it is for a line of the host (rule 3). Raises Misplaced."""
    if not is_placeholder(value):
        for inner_path, inner in _inside(value, path):
            if is_placeholder(inner) and "$rest" in inner and not isinstance(value, list):
                raise Misplaced(f"{inner_path}: `$rest` is for items of an array")
            check(inner, names, sent, inner_path, negated)
        return
    for name, argument in value.items():
        words, fits = FORMS.get(name, ("", lambda argument: True))
        faults = {
            f"`{name}` is not a placeholder": not words,
            f"`{name}` takes {words}, not {rendered(argument)}": not fits(argument),
            f"`{name}` can only be in what is expected, not in what is sent": sent
            and name not in ("$ref", "$literal"),
            f"`{name}` must be the only member": len(value) > 1 and (sent or name in ("$absent", "$rest")),
            f"no earlier line captures `{argument}`": name == "$ref" and str(argument) not in names,
            "what must not match cannot be captured": name == "$capture" and negated,
            f"`{STATE_DIR}` is the name of this run's state directory": (name, argument) == ("$capture", STATE_DIR),
        }
        if (why := next((text for text, is_so in faults.items() if is_so), None)) is not None:
            raise Misplaced(f"{path}: {why}")
        if name == "$capture":
            names.add(argument)
        if name in ("$not", "$exact"):
            check(argument, names, sent, path, negated or name == "$not")


def filled(value: Any, names: dict[str, Any]) -> Any:
    """The value that is sent. Every name in it is known."""
    if is_placeholder(value):
        return value["$literal"] if "$literal" in value else names[value["$ref"]]
    if isinstance(value, dict):
        return {name: filled(inner, names) for name, inner in value.items()}
    return [filled(inner, names) for inner in value] if isinstance(value, list) else value


def _inside(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(path + step(name), inner) for name, inner in value.items()]
    return [(f"{path}[{index}]", inner) for index, inner in enumerate(value)] if isinstance(value, list) else []


def match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str = "$") -> Difference | None:
    """`value` is plain JSON. `names`: captured so far; a match adds its captures."""
    captured = dict(names)
    if (mismatch := _match(pattern, value, mode, captured, path)) is None:
        names |= captured
    return mismatch


def contains(value: Any, text: str) -> bool:
    """Whether a string in it, however deep, holds the text."""
    if isinstance(value, str):
        return text in value
    return any(contains(inner, text) for _, inner in _inside(value, ""))


def _match(pattern: Any, value: Any, mode: MatchMode, names: dict[str, Any], path: str) -> Difference | None:
    if mode != "literal" and is_placeholder(pattern):
        return _placeholder(pattern, value, mode, names, path)
    if isinstance(pattern, dict) and isinstance(value, dict):
        for name in pattern if mode == "subset" else {**pattern, **value}:
            old, new = pattern.get(name, ABSENT), value.get(name, ABSENT)
            if (mismatch := _match(old, new, mode, names, path + step(name))) is not None:
                return mismatch
        return None
    if isinstance(pattern, list) and isinstance(value, list):
        return _array(pattern, value, mode, names, path)
    same_kind = type(pattern) is type(value) or (is_number(pattern) and is_number(value))
    return None if same_kind and pattern == value else difference_at(path, pattern, value)


def _placeholder(
    pattern: dict[str, Any], value: Any, mode: MatchMode, names: dict[str, Any], path: str
) -> Difference | None:
    """All its members hold together."""
    for name, argument in pattern.items():
        if name == "$not":
            fits = _match(argument, value, mode, dict(names), path) is not None
        elif name == "$absent" or value is ABSENT:
            fits = name == "$absent" and value is ABSENT
        elif name in WITHIN:
            within = names[argument] if name == "$ref" else argument
            if (mismatch := _match(within, value, WITHIN[name], names, path)) is not None:
                return mismatch
            fits = True
        else:
            fits = name not in FITS or FITS[name](value, argument)
        if not fits:
            return difference_at(path, pattern, value)
    if "$capture" in pattern:
        names[pattern["$capture"]] = value
    return None


def _array(
    pattern: list[Any], value: list[Any], mode: MatchMode, names: dict[str, Any], path: str
) -> Difference | None:
    runs: list[list[Any]] = [[]]  # the items between the `$rest`; one run without any
    for item in pattern:
        if mode != "literal" and is_placeholder(item) and "$rest" in item:
            runs.append([])
        else:
            runs[-1].append(item)
    first, *others = runs
    index = len(first)
    mismatch = _items(first, value[:index] if others else value, 0, mode, names, path)
    if mismatch is not None or not others:
        return mismatch
    for run in others[:-1]:
        for start in range(index, len(value) - len(run) + 1):
            captured = dict(names)
            if _items(run, value[start : start + len(run)], start, mode, captured, path) is None:
                break
        else:
            return Difference(path, f"{rendered(run)} from item {index} on", rendered(value[index:]))
        names |= captured
        index = start + len(run)
    start = len(value) - len(others[-1])
    if start < index:
        return Difference(path, f"{index + len(others[-1])} items or more", f"{len(value)} items")
    return _items(others[-1], value[start:], start, mode, names, path)


def _items(
    run: list[Any], values: list[Any], start: int, mode: MatchMode, names: dict[str, Any], path: str
) -> Difference | None:
    """`start`: the index of the first of `values`."""
    for index, (item, value) in enumerate(zip_longest(run, values, fillvalue=ABSENT), start):
        if (mismatch := _match(item, value, mode, names, f"{path}[{index}]")) is not None:
            return mismatch
    return None


FORMAT = """\
A script is a transcript: JSON lines, as `ctxmgr serve --record FILE` writes them and protocol/transcripts has them.
Those are scripts too, unless they need something that a host cannot cause: internal faults, deadlines, earlier
snapshots, token counts of a vocabulary. Such a recording, or one whose policy does not set the tokenizer to
"estimate", is skipped with the reason, and the exit code is 1.
To write a script, record a conversation, then put placeholders where values may differ.

    {"ctxmgr": {"protocolVersion": "1.0", "match": "subset"}}
    {"comment": "It fits: the host sends its own list."}
    {"from": "host", "message": {"jsonrpc": "2.0", "id": 1, "method": "getStatus", "params": {"sessionId": "s"}}}
    {"from": "ctxmgr", "message": {"id": 1, "result": {"zone": {"$type": "string"}, "tokens": {"$gte": 2140}}}}

The header's `match`
    "subset"    placeholders apply; an object may have more members than the expected one
    "exact"     placeholders apply; an object must have exactly the expected members
    "literal"   placeholders do not apply: each line must be equal. The default, as in a recording
A script with `match` and without `rules` works with any release. A recording, or a script with `rules`, works only
with releases that have those rules.

Lines
    {"from": "host", "message": ...}     is sent unchanged, after all lines before it are done
    {"from": "host", "broken": "..."}    is sent unchanged; it is not valid JSON
    {"from": "ctxmgr", "message": ...}   is awaited and must match. Answers are told apart by their id, requests and
                                         notifications by their method: the oldest that no line has taken
    {"from": "host", "process": "kill"}  ends the process at once, with the requests that are open
    {"from": "host", "process": "close"} closes its input
    {"from": "ctxmgr", "exit": 0}        it must end, with this exit code
    {"comment": "..."}                   is ignored, as are ctxmgr's lines that are not messages
After its end, the next line of the host starts the process again, with the same state directory.

Placeholders in expected messages
    {"$any": true}         a value, whatever it is
    {"$absent": true}      no value: the member is not there
    {"$type": "string"}    string, number, integer, boolean, object, array or null
    {"$contains": "text"}  a string that contains the text, or a value with such a string anywhere inside
    {"$gt": 5}             a number; also $gte, $lt, $lte
    {"$not": PATTERN}      anything else, or nothing
    {"$rest": true}        in an array: any number of items
    {"$exact": PATTERN}    objects inside have exactly the expected members
    {"$capture": "name"}   a value, which gets this name
Placeholders in sent and expected messages
    {"$ref": "name"}       the value of that name; "stateDir" is the state directory of this run
    {"$literal": VALUE}    the value itself, even if it looks like a placeholder
Several in one object all apply: {"$gte": 1, "$lt": 5, "$capture": "epoch"}.

If `initialize` has no `stateDir`, it gets the state directory of this run. If no line expects the answer to a
request, that answer must not be an error. At the end, each request must have an answer, a line must have matched
each request from ctxmgr, and the process must exit when its input ends. Unexpected notifications are ignored.
If you need loops or decisions, write a Python program: see protocol/examples/epochs.py.
"""

MODES = ("literal", "exact", "subset")
AROUND = ("weigher", "restored", "woke", "completed", "prepared", "archive", "stored")  # kinds that are no messages


class ScriptError(Exception):
    """An invalid line. The text begins with its number, from 1."""


class ScriptStep(msgspec.Struct, frozen=True):
    """What one line requests; `number` of the line, from 1.

    `send`: `body` is sent unchanged; with a `pattern`, that is filled in and sent instead. `expect`: a message of
    ctxmgr under `key` (`key_of`) that matches `pattern`. `exit`: the process must end, with a code that matches
    `pattern`. `close` the process's input, `kill` it.
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
        raise ScriptError("line 1 is not the header of a transcript")
    by_hand = "match" in header and "rules" not in header  # it expects no answers that depend on rules
    if not by_hand and (why := transcript.refusal(header, __version__)) is not None:
        raise ScriptError(f"line {lines[0].number}: {why}")
    mode = header.get("match", "literal")
    if mode not in MODES:
        raise ScriptError(f"line {lines[0].number}: `match` is subset or exact, not {json.dumps(mode)}")
    return Script(lines, mode, tuple(_steps(mode, lines[1:], content.split(b"\n"))))


def key_of(message: Head) -> str:
    """What identifies a message: an answer by its id, everything else by its method."""
    if message.method:
        return f"{'request' if message.id else 'notification'} `{message.method}`"
    return f"answer to id {message.id}"


def _steps(mode: MatchMode, lines: Iterable[TranscriptLine], texts: list[bytes]) -> Iterator[ScriptStep]:
    names = {STATE_DIR}  # captured by the lines so far
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
        except (ValueError, RecursionError) as fault:  # a transcript may contain what strict JSON does not allow
            raise ScriptError(f"line {line.number}: it cannot be read: {fault}") from None
        yield step


def _step(line: TranscriptLine, text: bytes) -> ScriptStep | None:
    """None for a skipped line. Raises ScriptError, ValueError."""
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
            raise ScriptError(f"line {number}: the method, or the id of an answer, must be given")
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
    raise ScriptError(f"line {number}: not a line of a script")


# the player


class ExpectationFailed(Exception):
    """Something deviated from the script. `mismatch` is None if `what` says everything."""

    def __init__(self, number: int, what: str, mismatch: Difference | None = None) -> None:
        super().__init__(f"line {number}: {what}")
        self.number, self.what, self.mismatch = number, what, mismatch


class Player:
    """One run of one script; `begin` starts a sidecar. `sidecar`: the newest. `sent_count`: host lines sent.
    `matched_count`: ctxmgr lines matched.
    """

    def __init__(self, begin: Callable[[], Conversation], state_dir: str, mode: MatchMode) -> None:
        self.state_dir, self.mode = state_dir, mode
        self.sidecar: SidecarProcess | None = None
        self.sent_count = self.matched_count = 0
        self._begin = begin
        self._names: dict[str, Any] = {STATE_DIR: state_dir}
        self._talk: Conversation | None = None  # None: no process runs
        self._is_closed = False  # its input
        self._open: dict[
            str, tuple[ScriptStep, str]
        ] = {}  # key of an awaited answer: the request's step and method

    def play(self, script: Script) -> None:
        """Raises ExpectationFailed; OSError if the command cannot be started."""
        step = ScriptStep(0, "close")
        try:
            for step in script.steps:
                self._do(step)
            if self._talk is not None:
                self._talk.sidecar.end_input()
                self._end(self._talk, step)
        except NoMessage as fault:
            expected, received = fault.args
            text = f"the output is not a message: {received}"
            if received in ("content-length", "ndjson"):
                text = f"the host sends {expected}, it was answered in {received}"
            raise ExpectationFailed(step.number, text) from None
        finally:
            if self.sidecar is not None:
                self.sidecar.kill()

    def _do(self, step: ScriptStep) -> None:
        talk = self._talk
        if step.kind == "send":
            self._send(step)
        elif talk is None:
            raise ExpectationFailed(step.number, "no process runs: a line of the host starts the next")
        elif step.kind == "expect":
            message = self._take(talk, step.key, step)
            self._open.pop(step.key, None)
            self._hold(step, step.key, message.fields)
        elif step.kind == "exit":
            self._hold(step, "the exit code", self._end(talk, step))
        elif step.kind == "close":
            talk.sidecar.end_input()
            self._is_closed = True
        elif step.kind == "kill":
            self._killed(talk)

    def _send(self, step: ScriptStep) -> None:
        if self._talk is not None and self._is_closed:
            self._end(self._talk, step)
        if self._talk is None:
            self._talk, self._is_closed = self._begin(), False
            self.sidecar = self._talk.sidecar
        body = step.body
        if step.pattern is not None:  # in ASCII, since a captured half of a surrogate pair has no UTF-8
            body = json.dumps(filled(step.pattern, self._names), separators=(",", ":")).encode()
        message = head(body)
        params = message.member("params")
        if message.method == "initialize" and isinstance(params, dict) and STATE_DIR not in params:
            with contextlib.suppress(msgspec.DecodeError):
                body = with_state_dir(body, self.state_dir)
        if message.method and message.id:
            self._open[key_of(Head(message.id))] = step, message.method
        self._talk.send(body)
        self.sent_count += 1

    def _end(self, talk: Conversation, step: ScriptStep) -> int:
        """Waits for the end, with nothing left over. Returns the exit code."""
        for key, (asked, method) in self._open.items():
            answer = self._take(talk, key, step).fields
            if "error" in answer:
                mismatch = Difference("$", "a result", rendered(answer["error"]))
                raise ExpectationFailed(asked.number, f"`{method}` was answered with an error", mismatch)
        try:
            talk.read_to_end()
            code = talk.sidecar.wait(talk.seconds)
        except TimedOut:
            text = f"the process did not end within {talk.seconds:g} s"
            raise ExpectationFailed(step.number, text) from None
        for key, message in talk.left():
            if not key.startswith("notification"):
                mismatch = Difference("$", "nothing", rendered(message.fields))
                raise ExpectationFailed(step.number, f"{key} was not expected", mismatch)
        self._killed(talk)
        return code

    def _killed(self, talk: Conversation) -> None:
        """Open requests are lost."""
        talk.sidecar.kill()
        self._talk = None
        self._open.clear()

    def _take(self, talk: Conversation, key: str, step: ScriptStep) -> Head:
        try:
            return talk.take(key)[0]
        except OutputEnded:
            text = f"{key}: the process closed its output first"
        except TimedOut:
            text = f"{key} did not arrive within {talk.seconds:g} s"
        raise ExpectationFailed(step.number, text)

    def _hold(self, step: ScriptStep, what: str, value: Any) -> None:
        mismatch = match(step.pattern, value, self.mode, self._names)
        if mismatch is not None:
            raise ExpectationFailed(step.number, f"{what} is not what was expected", mismatch)
        self.matched_count += 1
