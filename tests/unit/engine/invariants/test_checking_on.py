"""Checking on, from where the check before ended, is checking from scratch."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, TURNS
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import Decision
from tests.conversations import any_list, legal
from tests.unit.engine.invariants.plans import pieces_of, plan_of
from tests.unit.engine.projections import kept, planned


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
