"""Plays a script against a spawned command: sends the host's lines, and matches what comes against ctxmgr's.

Each wait is bounded; the first thing that is not as expected ends the run with `ExpectationFailed`. What a script
means stands in `script`.
"""

import itertools
import json
from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.study.conformance import head
from ctxmgr.study.hostscript.conversation import Conversation, NotReceived, OnMessage
from ctxmgr.study.hostscript.matching import MatchMode, Mismatch, match
from ctxmgr.study.hostscript.placeholders import STATE_DIR, filled
from ctxmgr.study.hostscript.script import (
    CloseInput,
    ExpectedExit,
    ExpectedLine,
    HostLine,
    KillProcess,
    Script,
    ScriptLine,
    key_of,
)
from ctxmgr.study.spawning import Framing, Spawned, TimedOut, differences

_encode = msgspec.json.Encoder().encode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class ExpectationFailed(Exception):
    """Something was not as the script has it. `mismatch` is None where `what` tells it all."""

    def __init__(self, number: int, what: str, mismatch: Mismatch | None = None) -> None:
        super().__init__(f"line {number}: {what}")
        self.number, self.what, self.mismatch = number, what, mismatch


class PlayerSettings(msgspec.Struct, frozen=True):
    """`spawn` gives a process; its argument counts the starts of this run from 1. `seconds` bound each wait."""

    spawn: Callable[[int], Spawned]
    framing: Framing
    seconds: float
    state_dir: str
    on_message: OnMessage


class PlayedScript(msgspec.Struct, frozen=True):
    """Lines of the host that were sent, and of ctxmgr that matched."""

    sent_count: int
    matched_count: int


class Player:
    """One run of one script. `process` is the newest."""

    def __init__(self, settings: PlayerSettings, mode: MatchMode) -> None:
        self.settings, self.mode = settings, mode
        self.process: Spawned | None = None
        self.names: dict[str, Any] = {STATE_DIR: settings.state_dir}
        self._talk: Conversation | None = None  # None: no process runs
        self._closed = False  # its input
        self._open: dict[str, tuple[int, str]] = {}  # key of an awaited answer: line and method of the request
        self._starts = itertools.count(1)
        self._sent = self._matched = 0

    def play(self, script: Script) -> PlayedScript:
        """Raises ExpectationFailed; OSError where the command can not be started."""
        step = ScriptLine(0)
        try:
            for step in script.lines:
                self._do(step)
            if self._talk is not None:
                self._end(step, close=True)
        except NotReceived as fault:
            raise ExpectationFailed(step.number, str(fault)) from None
        finally:
            if self.process is not None:
                self.process.kill()
        return PlayedScript(self._sent, self._matched)

    def _do(self, step: ScriptLine) -> None:
        if isinstance(step, HostLine):
            self._send(step)
        elif isinstance(step, ExpectedLine):
            self._expect(step)
        elif isinstance(step, ExpectedExit):
            self._hold(step, "the exit code", step.exit_pattern, self._end(step))
        elif isinstance(step, CloseInput):
            self._running(step).process.end_input()
            self._closed = True
        elif isinstance(step, KillProcess):
            self._running(step).process.kill()
            self._talk = None
            self._open.clear()

    # the process

    def _launch(self) -> Conversation:
        settings = self.settings
        self.process = settings.spawn(next(self._starts))
        self._closed = False
        self._talk = Conversation(self.process, settings.framing, settings.seconds, settings.on_message)
        return self._talk

    def _running(self, step: ScriptLine) -> Conversation:
        if self._talk is None:
            raise ExpectationFailed(step.number, "no process runs: a line of the host starts the next")
        return self._talk

    def _end(self, step: ScriptLine, close: bool = False) -> int:
        """Waits for the end, with nothing left over; the exit code."""
        talk = self._running(step)
        for key, (number, method) in list(self._open.items()):
            answer = talk.take(key)
            if "error" in answer:
                mismatch = Mismatch("$", "a result", differences.rendered(answer["error"]))
                raise ExpectationFailed(number, f"`{method}` was answered with an error", mismatch)
        self._open.clear()
        if close:
            talk.process.end_input()
        talk.read_to_end()
        for key, fields in talk.left():
            if not key.startswith("notification"):
                raise ExpectationFailed(
                    step.number, f"{key}: no line takes it", Mismatch("$", "nothing", differences.rendered(fields))
                )
        try:
            code = talk.process.wait(self.settings.seconds)
        except TimedOut as fault:
            raise ExpectationFailed(step.number, str(fault)) from None
        talk.process.kill()
        self._talk = None
        return code

    # lines

    def _send(self, step: HostLine) -> None:
        if self._talk is not None and self._closed:
            self._end(step)
        talk = self._talk or self._launch()
        body = step.body if step.fields is None else _compact(filled(step.fields, self.names))
        one = head(body)
        if one.method == "initialize":
            body = _with_state_dir(body, self.settings.state_dir)
        if one.method and one.id:
            self._open[key_of(msgspec.structs.replace(one, method=""))] = (step.number, one.method)
        talk.send(body)
        self._sent += 1

    def _expect(self, step: ExpectedLine) -> None:
        fields = self._running(step).take(step.key)
        self._open.pop(step.key, None)
        self._hold(step, step.key, step.pattern, fields)

    def _hold(self, step: ScriptLine, what: str, pattern: Any, value: Any) -> None:
        mismatch = match(pattern, value, self.mode, self.names)
        if mismatch is not None:
            raise ExpectationFailed(step.number, f"{what}: not what was expected", mismatch)
        self._matched += 1


def _compact(value: Any) -> bytes:
    """ASCII, since what was captured may hold half of a surrogate pair, which has no UTF-8."""
    return json.dumps(value, separators=(",", ":")).encode()


def _with_state_dir(body: bytes, state_dir: str) -> bytes:
    """`initialize` with this directory where it names none; all else of it byte for byte."""
    try:
        fields = _members(body)
        params = _members(fields["params"])
    except (msgspec.DecodeError, KeyError):
        return body
    return body if STATE_DIR in params else _encode({**fields, "params": {**params, STATE_DIR: state_dir}})
