"""The worth of names: by who said them, how often, and how long ago."""

import pytest
from hypothesis import given

from ctxmgr.engine.balanced.reuse_value import (
    ACTIVE,
    ACTIVE_STEPS,
    EACH_TIME,
    FADED,
    HALF_STEPS,
    OTHER,
    READ,
    SAID,
    STATED,
    TIMES_AT_MOST,
    faded,
    stated,
    worths,
)
from ctxmgr.engine.invariants import STEPS
from ctxmgr.model.messages import Message
from tests.notation import Said, a, call, indexed, r, talk, think, u
from tests.unit.engine.stepwise import any_list

NAME = "the_name"
READ_IT = call("read", path="src/a.py")
RUN_IT = call("bash", command="pytest")


def worth(*said: Said) -> dict[str, float]:
    messages = talk(*said)
    index = indexed(messages)
    return dict(worths(index, STEPS.steps(index).steps))


# name, conversation, what the name is worth before it fades, the steps since it was last said
TABLE: list[tuple[str, list[Said], float, int]] = [
    ("said once", [a(NAME)], SAID, 1),
    ("by the user alone", [u(NAME), a("ok")], 0, 1),
    ("twice in one step is once", [a(f"{NAME} {NAME}")], SAID, 1),
    ("twice", [a(NAME), a(NAME)], SAID * (1 + EACH_TIME), 1),
    ("in three ways is once", [a(think(NAME), NAME, call("bash", command=NAME))], SAID, 1),
    ("in two ways, twice", [a(think(NAME)), a(NAME)], SAID * (1 + EACH_TIME), 1),
    ("often", [a(NAME)] * 30, SAID * (1 + EACH_TIME * TIMES_AT_MOST), 1),
    ("long ago", [a(NAME), *[a("ok")] * 60], SAID, 61),
    ("in a file that is read", [a(READ_IT), r(NAME)], READ * ACTIVE, 1),
    (
        "in a file no longer worked on",
        [a(READ_IT), r(NAME), *[a("ok")] * ACTIVE_STEPS],
        READ,
        ACTIVE_STEPS + 1,
    ),
    (
        "in one that is read again",
        [a(READ_IT), r(NAME), *[a("ok")] * ACTIVE_STEPS, a(READ_IT), r("x")],
        READ * ACTIVE,
        ACTIVE_STEPS + 2,
    ),
    ("in other output", [a(RUN_IT), r(NAME)], OTHER, 1),
    ("the best that any result gives", [a(RUN_IT), r(NAME), a(READ_IT), r(NAME), a(RUN_IT), r(NAME)], 6, 2),
    ("what was said goes before what was read", [a(NAME), a(READ_IT), r(NAME)], SAID, 2),
    ("in a result without a call", [r(NAME, "c9"), a("ok")], 0, 1),
]


@pytest.mark.parametrize(("name", "said", "before", "steps"), TABLE, ids=[row[0] for row in TABLE])
def test_what_a_name_is_worth(name: str, said: list[Said], before: float, steps: int) -> None:
    assert worth(*said).get(NAME, 0) == pytest.approx(before * faded(steps))


def test_worth_fades_to_a_part_and_no_further() -> None:
    assert faded(0) == 1
    assert faded(HALF_STEPS) == pytest.approx(FADED + (1 - FADED) / 2)
    assert faded(10_000) == pytest.approx(FADED)
    assert all(faded(steps) > faded(steps + 1) for steps in range(500))


@given(any_list)
def test_worth_is_told_of_what_is_in_the_steps_and_each_time_the_same(
    messages: tuple[Message, ...],
) -> None:
    index = indexed(messages)
    steps = STEPS.steps(index).steps
    found = dict(worths(index, steps))
    assert dict(worths(indexed(messages), steps)) == found
    assert all(value > 0 for value in found.values())
    text = "\n".join(
        block.text
        for step in steps
        for at in (*step.assistant_indices, *step.result_indices)
        for block in messages[at].view.blocks
    )
    assert all(name in text for name in found)


def test_what_was_decided_and_found_has_a_worth_of_its_own() -> None:
    cause, choice = "The root cause is the lock.", "I'll use a table instead."
    messages = talk(a(cause), a(f"{cause} {choice}", READ_IT), r(cause), u(choice), a("ok"))
    steps = STEPS.steps(indexed(messages)).steps
    assert stated(messages, steps) == {0: STATED * faded(3), 1: 2 * STATED * faded(2)}
