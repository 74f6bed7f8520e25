"""The cold cache, the cost of a change, and the line that says it."""

import pytest

from ctxmgr.engine.retention.prefix_cost import (
    cost,
)
from ctxmgr.model.prices import Rates

TENTH = Rates(0.1, 1.25)

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
