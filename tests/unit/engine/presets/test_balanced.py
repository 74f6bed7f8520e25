"""Preset `balanced` as a session asks it: what goes to another thread, what opens an epoch, where the packet is."""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.presets.strategy import Delta, Incoming, Inputs, NeedsThread, Planned
from ctxmgr.engine.pressure.zone import Gauge, thresholds
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import Packet
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import Meter, ModelSpec, RenderedPacket, State
from tests.notation import Said, a, call, err, indexed, quarters, r, talk, u
from tests.unit.engine.projections import edited, kept
from tests.unit.engine.stepwise import looked

BALANCED = PRESETS["balanced"]
WINDOW = 200_000
USUAL = Policy()
SHORT = indexed(talk(u("go"), *(one for number in range(6) for one in looked(number, 60)), a("one"), a("two")))
LONG = indexed(talk(u("go"), *(one for number in range(60) for one in looked(number, 60)), a("one"), a("two")))
STATE = State("s", ModelSpec("m", WINDOW))


def inputs(window: int = WINDOW, policy: Policy = USUAL, **more: Any) -> Inputs:
    gauge = Gauge(Meter(), thresholds(Policy(), window), "quarters/m", 0)
    return Inputs(policy, gauge, quarters, Ledger(), {}, **more)


def planned(state: State = STATE, conversation: Any = SHORT, window: int = WINDOW, **more: Any) -> Planned:
    return BALANCED.project(Incoming(conversation, Delta(0)), state, inputs(window, **more))


def test_a_long_list_that_is_new_goes_to_another_thread_where_others_wait() -> None:
    assert LONG.raw_weight > 20_000 > SHORT.raw_weight
    new = Incoming(LONG, Delta(0))
    with pytest.raises(NeedsThread):
        BALANCED.project(new, STATE, inputs(may_take_long=False))
    assert BALANCED.project(new, STATE, inputs(may_take_long=True)).plan.pieces
    assert BALANCED.project(Incoming(SHORT, Delta(0)), STATE, inputs(may_take_long=False)).plan.pieces


def test_after_a_restart_the_packet_stands_before_its_message() -> None:
    packet = RenderedPacket("k", "[ctxmgr packet]\nfacts", 6)
    at = SHORT.key(13)
    state = msgspec.structs.replace(STATE, packet=packet, anchor=at)
    plan = planned(state).plan
    assert plan.floor == 13
    assert Packet(packet.text, packet.weight) in plan.pieces
    lost = planned(msgspec.structs.replace(state, anchor="gone")).plan
    assert lost.floor == 0
    assert planned(msgspec.structs.replace(state, anchor="")).plan.floor == 0
    bare = msgspec.structs.replace(state, packet=RenderedPacket("k", "", 0))
    assert not any(isinstance(piece, Packet) for piece in planned(bare).plan.pieces)


TEXT = "\n".join(f"line {number}" for number in range(900))


def work(number: int) -> list[Said]:
    """A file is written, another read, and a build fails at length."""
    return [
        a("look", call("write", path=f"w{number}", content=TEXT)),
        r("ok"),
        a(call("read", path=f"f{number}")),
        r(TEXT),
        a(call("bash", command="make")),
        err(f"Error: bad\n{TEXT}"),
    ]


MIXED = indexed(talk(u("go"), *(one for number in range(8) for one in work(number)), a("one"), u("x"), a("two")))


# `keep`, the window, results and tokens of the working set, the list's weight, the message the packet stands before
# (all but the first before it left), the packet's weight, edits (p: pruned, d: distilled), what was due has cost,
# what no epoch may take away
EPOCHS: list[tuple[int, int, tuple[int, int], int, int, int, str, int, int]] = [
    (100, 200_000, (0, 0), 2_115, 45, 83, "46p", 2_668, 3),
    (800, 200_000, (0, 0), 8_851, 39, 80, "42d", 1_800, 3),
    (2_500, 200_000, (0, 0), 31_129, 0, 0, "4p 6d 10p 12d 16p 18d 22p 24d 28p 30d 36d", 612, 3),
    (1_700, 40_000, (0, 0), 4_096, 45, 83, "", 2_606, 3),
    (1_700, 12_000, (0, 0), 2_115, 45, 83, "46p", 2_496, 3),
    (1_700, 200_000, (4, 0), 29_148, 0, 0, "4p 6d 10p 12d 16p 18d 22p 24d 28p 30d 34p 36d", 729, 8_251),
]


def test_what_an_epoch_leaves() -> None:
    for keep, window, newest, weight, floor, packet, edits, due, stays in EPOCHS:
        policy = Policy(keep=keep, working_set=WorkingSet(*newest))
        state = msgspec.structs.replace(STATE, reopen="policy")
        asked = inputs(window, policy=policy, archive="handles")
        found = BALANCED.project(Incoming(MIXED, Delta(0)), state, asked)
        plan, receipt = found.plan, found.receipt
        assert receipt is not None, edits
        assert (plan.weight, plan.floor, plan.packet_weight) == (weight, floor, packet), edits
        assert [at for at in range(MIXED.size) if at not in kept(plan)] == list(range(1, floor)), edits
        assert " ".join(f"{at}{kind[0]}" for at, kind in edited(plan).items()) == edits, edits
        assert f"what is due has cost {due:,} in 1 calls" in receipt.arithmetic, edits
        assert f"written {weight - (1 if floor else 2_238):,} x 1.25" in receipt.arithmetic, edits
        raw = MIXED.raw_weight
        saved = 1.25 * (raw - weight)  # nothing was cached
        assert found.state.epoch == Epoch(
            1,
            remaining_tokens=stays,
            raw_tokens=raw,
            session_calls=1,
            unpruned_tokens=raw,
            saved=pytest.approx(saved),
        ), edits
