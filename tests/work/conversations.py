"""Sessions with lists of any length, in any preset and format, and the calls of their hosts, counted."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from ctxmgr.server import SnapshotLoaded
from ctxmgr.server import effects as do
from tests.inprocess import InProcess
from tests.translation import TO
from tests.work.counting import Lines, lines_of

Json = dict[str, Any]
Step = list[msgspec.Raw]

STEPS_A_TURN = 10
RESULT = "\n".join(f"line {number} of it" for number in range(250))  # about 1,000 tokens
NOTHING_NEW = -1  # `firstChangedIndex` of an answer that only grew
encode = msgspec.json.encode


class Case(NamedTuple):
    """`window` in tokens."""

    window: int
    policy: Json = {}


LONG = 100_000_000
KEPT = {
    "off": Case(LONG),
    "tools": Case(LONG, {"protectedTools": ["read"]}),
    "turns": Case(LONG, {"recentUserTurns": {"green": 100_000}, "distill": {"green": 1_000_000}}),
    "balanced": Case(LONG, {"keep": 1_000_000_000, "protectedTools": ["read"]}),
}
"""By preset: all of the list stays."""
LEFT = {
    "off": Case(60_000),
    "tools": Case(LONG),
    "turns": Case(60_000),
    "balanced": Case(60_000),
}
"""By preset: most of a long list leaves, or is markers; but with `off`, of course."""
CUT = {"tools": Case(44_000, {"pruneProtect": 2_000, "pruneMinimum": 9_500, "protectedTurns": 1})}
"""By preset: turns of a long list leave, for its markers do not fit."""
CASES = {"kept": KEPT, "left": LEFT, "cut": CUT}


def said(number: int) -> list[Json]:
    """In pi's format: a call of a tool and its result; before each tenth a user's message."""
    call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"src/part_{number}.py"}}
    reply = {"role": "assistant", "content": [{"type": "text", "text": f"Look at part {number}."}, call]}
    text = f"part {number}\n{RESULT}"
    result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
    user = [{"role": "user", "content": f"Go on with part {number}."}] if number % STEPS_A_TURN == 0 else []
    return [*user, reply, result | {"content": [{"type": "text", "text": text}]}]


def uncounted(call: Callable[[], object]) -> Lines:
    call()
    return Lines()


class Host(InProcess):
    """A host whose list grows by a step a call. Begins with so many steps, in one list.

    `first`: the lines of the first list, and after a restart of the first one then, where they are `counted`.
    """

    def __init__(self, preset: str, format: str, case: Case, steps: int, counted: bool = False) -> None:
        self.format, self.steps, self._count = format, 0, lines_of if counted else uncounted
        self.messages: list[msgspec.Raw] = []
        self._settings = {"preset": preset, "tokenizer": "estimate", **case.policy}, case.window
        self._start()
        for _ in range(steps):
            self.messages += self._step()
        self.first = self._asked(self._count, messages=self.messages)

    def _start(self, found: SnapshotLoaded = SnapshotLoaded()) -> None:  # noqa: B008  frozen
        policy, window = self._settings
        super().__init__(
            policy=policy, window=window, message_format=self.format, snapshots={"s": found}, record=False
        )

    def restart(self) -> None:
        """Goes on in another process, with the same list."""
        self._start(SnapshotLoaded(tuple(self.saved["s"])))
        self.first = self._asked(self._count, messages=self.messages)

    def steady(self, way: str, calls: int) -> Iterator[Lines]:
        """Of the calls whose answer only grew: no epoch began, and nothing left."""
        for _ in range(calls):
            lines = getattr(self, f"_{way}")(self._step())
            if self.report["firstChangedIndex"] == NOTHING_NEW:
                yield lines

    def _step(self) -> Step:
        self.steps += 1
        return [msgspec.Raw(encode(one)) for one in TO[self.format](said(self.steps - 1))]

    def _whole(self, new: Step) -> Lines:
        self.messages += new
        return self._asked(lines_of, messages=self.messages, answer="messages")

    def _default(self, new: Step) -> Lines:
        self.messages += new
        return self._asked(lines_of, messages=self.messages)

    def _append(self, new: Step) -> Lines:
        after = {"after": len(self.messages), "base": self.base, "messages": new}
        self.messages += new
        return self._asked(lines_of, append=after, answer="edits")

    def _turn_end(self, new: Step) -> Lines:
        """The event alone; the list that follows is not counted."""
        reply, result = new[-2:]
        lines = lines_of(lambda: self.request("turn_end", sessionId="s", message=reply, toolResults=[result]))
        self._default(new)
        return lines

    def _asked(self, count: Callable[[Callable[[], object]], Lines], **params: Any) -> Lines:
        answers: list[Json] = []
        lines = count(lambda: answers.append(self.request("context", sessionId="s", **params)))
        self.base, self.report = answers[0]["base"], answers[0]["report"]
        return lines

    def _save(self, effect: do.Save) -> None:
        """Writes no snapshot anew."""
        self.saved.setdefault(effect.session_id, []).append(effect.line)
