"""What a preset may answer beside a plan, and what the host gets then."""

import msgspec
import pytest

from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.presets.strategy import Incoming, Inputs, NeedsThread, Planned
from ctxmgr.engine.presets.turns import Off
from ctxmgr.model.projection import Decision, Keep, Plan
from ctxmgr.model.saved.state import RenderedPacket, State
from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Messages, Talk
from tests.unit.session.recovery import session_of


class Reluctant(Off):
    """Takes long: it decides only where that is allowed; `never`: not even there."""

    def __init__(self, never: bool = False) -> None:
        self.never, self.asked = never, list[bool]()

    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        self.asked.append(inputs.may_take_long)
        if self.never or not inputs.may_take_long:
            raise NeedsThread
        return super().project(incoming, state, inputs)


class Careless(Off):
    """Leaves out what the user said last."""

    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        return Planned(Plan((Keep(0, 1),), "green", 0, 0, 0, {}), state, 0)


def talk_by(monkeypatch: pytest.MonkeyPatch, preset: Off) -> Talk:
    monkeypatch.setitem(PRESETS, "turns", preset)
    return Talk(policy={"preset": "turns"})


def test_who_never_decides_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = talk_by(monkeypatch, Reluctant(never=True))
    messages = [Messages().user("Hello.")]
    answer = talk.context(messages)
    assert answer["list"] == messages
    assert answer["report"]["reason"] == "internal fault: the preset cannot decide"
    assert talk.status()["stats"]["fallbacks"] == 1


def test_a_plan_that_breaks_its_promises_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Messages()
    messages = [make.user("Hello."), make.reply("Yes?"), make.user("Go on.")]
    talk = talk_by(monkeypatch, Careless())
    answer = talk.context(messages)
    assert answer["list"] == messages
    assert "newest user" in answer["report"]["checks"]
    assert answer["report"]["reason"] == f"checks failed: {', '.join(answer['report']['checks'])}"
    assert answer["base"] == ""


class Poisoned(Off):
    """Makes a faulty plan, or none at all, for as long as a decision of before stands."""

    def __init__(self, raises: bool) -> None:
        self.raises = raises

    def project(self, incoming: Incoming, state: State, inputs: Inputs) -> Planned:
        if not state.decisions and state.packet is None:
            return super().project(incoming, state, inputs)
        if self.raises:
            raise KeyError("a decision that nothing is known of")
        return Planned(Plan((Keep(0, 1),), "green", 0, 0, 0, {}), state, 0)


@pytest.mark.parametrize(("raises", "restart"), [(False, False), (False, True), (True, False)])
def test_after_checks_that_failed_the_next_list_starts_afresh(
    monkeypatch: pytest.MonkeyPatch, raises: bool, restart: bool
) -> None:
    make = Messages()
    messages = [make.user("Hello."), make.reply("Yes?"), make.user("Go on.")]
    talk = talk_by(monkeypatch, Poisoned(raises))
    session = session_of(talk)
    packet = RenderedPacket("p", "what left", 3)
    session.state = msgspec.structs.replace(session.state, decisions={"k": Decision("dropped")}, packet=packet)
    failures = 2 if raises else 1  # a fault may be of the moment: the first one costs no decision
    for _ in range(failures):
        failed = talk.context(messages)
        assert failed["list"] == messages
        assert ("checks failed" in failed["report"]["reason"]) is not raises
    if restart:
        talk = Talk({"preset": "turns"}, found=SnapshotLoaded(tuple(talk.driver.whole["s"])))
    after = talk.context(messages)
    assert (after["list"], after["report"]["reason"], after["report"]["checks"]) == (messages, "pruning is off", [])
    status = talk.status()
    assert status["stats"]["fallbacks"] == failures
    if not restart:
        assert after["report"]["firstChangedIndex"] == 0
        assert "the next list starts afresh" in status["notes"][0]
