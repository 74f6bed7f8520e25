"""A fault planted in any plan is found."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import Keep, Packet
from tests.conversations import any_list
from tests.notation import indexed
from tests.unit.engine.invariants.plans import PACKET, edit, pieces_of, plan_of, repeat, swap
from tests.unit.engine.projections import kept, planned

Plant = Callable[[tuple[Message, ...], list[int], int], list[int] | None]


def drop_one(role: str) -> Plant:
    def plant(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
        found = [at for at in places if messages[at].view.role == role]
        return [at for at in places if at != found[pick % len(found)]] if found else None

    return plant


def start_inside(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
    """Cuts off the head of the first kept turn."""
    ordinary = [at for at in places if messages[at].view.role not in ("summary", "packet")]
    if len(ordinary) < 2 or messages[ordinary[1]].view.opens_turn:
        return None
    return [at for at in places if at > ordinary[0]]


def cut_the_end(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
    last = messages[places[-1]].view.role if places else "summary"
    return places[:-1] if last not in ("summary", "packet") else None


PLANTS: list[tuple[str, Plant, set[str]]] = [
    ("drop a result", drop_one("result"), {"turns"}),
    ("drop a reply", drop_one("assistant"), {"turns"}),
    ("drop a user message", drop_one("user"), {"turns", "newest user"}),
    ("swap two", swap, {"order"}),
    ("send one twice", repeat, {"order"}),
    ("start inside a turn", start_inside, {"turns"}),
    ("cut the end", cut_the_end, {"turns", "newest user"}),
]


@pytest.mark.parametrize(("name", "plant", "names"), PLANTS, ids=[row[0] for row in PLANTS])
@given(messages=any_list, zone=st.sampled_from(ZONES), pick=st.integers(0, 30))
def test_a_fault_planted_in_any_plan_is_found(
    name: str, plant: Plant, names: set[str], messages: tuple[Message, ...], zone: str, pick: int
) -> None:
    plan = planned(messages, zone=zone)
    places = plant(messages, kept(plan), pick)
    if places is None or (name == "drop a user message" and whole_turn(messages, kept(plan), places)):
        return
    head = [piece for piece in plan.pieces[:1] if isinstance(piece, Packet)]
    broken = plan_of(messages, *head, *pieces_of(places, plan))
    assert names & set(TURNS.check(indexed(messages), broken)[0])


def whole_turn(messages: tuple[Message, ...], before: list[int], after: list[int]) -> bool:
    """A first kept turn of one message may leave: that is no fault."""
    return after == before[1:] and bool(after) and messages[after[0]].view.opens_turn


@given(any_list, st.sampled_from(ZONES), st.integers(0, 30))
def test_a_packet_anywhere_but_in_front_is_found(messages: tuple[Message, ...], zone: str, pick: int) -> None:
    plan = planned(messages, zone=zone)
    if plan.pieces:
        at = 1 + pick % len(plan.pieces)
        broken = msgspec.structs.replace(plan, pieces=(*plan.pieces[:at], PACKET, *plan.pieces[at:]))
        assert "packet" in TURNS.check(indexed(messages), broken)[0]


@given(any_list, st.sampled_from(ZONES), st.integers(-50, 50).filter(bool))
def test_a_wrong_weight_is_found(messages: tuple[Message, ...], zone: str, off: int) -> None:
    plan = planned(messages, zone=zone)
    broken = msgspec.structs.replace(plan, weight=plan.weight + off)
    assert TURNS.check(indexed(messages), broken)[0] == ("weight",)


@given(any_list, st.integers(0, 30))
def test_an_edit_of_what_is_no_result_is_found(messages: tuple[Message, ...], pick: int) -> None:
    plan = planned(messages)
    places = [at for at in kept(plan) if messages[at].view.blocks and messages[at].view.role != "result"]
    if places:
        at = places[pick % len(places)]
        pieces = [
            edit(at, messages[at].weights[0], 0) if isinstance(piece, Keep) and piece.start == at else piece
            for piece in pieces_of(kept(plan), plan)
        ]
        assert "signed" in TURNS.check(indexed(messages), plan_of(messages, *pieces))[0]
