"""Zones: red comes before the host compacts by itself, for every window and policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.pressure.zone import Thresholds, pressure, thresholds, zone_of
from ctxmgr.model.policy import Policy, Zones

WINDOW_MOST = 2_000_000  # tokens: the promise is made up to there

# window, policy, usable, (yellow, red, compact) in tokens
TABLE: list[tuple[int, Policy, int, tuple[float, float, float]]] = [
    (200_000, Policy(), 183_616, (91_808, 128_531.2, 165_254.4)),
    # a small window: both reserves are a quarter; one that the host tells is taken as it is, and red is
    # 0.9 x (32 768 - 16 000), the others scaled with it
    (32_768, Policy(), 24_576, (12_288, 17_203.2, 22_118.4)),
    (32_768, Policy(host_reserve=16_000), 24_576, (10_779.4, 15_091.2, 19_402.9)),
    (200_000, Policy(effective_window=100_000), 83_616, (41_808, 58_531.2, 75_254.4)),
    # a working window below the reserve keeps three quarters of itself
    (200_000, Policy(effective_window=10_000), 7_500, (3_750, 5_250, 6_750)),
    # no promise: the window is not above hostReserve
]


def test_where_zones_begin() -> None:
    for window, policy, usable, begins in TABLE:
        at = thresholds(policy, window)
        assert at.usable == usable, window
        assert (at.yellow, at.red, at.compact) == pytest.approx(begins, abs=0.1), window
        assert at.promise == (policy.host_reserve == Policy().host_reserve or window > policy.host_reserve), window


def test_exactly_at_the_threshold() -> None:
    at = Thresholds(window=10, reserve=0, usable=10, yellow=5, red=7, compact=9, promise=True, late=9)
    found = [zone_of(tokens, at) for tokens in (4.9, 5, 6.9, 7, 8.9, 9)]
    assert found == ["green", "yellow", "yellow", "red", "red", "compact"]
    assert pressure(7, at) == 0.7
    assert at.calm == pytest.approx(6.3)


shares = st.floats(0.01, 1)
policies = st.builds(
    lambda zones, reserve, host, effective: Policy(
        zones=Zones(*sorted(zones)), reserve=reserve, host_reserve=host, effective_window=effective
    ),
    st.tuples(shares, shares, shares),
    st.integers(0, WINDOW_MOST),
    st.integers(0, WINDOW_MOST),
    st.none() | st.integers(1, WINDOW_MOST),
)
windows = st.integers(1, WINDOW_MOST)


@given(policies, windows)
def test_red_comes_first_whatever_the_policy(policy: Policy, window: int) -> None:
    at = thresholds(policy, window)
    told = policy.host_reserve != Policy().host_reserve
    assert at.promise == (not told or window > policy.host_reserve)
    if at.promise and told:
        assert at.red < window - policy.host_reserve
    assert 0 < at.yellow <= at.red <= at.compact
    assert at.red <= policy.zones.red * at.usable + 1e-6


@given(policies, windows)
def test_the_reserve_is_never_above_a_quarter(policy: Policy, window: int) -> None:
    at = thresholds(policy, window)
    working = min(window, policy.effective_window or window)
    assert at.reserve <= min(policy.reserve, window / 4)
    assert at.usable >= min(working * 0.75, working)
    assert at.usable <= working
    assert at.limit >= window * 0.75
