"""Preset `balanced` over a growing list: when epochs begin, and that between them no byte changes."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, STEPS
from ctxmgr.engine.retention.receipts import MUST, BalancedResult
from ctxmgr.formats import FORMATS
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES, WorkingSet
from tests import translation
from tests.notation import a, indexed, raws, read, talk, u
from tests.translation import RULES
from tests.unit.engine.projections import kept
from tests.unit.engine.stepwise import (
    ALL,
    KEEP,
    NOTHING,
    any_list,
    ask,
    legal,
    looked,
    looked_by,
    project,
    projected,
    restarted,
    results_late,
    sent,
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
            assert waiting.regret < waiting.needed, "it did not pay one call before"
            calls, epochs = 0, epochs + 1
            assert (done.epoch.regret, done.epoch.needed) == (0.0, 0.0)
        assert (done.epoch.number, done.epoch.call_count) == (epochs, calls)
        size = end
    assert epochs >= 3


def test_an_epoch_that_would_take_nothing_away_is_none() -> None:
    messages = grown(3)
    for reason in ("forced", "model", "policy", "pin", "cold", "red"):
        done = projected(messages, reopen=reason, keep=ALL)
        assert (done.epoch_result, done.epoch.number, kept(done.plan)) == (None, 0, list(range(7)))


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


@settings(max_examples=80)
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


@settings(max_examples=60)
@given(legal)
def test_decisions_are_made_once(messages: tuple[Message, ...]) -> None:
    """The same list again, warm and with no reason, opens nothing, whatever was decided."""
    once = projected(messages, reopen="forced")
    again = projected(messages, once, len(messages))
    assert again.epoch_result is None
    assert again.plan.pieces == once.plan.pieces
    assert msgspec.structs.replace(again.epoch, regret=0.0, needed=0.0, call_count=0) == msgspec.structs.replace(
        once.epoch, regret=0.0, needed=0.0, call_count=0
    )


@settings(max_examples=60)
@given(any_list)
def test_what_is_known_of_messages_changes_nothing(messages: tuple[Message, ...]) -> None:
    index = indexed(messages)
    plans = [project(index, ask(messages, reopen="forced")).plan for _ in range(2)]
    assert plans[0] == plans[1] == projected(messages, reopen="forced").plan


def test_a_long_run_is_held_flat() -> None:
    """One user message and hundreds of steps: what stays follows what it is worth, the newest steps are there,
    epochs are few."""
    messages = grown(400)
    done: BalancedResult | None = None
    size, largest, epochs = 0, 0, 0
    for end in range(41, len(messages) + 1, 8):
        done = projected(messages[:end], done, size)
        largest, epochs, size = max(largest, done.plan.weight), done.epoch.number, end
        assert {0, *range(end - 4, end)} <= set(kept(done.plan))
    raw = sum(message.weight for message in messages)
    assert largest < raw / 8
    assert 3 <= epochs <= 60


def test_a_closing_reply_joins_what_is_there() -> None:
    messages = (*grown(40), *read(raws(a("done"))))
    done = projected(messages[:-1], reopen="forced")
    assert sent(messages, projected(messages, done, len(messages) - 1).plan)[-1] == messages[-1].raw


# in every format


@pytest.mark.parametrize("name", sorted(FORMATS))
@settings(max_examples=40)
@given(
    messages=st.one_of(legal, results_late()),
    reasons=st.lists(st.sampled_from((None, "forced", "pin", "compaction")), max_size=4),
)
def test_every_format_keeps_its_word(name: str, messages: tuple[Message, ...], reasons: list[Any]) -> None:
    """Over a list that grows: no promise is broken, what is sent a provider takes, a restart changes nothing."""
    said = translation.plain(json.loads(message.raw) for message in messages)
    there = translation.read(name, translation.raws(name, said))
    done: BalancedResult | None = None
    size = 0
    for number, reason in enumerate(reasons):
        end = len(there) * (number + 1) // len(reasons)
        while end < len(there) and there[end].view.role == "result":  # a host calls when all its tools are done
            end += 1
        shown = there[:end]
        after = projected(shown, done, size, reopen=reason)
        out = sent(shown, after.plan, FORMATS[name])
        assert STEPS.check(indexed(shown), after.plan)[0] == ()
        if done is not None:
            assert sent(shown, restarted(shown, done, size, reopen=reason).plan, FORMATS[name]) == out
        if name != "pi" and RULES[name].illegal([json.loads(one.raw) for one in shown]) == []:
            assert RULES[name].illegal([json.loads(raw) for raw in out]) == []
        assert after.plan.weight == sum(message.weight for message in translation.read(name, out))
        done, size = after, end


def test_in_each_format_the_same_steps_leave() -> None:
    """Of a conversation that all of them write down alike."""
    steps = (one for number in range(12) for one in looked(number, 60))
    said = translation.said(u("go"), *steps, a("1"), a("2"))
    kinds = set()
    for name in FORMATS:
        there = translation.read(name, translation.raws(name, said))
        plan = projected(there, reopen="forced", keep=NOTHING, working_set=WorkingSet(1, 0)).plan
        told = [
            block.call_id
            for at in kept(plan)
            for block in there[at].view.blocks
            if block.kind in ("call", "result")
        ]
        kinds.add((tuple(told), bool(plan.packet_weight)))
    assert kinds == {(("c12", "c12"), True)}, "two replies in a row are one to most formats"
