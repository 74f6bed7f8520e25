"""Summaries leave once they are in the ledger, and their packet may weigh more than they did."""

from typing import Any

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.projection import Packet, Plan
from tests.notation import Said, a, indexed, read, summary, talk, u
from tests.unit.engine.projections import kept, planned, sent

TINY, SHORT, LATER = summary("t"), summary("s" * 400), summary("l" * 400)  # 2, 100 and 100 tokens
GO = u("please " + "do " * 200)


def turns(count: int) -> list[Said]:
    return [one for _ in range(count) for one in (GO, a("ok"))]


# name, conversation, what differs in the ask, indices that stay, where the packet stands (-1: nowhere)
PLANNED: list[tuple[str, list[Said], dict[str, Any], list[int], int]] = [
    ("in a kept turn", [*turns(2), SHORT, *turns(1)], {}, [0, 1, 2, 3, 5, 6], 0),
    ("all of them", [SHORT, LATER, *turns(1)], {}, [2, 3], 0),
    ("where nothing left, a packet for what the host took", turns(1), {"allowance": 50}, [0, 1], 0),
]


def test_in_a_projection() -> None:
    for name, said, keys, stays, place in PLANNED:
        messages = talk(*said)
        plan = planned(messages, **keys)
        assert kept(plan) == stays, name
        assert place_of(plan) == place, name
        assert TURNS.check(indexed(messages), plan)[0] == (), name
        assert plan.weight == sum(message.weight for message in read(sent(messages, plan))), name


def place_of(plan: Plan) -> int:
    """How many pieces stand before the packet, -1 for none."""
    return next((at for at, piece in enumerate(plan.pieces) if isinstance(piece, Packet)), -1)
