"""Decides what is answered: reads off the end of a list which step of which script comes next.

Rules:
1. What came since the model's last answer is looked through from the end. The first of these that is met decides:
   a prompt with the words of a script begins it anew (of two that fit, the one that says more); a result whose id
   the model gave is followed by the step after it; a summary that the model wrote goes on where it was written.
   Where none is met, a script without words begins.
2. So a list may lose any of its older messages, and a call may be repeated: the answer is the same.
3. A request for a summary is answered with one that says where the script was. One without tools gets text.
4. What is answered a second time has other ids, as of a real provider. Where a sub-agent runs on its own, the next
   call waits for it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tests.provider.scripts import Act, Call, Found, Script
from tests.provider.tools import Tool, ToolCall, tool_call

Kind = Literal["step", "final", "summary", "title", "idle"]
REMINDER = "<system-reminder>"
AGENTS = "multi_agent_v1"  # the namespace of Codex' tools for sub-agents, declared nowhere before they are searched
IDLE = "There is nothing to do."
_ID = re.compile(r"p(\d+)s(\d+)(w?)(?:r\d+)?n\d+$")
_AGENT = re.compile(r'^\{"agent_id":"([^"]+)"')
SUMMARY = "<summary>What was done so far, in short. {}</summary>"
_MARK = re.compile(r"\[play (\d+) step (-?\d+)\]")


@dataclass(frozen=True)
class Came:
    """One thing of a list: a result of the call `id`, or, where `id` is empty, a text that is no model's."""

    id: str
    text: str


@dataclass(frozen=True)
class Request:
    """What of a request decides. `news` came since the model's last answer, `earlier` is all before it."""

    news: Sequence[Came]
    earlier: Sequence[Came]
    tools: Sequence[Tool]
    asks: Literal["step", "summary", "title"] = "step"


@dataclass(frozen=True)
class Answer:
    """`place` names it, and its calls begin with it: `p1s12` is step 12 of the script played second, `p1s12r1` the
    same once more."""

    kind: Kind
    place: str
    text: str = ""
    calls: tuple[tuple[str, ToolCall], ...] = ()


class Stage:
    """The scripts, and which were begun."""

    def __init__(self, scripts: Iterable[Script], root: str) -> None:
        each = [one for script in scripts for one in script.each()]
        self._scripts = sorted((one for one in each if one.prompt), key=lambda one: -len(one.prompt))
        self._any = next((one for one in each if not one.prompt), None)
        self._root = root
        self._given: Counter[str] = Counter()
        self.plays: list[Script] = []

    def answer(self, request: Request) -> Answer:
        if request.asks == "title":
            return Answer("title", "title", "A scripted session")
        if request.asks == "summary":
            return self._summary(request)
        for came in reversed(request.news):
            place = self._after(came) or self._beginning(came)
            if place is not None:
                return self._waiting(*place, request.news) or self._step(*place, request)
        if request.news and self._any is not None:
            self.plays.append(self._any)
            return self._step(len(self.plays) - 1, 0, request)
        return Answer("idle", "idle", IDLE)

    def _step(self, play: int, step: int, request: Request) -> Answer:
        script, place = self.plays[play], self._place(f"p{play}s{step}")
        if step >= len(script.steps) or not request.tools:
            return Answer("final", place, script.final)
        acts = [_known(act, request.news) for act in script.steps[step].acts]
        calls = tuple((f"{place}n{at}", tool_call(act, request.tools, self._root)) for at, act in enumerate(acts))
        return Answer("step", place, script.steps[step].say, calls)

    def _waiting(self, play: int, step: int, news: Sequence[Came]) -> Answer | None:
        """What waits for the sub-agents that run on their own since the step before."""
        ids = [found[1] for came in news if came.id and (found := _AGENT.match(came.text))]
        if not ids:
            return None
        place = self._place(f"p{play}s{step - 1}w")
        return Answer("step", place, "", ((f"{place}n0", ToolCall("wait_agent", {"targets": ids}, False, AGENTS)),))

    def _place(self, name: str) -> str:
        self._given[name] += 1
        repeated = self._given[name] - 1
        return f"{name}r{repeated}" if repeated else name

    def _beginning(self, came: Came) -> tuple[int, int] | None:
        if came.id or came.text.startswith(REMINDER):
            return None
        found = next((one for one in self._scripts if one.prompt in came.text), None)
        if found is None:
            return None
        self.plays.append(found)
        return len(self.plays) - 1, 0

    def _after(self, came: Came) -> tuple[int, int] | None:
        marks = () if came.id else tuple(_MARK.finditer(came.text))
        found = _ID.search(came.id) if came.id else marks[-1] if marks else None
        return (int(found[1]), int(found[2]) + 1) if found and int(found[1]) < len(self.plays) else None

    def _summary(self, request: Request) -> Answer:
        every = [*request.earlier, *request.news]
        play, step = next((place for came in reversed(every) if (place := self._after(came))), (0, 0))
        mark = f"[play {play} step {step - 1}]"
        return Answer("summary", self._place(f"p{play}s{step}-summary"), SUMMARY.format(mark))


def _known(act: Act, news: Sequence[Came]) -> Act:
    """With what the model read in the place of each `Found`; what nothing came of is "", which a tool refuses."""
    if not isinstance(act, Call):
        return act
    text = "\n".join(came.text for came in news)
    arguments = {
        name: (match[1] if (match := re.search(value.pattern, text)) else "") if isinstance(value, Found) else value
        for name, value in act.arguments.items()
    }
    return Call(act.name, arguments, act.namespace)
