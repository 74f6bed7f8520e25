"""Which summaries leave: the decision alone as a table, then in a projection, then what holds for any list."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets.turns.summary_folding import Carrying, staying
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import Policy, TurnsKept
from ctxmgr.model.projection import Decision, Packet, Plan
from tests.conversations import any_list, text_of
from tests.notation import Said, a, branch, indexed, read, summary, talk, u
from tests.unit.engine.presets.turns.test_project_properties import asks, fitting
from tests.unit.engine.projections import kept, planned, sent

SHORT, LATER, LONG = (summary(letter * 400) for letter in "slx")  # 100 tokens each
GO = u("please " + "do " * 200)
ALL, NOTHING = (lambda at, weight: True), (lambda at, weight: False)
Holds = Callable[[int, int], bool]


def enough(tokens: int) -> Holds:
    """A packet that holds any summary if it stands for so much."""
    return lambda at, weight: weight >= tokens


def carrying(holds: Holds, settled: int = 0, most: int = 1_000) -> Carrying:
    return Carrying(holds, settled, most)


# name, what the packet can carry, more turns leave?, left before, all that would be gone, indices that stay
DECIDED: list[tuple[str, Carrying, bool, set[int], int, set[int]]] = [
    ("what the packet holds leaves", carrying(ALL), False, set(), 200, set()),
    ("what it does not hold stays", carrying(NOTHING), False, set(), 200, {0, 1}),
    ("one of them", carrying(lambda at, weight: at == 0), False, set(), 200, {1}),
    (
        "each that stays makes the packet smaller",
        carrying(lambda at, weight: at == 1 and weight > 150),
        False,
        set(),
        200,
        {0, 1},
    ),
    ("with turns that leave the packet has room", carrying(enough(500)), True, set(), 900, set()),
    ("too much to stay: the newest stays", carrying(NOTHING, most=150), False, set(), 200, {1}),
    ("none may", carrying(NOTHING, most=50), False, set(), 200, set()),
    ("what left stays out", carrying(NOTHING), False, {0}, 200, {1}),
    ("even when more turns leave", carrying(NOTHING), True, {0, 1}, 200, set()),
    ("what stayed stays, though it would be held now", carrying(ALL, settled=1), False, set(), 200, {0}),
    ("what stayed counts", carrying(NOTHING, settled=1, most=150), False, set(), 200, {0}),
    ("until more turns leave", carrying(ALL, settled=2), True, set(), 200, set()),
]


@pytest.mark.parametrize(("name", "can", "more", "left", "gone", "stays"), DECIDED, ids=[row[0] for row in DECIDED])
def test_what_stays(name: str, can: Carrying, more: bool, left: set[int], gone: int, stays: set[int]) -> None:
    assert staying(talk(SHORT, LATER), (0, 1), left, can, more, gone) == stays


def test_what_can_not_stay_is_not_asked_for() -> None:
    """A packet is rendered to answer, which costs."""

    def holds(at: int, weight: int) -> bool:
        raise AssertionError("it was asked")

    assert staying(talk(SHORT, LATER), (0, 1), (), carrying(holds, most=50), False, 200) == frozenset()


def turns(count: int) -> list[Said]:
    return [one for _ in range(count) for one in (GO, a("ok"))]


# name, conversation, what differs in the ask, indices that stay, where the packet stands (-1: nowhere)
PLANNED: list[tuple[str, list[Said], dict[str, Any], list[int], int]] = [
    ("alone it stays", [SHORT, *turns(1)], {"carrying": carrying(NOTHING)}, [0, 1, 2], -1),
    ("held it leaves", [SHORT, *turns(1)], {"carrying": carrying(ALL)}, [1, 2], 0),
    ("its turn leaves, it stays", [SHORT, *turns(8)], {"carrying": carrying(enough(600))}, [0, *range(5, 17)], 1),
    ("or leaves with it", [SHORT, *turns(8)], {"carrying": carrying(enough(300))}, list(range(5, 17)), 0),
    (
        "a branch's in the middle of what leaves",
        [*turns(2), branch("b" * 400), *turns(6)],
        {"carrying": carrying(NOTHING)},
        [4, *range(5, 17)],
        1,
    ),
    (
        "one stays in a kept turn while its packet stands for another",
        [SHORT, LATER, *turns(1)],
        {"carrying": carrying(lambda at, weight: at == 0)},
        [1, 2, 3],
        0,
    ),
    (
        "in a kept turn one that was not shown before",
        [*turns(2), SHORT, *turns(1)],
        {"carrying": carrying(NOTHING)},
        list(range(7)),
        -1,
    ),
    (
        "in preset tools what stayed when its turn left stays",
        [SHORT, *turns(3)],
        {"carrying": carrying(ALL, settled=9), "folded": NOTHING, "drop_turns": False, "floor": 3},
        [0, *range(3, 7)],
        1,
    ),
]


@pytest.mark.parametrize(("name", "said", "keys", "stays", "place"), PLANNED, ids=[row[0] for row in PLANNED])
def test_in_a_projection(name: str, said: list[Said], keys: dict[str, Any], stays: list[int], place: int) -> None:
    if "folded" in keys:
        keys = {**keys, "folded": lambda at: False}
    messages = talk(*said)
    plan = planned(messages, **keys)
    assert kept(plan) == stays
    assert place_of(plan) == place
    assert TURNS.check(indexed(messages), plan)[0] == ()
    assert plan.weight == sum(message.weight for message in read(sent(messages, plan)))


def place_of(plan: Plan) -> int:
    """How many pieces stand before the packet, -1 for none."""
    return next((at for at, piece in enumerate(plan.pieces) if isinstance(piece, Packet)), -1)


def test_what_left_is_remembered_and_stays_out() -> None:
    messages = talk(SHORT, *turns(2))
    gone = planned(messages, carrying=carrying(ALL))
    assert gone.decisions == {indexed(messages).key(0): Decision("dropped")}
    later = planned(messages, carrying=carrying(NOTHING), decisions=gone.decisions)
    assert sent(messages, later) == sent(messages, gone)


def test_what_left_with_its_turn_is_remembered_too() -> None:
    messages = talk(SHORT, *turns(8))
    gone = planned(messages, carrying=carrying(ALL))
    again = {"decisions": gone.decisions, "floor": gone.floor}
    assert sent(messages, planned(messages, carrying=carrying(NOTHING, settled=17), **again)) == sent(
        messages, gone
    )


def test_what_comes_back_for_want_of_a_packet_is_not_remembered_as_gone() -> None:
    messages = talk(summary("s"), a("ok"))
    plan = planned(messages, carrying=carrying(ALL), packet=lambda budget: ("", 0))
    assert (kept(plan), plan.decisions) == ([0, 1], {})


@settings(max_examples=100)
@given(any_list, asks(), st.sets(st.integers(0, 40)), st.integers(0, 400), st.integers(0, 40))
def test_no_promise_is_broken(
    messages: tuple[Message, ...], keys: dict[str, Any], held: set[int], most: int, settled: int
) -> None:
    """And a list that grows by a reply changes nothing before it, whatever the packet could carry now."""
    keys = {**fitting(messages, keys), "newest_limit": None}
    first = planned(messages, **keys, carrying=carrying(lambda at, weight: at in held, settled, most))
    assert TURNS.check(indexed(messages), first)[0] == ()
    then = {**keys, "floor": first.floor, "decisions": first.decisions}
    for holds in (ALL, NOTHING):
        again = planned(messages, **then, carrying=carrying(holds, len(messages), most))
        assert sent(messages, again) == sent(messages, first)


def test_text_of_a_kept_summary_is_untouched() -> None:
    messages = talk(summary(text_of(20)), *turns(8))
    plan = planned(messages, carrying=carrying(NOTHING), policy=Policy(recent_user_turns=TurnsKept(2)))
    assert sent(messages, plan)[0] == messages[0].raw
