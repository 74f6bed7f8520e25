"""The working set as a promise: what breaks it, and what may be cut of it."""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.invariants import STEPS, TURNS
from ctxmgr.model.policy import WorkingSet
from ctxmgr.model.projection import BlockEdit, Decision, Keep, Piece
from tests.notation import a, call, indexed, r, talk, u
from tests.unit.engine.invariants.plans import plan_of

STEP = [a(call("bash", command="make")), r("x" * 400)]
LIST = talk(u("go"), *STEP, *STEP, *STEP)
TWO = WorkingSet(results=2, tokens=0)


def marker(at: int, kind: Any = "pruned") -> BlockEdit:
    return BlockEdit(at, 0, kind, "x", "k", 100, 5)


# name, pieces, is it broken?
TABLE: list[tuple[str, list[Piece], bool]] = [
    ("the whole list", [Keep(0, 7)], False),
    ("an older result is a marker", [Keep(0, 2), marker(2), Keep(3, 7)], False),
    ("the older of the two is", [Keep(0, 4), marker(4), Keep(5, 7)], True),
    ("the newest is", [Keep(0, 6), marker(6)], True),
    ("it was cut to fit", [Keep(0, 4), marker(4, "cut"), Keep(5, 7)], False),
    ("an older step left", [Keep(0, 1), Keep(3, 7)], False),
    ("one of it left", [Keep(0, 3), Keep(5, 7)], True),
]


@pytest.mark.parametrize(("name", "pieces", "broken"), TABLE, ids=[row[0] for row in TABLE])
def test_what_breaks_the_promise(name: str, pieces: list[Piece], broken: bool) -> None:
    plan = msgspec.structs.replace(plan_of(LIST, *pieces), working_set=TWO)
    assert ("working set" in STEPS.check(indexed(LIST), plan)[0]) == broken


def test_a_step_that_left_to_fit_is_said_and_breaks_nothing() -> None:
    index = indexed(LIST)
    gone = {index.key(at): Decision("dropped", to_fit=True) for at in (3, 4)}
    plan = msgspec.structs.replace(plan_of(LIST, Keep(0, 3), Keep(5, 7)), working_set=TWO, decisions=gone)
    assert "working set" not in STEPS.check(index, plan)[0]


def test_turns_that_left_to_fit_break_nothing() -> None:
    messages = talk(u("go"), *STEP, u("on"), *STEP)
    plan = msgspec.structs.replace(plan_of(messages, Keep(3, 6)), working_set=TWO)
    assert "working set" in TURNS.check(indexed(messages), plan)[0]
    fitted = msgspec.structs.replace(plan, fit_floor=3)
    assert "working set" not in TURNS.check(indexed(messages), fitted)[0]


def test_where_nothing_is_promised_nothing_is_broken() -> None:
    assert "working set" not in STEPS.check(indexed(LIST), plan_of(LIST, Keep(0, 6), marker(6)))[0]
