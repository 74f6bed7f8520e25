"""The preset of the page `Add a preset`, as it stands there: it keeps what every preset promises."""

from typing import Any
from unittest import mock

import pytest
from hypothesis import given
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
from tests.contract.talk import Fields, Messages, Talk, packet, roles
from tests.notation import indexed, quarters
from tests.unit.engine.judge import judged
from tests.unit.engine.presets.adding import FOLDER, PAGE, modules
from tests.unit.engine.projections import kept
from tests.unit.engine.stepwise import any_list

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


@given(any_list, st.sampled_from((1, 2, 6)))
def test_it_breaks_no_promise(messages: tuple[Message, ...], steps: int) -> None:
    with mock.patch.dict(NAMES, STEPS_KEPT=steps):
        plan = planned(messages)
    assert NEWEST.invariants is STEPS
    assert STEPS.check(indexed(messages), plan)[0] == ()
    assert judged(messages, plan, by_steps=True) == set()
    assert kept(planned(messages, enabled=False)) == list(range(len(messages)))


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
