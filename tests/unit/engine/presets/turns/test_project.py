"""The projection: each rule as a conversation. What holds in every format is in `tests/unit/formats/engine`."""

from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import given

from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES, Policy, TurnsKept
from ctxmgr.model.projection import BlockEdit, Packet
from tests.conversations import any_list, text_of
from tests.notation import Said, a, branch, call, err, indexed, packet, r, summary, talk, u
from tests.unit.engine.presets.turns.turns import BULKY, LONG, READ, did, turns
from tests.unit.engine.projections import edited, kept, planned

# name, conversation, what differs in the ask, indices that stay, is there a packet?
KEPT: list[tuple[str, list[Said], dict[str, Any], list[int], bool]] = [
    ("green keeps six turns", turns(8), {}, list(range(4, 16)), True),
    ("red one", turns(8), {"zone": "red"}, [14, 15], True),
    ("the first kept turn never moves back", turns(8), {"floor": 10}, list(range(10, 16)), True),
    ("but what was left out stays out", turns(8), {"drop_turns": False, "floor": 10}, list(range(10, 16)), True),
    ("summaries leave", [summary(BULKY), u("go"), a("ok")], {}, [1, 2], True),
    ("not before they are folded", [summary(BULKY), u("go")], {"folded": lambda at: False}, [0, 1], False),
    ("no packet for what weighs less", [u("go"), packet("p")], {}, [0], False),
    ("a summary before an assistant message", [summary(BULKY), a("ok"), u("go")], {}, [1, 2], True),
    ("a light one stays too", [summary("s"), a("ok")], {"packet": lambda budget: ("", 0)}, [0, 1], False),
    (
        "a cut would part a pair",
        [LONG, a("ok"), LONG, a(READ), LONG, r("x"), LONG],
        {"policy": Policy(recent_user_turns=TurnsKept(2))},
        [2, 3, 4, 5, 6],
        True,
    ),
]


def test_what_stays() -> None:
    for name, said, keys, stays, with_packet in KEPT:
        messages = talk(*said)
        plan = planned(messages, **keys)
        assert kept(plan) == stays, name
        assert any(isinstance(piece, Packet) for piece in plan.pieces) == with_packet, name
        assert not plan.pieces or with_packet == isinstance(plan.pieces[0], Packet), name
        assert TURNS.check(indexed(messages), plan)[0] == (), name


FILE = text_of(900)
MIXED = tuple(
    msgspec.structs.replace(message, view=msgspec.structs.replace(message.view, role="prompt", opens_turn=False))
    if at in (0, 12)
    else message
    for at, message in enumerate(
        talk(
            *[
                u("be kind"),
                packet("p" * 400),
                u("1 " + "w " * 300),
                *did(FILE, path="a"),
                summary("s" * 300),
                u("2"),
            ],
            *[
                a(call("bash", command="m"), call("read", path="b")),
                err("Error " + FILE),
                r(FILE),
                branch("b" * 200),
            ],
            *[
                a("y"),
                u("rule"),
                u("3"),
                *did(FILE, path="c"),
                a("so", call("bash", command="n")),
                r("tiny"),
                u("4"),
            ],
            *(one for number in range(4) for one in did(FILE, path=f"d{number}")),
        )
    )
)
# what differs in the ask, what leaves, what results weigh that are shown short, the packet, the weight, the floor,
# the turns that left
PLANS: list[tuple[dict[str, Any], list[int], dict[int, int], int, int, int, int]] = [
    ({"zone": "green"}, [1, 2, 3, 4, 5, 10], {8: 263, 9: 262, 15: 262}, 50, 8_878, 6, 2),
    ({"zone": "red"}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17], {}, 50, 8_066, 18, 4),
    (
        {"zone": "compact", "newest_limit": 0, "rewrite": None},
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17],
        {},
        50,
        8_066,
        18,
        4,
    ),
    ({"zone": "yellow", "packet": None}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], {15: 113}, 0, 8_142, 13, 3),
]


def test_a_list_of_everything() -> None:
    for keys, gone, short, packet_weight, weight, floor, dropped in PLANS:
        plan = planned(MIXED, **{"policy": Policy(recent_user_turns=TurnsKept(3, 2, 1, 1)), **keys})
        edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
        assert [at for at in range(len(MIXED)) if at not in kept(plan)] == gone, packet_weight
        assert {edit.message_index: edit.after_tokens for edit in edits} == short, packet_weight
        assert (plan.packet_weight, plan.weight, plan.floor, plan.turns_dropped) == (
            packet_weight,
            weight,
            floor,
            dropped,
        ), packet_weight
        assert sorted(piece.weight for piece in plan.pieces if isinstance(piece, Packet)) == [packet_weight] * (
            packet_weight > 0
        ), packet_weight
        assert plan.turns_kept == 5 - dropped, packet_weight
        assert (plan.distilled, plan.pruned) == tuple(
            sum(edit.kind == kind for edit in edits) for kind in ("distilled", "pruned")
        ), packet_weight
        assert TURNS.check(indexed(MIXED), plan)[0] == (), packet_weight


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
