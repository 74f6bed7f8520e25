"""Of any list an epoch breaks no promise, and its receipt tells what was done."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import working_set_start
from ctxmgr.engine.presets.balanced import USER_SHARE
from ctxmgr.engine.retention.prefix_cost import cost
from ctxmgr.engine.retention.receipts import BalancedResult
from ctxmgr.model.messages import Message
from ctxmgr.model.policy import ZONES, WorkingSet
from ctxmgr.model.prices import Rates
from tests.notation import indexed, read
from tests.unit.engine.judge import judged
from tests.unit.engine.projections import edited, kept, sent
from tests.unit.engine.stepwise import KEEP, NOTHING, any_list, projected


@st.composite
def wanted(draw: st.DrawFn) -> dict[str, Any]:
    """What an epoch is asked for."""
    held = draw(st.frozensets(st.integers(0, 30), max_size=2))
    return {
        "zone": draw(st.sampled_from(ZONES)),
        "keep": draw(st.sampled_from((NOTHING, 1.0, KEEP, 100.0))),
        "working_set": WorkingSet(draw(st.integers(0, 3)), draw(st.sampled_from((0, 100, 1_000)))),
        "limit": draw(st.sampled_from((300.0, 1e9))),
        "usable": draw(st.sampled_from((2_000.0, 20_000.0))),
        "window_limit": draw(st.sampled_from((500.0, 4_000.0, 25_000.0))),
        "tools": draw(st.sampled_from(((), ("read",)))),
        "protected": lambda: held,
        "reopen": draw(st.sampled_from(("forced", "pin", "compaction", "cold", "red", "rewritten"))),
    }


def fitting(messages: tuple[Message, ...], keys: dict[str, Any]) -> dict[str, Any]:
    """Pins are in the list."""
    held = frozenset(at for at in keys["protected"]() if at < len(messages))
    return {**keys, "protected": lambda: held}


def first_opened(messages: tuple[Message, ...], keys: dict[str, Any]) -> BalancedResult:
    return projected(messages, **fitting(messages, keys))


@given(any_list, wanted())
def test_an_epoch_breaks_no_promise(messages: tuple[Message, ...], keys: dict[str, Any]) -> None:
    """The working set stays as it came, too, and so do pins, where the list fits with them."""
    plan = first_opened(messages, keys).plan
    assert judged(messages, plan, by_steps=True) == set()
    users = [at for at, message in enumerate(messages) if message.view.role == "user"]
    over = sum(messages[at].weight for at in users) > USER_SHARE * keys["usable"]
    assert over or set(users) <= set(kept(plan))
    unchanged = set(kept(plan)) - edited(plan).keys()
    start = working_set_start(indexed(messages), keys["working_set"])
    assert not_packets(messages, range(start, len(messages))) <= unchanged
    keys = fitting(messages, {**keys, "window_limit": 1e9})
    plan = projected(messages, **keys).plan
    assert not_packets(messages, keys["protected"]()) <= set(kept(plan)) - edited(plan).keys()


def not_packets(messages: tuple[Message, ...], indices: Iterable[int]) -> set[int]:
    return {at for at in indices if messages[at].view.role != "packet"}


def told_numbers(line: str) -> list[float]:
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?", line)
    return [float(one.replace(",", "")) for one in found]


@given(any_list, st.integers(0, 30), wanted(), wanted())
def test_the_receipt_tells_what_was_done(
    messages: tuple[Message, ...], size: int, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Of the second of two epochs: both weights, and the sum from the first byte that changed on."""
    before = first_opened(messages[:size], first)
    size = min(size, len(messages))
    done = projected(messages, before, size, **fitting(messages, second))
    if done.epoch_result is None:
        return
    receipt = done.epoch_result.receipt
    assert receipt.epoch_number == done.epoch.number == before.epoch.number + 1
    assert receipt.opening == second["reopen"] or second["reopen"] in ("pin", "undo")
    assert receipt.after_tokens == done.plan.weight
    old = [*sent(messages[:size], before.plan), *(message.raw for message in messages[size:])]
    new = sent(messages, done.plan)
    assert receipt.before_tokens == sum(message.weight for message in read(old))
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    after, left = (sum(message.weight for message in read(some[same:])) for some in (old, new))
    told = told_numbers(receipt.arithmetic)
    if len({message.raw for message in messages}) == len(messages):  # else one may stand for another
        assert (told[0], told[1]) == (after, left)
    after, left = int(told[0]), int(told[1])
    _, _, written, write, cached, read_at, uncached, _, costs, saves, _, calls = told
    assert cached + uncached == after
    assert costs == pytest.approx(written * write - cached * read_at - uncached * write, abs=0.51)
    assert costs == pytest.approx(cost(after, int(cached), left, Rates()), abs=0.51)
    assert saves == pytest.approx((after - left) * read_at, abs=0.51)
    assert calls == before.epoch.call_count + 1
