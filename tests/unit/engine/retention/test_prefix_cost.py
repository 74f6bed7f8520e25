"""The cold cache, the cost of a change, and the line that says it."""

import pytest
from msgspec import UNSET, UnsetType

from ctxmgr.engine.retention.prefix_cost import PrefixBreak, cost
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


PAYS: list[tuple[str, PrefixBreak, int | UnsetType]] = [
    ("a cold cache: at once", PrefixBreak(1_000, 0, 400, -750, 60), 0),
    ("after as many calls as it takes", PrefixBreak(1_000, 1_000, 400, 400, 60), 7),
    ("what grows never does", PrefixBreak(400, 400, 1_000, 1_210, -60), UNSET),
    ("nor does what grows in a cold cache", PrefixBreak(400, 0, 400, 0, 0), UNSET),
]


@pytest.mark.parametrize(("name", "change", "expected"), PAYS, ids=[row[0] for row in PAYS])
def test_after_how_many_calls_a_change_pays(name: str, change: PrefixBreak, expected: int | UnsetType) -> None:
    assert change.pays_after == expected
