"""The cap at which what is too heavy fits: nothing below it is touched, and it is no lower than needed."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.fit.draft import lost, water_level

vessels = st.lists(st.tuples(st.integers(0, 90_000), st.integers(0, 800)), max_size=30)


@given(vessels, st.integers(0, 400_000))
def test_the_cap_is_reached_and_is_the_highest(given_vessels: list[tuple[int, int]], over: int) -> None:
    cap = water_level(given_vessels, over)
    assert lost(given_vessels, cap) >= over or cap == 0
    heaviest = max((weight for weight, _ in given_vessels), default=0)
    assert cap == heaviest or lost(given_vessels, cap + 1) < over
