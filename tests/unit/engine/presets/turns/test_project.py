"""The projection: each rule as a conversation. What holds in every format is in `tests/unit/formats/engine`."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import TURNS
from ctxmgr.engine.presets.turns.packets import LeftOut
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES, Policy, TurnsKept
from ctxmgr.model.projection import BlockEdit, Decision, Packet
from tests.conversations import any_list, text_of
from tests.notation import Said, a, branch, call, err, indexed, packet, r, read, summary, talk, u
from tests.unit.engine.presets.turns.turns import BULKY, LONG, READ, did, turns
from tests.unit.engine.projections import edited, kept, planned, rendered, sent

# name, conversation, what differs in the ask, indices that stay, is there a packet?
KEPT: list[tuple[str, list[Said], dict[str, Any], list[int], bool]] = [
    ("nothing", [], {}, [], False),
    ("a short list stays whole", turns(6), {}, list(range(12)), False),
    ("green keeps six turns", turns(8), {}, list(range(4, 16)), True),
    ("yellow three", turns(8), {"zone": "yellow"}, list(range(10, 16)), True),
    ("red one", turns(8), {"zone": "red"}, [14, 15], True),
    ("compact one", turns(8), {"zone": "compact"}, [14, 15], True),
    ("the first kept turn never moves back", turns(8), {"floor": 10}, list(range(10, 16)), True),
    ("it may move on", turns(8), {"floor": 2}, list(range(4, 16)), True),
    ("no turn is dropped where none may be", turns(8), {"drop_turns": False}, list(range(16)), False),
    ("but what was left out stays out", turns(8), {"drop_turns": False, "floor": 10}, list(range(10, 16)), True),
    ("summaries leave", [summary(BULKY), u("go"), a("ok")], {}, [1, 2], True),
    ("of both kinds, anywhere", [u("go"), branch(BULKY), a("ok"), summary(BULKY)], {}, [0, 2], True),
    ("not before they are folded", [summary(BULKY), u("go")], {"folded": lambda at: False}, [0, 1], False),
    ("packets that come back are replaced", [packet("p" * 400), u("go"), a("ok")], {}, [1, 2], True),
    ("wherever they stand", [u("go"), a("ok"), packet("p" * 400), u("go")], {}, [0, 1, 3], True),
    ("no packet for what weighs less", [u("go"), packet("p")], {}, [0], False),
    ("a headless start stays as it came", [a(READ), r("x"), u("go")], {}, [0, 1, 2], False),
    ("a headless start leaves whole", [a(LONG.fields["content"]), *turns(6)], {}, list(range(1, 13)), True),
    ("a summary before an assistant message", [summary(BULKY), a("ok"), u("go")], {}, [1, 2], True),
    ("but before a user message it leaves", [summary(BULKY), u("go")], {"packet": None}, [1], False),
    ("a light one stays too", [summary("s"), a("ok")], {"packet": lambda budget: ("", 0)}, [0, 1], False),
    ("a packet before an assistant message", [packet("p"), a("ok"), u("go")], {}, [0, 1, 2], False),
    ("is replaced where there is room", [packet("p" * 400), a("ok"), u("go")], {}, [1, 2], True),
    ("a summary after a reply leaves", [a("ok"), summary(BULKY), u("go")], {"packet": None}, [0, 2], False),
    ("little is not worth leaving out", turns(8, u("go")), {"zone": "red"}, list(range(16)), False),
    ("nor where packets are switched off", turns(8, u("go")), {"zone": "red", "packet": None}, [14, 15], False),
    (
        "a cut would part a pair",
        [LONG, a("ok"), LONG, a(READ), LONG, r("x"), LONG],
        {"policy": Policy(recent_user_turns=TurnsKept(2))},
        [2, 3, 4, 5, 6],
        True,
    ),
]


@pytest.mark.parametrize(("name", "said", "keys", "stays", "with_packet"), KEPT, ids=[row[0] for row in KEPT])
def test_what_stays(name: str, said: list[Said], keys: dict[str, Any], stays: list[int], with_packet: bool) -> None:
    messages = talk(*said)
    plan = planned(messages, **keys)
    assert kept(plan) == stays
    assert any(isinstance(piece, Packet) for piece in plan.pieces) == with_packet
    assert not plan.pieces or with_packet == isinstance(plan.pieces[0], Packet)
    assert TURNS.check(indexed(messages), plan)[0] == ()


def test_what_a_plan_says_of_itself() -> None:
    messages = talk(*turns(2), LONG, *did(BULKY), summary(BULKY), *turns(2))
    plan = planned(messages, zone="yellow")
    assert (plan.turns_kept, plan.turns_dropped) == (3, 2)
    assert (plan.floor, plan.packet_weight) == (4, 50)
    assert plan.raw_weight == sum(message.weight for message in messages)
    assert plan.weight == sum(message.weight for message in read(sent(messages, plan)))


def test_prompts_stay_wherever_they_stand() -> None:
    messages = tuple(
        msgspec.structs.replace(message, view=msgspec.structs.replace(message.view, role="prompt"))
        if at in (0, 3, 4, 5)
        else message
        for at, message in enumerate(talk(u("be kind"), *turns(1), u("be"), u("very"), u("kind"), *turns(6)))
    )
    plan = planned(messages, zone="compact")
    assert plan.floor > 5
    assert {0, 3, 4, 5} <= set(kept(plan))


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
    ({"zone": "yellow"}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], {15: 113}, 50, 8_192, 13, 3),
    ({"zone": "red"}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17], {}, 50, 8_066, 18, 4),
    (
        {"zone": "compact", "newest_limit": 6_100},
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17],
        {20: 12},
        50,
        6_080,
        18,
        4,
    ),
    (
        {"zone": "compact", "newest_limit": 5_000},
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17],
        {20: 12, 22: 12},
        50,
        4_094,
        18,
        4,
    ),
    (
        {"zone": "red", "newest_limit": 0},
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17],
        {},
        50,
        8_066,
        18,
        4,
    ),
    (
        {"zone": "compact", "newest_limit": 0, "packet": None},
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17],
        {20: 12, 22: 12},
        0,
        4_044,
        18,
        4,
    ),
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
    ({"folded": lambda at: False}, [1, 2, 3, 4, 5], {8: 263, 9: 262, 15: 262}, 50, 8_950, 6, 2),
    ({"floor": 6}, [1, 2, 3, 4, 5, 10], {8: 263, 9: 262, 15: 262}, 50, 8_878, 6, 2),
    ({"drop_turns": False, "floor": 13}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], {}, 50, 10_077, 13, 3),
    ({"drop_turns": False}, [1, 5, 10], {}, 50, 16_240, 0, 0),
]


@pytest.mark.parametrize(("keys", "gone", "short", "packet_weight", "weight", "floor", "dropped"), PLANS)
def test_a_list_of_everything(
    keys: dict[str, Any],
    gone: list[int],
    short: dict[int, int],
    packet_weight: int,
    weight: int,
    floor: int,
    dropped: int,
) -> None:
    plan = planned(MIXED, **{"policy": Policy(recent_user_turns=TurnsKept(3, 2, 1, 1)), **keys})
    edits = [piece for piece in plan.pieces if isinstance(piece, BlockEdit)]
    assert [at for at in range(len(MIXED)) if at not in kept(plan)] == gone
    assert {edit.message_index: edit.after_tokens for edit in edits} == short
    assert (plan.packet_weight, plan.weight, plan.floor, plan.turns_dropped) == (
        packet_weight,
        weight,
        floor,
        dropped,
    )
    assert sorted(piece.weight for piece in plan.pieces if isinstance(piece, Packet)) == [packet_weight] * (
        packet_weight > 0
    )
    assert plan.turns_kept == 5 - dropped
    assert (plan.distilled, plan.pruned) == tuple(
        sum(edit.kind == kind for edit in edits) for kind in ("distilled", "pruned")
    )
    assert TURNS.check(indexed(MIXED), plan)[0] == ()


def test_what_was_cut_to_fit_stays_cut() -> None:
    """Of what stays, wherever it stands."""
    index = indexed(MIXED)
    cut = Decision("cut", written=((0, 9), "[cut]"), weight=4)
    places = (BlockRef(2, 0), BlockRef(15, 0), BlockRef(26, 0))
    plan = planned(MIXED, decisions={index.block_key(ref): cut for ref in places}, drop_turns=False, floor=13)
    edits = {piece.message_index: piece for piece in plan.pieces if isinstance(piece, BlockEdit)}
    assert {at: (edit.kind, edit.text, edit.after_tokens) for at, edit in edits.items()} == {
        at: ("cut", f"{MIXED[at].view.blocks[0].text[:9]}[cut]", 4) for at in (15, 26)
    }
    assert plan.blocks_cut == 2


def test_the_room_for_a_packet_is_what_is_left_beside_what_is_shown() -> None:
    """Results that are shown short take their short weight of the window."""
    messages = talk(u("go"), a(READ), r(BULKY * 40), a("ok"), summary("s"), u("and now"), a("ok"))
    room: list[int] = []

    def packet_for(left: LeftOut) -> tuple[str, int]:
        room.append(left.most_tokens - left.tokens)
        return rendered(left)

    plan = planned(messages, packet=packet_for, window_limit=10_000, allowance=500)
    assert plan.raw_weight > 10_000
    assert room == [500]


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
