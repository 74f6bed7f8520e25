"""One epoch: what it takes away and what not, in which place, and what it says of it."""

from typing import Any

import pytest

from ctxmgr.engine.balanced.budget import Budget
from ctxmgr.engine.balanced.cache_cost import NO_STEPS, PriceStep, PriceSteps
from ctxmgr.engine.balanced.epoch_start import LEAST_IN_RED, LEAST_SAVED
from ctxmgr.engine.balanced.project import unmoved
from ctxmgr.model import Rates
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.projection import Packet
from tests.notation import Said, a, call, err, note, packet, r, raws, read, sh, summary, think, u
from tests.unit.engine.projections import kept
from tests.unit.engine.stepwise import code, kinds, looked, ok, opened, packet_of, projected, wrote

NONE = Budget(0, 0, 60)  # nothing of the old part stays, and the last two steps
OLD = [one for number in range(6) for one in looked(number, 60)]  # 12 messages, about 2 100 tokens
LAST = [a("one"), a("two")]  # the steps that are lossless
HUGE = u(code(9, 500))  # 2 700 tokens: over the share of users
RUN = call("bash", command="make")
READ_1 = call("read", path="src/mod_1.py")


# name, conversation, what differs, indices that stay, edits, does a packet stand there?
TABLE: list[tuple[str, list[Said], dict[str, Any], list[int], dict[int, str], bool]] = [
    ("nothing", [], {}, [], {}, False),
    ("users alone", [u("go"), u("on")], {}, [0, 1], {}, False),
    ("a short list", [u("go"), *looked(1, 2), *LAST], {}, list(range(5)), {}, False),
    ("old steps leave", [u("go"), *OLD, *LAST], {"budget": NONE}, [0, 13, 14], {}, True),
    ("the newest user too stays", [u("go"), *OLD, *LAST, u("on")], {"budget": NONE}, [0, 13, 14, 15], {}, True),
    (
        "the newest reply stays though the user ran a shell since",
        [u("go"), *OLD, *looked(5), sh("ls", code(6)), sh("ls", code(7))],
        {"budget": NONE},
        [0, 13, 14, 15, 16],
        {14: "pruned"},
        True,
    ),
    (
        "a user no packet can tell of stays",
        [u("go"), HUGE, *OLD, *LAST, u("on")],
        {"budget": NONE, "usable": 2_000.0, "weigh": lambda text: 99_999},
        [0, 1, 14, 15, 16],
        {},
        False,
    ),
    (
        "what was said between stays",
        [u("go"), *OLD, u("on"), *OLD, *LAST],
        {"budget": NONE},
        [0, 13, 26, 27],
        {},
        True,
    ),
    (
        "notes and summaries stay",
        [summary("## Goal\nx"), note("n"), *OLD, *LAST],
        {"budget": NONE},
        [0, 1, 14, 15],
        {},
        True,
    ),
    (
        "the user's shell run leaves",
        [u("go"), sh("ls", code(1)), *OLD, *LAST],
        {"budget": NONE},
        [0, 14, 15],
        {},
        True,
    ),
    (
        "pins stay",
        [u("go"), *OLD, *LAST],
        {"budget": NONE, "protected": lambda: frozenset({2})},
        [0, 1, 2, 13, 14],
        {},
        True,
    ),
    (
        "user messages over their share leave, the longest first",
        [u("go"), HUGE, *looked(1), u("on"), *LAST, u("x")],
        {"budget": Budget(9_000, 0, 60)},
        [0, 2, 3, 4, 5, 6, 7],
        {},
        True,
    ),
    ("never the newest", [u("go"), *looked(1, 2), *LAST, HUGE], {}, [0, 1, 2, 3, 4, 5], {}, False),
    (
        "nor what is pinned",
        [u("go"), HUGE, *LAST, u("x")],
        {"protected": lambda: frozenset({1})},
        [0, 1, 2, 3, 4],
        {},
        False,
    ),
    (
        "nor what the list starts with, where a reply would be first",
        [HUGE, *looked(1), *LAST, u("x")],
        {"budget": Budget(9_000, 0, 60)},
        [0, 1, 2, 3, 4, 5],
        {},
        False,
    ),
    (
        "but it leaves where the packet is first",
        [HUGE, *OLD, *LAST, u("x")],
        {"budget": NONE},
        [13, 14, 15],
        {},
        True,
    ),
    (
        "or a user's message",
        [HUGE, u("on"), *looked(1), *LAST, u("x")],
        {"budget": Budget(9_000, 0, 60)},
        [1, 2, 3, 4, 5, 6],
        {},
        True,
    ),
    (
        "packets that came back leave",
        [u("go"), *OLD, packet(code(1)), *LAST],
        {"budget": NONE},
        [0, 14, 15],
        {},
        True,
    ),
    ("one at the very end too", [u("go"), packet(code(1, 300))], {"budget": NONE}, [0], {}, True),
    (
        "with nothing after it",
        [HUGE, u("on"), summary("## Goal\nx")],
        {"budget": NONE, "usable": 9_000.0},
        [1, 2],
        {},
        True,
    ),
    (
        "a packet at the start stays where a reply would be first",
        [packet(code(1)), *looked(1), *LAST],
        {"budget": Budget(9_000, 0, 60)},
        [0, 1, 2, 3, 4],
        {},
        False,
    ),
]


@pytest.mark.parametrize(
    ("name", "said", "keys", "stays", "edits", "with_packet"), TABLE, ids=[row[0] for row in TABLE]
)
def test_what_an_epoch_leaves(
    name: str, said: list[Said], keys: dict[str, Any], stays: list[int], edits: dict[int, str], with_packet: bool
) -> None:
    messages, plan = opened(said, **keys)
    ok(messages, plan)
    assert kept(plan) == stays
    assert kinds(plan) == edits
    assert bool(packet_of(plan)) == with_packet


MUCH = {"budget": Budget(20_000, 0, 60)}
FAILED = [a("the_name", RUN), err("Error: " + code(7, 200))]
WRITTEN = wrote(1, 40)[0].fields["content"]
STAYS: list[tuple[str, list[Said], dict[str, Any], dict[int, str]]] = [
    ("a long error is distilled", FAILED, {}, {26: "distilled"}),
    ("not a short one", [FAILED[0], err("Error: no")], {}, {}),
    ("not one that is pinned", FAILED, {"protected": lambda: frozenset({26})}, {}),
    ("arguments that were written again are shortened", [a("the_name", *WRITTEN), r("ok")], {}, {25: "shortened"}),
    ("not beside anything signed", [a(think("the_name"), *WRITTEN), r("ok")], {}, {}),
    ("nor what is pinned", [a("the_name", *WRITTEN), r("ok")], {"protected": lambda: frozenset({25})}, {}),
    ("a read that was read again is pruned", [a("the_name", READ_1), r(code(1, 60))], {}, {26: "pruned"}),
    (
        "not where its tool is protected, in whatever case it is named",
        [a("the_name", READ_1), r(code(1, 60))],
        {"tools": ("READ",)},
        {},
    ),
]


@pytest.mark.parametrize(("name", "step", "keys", "edits"), STAYS, ids=[row[0] for row in STAYS])
def test_what_is_done_to_a_step_that_stays(
    name: str, step: list[Said], keys: dict[str, Any], edits: dict[int, str]
) -> None:
    messages, plan = opened([u("go"), *OLD, *OLD, *step, *OLD, *wrote(1, 40), *LAST], **(MUCH | keys))
    ok(messages, plan)
    assert {25, 26} <= set(kept(plan))
    assert {at: kind for at, kind in kinds(plan).items() if at in (25, 26)} == edits


def test_a_prefix_breaks_before_a_step_though_only_its_result_leaves() -> None:
    said = [u("go"), a("the_name", READ_1), r(code(1, 300)), *looked(1, 300), *LAST]
    messages, plan = opened(said, budget=MUCH["budget"])
    ok(messages, plan)
    assert kinds(plan) == {2: "pruned"}


def test_an_epoch_that_would_save_little_leaves_the_cached_prefix_alone() -> None:
    """Whatever the room for the old part. Where nothing is cached it costs nothing: then a little is enough."""
    messages = read(raws(u("go"), *(one for number in range(60) for one in looked(number, 60)), *LAST))
    weight = sum(message.weight for message in messages)
    warm, cold = (
        [
            1 - done.plan.weight / weight
            for room in range(weight * 3 // 4, weight, 200)
            if (
                done := projected(messages, reopen="forced", budget=Budget(room, 0, 60), cached_count=cached)
            ).epoch_result
        ]
        for cached in (len(messages), 0)
    )
    assert LEAST_SAVED <= min(warm) < 2 * LEAST_SAVED == 0.1
    assert 0 < min(cold) < LEAST_SAVED


def test_a_user_message_that_left_is_told_in_the_packet() -> None:
    texts = ("first part", code(9, 500))
    two = Said({"role": "user", "content": [{"type": "text", "text": text} for text in texts]})
    _, plan = opened([u("go"), two, *OLD, *LAST, u("on")], budget=NONE)
    assert "first part" in packet_of(plan)


def test_a_pin_comes_back_from_before_all_that_is_shown() -> None:
    """A list may begin with steps that left: then the first thing shown is after what comes back."""
    messages = read(raws(*OLD, *LAST, a("three")))
    gone = projected(messages, reopen="forced", budget=NONE)
    assert min(kept(gone.plan)) > 5
    back = projected(messages, gone, len(messages), reopen="pin", protected=lambda: frozenset({2, 3}), budget=NONE)
    assert back.epoch_result is not None
    assert {2, 3} <= set(kept(back.plan))
    ok(messages, back.plan)


def test_a_message_without_content_stays_away() -> None:
    """It left with its step; a later epoch, which breaks the prefix after it, does not bring it back."""
    empty = Said({"role": "assistant", "content": [], "stopReason": "error"})
    said = [u("go"), *looked(1, 60, "old_name"), empty, *OLD, *LAST]
    before = projected(read(raws(*said)), reopen="forced", budget=NONE)
    assert 3 not in kept(before.plan)
    more = [*said, *OLD, *OLD, *LAST]
    after = projected(read(raws(*more)), before, len(said), reopen="forced", budget=NONE)
    assert after.epoch_result is not None
    assert 3 not in kept(after.plan)


def test_a_list_that_was_rewritten_has_an_epoch_where_that_costs_nothing_more() -> None:
    messages = read(raws(u("go"), *OLD, *LAST))
    written_anyway = projected(messages, reopen="rewritten", budget=NONE, cached_count=0)
    assert written_anyway.epoch_result
    assert not projected(messages, reopen="rewritten", budget=NONE, cached_count=len(messages)).epoch_result


def test_an_epoch_over_an_unmoved_list_is_counted() -> None:
    plan = projected(read(raws(u("go"), *LAST))).plan
    done = unmoved(plan, Epoch(number=4, last_time_ms=7), "policy", Packet("", 0)).receipt
    assert (done.epoch_number, done.opening, done.time_ms) == (5, "policy", 7)
    assert done.before_tokens == done.after_tokens == plan.weight


def test_in_red_an_epoch_that_would_soon_be_repeated_waits() -> None:
    """What is new and large leaves a step or two later by itself, so a third of the list is to leave with it."""
    messages = read(raws(u("go"), *(one for number in range(60) for one in looked(number, 60)), *LAST))
    weight = sum(message.weight for message in messages)
    saved = [
        1 - done.plan.weight / weight
        for room in range(weight // 4, weight, 400)
        if (
            done := projected(
                messages, reopen="forced", zone="red", budget=Budget(room, 0, 60), cached_count=len(messages)
            )
        ).epoch_result
    ]
    assert LEAST_IN_RED <= min(saved) < LEAST_IN_RED + 0.1


@pytest.mark.parametrize("lack", ["red", "compact", "window", "step"])
def test_where_room_is_needed_as_much_leaves_when_reading_is_free(lack: str) -> None:
    """A break that saves nothing a call would else be the smallest, or none."""
    messages = read(raws(u("go"), *(one for number in range(60) for one in looked(number, 60)), *LAST))
    weight = sum(message.weight for message in messages)
    room, window = Budget(300, 100, 60), weight - 1 if lack == "window" else 2 * weight

    def left(rates: Rates) -> int:
        ask: dict[str, Any] = {
            "zone": lack if lack in ("red", "compact") else "green",
            "steps": PriceSteps((PriceStep(weight - 1, 2.0, 2.0),)) if lack == "step" else NO_STEPS,
            "budget": room,
            "window_limit": window,
            "cached_count": len(messages),
            "rates": rates,
        }
        done = projected(messages, reopen="red", epoch=Epoch(3), **ask)
        return done.plan.weight if done.epoch_result else weight

    assert left(Rates(0.0, 1.0)) == left(Rates(0.1, 1.0)) < weight / 2
