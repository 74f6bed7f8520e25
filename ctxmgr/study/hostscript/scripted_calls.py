"""The requests that a script has open, and the answer that came last.

An answer is awaited where it is first needed: at a line that looks at it, at the next request without a name of
its own, at the end. What no line looks at must be no error.
"""

from typing import Any

import msgspec

from ctxmgr.study.hostscript.script_steps import LAST, Step
from ctxmgr.study.hostscript.scripted_list import ScriptedList
from ctxmgr.study.spawning.conversation import Conversation
from ctxmgr.study.spawning.differences import shown


class Failed(Exception):
    """Something was not as the script says. `expected`, `came` and `path` may be empty: `what` says it all."""

    def __init__(self, step: Step, what: str, expected: str = "", came: str = "", path: str = "") -> None:
        super().__init__(f"line {step.line}: {what}")
        self.step, self.what = step, what
        self.expected, self.came, self.path = expected, came, path


class Ran(msgspec.Struct):
    """What a run did so far: lines carried out, requests answered, expectations held."""

    steps: int = 0
    answered: int = 0
    held: int = 0


class _Open(msgspec.Struct, frozen=True):
    """A request whose answer is awaited. `id` None: whatever answers a raw message."""

    step: Step
    method: str
    id: int | None
    count: int = 0  # messages of the list when it was sent


class Calls:
    """`last`: the newest answer's result or, where it `failed`, its error. `talk` is None without a process."""

    def __init__(self, messages: ScriptedList) -> None:
        self.talk: Conversation | None = None
        self.last: Any = None
        self.failed = False
        self.answered = 0
        self._list = messages
        self._open: dict[str, _Open] = {}

    def begin(self, talk: Conversation) -> None:
        """A process is there: nothing is open."""
        self.talk = talk
        self._open.clear()

    def lose(self) -> None:
        """The process is gone, and with it what was asked by name and not answered."""
        self.talk = None
        self._open.clear()

    def open(self, label: str, step: Step, method: str, id: int | None) -> None:
        self._open[label] = _Open(step, method, id, len(self._list.messages))

    def is_open(self, label: str) -> bool:
        return label in self._open

    def id(self, label: str) -> int | None:
        found = self._open.get(label)
        return found.id if found else None

    def settle(self, label: str = LAST) -> None:
        """Awaits an answer that no line looks at. Raises Failed where it is an error; Unheard."""
        found = self._open.get(label)
        if found is None:
            return
        if found.id is None:
            del self._open[label]  # a raw message may well have no answer
            return
        self.wait(label)
        if self.failed:
            raise Failed(found.step, f"`{found.method}` was answered with an error", "a result", shown(self.last))

    def settle_all(self, method: str | None = None) -> None:
        """Those of this method, or all."""
        for label in [label for label, one in self._open.items() if method in (None, one.method)]:
            self.settle(label)

    def wait(self, label: str) -> None:
        """Until the answer is there. Raises Unheard."""
        found = self._open[label]
        what = f"the answer to `{found.method}` (line {found.step.line})"
        assert self.talk is not None  # a request is open
        answer = self.talk.stray(what) if found.id is None else self.talk.answer(found.id, what)
        del self._open[label]
        self.answered += 1
        self.failed = "error" in answer.fields
        self.last = answer.fields.get("error" if self.failed else "result")
        if found.method == "context" and not self.failed and isinstance(self.last, dict):
            self._list.sent, self._list.base = found.count, self.last.get("base")
