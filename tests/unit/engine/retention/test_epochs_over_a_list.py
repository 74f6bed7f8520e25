"""Preset `balanced` over a growing list: when epochs begin, and that between them no byte changes."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, STEPS
from ctxmgr.engine.retention.epoch import SHORT_SESSION_CALLS
from ctxmgr.engine.retention.receipts import MUST, BalancedResult
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES
from ctxmgr.model.prices import Rates
from ctxmgr.model.projection import BlockEdit, Keep, Plan
from tests.notation import indexed, raws, read, talk, u
from tests.unit.engine.projections import kept, sent
from tests.unit.engine.stepwise import (
    KEEP,
    NOTHING,
    any_list,
    looked,
    looked_by,
    projected,
    restarted,
    results_late,
)


def grown(count: int) -> tuple[Message, ...]:
    """A user message and so many steps of about 115 tokens."""
    return read(raws(u("go"), *(one for number in range(count) for one in looked(number % 7))))


def test_an_epoch_begins_when_what_is_due_has_cost_what_the_change_costs() -> None:
    """And not before; both are told with the epoch in force."""
    messages = grown(120)
    done: BalancedResult | None = None
    size, epochs, calls = 0, 0, 0
    for end in range(1, len(messages) + 1, 2):
        waiting = done.epoch if done is not None else Epoch()
        done = projected(messages[:end], done, size)
        calls += 1
        if done.epoch_result is not None:
            assert done.epoch_result.receipt.opening == "price"
            assert f"in {calls} calls" in done.epoch_result.receipt.arithmetic
            assert waiting.regret < waiting.needed or is_unearned(waiting), "it did not pay one call before"
            calls, epochs = 0, epochs + 1
            assert (done.epoch.regret, done.epoch.needed) == (0.0, 0.0)
        assert (done.epoch.number, done.epoch.call_count) == (epochs, calls)
        size = end
    assert epochs >= 3


def is_unearned(epoch: Epoch) -> bool:
    """Whether what an epoch would cost had not been saved, when this was told."""
    return epoch.session_calls < SHORT_SESSION_CALLS and epoch.needed > epoch.saved


@settings(max_examples=4)
@given(st.integers(0, 1_000), st.sampled_from((Rates(0.05, 1.25), Rates(0.1, 1.25), Rates(0.5, 1.0))))
def test_money_makes_no_short_session_dearer_by_more_than_its_part_whenever_it_ends(seed: int, by: Rates) -> None:
    """By a bill of its own: what a list has in common with the one before was cached, all else is written."""
    lines = random.Random(seed).choices(range(1, 60), k=SHORT_SESSION_CALLS + 30)
    said = [one for number, count in enumerate(lines) for one in looked(number % 7, count)]
    messages = read(raws(u("go"), *said))
    done: BalancedResult | None = None
    size, epochs, before, bill, unpruned = 0, 0, [], 0.0, 0.0
    for end in range(1, len(messages) + 1, 2):
        done = projected(messages[:end], done, size, cached_count=size, rates=by)
        opened = done.epoch_result is not None
        assert not opened or done.epoch_result.receipt.opening == "price"
        epochs += opened
        now = weighed(done.plan, messages)
        bill += billed(before, now, by)
        unpruned += billed(weighed_whole(messages[:size]), weighed_whole(messages[:end]), by)
        if done.epoch.session_calls <= SHORT_SESSION_CALLS:
            assert bill <= 1.02 * unpruned + 1, f"dearer after {end // 2} calls, {epochs} epochs"
        before, size = now, end
    assert epochs > 0


Weighed = list[tuple[object, int]]


def weighed_whole(messages: Sequence[Message]) -> Weighed:
    return [(message.digest, message.weight) for message in messages]


def weighed(plan: Plan, messages: Sequence[Message]) -> Weighed:
    found: Weighed = []
    for piece in plan.pieces:
        if isinstance(piece, Keep):
            found += weighed_whole(messages[piece.start : piece.end])
        elif isinstance(piece, BlockEdit):
            found.append((piece, messages[piece.message_index].weight - piece.before_tokens + piece.after_tokens))
        else:
            found.append((piece.text, piece.weight))
    return found


def billed(before: Weighed, now: Weighed, by: Rates) -> float:
    same = next((at for at, (old, new) in enumerate(zip(before, now, strict=False)) if old != new), None)
    cached = min(len(before), len(now)) if same is None else same
    read_tokens = sum(weight for _, weight in now[:cached])
    return read_tokens * by.cache_read + sum(weight for _, weight in now[cached:]) * by.cache_write


def test_a_cold_cache_opens_one_and_the_next_call_none() -> None:
    messages = grown(20)
    warm = projected(messages[:-2], time_ms=1_000)
    assert warm.epoch_result is None
    cold = projected(messages, warm, len(messages) - 2, cached_count=0, time_ms=900_000)
    assert cold.epoch_result is not None
    assert (cold.epoch_result.receipt.opening, cold.epoch_result.receipt.time_ms, cold.epoch.last_time_ms) == (
        "cold",
        900_000,
        900_000,
    )
    again = projected(messages, cold, len(messages), cached_count=0, time_ms=1_900_000)
    assert again.epoch_result is None, "what is chosen is chosen"


# over a list that grows


@st.composite
def courses(draw: st.DrawFn) -> tuple[tuple[Message, ...], list[tuple[int, dict[str, Any]]]]:
    """A list, and the calls over it: so many messages each, with what differs."""
    messages = draw(st.one_of(any_list, results_late()))
    count = draw(st.integers(1, 10))
    sizes = sorted(draw(st.lists(st.integers(0, len(messages)), min_size=count, max_size=count)))
    reasons = st.sampled_from([None] * 8 + ["forced", "pin", "compaction", "policy"])
    calls = []
    for size in sizes:
        held = frozenset(at for at in draw(st.frozensets(st.integers(0, 20), max_size=1)) if at < size)
        keys = {
            "zone": draw(st.sampled_from(("green", *ZONES))),
            "reopen": draw(reasons),
            "keep": draw(st.sampled_from((KEEP, NOTHING, 100.0))),
            "limit": draw(st.sampled_from((1e9, 1e9, 500.0))),
            "usable": draw(st.sampled_from((2_000.0, 20_000.0))),
            "window_limit": draw(st.sampled_from((1_000.0, 25_000.0, 25_000.0))),
            "protected": lambda held=held: held,
        }
        if draw(st.booleans()):
            keys["cached_count"] = 0
        calls.append((size, keys))
    return messages, calls


FORCED: dict[str, Any] = {"reopen": "forced", "keep": NOTHING, "cached_count": 0}
ASKED, LATE = looked_by("late", 1)
GOING_ON = [said for number in range(2, 10) for said in looked_by(f"c{number}", number, 60)]
WAITED = talk(u("go"), ASKED, *GOING_ON, LATE)
GIVEN_UP = talk(u("go"), ASKED, u("on"), *GOING_ON, LATE)

Course = tuple[tuple[Message, ...], list[tuple[int, dict[str, Any]]]]


@settings(max_examples=40)
@given(courses())
@example((WAITED, [(len(WAITED) - 1, FORCED), (len(WAITED), {"reopen": None})]))
@example((GIVEN_UP, [(len(GIVEN_UP) - 1, FORCED), (len(GIVEN_UP), {"reopen": None})]))
def test_no_byte_changes_outside_an_announced_epoch_nor_by_a_restart(course: Course) -> None:
    messages, calls = course
    done: BalancedResult | None = None
    size, before = 0, list[bytes]()
    index, check_state = ConversationIndex(), FRESH
    for end, keys in calls:
        shown = messages[:end]
        number = done.epoch.number if done is not None else 0
        after = projected(shown, done, size, **keys)
        out = sent(shown, after.plan)
        if done is not None:
            anew = restarted(shown, done, size, **keys)
            assert sent(shown, anew.plan) == out
            if after.epoch_result is not None or anew.epoch_result is None:
                assert anew.epoch == after.epoch
                assert (anew.epoch_result and anew.epoch_result.receipt) == (
                    after.epoch_result and after.epoch_result.receipt
                )
            else:  # whether a list was put in place of the old one is not known then: one more epoch is told
                assert (anew.epoch_result.receipt.evicted, keys["reopen"] in MUST) == ((), True)
        assert after.epoch.number == number + (after.epoch_result is not None)
        if after.epoch_result is None:
            assert out == [*before, *(message.raw for message in shown[size:])]
        else:
            assert out != [*before, *(message.raw for message in shown[size:])]
        index = extend(index, shown)
        faults, check_state = STEPS.check(index, after.plan, check_state)
        assert faults == ()
        assert STEPS.check(index, after.plan)[0] == ()
        done, size, before = after, end, out


def test_a_call_that_waits_for_its_result_stays() -> None:
    """Whatever stands after it; so a result that comes late changes nothing that is old."""
    count = len(WAITED) - 1
    before = projected(WAITED[:-1], **FORCED)
    assert kept(before.plan) == [0, 1, *range(count - 4, count)]
    after = projected(WAITED, before, count)
    assert after.epoch_result is None
    assert kept(after.plan) == [*kept(before.plan), count]


@pytest.mark.parametrize("keys", [{}, {"reopen": "pin"}, {"reopen": "rewritten"}, {"window_limit": 1.0}], ids=str)
def test_a_call_that_was_given_up_leaves_and_comes_back_with_its_result(keys: dict[str, Any]) -> None:
    """Once the assistant has answered a user who spoke after it; a host that cancels a call sends none."""
    count = len(GIVEN_UP) - 1
    before = projected(GIVEN_UP[:-1], **FORCED)
    assert kept(before.plan) == [0, 2, *range(count - 4, count)]
    after = projected(GIVEN_UP, before, count, keep=NOTHING, **keys)
    assert after.epoch_result is not None
    assert after.epoch_result.receipt.opening == "rewritten"
    assert kept(after.plan) == [0, 1, 2, *range(count - 2, count + 1)]
    assert indexed(GIVEN_UP).key(count) not in after.plan.decisions, "no model has read it"
    assert projected(GIVEN_UP, after, count + 1).epoch_result is None


def test_a_long_run_is_held_flat() -> None:
    """One user message and hundreds of steps: what stays follows what it is worth, the newest steps are there,
    epochs are few."""
    messages = grown(240)
    done: BalancedResult | None = None
    size, largest, epochs = 0, 0, 0
    for end in range(41, len(messages) + 1, 8):
        done = projected(messages[:end], done, size)
        largest, epochs, size = max(largest, done.plan.weight), done.epoch.number, end
        assert {0, *range(end - 4, end)} <= set(kept(done.plan))
    raw = sum(message.weight for message in messages)
    assert largest < raw / 4
    assert 3 <= epochs <= 60


# in every format
