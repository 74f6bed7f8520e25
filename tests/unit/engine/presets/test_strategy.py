"""What a session asks of a preset beside its plans: a table of answers, a row each."""

import math

import msgspec

from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.presets.strategy import Delta, Incoming, Inputs
from ctxmgr.engine.pressure.zone import Gauge, thresholds
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import Decision, Plan
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import LastProjection, Meter, ModelSpec, RenderedPacket, State, Totals
from tests.notation import a, indexed, quarters, talk, u

WINDOW = 100_000
DECIDED = State(
    "s",
    ModelSpec("m", WINDOW),
    anchor="k",
    decisions={"k": Decision("pruned"), "l": Decision("pruned")},
    packet=RenderedPacket("here", "text", 3),
)
GAUGE = Gauge(Meter(), thresholds(Policy(), WINDOW), "quarters/m", 0)
INPUTS = Inputs(Policy(), GAUGE, quarters, Ledger(), {})


def test_what_forgets_what_was_decided() -> None:
    for name in ("off", "tools", "turns"):
        preset = PRESETS[name]
        assert preset.packet_outdated(DECIDED) == msgspec.structs.replace(DECIDED, packet=None), name
        assert preset.moved(DECIDED) == msgspec.structs.replace(DECIDED, packet=None, anchor="", decisions={}), name
        assert preset.switched(DECIDED) == DECIDED, name
        assert preset.undone(DECIDED, {"k"}).decisions == {"l": Decision("pruned")}, name


def test_balanced_keeps_it_until_an_epoch() -> None:
    preset = PRESETS["balanced"]
    assert [preset.packet_outdated(DECIDED), preset.moved(DECIDED), preset.undone(DECIDED, {"k"})] == [DECIDED] * 3
    assert preset.switched(DECIDED).epoch.number == DECIDED.epoch.number + 1


NONE = WorkingSet(results=0, tokens=0)
SHOWN = LastProjection("1.x", 1, 30_000, "quarters")
STAYS = 9_000  # what no epoch can take away, in tokens


FITS, OVER = 0, 90_000  # tokens of a list below the limit, and over it


def test_what_may_leave_by_itself() -> None:
    for weight, answered, shown, held, expected in (
        (FITS, True, SHOWN, STAYS + 6_000, 6_000),
        (OVER, True, SHOWN, STAYS + 6_000, 0),
        (FITS, False, SHOWN, STAYS + 6_000, math.inf),
        (OVER, False, SHOWN, STAYS + 6_000, 0),
    ):
        state = msgspec.structs.replace(
            DECIDED, last_projection=shown, outgoing_tokens=held, epoch=Epoch(remaining_tokens=STAYS)
        )
        plan = Plan((), "green", 0, weight, weight, {})
        assert PRESETS["balanced"].leavable_weight(state, plan, answered, INPUTS) == expected, weight
        assert PRESETS["turns"].leavable_weight(state, plan, answered, INPUTS) == 0, weight


IDLE = "nothing is pruned yet: "


def test_why_all_of_a_list_came_back() -> None:
    for enabled, totals, why in (
        (True, Totals(contexts=1), f"{IDLE}there is no tool output older than the protected turns"),
        (
            True,
            Totals(contexts=1, scanned_tokens=9),
            f"{IDLE}of 9 tokens of old tool output the newest 700 tokens stay",
        ),
        (
            True,
            Totals(contexts=1, scanned_tokens=9, prunable_tokens=4),
            f"{IDLE}4 tokens of old tool output could be, fewer than pruneMinimum (50)",
        ),
        (True, Totals(contexts=1, pruned_tokens=1), ""),
    ):
        state = msgspec.structs.replace(DECIDED, enabled=enabled, totals=totals)
        policy = Policy(prune_protect=700, prune_minimum=50)
        assert PRESETS["tools"].why_idle(state, policy).removesuffix(" (pruneProtect)") == why, why
        assert {PRESETS[name].why_idle(state, policy) for name in ("off", "turns", "balanced")} == {""}, why


def test_turns_that_left_are_counted_once() -> None:
    inputs = msgspec.structs.replace(INPUTS, policy=Policy(working_set=NONE))
    said = [one for number in range(9) for one in (u(f"{number} " + "word " * 400), a("ok"))]
    messages, state = talk(*said), State("s", ModelSpec("m", WINDOW))
    first = PRESETS["turns"].project(Incoming(indexed(messages[:16]), Delta(0)), state, inputs)
    assert (first.plan.floor, first.state.totals.turns_dropped) == (4, 2)
    assert first.state.anchor == indexed(messages).key(4)
    known = Incoming(indexed(messages), Delta(16), None, first.plan)
    second = PRESETS["turns"].project(known, first.state, inputs)
    assert (second.plan.floor, second.state.totals.turns_dropped) == (6, 3)
    restarted = PRESETS["turns"].project(Incoming(indexed(messages), Delta(0)), second.state, inputs)
    assert restarted.state == second.state
