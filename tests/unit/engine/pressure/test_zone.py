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
    (200_000, Policy(effective_window=400_000), 183_616, (91_808, 128_531.2, 165_254.4)),
    (200_000, Policy(reserve=0), 200_000, (100_000, 140_000, 180_000)),
    (200_000, Policy(host_reserve=100_000), 183_616, (64_285.7, 90_000, 115_714.3)),
    (200_000, Policy(zones=Zones(0.1, 0.2, 0.3)), 183_616, (18_361.6, 36_723.2, 55_084.8)),
    # no promise: the window is not above hostReserve
    (16_000, Policy(host_reserve=16_000), 12_000, (6_000, 8_400, 10_800)),
    (16_384, Policy(), 12_288, (6_144, 8_601.6, 11_059.2)),
    (1, Policy(), 1, (0.5, 0.7, 0.9)),
]


@pytest.mark.parametrize(("window", "policy", "usable", "begins"), TABLE)
def test_where_zones_begin(window: int, policy: Policy, usable: int, begins: tuple[float, float, float]) -> None:
    at = thresholds(policy, window)
    assert at.usable == usable
    assert (at.yellow, at.red, at.compact) == pytest.approx(begins, abs=0.1)
    assert at.promise == (policy.host_reserve == Policy().host_reserve or window > policy.host_reserve)


def test_exactly_at_the_threshold() -> None:
    at = Thresholds(window=10, reserve=0, usable=10, yellow=5, red=7, compact=9, promise=True, late=9)
    assert [zone_of(tokens, at) for tokens in (4.9, 5, 6.9, 7, 8.9, 9)] == [
        "green",
        "yellow",
        "yellow",
        "red",
        "red",
        "compact",
    ]
    assert pressure(7, at) == 0.7
    assert at.calm == pytest.approx(6.3)


LATE: list[tuple[int, int, float]] = [  # window, the host's reserve, tokens
    (200_000, 16_384, 165_254.4),  # compact
    (32_000, 16_000, 15_200),  # 0.95 of what the host begins at
    (32_000, 16_384, 21_600),  # what hosts keep by default is a quarter at most
    (64_000, 16_384, 43_200),
    (16_000, 17_000, 10_800),  # nothing can be promised
]


@pytest.mark.parametrize(("window", "reserve", "late"), LATE)
def test_the_last_moment_to_ask_comes_before_the_hosts_own(window: int, reserve: int, late: float) -> None:
    at = thresholds(Policy(host_reserve=reserve), window)
    assert at.late == pytest.approx(late, abs=0.1)
    assert at.late <= at.compact
    assert at.late > at.red
    assert reserve == Policy().host_reserve or not at.promise or at.late < window - reserve


def test_the_limit_is_the_whole_window_but_for_the_reply() -> None:
    assert thresholds(Policy(), 200_000).limit == 183_616
    assert thresholds(Policy(effective_window=10_000), 200_000).limit == 183_616
    assert thresholds(Policy(), 20_000).limit == 15_000


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
