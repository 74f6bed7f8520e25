"""Plays a script against a sidecar: sends the host's lines, and matches what comes against ctxmgr's.

Each wait is limited; the first deviation ends the run with `ExpectationFailed`. `script` defines what a script
means.
"""

import contextlib
import json
from collections.abc import Callable
from typing import Any

import msgspec

from ctxmgr.study.conformance.conversation import Conversation, NoMessage, OutputEnded, with_state_dir
from ctxmgr.study.conformance.golden import Difference, Head, head, rendered
from ctxmgr.study.conformance.script import STATE_DIR, MatchMode, Script, ScriptStep, filled, key_of, match
from ctxmgr.study.spawning import SidecarProcess, TimedOut


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
