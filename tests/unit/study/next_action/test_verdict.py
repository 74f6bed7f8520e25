"""What is said of two lists, where the truth is known: answers drawn by chance from given shares."""

import random
import sys
from collections.abc import Mapping

import pytest

from ctxmgr.study.figures import interval
from ctxmgr.study.next_action.actions import (
    FEWEST_CALLS,
    Action,
    Sample,
    agreement,
    same_action,
    same_tool,
    sentence,
)

HOST = {"a.py": 0.7, "b.py": 0.3}
OTHER = {"a.py": 0.1, "b.py": 0.9}
RUNS = 40


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[interval.__module__], "DRAWS", 200)


def samples(before: Mapping[str, float], after: Mapping[str, float], count: int, seed: int) -> list[Sample]:
    chance = random.Random(seed)

    def two(shares: Mapping[str, float]) -> tuple[Action, Action]:
        one, other = chance.choices(list(shares), list(shares.values()), k=2)
        return Action("read", one), Action("read", other)

    return [Sample(number, two(before), two(after)) for number in range(count)]


def test_the_same_list_shows_no_change() -> None:
    shown = [agreement(samples(HOST, HOST, 40, seed), same_action).low > 0 for seed in range(RUNS)]
    assert sum(shown) <= RUNS * 0.1


def test_a_planted_change_is_shown_at_its_size() -> None:
    """Half the squared distance of the shares: ((.7 - .1)^2 + (.3 - .9)^2) / 2 = .36."""
    told = [agreement(samples(HOST, OTHER, 60, seed), same_action) for seed in range(RUNS)]
    assert all(one.low > 0 for one in told)
    assert sum(one.low <= 0.36 <= one.high for one in told) >= RUNS * 0.85


def test_another_target_is_no_other_tool() -> None:
    told = samples(HOST, OTHER, 40, 1)
    assert agreement(told, same_tool).changed == 0
    assert agreement(told, same_tool).across == 1


def test_what_may_be_said_of_it() -> None:
    assert "too few" in sentence(samples(HOST, OTHER, FEWEST_CALLS - 1, 1))
    assert sentence(samples(HOST, OTHER, 60, 1)).startswith("ctxmgr's list changes the next action")
    assert sentence(samples(HOST, HOST, 60, 1)).startswith("No change shown over 60 calls")


def test_calls_without_any_change_leave_room_for_what_few_calls_do_not_show() -> None:
    assert "A change of up to 26% could hide in that." in sentence(samples(HOST, HOST, FEWEST_CALLS, 1))


def test_one_call_is_too_few() -> None:
    assert sentence(samples(HOST, HOST, 1, 1)).startswith("1 call is too few")
