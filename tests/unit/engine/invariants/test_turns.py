"""The checks: each planted fault is found by its name, a sound plan has none, and carrying on changes nothing."""

import msgspec
import pytest

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.messages import Block, Message, View
from ctxmgr.model.projection import Decision, Keep, Packet, Piece
from tests.notation import Said, a, indexed, packet, r, summary, talk, u
from tests.unit.engine.invariants.plans import LONG, PACKET, READ, STEP, edit, plan_of


def faults(said: list[Said], *pieces: Piece, off: int = 0) -> set[str]:
    messages = talk(*said)
    return set(TURNS.check(indexed(messages), plan_of(messages, *pieces, off=off))[0])


OLD = [LONG, a("ok")]

# name, conversation, pieces of the plan, faults by name
TABLE: list[tuple[str, list[Said], list[Piece], set[str]]] = [
    ("a summary left out in the middle", [LONG, summary("s"), *STEP], [Keep(0, 1), Keep(2, 4)], set()),
    ("what came before the turn is special", [summary("s"), packet(), LONG], [Keep(2, 3)], set()),
    ("twice", [LONG, LONG], [Keep(0, 2), Keep(0, 2)], {"order", "weight"}),
    ("a result dropped", [LONG, *STEP, a("ok")], [Keep(0, 2), Keep(3, 4)], {"pairs", "turns"}),
    ("a call dropped", [LONG, *STEP], [Keep(0, 1), Keep(2, 3)], {"pairs", "turns"}),
    ("the end dropped", [LONG, *STEP], [Keep(0, 1)], {"turns"}),
    ("a reply dropped", [LONG, a("one"), a("two")], [Keep(0, 1), Keep(2, 3)], {"turns"}),
    ("a turn cut in the middle", [LONG, a("one"), a("two"), LONG], [Keep(2, 4)], {"turns", "start"}),
    ("a summary does not hide that", [LONG, summary("s"), a("two"), LONG], [Keep(2, 4)], {"turns", "start"}),
    ("a headless turn cut in the middle", [a("one"), a("two"), LONG], [Keep(1, 3)], {"turns"}),
    ("a middle turn dropped", [LONG, a("1"), LONG, a("2"), LONG], [Keep(0, 2), Keep(4, 5)], {"turns"}),
    ("a cut between a call and its late result", [LONG, a(READ), LONG, r("x")], [Keep(2, 4)], {"pairs"}),
    ("the newest user message dropped", [LONG, a("ok"), LONG], [Keep(0, 2)], {"turns", "newest user"}),
    ("an assistant message edited", [LONG, *STEP], [Keep(0, 1), edit(1, 1, 0), Keep(2, 3)], {"signed"}),
    ("a call edited", [LONG, *STEP], [Keep(0, 1), edit(1, 5, 3, block=1), Keep(2, 3)], {"signed"}),
    ("a user message edited", [LONG], [edit(0, 15, 3)], {"signed"}),
    ("a packet at the end", [LONG, *STEP, LONG], [Keep(3, 4), PACKET], {"packet"}),
    ("two packets", [LONG, *STEP, LONG], [PACKET, PACKET, Keep(3, 4)], {"packet"}),
    ("it starts with a reply, but it came so", [a("ok"), LONG], [Keep(0, 2)], set()),
    ("it starts with a reply, after a summary", [summary("s"), a("ok"), LONG], [Keep(1, 3)], {"start"}),
    ("a packet in its place", [summary("s"), a("ok"), LONG], [PACKET, Keep(1, 3)], set()),
    ("it starts with a reply, after a packet", [packet(), a("ok"), LONG], [Keep(1, 3)], {"start"}),
    ("a summary outlives its turn", [summary("s"), *OLD, LONG], [Keep(0, 1), Keep(3, 4)], set()),
    ("and stands before the packet", [summary("s"), *OLD, LONG], [Keep(0, 1), PACKET, Keep(3, 4)], set()),
    ("one from the middle", [*OLD, summary("s"), *OLD, LONG], [Keep(2, 3), PACKET, Keep(5, 6)], set()),
    ("nor without a packet", [u("s"), *OLD, LONG], [Keep(0, 1), Keep(3, 4)], {"turns"}),
    ("a summary alone is no start", [summary("s"), LONG], [Keep(0, 1)], {"newest user"}),
    ("heavier than what came", [LONG], [Packet("p", 1), Keep(0, 1)], {"weight"}),
    ("an edit that lies about what was", [LONG, *STEP], [Keep(0, 2), edit(2, before=90)], {"weight"}),
]


@pytest.mark.parametrize(("name", "said", "pieces", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_each_fault_by_name(name: str, said: list[Said], pieces: list[Piece], expected: set[str]) -> None:
    assert faults(said, *pieces) == expected


# pieces of a plan of a user's message and three steps, which messages were dropped to fit, faults by name
TO_FIT: list[tuple[str, list[Piece], list[int], set[str]]] = [
    ("an old step", [Keep(0, 1), Keep(3, 7)], [1, 2], set()),
    ("two", [Keep(0, 1), Keep(5, 7)], [1, 2, 3, 4], set()),
    ("half of one", [Keep(0, 2), Keep(3, 7)], [2], {"pairs"}),
    ("more than was decided", [Keep(0, 1), Keep(5, 7)], [1, 2], {"turns"}),
    ("the newest answer", [Keep(0, 5)], [5, 6], {"turns"}),
    ("what a user said", [Keep(1, 7)], [0], {"newest user", "start", "turns"}),
]


@pytest.mark.parametrize(("name", "pieces", "gone", "expected"), TO_FIT, ids=[row[0] for row in TO_FIT])
def test_only_what_did_not_fit_may_leave_out_of_a_turn(
    name: str, pieces: list[Piece], gone: list[int], expected: set[str]
) -> None:
    messages = talk(LONG, *(one for at in range(3) for one in (a(f"step {at}", READ), r(f"{at}" * 400))))
    index, plan = indexed(messages), plan_of(messages, *pieces)
    for to_fit, found in ((True, expected), (False, expected | {"turns"})):  # what a preset drops by itself is none
        decisions = {index.key(at): Decision("dropped", to_fit=to_fit) for at in gone}
        assert set(TURNS.check(index, msgspec.structs.replace(plan, decisions=decisions))[0]) == found


def several() -> tuple[Message, ...]:
    """A message with two results, as in formats that put them into one user message."""
    said = talk(LONG, a(READ, READ))
    blocks = tuple(Block("result", at, "x", f"c{at + 1}", can_edit=True) for at in (0, 1))
    return (*said, Message(b"{}", "d", View("result", blocks), (50, 60), 110))


def test_two_blocks_of_one_message_edited() -> None:
    messages, index = several(), indexed(several())
    one, two = edit(2, 50, 3), edit(2, 60, 3, block=1)
    assert TURNS.check(index, plan_of(messages, Keep(0, 2), one))[0] == ()
    both = msgspec.structs.replace(plan_of(messages, Keep(0, 2)), pieces=(Keep(0, 2), one, two))
    both = msgspec.structs.replace(both, weight=both.weight + 6)
    found, carried = TURNS.check(index, both)
    assert found == ()
    _, first = TURNS.check(index, plan_of(messages, Keep(0, 2), one))
    assert TURNS.check(index, both, first) == ((), carried)
