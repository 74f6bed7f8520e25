"""What a session asks of a preset beside its plans: a table of answers, a row each."""

import math

import msgspec
import pytest

from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.presets.strategy import Delta, Incoming, Inputs
from ctxmgr.engine.pressure.zone import Gauge, thresholds
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import Decision, Keep, Plan
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import LastProjection, Meter, ModelSpec, RenderedPacket, State, Totals
from tests.notation import a, call, indexed, quarters, r, talk, u

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


@pytest.mark.parametrize("name", ["off", "tools", "turns"])
def test_what_forgets_what_was_decided(name: str) -> None:
    preset = PRESETS[name]
    assert preset.packet_outdated(DECIDED) == msgspec.structs.replace(DECIDED, packet=None)
    assert preset.moved(DECIDED) == msgspec.structs.replace(DECIDED, packet=None, anchor="", decisions={})
    assert preset.switched(DECIDED) == DECIDED
    assert preset.undone(DECIDED, {"k"}).decisions == {"l": Decision("pruned")}


def test_balanced_keeps_it_until_an_epoch() -> None:
    preset = PRESETS["balanced"]
    assert [preset.packet_outdated(DECIDED), preset.moved(DECIDED), preset.undone(DECIDED, {"k"})] == [DECIDED] * 3
    assert preset.switched(DECIDED).epoch.number == DECIDED.epoch.number + 1


NONE = WorkingSet(results=0, tokens=0)
SHOWN = LastProjection("1.x", 1, 30_000, "quarters")
STAYS = 9_000  # what no epoch can take away, in tokens


FITS, OVER = 0, 90_000  # tokens of a list below the limit, and over it


@pytest.mark.parametrize(
    ("weight", "answered", "shown", "held", "expected"),
    [
        (FITS, True, SHOWN, STAYS + 6_000, 6_000),
        (FITS, True, SHOWN, STAYS + 2_000, 0),  # too little for an epoch
        (FITS, True, SHOWN, STAYS - 1, 0),
        (OVER, True, SHOWN, STAYS + 6_000, 0),
        (FITS, False, SHOWN, STAYS + 6_000, math.inf),
        (OVER, False, SHOWN, STAYS + 6_000, 0),
        (FITS, False, None, STAYS + 6_000, 6_000),
    ],
)
def test_what_may_leave_by_itself(
    weight: int, answered: bool, shown: LastProjection | None, held: int, expected: float
) -> None:
    state = msgspec.structs.replace(
        DECIDED, last_projection=shown, outgoing_tokens=held, epoch=Epoch(remaining_tokens=STAYS)
    )
    plan = Plan((), "green", 0, weight, weight, {})
    assert PRESETS["balanced"].leavable_weight(state, plan, answered, INPUTS) == expected
    assert PRESETS["turns"].leavable_weight(state, plan, answered, INPUTS) == 0


IDLE = "nothing is pruned yet: "


@pytest.mark.parametrize(
    ("enabled", "totals", "why"),
    [
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
        (True, Totals(), ""),
        (False, Totals(contexts=1), ""),
    ],
)
def test_why_all_of_a_list_came_back(enabled: bool, totals: Totals, why: str) -> None:
    state = msgspec.structs.replace(DECIDED, enabled=enabled, totals=totals)
    policy = Policy(prune_protect=700, prune_minimum=50)
    assert PRESETS["tools"].why_idle(state, policy).removesuffix(" (pruneProtect)") == why
    assert {PRESETS[name].why_idle(state, policy) for name in ("off", "turns", "balanced")} == {""}


def test_what_keeps_lists_in_bounds_asks_late() -> None:
    at = GAUGE.thresholds
    assert {name: PRESETS[name].asking_tokens(at) for name in PRESETS} == {
        **dict.fromkeys(PRESETS, at.red),
        "balanced": at.late,
    }


def test_a_gauge_goes_both_ways() -> None:
    gauge = Gauge(Meter(), thresholds(Policy(), WINDOW), "quarters/m", 700)
    assert gauge.weight_at(gauge.tokens(4_000)) == 4_000
    assert gauge.tokens(0) == 700
    assert gauge.fit_weight + 700 == gauge.thresholds.limit  # nobody has observed a ratio
    observed = msgspec.structs.replace(gauge, meter=Meter(ratios={"quarters/m": 1.5}))
    assert 1.5 * observed.fit_weight + 700 == pytest.approx(gauge.thresholds.limit)
    assert gauge.usable_weight < gauge.fit_weight


def test_what_was_looked_at_for_pruning_is_counted_where_it_was_looked_at() -> None:
    two = [a(call("read", path="x")), r("x" * 4_000), a(call("read", path="y")), r("y" * 2_000)]
    said = [u("go"), *two, u("on"), a("1"), u("on"), a("2"), u("on"), a("3")]
    policy = Policy(prune_protect=500, prune_minimum=100, working_set=NONE)
    inputs = msgspec.structs.replace(INPUTS, policy=policy)
    bare = State("s", ModelSpec("m", WINDOW))
    done = PRESETS["tools"].project(Incoming(indexed(talk(*said)), Delta(0)), bare, inputs)
    totals = done.state.totals
    assert (totals.scanned_tokens, totals.protected_tokens, totals.prunable_tokens) == (1_500, 500, 1_000)
    after = PRESETS["tools"].project(Incoming(indexed(talk(u("go"))), Delta(0)), done.state, inputs)
    assert after.state.totals == totals


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


def test_what_left_with_turns_is_counted_as_pruned_and_once() -> None:
    """A result that was pruned in place before its turn left counts no second time."""
    policy = Policy(working_set=NONE, prune_protect=0, protected_turns=1)
    inputs = msgspec.structs.replace(INPUTS, policy=policy)
    read = [a(call("read", path="x")), r("x" * 2_000)]
    said = [one for number in range(9) for one in (u(f"{number} " + "word " * 320), *read, a("ok"))]
    messages, state = talk(*said), State("s", ModelSpec("m", WINDOW), force_prune=True)
    first = PRESETS["turns"].project(Incoming(indexed(messages[:8]), Delta(0)), state, inputs)
    totals = first.state.totals
    assert (first.plan.floor, totals.results_pruned, totals.scanned_tokens) == (0, 1, 500)
    assert 0 < totals.pruned_tokens < 500
    whole = indexed(messages)
    second = PRESETS["turns"].project(Incoming(whole, Delta(8), None, first.plan), first.state, inputs)
    after, left = second.state.totals, sum(message.weight for message in messages[: second.plan.floor])
    assert after.turns_dropped == second.plan.floor // 4 > 0
    assert after.pruned_tokens == left
    kept = (range(piece.start, piece.end) for piece in second.plan.pieces if isinstance(piece, Keep))
    shown = 500 * sum(index % 4 == 2 for indexes in kept for index in indexes)
    assert (after.scanned_tokens, after.protected_tokens, after.prunable_tokens) == (4_500, shown, 4_500 - shown)
    third = PRESETS["turns"].project(Incoming(whole, Delta(36), None, second.plan), second.state, inputs)
    assert third.state.totals == after


def test_what_was_distilled_is_counted_apart_from_what_was_pruned() -> None:
    said = [u("go"), a(call("read", path="x")), r("line of it\n" * 400), u("on"), a("1"), u("on"), a("2")]
    done = PRESETS["turns"].project(
        Incoming(indexed(talk(*said)), Delta(0)),
        State("s", ModelSpec("m", WINDOW)),
        msgspec.structs.replace(INPUTS, policy=Policy(working_set=NONE)),
    )
    totals = done.state.totals
    assert (totals.results_distilled, totals.results_pruned, totals.pruned_tokens) == (1, 0, 0)
