"""The cap at which what is too heavy fits: nothing below it is touched, and it is no lower than needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.fit.draft import lost, water_level

vessels = st.lists(st.tuples(st.integers(0, 90_000), st.integers(0, 800)), max_size=30)


@pytest.mark.parametrize(
    ("weights", "over", "cap"),
    [
        ([], 10, 0),
        ([87_000], 45_000, 42_000),
        ([50, 40, 30], 20, 35),
        ([50, 40, 30], 25, 32),
        ([50, 40, 30], 0, 50),
        ([50, 40, 30], 121, 0),
    ],
)
def test_the_heaviest_are_cut_to_one_cap(weights: list[int], over: int, cap: int) -> None:
    assert water_level([(weight, 0) for weight in weights], over) == cap


def test_what_is_cut_to_its_least_leaves_the_rest_to_the_others() -> None:
    assert water_level([(100, 80), (100, 0)], 50) == 70
    assert lost([(100, 80), (100, 0)], 70) == 50


@given(vessels, st.integers(0, 400_000))
def test_the_cap_is_reached_and_is_the_highest(given_vessels: list[tuple[int, int]], over: int) -> None:
    cap = water_level(given_vessels, over)
    assert lost(given_vessels, cap) >= over or cap == 0
    heaviest = max((weight for weight, _ in given_vessels), default=0)
    assert cap == heaviest or lost(given_vessels, cap + 1) < over
