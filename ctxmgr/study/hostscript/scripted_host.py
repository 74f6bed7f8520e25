"""Carries out a script against a spawned command: says what it says, and holds what comes against its patterns.

The rules are the script language's (`scripts`). Each wait is bounded; the first thing that is not as expected ends
the run with `Failed`. Knows nothing of ctxmgr but which params a line may leave out.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ctxmgr.study.hostscript.script_matching import match, spelled
from ctxmgr.study.hostscript.script_nodes import Node, Ref, evaluate
from ctxmgr.study.hostscript.script_steps import (
    LAST,
    Always,
    Answered,
    Asked,
    Cancel,
    Check,
    Ends,
    Let,
    Raw,
    Repeat,
    Reply,
    Say,
    Send,
    Step,
    Turn,
)
from ctxmgr.study.hostscript.scripted_calls import Calls, Failed, Ran
from ctxmgr.study.hostscript.scripted_list import ScriptedList
from ctxmgr.study.hostscript.scripted_params import filled
from ctxmgr.study.spawning.client import Framing, TimedOut
from ctxmgr.study.spawning.conversation import Conversation, Fields, Heard, Message, Unheard
from ctxmgr.study.spawning.differences import shown
from ctxmgr.study.spawning.spawned import Spawned

Start = Callable[[int], Spawned]


class ScriptedHost:
    """One run. `start` gives the process; its argument counts the starts of this run from 1."""

    def __init__(self, start: Start, framing: Framing, seconds: float, state_dir: str, heard: Heard) -> None:
        self.start, self.framing, self.seconds, self.heard = start, framing, seconds, heard
        self.state_dir = state_dir
        self.ran = Ran()
        self.list = ScriptedList()
        self.names: Fields = {}
        self.session = "s"
        self.calls = Calls(self.list)
        self.process: Spawned | None = None
        self._always: Fields = {}
        self._taken: dict[str, Fields] = {}  # requests of ctxmgr that are to be answered, by label
        self._ids = itertools.count(1)
        self._starts = itertools.count(1)
        self._step: Step = Step(0, "")

    def run(self, steps: Iterable[Step]) -> Ran:
        """Raises Failed; OSError where the command can not be started."""
        try:
            self._launch()
            self._all(steps)
            self._finish()
        except Unheard as fault:
            raise Failed(self._step, str(fault)) from None
        finally:
            if self.process is not None:
                self.process.kill()
            self.ran.answered = self.calls.answered
        return self.ran

    def _launch(self) -> None:
        self.process = self.start(next(self._starts))
        self.calls.begin(Conversation(self.process, self.framing, self.seconds, self.heard))
        self.talk.always = self._always
        self.list.forget()
        self._taken.clear()

    def _all(self, steps: Iterable[Step]) -> None:
        for step in steps:
            self._step = step
            self.ran.steps += 1
            _DO[type(step)](self, step)

    def _finish(self) -> None:
        """Nothing is left over, and the process ends."""
        if self.calls.talk is not None:
            self.calls.settle_all()
            self.calls.talk.process.end_input()
            self._hear_out()

    def _hear_out(self) -> int:
        """The exit code. What ctxmgr has asked and no line has taken is a failure."""
        talk = self.talk
        talk.hear_out()
        if talk.requests:
            left = shown(talk.requests[0].fields)
            raise Failed(self._step, "ctxmgr asked, and no line takes it", "no request", left)
        if talk.strays:
            raise Failed(self._step, "an answer came to nothing", "no answer", shown(talk.strays[0].fields))
        try:
            code = talk.process.wait(self.seconds)
        except TimedOut as fault:
            raise Failed(self._step, str(fault)) from None
        self.calls.talk = None
        return code

    @property
    def talk(self) -> Conversation:
        if self.calls.talk is None:
            raise Failed(self._step, "the process has ended: `restart` comes first")
        return self.calls.talk

    # values

    def value(self, node: Node) -> Any:
        return evaluate(node, self._look)

    def _look(self, ref: Ref) -> Any:
        if ref.name == "":
            self.calls.settle()
        known: Mapping[str, Callable[[], Any]] = {
            "": lambda: self.calls.last,
            "list": lambda: self.list.messages,
            "entries": self.list.entries,
            "stateDir": lambda: self.state_dir,
        }
        if ref.name not in known and ref.name not in self.names:
            raise Failed(self._step, f"nothing has been named `${ref.name}`")
        found = known[ref.name]() if ref.name in known else self.names[ref.name]
        for step in ref.steps:
            try:
                found = found[step]
            except (KeyError, IndexError, TypeError):
                raise Failed(self._step, f"there is no `{ref.source}`", came=shown(found)) from None
        return found

    def hold(self, pattern: Node, value: Any, what: str) -> None:
        found = match(pattern, value, self._look)
        if found is not None:
            raise Failed(self._step, what, found.expected, found.came, found.path)
        self.ran.held += 1

    # host to ctxmgr

    def send(self, step: Send) -> None:
        if step.request:
            self.calls.settle(step.label)
        params = self.value(step.params) if step.params is not None else {}
        if isinstance(params, dict):
            params = self._filled(step, params)
        if not step.request:
            self.talk.send({"jsonrpc": "2.0", "method": step.method, "params": params})
            return
        id = next(self._ids)
        self.talk.ask(id, step.method, params)
        self.calls.open(step.label, step, step.method, id)

    def _filled(self, step: Send, params: Fields) -> Fields:
        if step.method == "context" and params.get("append") == "new":
            self.calls.settle_all("context")
        params = filled(step.method, params, self.list, self.session, self.state_dir)
        if step.method == "turn_end" and "message" not in params:
            raise Failed(step, "there is no reply in the list that could end a turn")
        if step.method == "session_start":
            self.session = params["sessionId"]
        return params

    def raw(self, step: Raw) -> None:
        self.calls.settle()
        self.talk.send_body(step.body.encode("utf-8", "surrogatepass"))
        self.calls.open(LAST, step, "a raw message", None)

    def cancel(self, step: Cancel) -> None:
        id = self.calls.id(step.label)
        if id is None:
            raise Failed(step, "there is no open request to cancel")
        self.talk.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}})

    def reply(self, step: Reply) -> None:
        request = self._taken.pop(step.label, None)
        if request is None:
            raise Failed(step, "there is no request of ctxmgr to answer: `? METHOD` comes first")
        value = self.value(step.value)
        outcome = {"result": value} if step.code is None else {"error": {"code": step.code, "message": value}}
        self.talk.send({"jsonrpc": "2.0", "id": request["id"], **outcome})

    def always(self, step: Always) -> None:
        self.talk.answer_always(step.method, self.value(step.value))

    # ctxmgr to host

    def answered(self, step: Answered) -> None:
        """A second line about the same answer looks at it again."""
        calls = self.calls
        if calls.is_open(step.label):
            calls.wait(step.label)
        elif step.label != LAST:
            raise Failed(step, f"no request {step.label} is open")
        elif not calls.answered:
            raise Failed(step, "nothing has been asked yet")
        if calls.failed != step.failed:
            expected = "an error" if step.failed else f"a result: {spelled(step.pattern, self._look)}"
            came = f"{'the error' if calls.failed else 'a result:'} {shown(calls.last)}"
            raise Failed(step, "the answer is of the other kind", expected, came)
        if step.code is not None and calls.last.get("code") != step.code:
            raise Failed(step, "the error has another code", str(step.code), shown(calls.last), "$.code")
        self.hold(step.pattern, calls.last, "the answer is not what was expected")

    def asked(self, step: Asked) -> None:
        found: Message = self.talk.request(step.method) if step.request else self.talk.note(step.method)
        params = found.fields.get("params")
        kind = "request" if step.request else "notification"
        self.hold(step.pattern, params, f"the {kind} `{step.method}` of ctxmgr is not what was expected")
        if step.request:
            self._taken[step.label] = found.fields

    # the host itself

    def let(self, step: Let) -> None:
        self.names[step.name] = self.value(step.value)

    def check(self, step: Check) -> None:
        self.hold(step.pattern, self.value(step.value), "it is not what was expected")

    def say(self, step: Say) -> None:
        value = self.value(step.value)
        if step.kind == "messages" and isinstance(value, list):
            self.list.messages = list(value)
        elif step.kind == "message" and isinstance(value, dict):
            self.list.messages.append(value)
        elif step.kind in ("message", "messages"):
            raise Failed(step, "this is no message" if step.kind == "message" else "this is no list")
        elif step.kind == "assistant":
            self.list.assistant(value, [(name, self.value(arguments)) for name, arguments in step.calls])
        elif step.kind == "result" and not self.list.result(value, step.failed):
            raise Failed(step, "there is no call without a result")
        elif step.kind == "user":
            self.list.user(value)
        elif step.kind == "summary":
            self.list.summary(value)

    def repeat(self, step: Repeat) -> None:
        times = self.value(step.times)
        if type(times) is not int:
            raise Failed(step, "how often is a whole number", came=json.dumps(times))
        for number in range(1, times + 1):
            if step.name:
                self.names[step.name] = number
            self._all(step.steps)

    # the process

    def turn(self, step: Turn) -> None:
        self.calls.settle()
        if step.word == "kill":
            self.talk.process.kill()
            self.calls.lose()
        elif step.word == "close":
            self.talk.process.end_input()
        else:
            self._finish()
            self._launch()

    def ends(self, step: Ends) -> None:
        self.calls.settle_all()
        code = self._hear_out()
        if step.code not in (None, code):
            raise Failed(step, "the process ended with another code", str(step.code), str(code))
        self.ran.held += 1


_DO: dict[type[Step], Callable[[ScriptedHost, Any], None]] = {
    Send: ScriptedHost.send,
    Raw: ScriptedHost.raw,
    Cancel: ScriptedHost.cancel,
    Answered: ScriptedHost.answered,
    Asked: ScriptedHost.asked,
    Reply: ScriptedHost.reply,
    Always: ScriptedHost.always,
    Let: ScriptedHost.let,
    Check: ScriptedHost.check,
    Say: ScriptedHost.say,
    Repeat: ScriptedHost.repeat,
    Turn: ScriptedHost.turn,
    Ends: ScriptedHost.ends,
}
