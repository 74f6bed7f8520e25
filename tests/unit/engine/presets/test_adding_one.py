"""The preset of the page `Add a preset`, as it stands there: it keeps what every preset promises."""

from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation.delta import Delta, Incoming
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.presets.strategy import Inputs, PresetStrategy
from ctxmgr.engine.presets.table import PRESETS
from ctxmgr.engine.pressure.gauge import Gauge
from ctxmgr.engine.pressure.zone import thresholds
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy
from ctxmgr.model.projection import Plan
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import Meter, ModelSpec, State
from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Messages, Talk, packet, roles
from tests.notation import a, call, indexed, quarters, r, sh, u
from tests.notation import talk as talk_of
from tests.unit.engine.judge import judged
from tests.unit.engine.presets.adding import FOLDER, PAGE, modules
from tests.unit.engine.projections import kept
from tests.unit.engine.stepwise import any_list, code

WINDOW = 200_000


def written() -> dict[str, Any]:
    """The names of the page's preset."""
    names: dict[str, Any] = {"__name__": "newest"}
    exec(compile(modules()[f"{FOLDER}/preset.py"], str(PAGE), "exec"), names)
    return names


NAMES = written()
NEWEST: PresetStrategy = NAMES["Newest"]()


def planned(messages: tuple[Message, ...], enabled: bool = True) -> Plan:
    gauge = Gauge(Meter(), thresholds(Policy(), WINDOW), "quarters/m", 0)
    inputs = Inputs(Policy(), gauge, quarters, Ledger(), {})
    incoming = Incoming(indexed(messages), Delta(0))
    made = NEWEST.project(incoming, State("s", ModelSpec("m", WINDOW), enabled=enabled), inputs)
    plan: Plan = made.plan  # type: ignore[union-attr]
    return plan


@settings(max_examples=150)
@given(any_list, st.sampled_from((1, 2, 6)))
def test_it_breaks_no_promise(messages: tuple[Message, ...], steps: int) -> None:
    with mock.patch.dict(NAMES, STEPS_KEPT=steps):
        plan = planned(messages)
    assert NEWEST.invariants is STEPS
    assert STEPS.check(indexed(messages), plan)[0] == ()
    assert judged(messages, plan, by_steps=True) == set()
    assert kept(planned(messages, enabled=False)) == list(range(len(messages)))


def test_a_step_that_is_answered_by_a_user_stays_and_what_the_list_starts_with() -> None:
    """Some formats put results into a user's message: such a step can not leave whole."""
    step = [a("", call("bash", "x1"), call("bash", "x2")), r(code(1), "x1")]
    others = [part for id in ("y1", "y2") for part in (a(call("read", id, path=f"{id}.py")), r(code(7), id))]
    messages = list(talk_of(sh("make", code(2)), *step, u("and"), *others))
    user, block = messages[3], msgspec.structs.replace(messages[2].view.blocks[0], call_id="x2", text="ok")
    view = msgspec.structs.replace(user.view, blocks=(*user.view.blocks, block))
    messages[3] = msgspec.structs.replace(user, view=view, weights=(*user.weights, 5), weight=user.weight + 5)
    with mock.patch.dict(NAMES, STEPS_KEPT=1):
        plan = planned(tuple(messages))
    assert kept(plan) == [0, 1, 2, 3, 6, 7]
    assert STEPS.check(indexed(tuple(messages)), plan)[0] == ()


def long_list(steps: int) -> tuple[list[Fields], Messages]:
    make = Messages()
    messages = [make.user("Read them all.")]
    for number in range(steps):
        messages += [make.reply("", make.call("read", path=f"{number}.py")), make.result(f"text {number} " * 40)]
    return messages, make


POLICY = {"preset": "turns", "workingSet": {"results": 0, "tokens": 0}}  # it keeps steps by a number of its own


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Talk:
    """A session in which it stands in the row of another."""
    monkeypatch.setitem(PRESETS, "turns", NEWEST)
    return Talk(policy=POLICY)


def test_a_session_lives_by_it(talk: Talk) -> None:
    messages, make = long_list(9)
    answer = talk.play([*messages, make.reply("Done.")])
    assert answer["report"]["checks"] == []
    assert roles(answer["list"]) == "U" + "P" + "AR" * NAMES["STEPS_KEPT"]
    assert packet(answer["list"]) == NAMES["MARKER"]
    assert talk.status()["stats"]["fallbacks"] == 0
    assert talk.asked("requestCompaction") == []


def test_after_a_restart_it_answers_the_same_bytes(talk: Talk) -> None:
    messages, _ = long_list(9)
    before = talk.context(messages)
    again = Talk(
        policy={"preset": "turns", "workingSet": {"results": 0, "tokens": 0}},
        found=SnapshotLoaded(tuple(talk.saved)),
    )
    assert again.context(messages)["list"] == before["list"]


def test_where_pruning_is_off_the_list_goes_as_it_came(talk: Talk) -> None:
    messages, _ = long_list(9)
    talk.call("setPruning", sessionId="s", enabled=False)
    assert talk.context(messages)["report"]["reason"] == "pruning is off"
    talk.call("setPruning", sessionId="s", enabled=True)
    assert "P" in roles(talk.context(messages)["list"])
