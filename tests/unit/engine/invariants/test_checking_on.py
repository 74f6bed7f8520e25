"""Checking on, from where the check before ended, is checking from scratch."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, TURNS, CheckState
from ctxmgr.engine.invariants.check_state import carried_on
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import Decision, Keep, Packet, Piece
from tests.conversations import any_list, legal, text_of
from tests.notation import a, indexed, talk, u
from tests.unit.engine.invariants.plans import LONG, PACKET, STEP, Watched, edit, pieces_of, plan_of
from tests.unit.engine.projections import kept, planned


@settings(max_examples=100)
@given(st.one_of(legal, any_list), st.lists(st.sampled_from(ZONES), min_size=1, max_size=6), st.booleans())
def test_checking_on_is_checking_from_scratch(
    messages: tuple[Message, ...], course: list[str], plant: bool
) -> None:
    """Over a growing list; `plant` leaves out the last kept message of each plan, so that faults carry on."""
    floor, decisions, carried, index = 0, dict[str, Decision](), FRESH, ConversationIndex()
    for number, zone in enumerate(course):
        shown = messages[: len(messages) * (number + 1) // len(course)]
        index = extend(index, shown)
        plan = planned(shown, zone=zone, floor=floor, decisions=decisions)
        floor, decisions = plan.floor, plan.decisions
        if plant:
            plan = plan_of(shown, *pieces_of(kept(plan)[:-1], plan))
        scratch = TURNS.check(index, plan)
        assert TURNS.check(index, plan, carried) == scratch
        carried = scratch[1]


def test_faults_are_carried_on() -> None:
    messages = talk(LONG, *STEP, LONG, a("ok"))
    broken = (Keep(0, 1), edit(1, 1, 0), Keep(2, 3))
    _, carried = TURNS.check(indexed(messages[:3]), plan_of(messages[:3], *broken))
    plan = plan_of(messages, *broken, Keep(3, 5))
    assert TURNS.check(indexed(messages), plan, carried) == TURNS.check(indexed(messages), plan)
    assert TURNS.check(indexed(messages), plan, carried)[0] == ("signed",)


def test_checking_on_walks_only_what_is_new() -> None:
    """Else a call would cost the list: nothing before the last projection's end is looked at again."""
    said = [LONG, *STEP * 50, LONG, *STEP, a(text_of(9))]
    messages = Watched(talk(*said))
    messages.looked_at = []
    before = plan_of(tuple(messages)[:-4], Keep(0, len(messages) - 4))
    _, carried = TURNS.check(indexed(tuple(messages)[:-4]), before)
    after = plan_of(tuple(messages), Keep(0, len(messages)))
    index = indexed(messages)
    messages.looked_at.clear()
    assert TURNS.check(index, after, carried)[0] == ()
    assert min(at for at in messages.looked_at if at) >= len(messages) - 4


@pytest.mark.parametrize(
    ("pieces", "walked", "goes_on"),
    [
        ((Keep(0, 2),), (Keep(0, 2),), True),
        ((Keep(0, 2), PACKET), (Keep(0, 2),), True),
        ((Keep(0, 2), PACKET, Keep(3, 5)), (Keep(0, 2), PACKET, Keep(3, 4)), True),
        ((Keep(0, 2), PACKET, Keep(3, 5)), (Keep(0, 1), PACKET, Keep(3, 4)), False),
        ((Keep(0, 2), PACKET, Keep(4, 5)), (Keep(0, 2), PACKET, Keep(3, 4)), False),
        ((Keep(0, 2),), (Keep(0, 2), PACKET), False),
    ],
)
def test_a_walk_goes_on_where_the_one_before_ended(
    pieces: tuple[Piece, ...], walked: tuple[Piece, ...], goes_on: bool
) -> None:
    packets = tuple(place for place, piece in enumerate(walked) if isinstance(piece, Packet))
    before = CheckState(pieces=walked, rules=TURNS.rules, packets=packets)
    after = carried_on(before, TURNS.rules, plan_of(talk(*[u("one")] * 5), *pieces))
    assert after.pieces == (walked if goes_on else ())
