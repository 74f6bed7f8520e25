"""The cold cache, the cost of a change, and the line that says it."""

import pytest

from ctxmgr.engine.retention.prefix_cost import (
    CACHE_TTL,
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
