"""What becomes of results in turns that stay: pruned, distilled, or as they came."""

from typing import Any

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.policy import Policy, TurnsKept, WorkingSet
from ctxmgr.model.projection import Decision
from tests.conversations import text_of
from tests.notation import Said, a, err, indexed, r, talk, u
from tests.unit.engine.presets.turns.turns import BULKY, READ, did
from tests.unit.engine.projections import edited, planned, sent

OLDER = [u("go"), *did(BULKY), u("more"), *did(BULKY)]
TWO_STEPS = [*did("x"), *did("y")]

# name, conversation, what differs in the ask, index -> edit
EDITS: list[tuple[str, list[Said], dict[str, Any], dict[int, str]]] = [
    ("not those that are short", [u("go"), *did(text_of(100)), u("more"), a("ok")], {}, {}),
    (
        "not what is a marker already",
        [u("go"), *did(f"[output distilled — ~9 tokens | read]\n{BULKY}"), u("more"), a("ok")],
        {},
        {},
    ),
    ("not where it fits", [u("go"), *did(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 9_999}, {}),
    ("nor errors", [u("go"), a(READ), err(BULKY), *TWO_STEPS], {"zone": "compact", "newest_limit": 0}, {}),
    (
        "oldest first, no more than needed",
        [u("go"), *did(BULKY), *did(BULKY), *TWO_STEPS],
        {"zone": "compact", "newest_limit": 600},
        {2: "pruned"},
    ),
    ("a result without a call", [u("go"), r(BULKY, "c9"), u("more"), a("ok")], {}, {1: "distilled"}),
]


def test_what_is_edited() -> None:
    for name, said, keys, expected in EDITS:
        messages = talk(*said)
        plan = planned(messages, **keys)
        assert edited(plan) == expected, name
        assert (plan.distilled, plan.pruned) == (
            list(expected.values()).count("distilled"),
            list(expected.values()).count("pruned"),
        ), name
        assert TURNS.check(indexed(messages), plan)[0] == (), name


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


def test_what_the_working_set_leaves_behind_within_a_turn_stays_until_the_next_one() -> None:
    policy = Policy(working_set=WorkingSet(results=1, tokens=1))
    turn = [u("go"), *did(BULKY), u("more")]
    for calls in (1, 2, 5):
        assert edited(planned(talk(*turn, *did("x") * calls), policy=policy)) == {}
    assert edited(planned(talk(*turn, *did("x"), u("next"), *did("x")), policy=policy)) == {2: "distilled"}
