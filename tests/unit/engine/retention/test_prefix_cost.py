"""The cold cache, the cost of a change, and the line that says it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.retention.prefix_cost import (
    CACHE_TTL,
    PrefixBreak,
    arithmetic,
    cost,
    is_cold,
)
from ctxmgr.model.prices import Rates

TENTH = Rates(0.1, 1.25)

COLD: list[tuple[int | None, int | None, int | None, bool]] = [
    (None, None, None, False),
    (None, 1_000, None, False),
    (1_000, None, None, False),
    (1_000 + CACHE_TTL, 1_000, None, False),
    (1_001 + CACHE_TTL, 1_000, None, True),
    (1_501, 1_000, 500, True),
    (1_500, 1_000, 500, False),
    (1_001, 1_000, 0, True),
    (1_000, 9_000, None, False),
]


@pytest.mark.parametrize(("at", "last_at", "ttl", "cold"), COLD)
def test_cold(at: int | None, last_at: int | None, ttl: int | None, cold: bool) -> None:
    assert is_cold(at, last_at, ttl) is cold


# (after, cached, left), what it costs at a tenth for reading and five quarters for writing
COSTS: list[tuple[str, tuple[int, int, int], float]] = [
    ("all of it cached", (1_000, 1_000, 400), 400 * 1.25 - 1_000 * 0.1),
    ("nothing cached: what is left out is saved", (1_000, 0, 400), -600 * 1.25),
    ("half of it", (1_000, 500, 400), 400 * 1.25 - 500 * 0.1 - 500 * 1.25),
    ("nothing is left", (1_000, 1_000, 0), -100),
    ("nothing is there", (0, 0, 0), 0),
]


@pytest.mark.parametrize(("name", "of", "expected"), COSTS, ids=[row[0] for row in COSTS])
def test_cost(name: str, of: tuple[int, int, int], expected: float) -> None:
    assert cost(*of, TENTH) == pytest.approx(expected)


def test_the_designs_formula() -> None:
    """With S tokens after the first change and D of them removed: (S - D) w - S r now."""
    for removed in (0, 100, 900):
        assert cost(1_000, 1_000, 1_000 - removed, TENTH) == pytest.approx((1_000 - removed) * 1.25 - 1_000 * 0.1)


some_rates = st.builds(Rates, st.sampled_from((0.0, 0.1, 0.5, 1.0)), st.sampled_from((1.0, 1.25, 2.0)))
NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"


def numbers(line: str) -> list[float]:
    return [float(found.replace(",", "")) for found in re.findall(NUMBER, line)]


@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    some_rates,
    st.floats(0, 1e6),
    st.integers(0, 99),
)
def test_the_line_can_be_checked(after: int, cached: int, left: int, by: Rates, regret: float, calls: int) -> None:
    cached = min(after, cached)
    found = PrefixBreak(0, after, cached, left, cost(after, cached, left, by), (after - left) * by.cache_read)
    told = numbers(arithmetic(found, by, regret, calls))
    after_, left_, written, write, kept, read, uncached, write_, costs, saves, calls_, regret_ = told
    assert (after_, left_, written, kept, calls_) == (after, left, left, cached, calls)
    assert kept + uncached == after_
    assert (read, write, write_) == (by.cache_read, by.cache_write, by.cache_write)
    assert costs == pytest.approx(written * write - kept * read - uncached * write_, abs=0.51)
    assert saves == pytest.approx((after_ - left_) * read, abs=0.51)
    assert regret_ == pytest.approx(regret, abs=0.51)
