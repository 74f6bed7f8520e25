"""Preset `balanced` as a session asks it: what goes to another thread, what opens an epoch, where the packet is."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from ctxmgr.engine.presets import PRESETS
from ctxmgr.engine.presets.strategy import Delta, Incoming, Inputs, NeedsThread, Planned
from ctxmgr.engine.pressure.zone import Gauge, thresholds
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.policy import Policy, WorkingSet
from ctxmgr.model.projection import Keep, Packet
from ctxmgr.model.saved.facts import Ledger
from ctxmgr.model.saved.state import LastProjection, Meter, ModelSpec, RenderedPacket, State
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


def test_one_that_only_adds_goes_there_where_an_epoch_may_be_opened() -> None:
    first = planned(conversation=LONG)
    state = msgspec.structs.replace(first.state, reopen="policy")
    adding = Incoming(LONG, Delta(LONG.size), None, first.plan)
    with pytest.raises(NeedsThread):
        BALANCED.project(adding, state, inputs(may_take_long=False))
    assert BALANCED.project(adding, state, inputs()).plan.pieces


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


@pytest.mark.parametrize(
    ("keep", "kinds", "packet", "pruned"),
    [
        (1, {"dropped": 56}, "epoch 1", 0),
        (400, {"dropped": 52}, "epoch 1", 0),
        (1_700, {"pruned": 6, "distilled": 6}, None, 6),
    ],
)
def test_what_an_epoch_did_is_counted_by_its_receipt(
    keep: int, kinds: dict[str, int], packet: str | None, pruned: int
) -> None:
    state = msgspec.structs.replace(STATE, reopen="policy", receipts=(), force_prune=True)
    policy = Policy(keep=keep, working_set=WorkingSet(results=0, tokens=0))
    found = BALANCED.project(Incoming(MIXED, Delta(0)), state, inputs(policy=policy, archive="originals"))
    after, receipt = found.state, found.receipt
    assert receipt is not None
    assert Counter(item.kind for item in receipt.evicted) == kinds
    assert (after.totals.results_pruned, after.totals.results_distilled) == (pruned, kinds.get("distilled", 0))
    lighter = sum(item.before_tokens - item.after_tokens for item in receipt.evicted)
    assert after.totals.pruned_tokens == lighter
    assert (receipt.before_tokens, receipt.after_tokens) == (MIXED.raw_weight, found.plan.weight)
    scanned = sum(MIXED.block_weight(ref) for index in range(MIXED.size) for ref, _ in MIXED.results(index))
    kept = {
        index for piece in found.plan.pieces if isinstance(piece, Keep) for index in range(piece.start, piece.end)
    }
    whole = sum(MIXED.block_weight(ref) for index in kept for ref, _ in MIXED.results(index))
    assert (after.totals.scanned_tokens, after.totals.protected_tokens) == (scanned, whole)
    assert after.totals.prunable_tokens == scanned - whole
    assert after.receipts == (receipt,)
    assert (after.reopen, after.force_prune, after.epoch.number) == (None, False, 1)
    assert (after.packet.placement_key if after.packet else None) == packet
    assert after.anchor == (MIXED.key(found.plan.floor) if packet else "")
    assert [row.key for row in found.originals] == [item.key for item in receipt.evicted]


# `keep`, the window, results and tokens of the working set, the list's weight, the message the packet stands before
# (all but the first before it left), the packet's weight, edits (p: pruned, d: distilled), what was due has cost,
# what no epoch may take away
EPOCHS: list[tuple[int, int, tuple[int, int], int, int, int, str, int, int]] = [
    (100, 200_000, (0, 0), 2_115, 45, 83, "46p", 2_668, 3),
    (400, 200_000, (0, 0), 4_096, 45, 83, "", 2_848, 3),
    (800, 200_000, (0, 0), 8_851, 39, 80, "42d", 1_800, 3),
    (1_700, 200_000, (0, 0), 29_148, 0, 0, "4p 6d 10p 12d 16p 18d 22p 24d 28p 30d 34p 36d", 747, 3),
    (2_500, 200_000, (0, 0), 31_129, 0, 0, "4p 6d 10p 12d 16p 18d 22p 24d 28p 30d 36d", 612, 3),
    (3_400, 200_000, (0, 0), 32_612, 0, 0, "4p 6d 10p 12d 16p 18d 22p 24d 28p 30d", 489, 3),
    (6_000, 200_000, (0, 0), 37_559, 0, 0, "4p 6d 10p 12d 16p 18d 22p", 267, 3),
    (1_700, 60_000, (0, 0), 4_096, 45, 83, "", 2_829, 3),
    (1_700, 40_000, (0, 0), 4_096, 45, 83, "", 2_606, 3),
    (3_400, 25_000, (0, 0), 4_096, 45, 83, "", 2_737, 3),
    (1_700, 12_000, (0, 0), 2_115, 45, 83, "46p", 2_496, 3),
    (1_700, 200_000, (4, 0), 29_148, 0, 0, "4p 6d 10p 12d 16p 18d 22p 24d 28p 30d 34p 36d", 729, 8_251),
    (400, 200_000, (0, 9_000), 10_334, 39, 80, "", 2_104, 10_254),
]


@pytest.mark.parametrize(("keep", "window", "newest", "weight", "floor", "packet", "edits", "due", "stays"), EPOCHS)
def test_what_an_epoch_leaves(
    keep: int,
    window: int,
    newest: tuple[int, int],
    weight: int,
    floor: int,
    packet: int,
    edits: str,
    due: int,
    stays: int,
) -> None:
    policy = Policy(keep=keep, working_set=WorkingSet(*newest))
    state = msgspec.structs.replace(STATE, reopen="policy")
    asked = inputs(window, policy=policy, archive="handles")
    found = BALANCED.project(Incoming(MIXED, Delta(0)), state, asked)
    plan, receipt = found.plan, found.receipt
    assert receipt is not None
    assert (plan.weight, plan.floor, plan.packet_weight) == (weight, floor, packet)
    assert [at for at in range(MIXED.size) if at not in kept(plan)] == list(range(1, floor))
    assert " ".join(f"{at}{kind[0]}" for at, kind in edited(plan).items()) == edits
    assert f"what is due has cost {due:,} in 1 calls" in receipt.arithmetic
    assert f"written {weight - (1 if floor else 2_238):,} x 1.25" in receipt.arithmetic
    raw = MIXED.raw_weight
    saved = 1.25 * (raw - weight)  # nothing was cached
    assert found.state.epoch == Epoch(
        1, remaining_tokens=stays, raw_tokens=raw, session_calls=1, unpruned_tokens=raw, saved=pytest.approx(saved)
    )


def test_a_list_that_was_written_anew_after_a_restart_opens_an_epoch_where_something_is_due() -> None:
    policy = Policy(keep=1_700, working_set=WorkingSet(results=0, tokens=0))
    opened = BALANCED.project(
        Incoming(MIXED, Delta(0)), msgspec.structs.replace(STATE, reopen="policy"), inputs(policy=policy)
    )
    shown = LastProjection("1.x", MIXED.size, opened.plan.weight, "quarters")
    decided = msgspec.structs.replace(opened.state, last_projection=shown)
    for state, unchanged, number in (
        (decided, MIXED.size, 1),
        (decided, 10, 1),  # all that is due was decided
        (msgspec.structs.replace(decided, decisions={}), 10, 2),
        (msgspec.structs.replace(decided, last_projection=None), 0, 1),
    ):
        found = BALANCED.project(Incoming(MIXED, Delta(unchanged)), state, inputs(policy=policy))
        assert found.state.epoch.number == number
        assert (found.receipt is not None) == (number == 2)


@pytest.mark.parametrize(
    ("may_ask", "host_reserve", "is_early"), [(True, 0, True), (False, 16_384, True), (False, 0, False)]
)
def test_nothing_is_removed_for_room_before_the_window_ends_if_nobody_compacts(
    may_ask: bool, host_reserve: int, is_early: bool
) -> None:
    """A host that compacts at another window, and cannot be asked, does nothing at the end of this one."""
    window = round(LONG.raw_weight / 0.95 / 0.75)  # the list takes .95 of what is usable
    policy = Policy(host_reserve=host_reserve, working_set=WorkingSet(results=0, tokens=0))
    gauge = Gauge(Meter(), thresholds(policy, window), "quarters/m", 0)
    by = Inputs(policy, gauge, quarters, Ledger(), {}, may_ask=may_ask)
    found = BALANCED.project(Incoming(LONG, Delta(0)), STATE, by).receipt
    assert (found is not None and found.opening == "red") == is_early
