"""Summaries leave once they are in the ledger, and their packet may weigh more than they did."""

from typing import Any

import pytest

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.projection import Packet, Plan
from tests.notation import Said, a, branch, indexed, read, summary, talk, u
from tests.unit.engine.projections import kept, planned, sent

TINY, SHORT, LATER = summary("t"), summary("s" * 400), summary("l" * 400)  # 2, 100 and 100 tokens
GO = u("please " + "do " * 200)


def turns(count: int) -> list[Said]:
    return [one for _ in range(count) for one in (GO, a("ok"))]


# name, conversation, what differs in the ask, indices that stay, where the packet stands (-1: nowhere)
PLANNED: list[tuple[str, list[Said], dict[str, Any], list[int], int]] = [
    ("a branch's in the middle", [*turns(2), branch("b" * 400), *turns(6)], {}, list(range(5, 17)), 0),
    ("in a kept turn", [*turns(2), SHORT, *turns(1)], {}, [0, 1, 2, 3, 5, 6], 0),
    ("all of them", [SHORT, LATER, *turns(1)], {}, [2, 3], 0),
    ("a tiny one, with a packet that weighs more", [TINY, *turns(1)], {"allowance": 50}, [1, 2], 0),
    ("one that nobody folded stays", [SHORT, *turns(1)], {"folded": lambda at: False}, [0, 1, 2], -1),
    ("where nothing left, a packet for what the host took", turns(1), {"allowance": 50}, [0, 1], 0),
    ("but not beyond the window", turns(1), {"allowance": 50, "window_limit": 160}, [0, 1], -1),
    ("nor where none is to be", [TINY, *turns(1)], {"allowance": 50, "packet": None}, [1, 2], -1),
]


@pytest.mark.parametrize(("name", "said", "keys", "stays", "place"), PLANNED, ids=[row[0] for row in PLANNED])
def test_in_a_projection(name: str, said: list[Said], keys: dict[str, Any], stays: list[int], place: int) -> None:
    messages = talk(*said)
    plan = planned(messages, **keys)
    assert kept(plan) == stays
    assert place_of(plan) == place
    assert TURNS.check(indexed(messages), plan)[0] == ()
    assert plan.weight == sum(message.weight for message in read(sent(messages, plan)))


def place_of(plan: Plan) -> int:
    """How many pieces stand before the packet, -1 for none."""
    return next((at for at, piece in enumerate(plan.pieces) if isinstance(piece, Packet)), -1)


def test_what_comes_back_for_want_of_a_packet_is_not_remembered_as_gone() -> None:
    messages = talk(summary("s"), a("ok"))
    plan = planned(messages, packet=lambda left: ("", 0))
    assert (kept(plan), plan.decisions) == ([0, 1], {})
