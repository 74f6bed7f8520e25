"""A host in preset `balanced` whose list grows: sends what is new, applies the edits, and judges each answer.

What holds of every answer is asserted here: it is legal, no promise was broken, it weighs what its parts do, and
where `firstChangedIndex` is -1 it begins with the whole of the one before.
"""

import json
import re
from typing import Any, ClassVar

import msgspec

from ctxmgr.model.estimate import ESTIMATE
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.study.driving.matching import answered
from ctxmgr.study.recordings.pi_host import item
from tests.contract.talk import HOST, Failed, Fields, Messages, Talk, packet
from tests.legality import lists, pi
from tests.translation import RULES, TO, plain

WINDOW = 16_000  # tokens: an epoch is worth its price once a list weighs a few thousand
EDITS = {**HOST, "edits": True}
RETRIEVE = {**EDITS, "retrieve": True}
ROOM = {"keep": 500, "workingSet": {"results": 0, "tokens": 0}}  # an epoch leaves the newest six files whole
POLICY = {"preset": "balanced", "hostReserve": 1_000, **ROOM}
MINUTE = 60_000  # milliseconds
NOON = 1_750_000_000_000  # a call's time, milliseconds
LINES = 16  # of a file: about 335 tokens
_NUMBER = r"(-?[0-9][0-9,.]*)"
_SUM = re.compile(
    rf"\w+: {_NUMBER} tokens from the first change on become {_NUMBER}: written {_NUMBER} x {_NUMBER}, "
    rf"kept {_NUMBER} x {_NUMBER} \+ {_NUMBER} x {_NUMBER}, "
    rf"so changing costs {_NUMBER} now and saves {_NUMBER} a call; "
)


def file(name: str, lines: int = LINES) -> str:
    """The text of a file whose names are its own."""
    return "\n".join(f"def {name}_step_{line}(order): return {name}_table[order] + {line}" for line in range(lines))


class Run:
    """`messages` as the scenario wrote them, in pi's format; the host holds them in the format `form`. `shown`: the
    last projection, `before` the one before that. `version` of the protocol, `model` without its window: of all
    runs of a class."""

    version = "1.0"
    model: ClassVar[Fields] = {"id": "model-1"}

    def __init__(
        self,
        policy: Fields | None = None,
        window: int = WINDOW,
        capabilities: Fields | None = None,
        found: SnapshotLoaded = SnapshotLoaded(),  # noqa: B008  frozen
        form: str = "pi",
        tools: list[Fields] | None = None,
    ) -> None:
        self.form = form
        self.talk = Talk(found=found, start=False)
        self.talk.call(
            "initialize",
            protocolVersion=self.version,
            messageFormat=form,
            capabilities=capabilities or EDITS,
            policy={**POLICY, "tokenizer": ESTIMATE, **(policy or {})},
            **({} if tools is None else {"tools": tools}),
        )
        model = {**self.model, "contextWindow": window}
        self.started = self.talk.call("session_start", sessionId="s", model=model)
        self.make = Messages()
        self.messages: list[Fields] = []
        self.shown: list[Fields] = []
        self.before: list[Fields] = []
        self.sent, self.base = 0, ""
        self.at = NOON
        self.more: Fields = {}  # further members of each `context`

    # what happens

    def user(self, text: str) -> Fields:
        self.messages.append(self.make.user(text))
        return self.messages[-1]

    def say(self, text: str) -> None:
        self.messages.append(self.make.reply(text))

    def step(self, output: str, tool: str = "read", is_error: bool = False, **arguments: Any) -> Fields:
        """One call and its result, which is answered."""
        self.messages += [
            self.make.reply("", self.make.call(tool, **arguments)),
            self.make.result(output, is_error),
        ]
        return self.messages[-1]

    def read(self, *names: str) -> None:
        for name in names:
            self.step(file(name), path=f"src/{name}.py")

    # what is asked

    def ask(self, later: int = MINUTE, whole: bool = False) -> Fields:
        """The report of a `context` so many milliseconds after the last one."""
        self.at += later
        sent = self.held
        new: Fields = {"messages": sent}
        if self.base and not whole:
            new = {"append": {"after": self.sent, "base": self.base, "messages": sent[self.sent :]}}
        answer = self.talk.call("context", sessionId="s", answer="edits", at=self.at, **new, **self.more)
        self.sent, self.base = len(sent), answer["base"]
        self.before, self.shown = self.shown, applied(sent, answer)
        report: Fields = answer["report"]
        assert report["checks"] == []
        assert self._faults(sent, answer) == []
        self._grown(report["firstChangedIndex"])
        if "arithmetic" in report:
            self._sum(report, grown="append" in new)
        return report

    @property
    def held(self) -> list[Fields]:
        """What the host holds."""
        return self.messages if self.form == "pi" else TO[self.form](plain(self.messages))

    def epoch(self, later: int = 6 * MINUTE) -> Fields:
        """The same after a pause in which the provider has forgotten: an epoch is opened."""
        number = self.talk.status()["epoch"]
        report = self.ask(later)
        assert report["epoch"] == number + 1, report
        return report

    def receipt(self, epoch: int | None = None) -> Fields:
        """Of this epoch, or of the newest."""
        asked = {} if epoch is None else {"epoch": epoch}
        epochs = self.talk.call("explain", sessionId="s", **asked)["epochs"]
        found: Fields = next(one for one in epochs if one["epoch"] == (epoch or epochs[-1]["epoch"]))
        return found

    def refused(self, method: str, **params: Any) -> int:
        try:
            self.talk.call(method, sessionId="s", **params)
        except Failed as failed:
            return failed.code
        raise AssertionError("it was answered")

    @property
    def packet(self) -> str:
        return packet(self.shown)

    def _sum(self, report: Fields, grown: bool) -> None:
        """What a person would check: the sum is right, and tells of the list what came of it."""
        found = _SUM.match(report["arithmetic"])
        assert found, report["arithmetic"]
        after, left, written, write, cached, read, rest, same, cost, saves = (
            float(text.replace(",", "")) for text in found.groups()
        )
        assert (after, left, write) == (cached + rest, written, same)
        assert abs(left * write - cached * read - rest * write - cost) <= 1
        assert abs((after - left) * read - saves) <= 1
        if grown:
            assert left == report["tokens"] - report["prefixTokens"]

    def _faults(self, sent: list[Fields], answer: Fields) -> list[str]:
        if self.form == "pi":
            items = [item("", _raw(one)) for one in sent]
            raws = {name: msgspec.Raw(_raw(value)) for name, value in answer.items()}
            return pi.faults(items, answered(items, raws), whole_turns=False)
        found = lists.faults(RULES[self.form], list(map(_raw, sent)), list(map(_raw, self.shown)))
        return [one for one in found if "missing inside what was kept" not in one]  # steps leave, not whole turns

    def _grown(self, changed: int) -> None:
        same = len(self.before) if changed < 0 else changed
        assert self.shown[:same] == self.before[:same]
        assert changed < 0 or not self.before or self.shown[same : same + 1] != self.before[same : same + 1]


def applied(sent: list[Fields], answer: Fields) -> list[Fields]:
    """What a host sends: its own list, with the edits of the answer."""
    if answer.get("unchanged"):
        return list(sent)
    out: list[Fields] = []
    for edit in answer["edits"]:
        out += [edit["put"]] if "put" in edit else sent[slice(*edit["keep"])]
    return out


def _raw(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
