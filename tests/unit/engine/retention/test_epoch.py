"""One epoch: what it takes away and what not, in which place, and what it says of it."""

from typing import Any

import pytest

from ctxmgr.engine.retention.epoch import PRESSED_SHARE
from ctxmgr.engine.retention.epoch_writing import WORTH_A_PREFIX
from ctxmgr.model.policy import WorkingSet
from tests.notation import Said, a, note, packet, raws, read, sh, summary, u
from tests.unit.engine.projections import edited, kept
from tests.unit.engine.stepwise import ALL, NOTHING, code, looked, ok, opened, packet_of, projected

NEWEST = WorkingSet(results=0, tokens=2)  # the last two steps of the lists below
NONE: dict[str, Any] = {"keep": NOTHING, "working_set": NEWEST}  # nothing of the old part stays
OLD = [one for number in range(6) for one in looked(number, 60)]  # 12 messages, about 2 100 tokens
LAST = [a("one"), a("two")]  # the steps that are lossless
HUGE = u(code(9, 500))  # 2 700 tokens: over the share of users


# name, conversation, what differs, indices that stay, edits, does a packet stand there?
TABLE: list[tuple[str, list[Said], dict[str, Any], list[int], dict[int, str], bool]] = [
    ("nothing", [], {}, [], {}, False),
    ("users alone", [u("go"), u("on")], {}, [0, 1], {}, False),
    ("a short list", [u("go"), *looked(1, 2), *LAST], {}, list(range(5)), {}, False),
    ("old steps leave", [u("go"), *OLD, *LAST], {**NONE}, [0, 13, 14], {}, True),
    (
        "the newest reply stays though the user ran a shell since",
        [u("go"), *OLD, *looked(5), sh("ls", code(6)), sh("ls", code(7))],
        {**NONE},
        [0, 13, 14, 15, 16],
        {},
        True,
    ),
    (
        "a user no packet can tell of stays",
        [u("go"), HUGE, *OLD, *LAST, u("on")],
        {**NONE, "working_set": WorkingSet(0, 2), "usable": 2_000.0, "weigh": lambda text: 99_999},
        [0, 1, 14, 15, 16],
        {},
        False,
    ),
    (
        "notes and summaries stay",
        [summary("## Goal\nx"), note("n"), *OLD, *LAST],
        {**NONE},
        [0, 1, 14, 15],
        {},
        True,
    ),
    (
        "the user's shell run leaves",
        [u("go"), sh("ls", code(1)), *OLD, *LAST],
        {**NONE},
        [0, 14, 15],
        {},
        True,
    ),
    (
        "pins stay",
        [u("go"), *OLD, *LAST],
        {**NONE, "protected": lambda: frozenset({2})},
        [0, 1, 2, 13, 14],
        {},
        True,
    ),
    (
        "user messages over their share leave, the longest first",
        [u("go"), HUGE, *looked(1), u("on"), *LAST, u("x")],
        {"keep": ALL, "working_set": NEWEST},
        [0, 2, 3, 4, 5, 6, 7],
        {},
        True,
    ),
    ("never the newest", [u("go"), *looked(1, 2), *LAST, HUGE], {}, [0, 1, 2, 3, 4, 5], {}, False),
    (
        "nor what the list starts with, where a reply would be first",
        [HUGE, *looked(1), *LAST, u("x")],
        {"keep": ALL, "working_set": NEWEST},
        [0, 1, 2, 3, 4, 5],
        {},
        False,
    ),
    (
        "but it leaves where the packet is first",
        [HUGE, *OLD, *LAST, u("x")],
        {**NONE, "working_set": WorkingSet(0, 2)},
        [13, 14, 15],
        {},
        True,
    ),
    ("one at the very end too", [u("go"), packet(code(1, 300))], {**NONE}, [0], {}, True),
    (
        "a packet at the start stays where a reply would be first",
        [packet(code(1)), *looked(1), *LAST],
        {"keep": ALL, "working_set": NEWEST},
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
    ok(messages, plan, NEWEST)
    assert kept(plan) == stays
    assert edited(plan) == edits
    assert bool(packet_of(plan)) == with_packet


def test_an_epoch_that_would_save_little_leaves_the_cached_prefix_alone() -> None:
    """Where nothing is cached it costs nothing: then a little is enough, if it is asked for."""
    reads = [one for number in range(60) for one in looked(number, 60)]
    messages = read(raws(u("go"), *looked(99, 5), *reads, *LAST))
    weight = sum(message.weight for message in messages)
    for count, opens in ((1, False), (10, True)):
        held = frozenset(range(2 * count + 1, len(messages)))
        done = projected(messages, reopen="forced", protected=lambda held=held: held, **NONE)
        assert bool(done.epoch_result) == opens
        assert opens == (weight - done.plan.weight > WORTH_A_PREFIX * weight)
    few = frozenset(range(7, len(messages)))
    assert projected(messages, reopen="forced", protected=lambda: few, cached_count=0, **NONE).epoch_result


def test_a_pin_comes_back_from_before_all_that_is_shown() -> None:
    """A list may begin with steps that left: then the first thing shown is after what comes back."""
    messages = read(raws(*OLD, *LAST, a("three")))
    gone = projected(messages, reopen="forced", **NONE)
    assert min(kept(gone.plan)) > 5
    back = projected(messages, gone, len(messages), reopen="pin", protected=lambda: frozenset({2, 3}), **NONE)
    assert back.epoch_result is not None
    assert {2, 3} <= set(kept(back.plan))
    ok(messages, back.plan, NEWEST)


def test_an_epoch_over_an_unmoved_list_is_counted() -> None:
    """A host put another list in place, of which nothing leaves."""
    messages = read(raws(u("go"), *LAST))
    done = projected(messages, reopen="compaction", replaced=True, time_ms=7)
    assert done.epoch_result is not None
    receipt = done.epoch_result.receipt
    assert (receipt.epoch_number, receipt.opening, receipt.time_ms) == (1, "compaction", 7)
    assert receipt.before_tokens == receipt.after_tokens == done.plan.weight


def long_list() -> tuple[Any, int]:
    messages = read(raws(u("go"), *(one for number in range(60) for one in looked(number, 60)), *LAST))
    return messages, sum(message.weight for message in messages)


def test_a_pressed_list_comes_well_below_its_limit_and_breaks_no_promise() -> None:
    messages, weight = long_list()
    done = projected(messages, limit=weight / 2, keep=ALL)
    assert done.epoch_result is not None
    assert done.epoch_result.receipt.opening == "red"
    assert done.plan.weight <= PRESSED_SHARE * weight / 2
    ok(messages, done.plan)


def test_where_that_does_not_do_the_working_set_stays_and_what_users_said() -> None:
    messages, _ = long_list()
    done = projected(messages, limit=10.0, keep=ALL, working_set=NEWEST)
    assert kept(done.plan) == [0, len(messages) - 2, len(messages) - 1]


def test_where_what_must_stay_fills_a_pressed_list_a_few_words_stay() -> None:
    """The working set is over seven tenths of the limit: what is before it may have a tenth."""
    messages, _ = long_list()
    half = WorkingSet(results=30, tokens=0)
    held = sum(message.weight for message in messages[-61:])
    limit = held / 0.8
    done = projected(messages, limit=limit, keep=ALL, working_set=half)
    assert done.epoch_result is not None
    before = done.plan.weight - held
    assert 0.03 * limit < before <= 0.12 * limit


def test_a_pressed_list_of_which_less_than_a_quarter_can_leave_waits_for_a_compaction() -> None:
    """But not where it does not fit."""
    messages, weight = long_list()
    most = WorkingSet(results=50, tokens=0)
    assert projected(messages, limit=weight - 1, keep=ALL, working_set=most).epoch_result is None
    assert projected(messages, window_limit=weight - 1, keep=ALL, working_set=most).epoch_result is not None
