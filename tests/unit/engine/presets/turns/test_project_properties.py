"""The projection: what holds for any list, any zone and any limits."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES, Zone
from ctxmgr.model.projection import Decision
from tests.conversations import any_list, legal
from tests.notation import indexed
from tests.unit.engine.projections import edited, kept, planned

zones = st.sampled_from(ZONES)
limits = st.none() | st.integers(0, 3_000)


@st.composite
def asks(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "zone": draw(zones),
        "drop_turns": draw(st.sampled_from((True, True, False))),
        "newest_limit": draw(limits),
        "floor": draw(st.sampled_from((0, 0, 3, 9))),
    }


def fitting(messages: tuple[Message, ...], keys: dict[str, Any]) -> dict[str, Any]:
    """A floor is the start of a turn that may start the kept part."""
    starts = [turn.start for turn in indexed(messages).turns if turn.separable]
    return {**keys, "floor": max((start for start in starts if start <= keys["floor"]), default=0)}


@given(any_list, st.integers(0, 3_000))
def test_in_compact_only_old_steps_of_the_newest_turn_lose_output(
    messages: tuple[Message, ...], limit: int
) -> None:
    plan = planned(messages, zone="compact", newest_limit=limit)
    if not messages:
        return
    start = indexed(messages).turns[-1].start
    replies = [at for at in range(start, len(messages)) if messages[at].view.role == "assistant"]
    lossless = replies[-2] if len(replies) > 1 else start
    for at, kind in edited(plan).items():
        if at >= start:
            assert kind == "pruned"
            assert replies[0] < at < lossless
            assert not messages[at].view.blocks[0].is_error


@given(any_list)
def test_a_worse_zone_keeps_a_subset(messages: tuple[Message, ...]) -> None:
    plans = [planned(messages, zone=zone) for zone in ZONES]
    for better, worse in pairwise(plans):
        assert worse.floor >= better.floor
        assert set(kept(worse)) <= set(kept(better))
        assert {at for at in edited(better) if at in kept(worse)} <= {*edited(worse), *newest(messages)}


def newest(messages: tuple[Message, ...]) -> range:
    turns = indexed(messages).turns
    return range(turns[-1].start, len(messages)) if turns else range(0)


@given(legal, st.lists(zones, min_size=1, max_size=8))
def test_over_a_session_the_first_kept_turn_never_moves_back(
    messages: tuple[Message, ...], course: list[Zone]
) -> None:
    """The list grows while the zone changes at random; an edit, once made, holds or tightens."""
    floor, decisions = 0, dict[str, Decision]()
    for number, zone in enumerate(course):
        shown = messages[: len(messages) * (number + 1) // len(course)]
        plan = planned(shown, zone=zone, floor=floor, decisions=decisions)
        assert plan.floor >= floor
        for at, decision in decisions.items():
            held = plan.decisions[at]
            assert (held.kind, held.limit) <= ("pruned", decision.limit) or held == decision
            assert decision.kind != "pruned" or held == decision
        floor, decisions = plan.floor, plan.decisions
        assert TURNS.check(indexed(shown), plan)[0] == ()
