"""What becomes of results in turns that stay: pruned, distilled, or as they came."""

from typing import Any

import pytest

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.policy import DistillOver, Policy, TurnsKept, WorkingSet
from ctxmgr.model.projection import Decision
from tests.conversations import text_of
from tests.notation import Said, a, err, indexed, r, talk, u
from tests.unit.engine.presets.turns.turns import BULKY, READ, did
from tests.unit.engine.projections import edited, planned, sent

OLDER = [u("go"), *did(BULKY), u("more"), *did(BULKY)]
TWO_STEPS = [*did("x"), *did("y")]

# name, conversation, what differs in the ask, index -> edit
EDITS: list[tuple[str, list[Said], dict[str, Any], dict[int, str]]] = [
    ("bulky results of older turns", OLDER, {}, {2: "distilled"}),
    ("not those that are short", [u("go"), *did(text_of(100)), u("more"), a("ok")], {}, {}),
    (
        "in yellow shorter ones too",
        [u("go"), *did(text_of(100)), u("more"), a("ok")],
        {"zone": "yellow"},
        {2: "distilled"},
    ),
    (
        "as the policy says",
        [u("go"), *did(text_of(100)), u("more"), a("ok")],
        {"policy": Policy(distill=DistillOver(300))},
        {2: "distilled"},
    ),
    ("errors only when they are long", [u("go"), a(READ), err(BULKY), u("more"), a("ok")], {}, {}),
    ("long errors", [u("go"), a(READ), err(BULKY * 2), u("more"), a("ok")], {}, {2: "distilled"}),
    (
        "not what is a marker already",
        [u("go"), *did(f"[output distilled — ~9 tokens | read]\n{BULKY}"), u("more"), a("ok")],
        {},
        {},
    ),
    ("nothing in preset tools", OLDER, {"drop_turns": False}, {}),
    (
        "the newest turn is lossless in red",
        [u("go"), *did(BULKY), *TWO_STEPS],
        {"zone": "red", "newest_limit": 0},
        {},
    ),
    (
        "in compact its old steps lose output",
        [u("go"), *did(BULKY), *TWO_STEPS],
        {"zone": "compact", "newest_limit": 0},
        {2: "pruned"},
    ),
    ("not where it fits", [u("go"), *did(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 9_999}, {}),
    ("the last two steps never", [u("go"), *did(BULKY), *did(BULKY)], {"zone": "compact", "newest_limit": 0}, {}),
    ("nor errors", [u("go"), a(READ), err(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 0}, {}),
    (
        "oldest first, no more than needed",
        [u("go"), *did(BULKY), *did(BULKY), *TWO_STEPS],
        {"zone": "compact", "newest_limit": 600},
        {2: "pruned"},
    ),
    (
        "older turns do not count against the newest",
        [u("a"), a("b" * 9_000), u("go"), *did(BULKY), *TWO_STEPS],
        {"zone": "compact", "newest_limit": 600, "policy": Policy(recent_user_turns=TurnsKept(6, 3, 2, 2))},
        {},
    ),
    ("a result without a call", [u("go"), r(BULKY, "c9"), u("more"), a("ok")], {}, {1: "distilled"}),
]


@pytest.mark.parametrize(("name", "said", "keys", "expected"), EDITS, ids=[row[0] for row in EDITS])
def test_what_is_edited(name: str, said: list[Said], keys: dict[str, Any], expected: dict[int, str]) -> None:
    messages = talk(*said)
    plan = planned(messages, **keys)
    assert edited(plan) == expected
    assert (plan.distilled, plan.pruned) == (
        list(expected.values()).count("distilled"),
        list(expected.values()).count("pruned"),
    )
    assert TURNS.check(indexed(messages), plan)[0] == ()


def test_a_better_zone_does_not_undo_an_edit() -> None:
    messages = talk(*OLDER)
    red = planned(messages, zone="red", policy=Policy(recent_user_turns=TurnsKept(6, 3, 2)))
    assert list(red.decisions.values()) == [Decision("distilled", 300)]
    green = planned(messages, decisions=red.decisions)
    assert sent(messages, green) == sent(messages, red)
    assert green.decisions == red.decisions


def test_a_worse_zone_tightens_it() -> None:
    messages = talk(*OLDER)
    green = planned(messages)
    assert list(green.decisions.values()) == [Decision("distilled", 1_000)]
    yellow = planned(messages, zone="yellow", decisions=green.decisions)
    assert list(yellow.decisions.values()) == [Decision("distilled", 400)]
    assert yellow.weight < green.weight


def test_what_was_pruned_is_not_distilled_again() -> None:
    messages = talk(*OLDER)
    done = {indexed(messages).key(2): Decision("pruned")}
    assert edited(planned(messages, decisions=done)) == {2: "pruned"}


def test_an_edit_of_the_newest_turn_holds_when_the_zone_is_better() -> None:
    messages = talk(u("go"), *did(BULKY), *TWO_STEPS)
    compact = planned(messages, zone="compact", newest_limit=0)
    assert edited(planned(messages, decisions=compact.decisions)) == {2: "pruned"}


def test_in_compact_a_distilled_step_is_pruned() -> None:
    messages = talk(u("go"), *did(BULKY * 2), *TWO_STEPS)
    tight = planned(messages, decisions={indexed(messages).key(2): Decision("distilled", 2_000)})
    compact = planned(messages, zone="compact", newest_limit=0, decisions=tight.decisions)
    assert (edited(tight), edited(compact)) == ({2: "distilled"}, {2: "pruned"})


def test_nor_as_heavy() -> None:
    text = '[output pruned — ~13 tokens | read path="x.log"]'
    for longer, expected in ((0, {}), (4, {2: "pruned"})):
        messages = talk(u("go"), *did("x" * (len(text) + longer), path="x.log"), u("more"), a("ok"))
        done = {indexed(messages).key(2): Decision("pruned")}
        assert edited(planned(messages, decisions=done)) == expected


def test_what_the_working_set_leaves_behind_within_a_turn_stays_until_the_next_one() -> None:
    """Else each call of a long turn would change what stands before all that is cached."""
    policy = Policy(working_set=WorkingSet(results=1, tokens=1))
    turn = [u("go"), *did(BULKY), u("more")]
    for calls in (1, 2, 5):
        assert edited(planned(talk(*turn, *did("x") * calls), policy=policy)) == {}
    assert edited(planned(talk(*turn, *did("x"), u("next"), *did("x")), policy=policy)) == {2: "distilled"}
