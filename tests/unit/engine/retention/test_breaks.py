"""What a change of a list costs, when it pays, and where: what is due against the cost, the best place."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UnsetType

from ctxmgr.engine.retention.prefix_cost import Behind, Offer, PrefixBreak, best_change, cost, step_above
from ctxmgr.model import Decision
from ctxmgr.model.prices import BasePrices, PriceTier, Rates, TieredPrices

TENTH = Rates(0.1, 1.25)

# (after, cached, left), what it costs at a tenth for reading and five quarters for writing
COSTS: list[tuple[str, tuple[int, int, int], float]] = [
    ("all of it cached", (1_000, 1_000, 400), 400 * 1.25 - 1_000 * 0.1),
    ("nothing cached: what is left out is saved", (1_000, 0, 400), -600 * 1.25),
    ("half of it", (1_000, 500, 400), 400 * 1.25 - 500 * 0.1 - 500 * 1.25),
]


def test_cost() -> None:
    for name, of, expected in COSTS:
        assert cost(*of, TENTH) == pytest.approx(expected), name


PAYS: list[tuple[str, PrefixBreak, int | UnsetType]] = [
    ("a cold cache: at once", PrefixBreak(1_000, 0, 400, -750, 60), 0),
    ("after as many calls as it takes", PrefixBreak(1_000, 1_000, 400, 400, 60), 7),
]


def test_after_how_many_calls_a_change_pays() -> None:
    for name, change, expected in PAYS:
        assert change.pays_after == expected, name


# OpenAI's prices double above 272,000 tokens of a request
DOUBLING = TieredPrices(1.25, 10, 0.125, 0, (PriceTier(272_000, 2.5, 15, 0.25, 0),))
FARTHER = PriceTier(500_000, 5, 20, 1.0, 0)
STEPS: list[tuple[str, BasePrices | None, float]] = [
    ("a step", DOUBLING, 252_000),
    ("the lowest of several", msgspec.structs.replace(DOUBLING, tiers=(FARTHER, *DOUBLING.tiers)), 252_000),
    ("none", TieredPrices(1.25, 10), math.inf),
]


def test_up_to_where_no_step_makes_a_request_dearer() -> None:
    for name, known, expected in STEPS:
        assert step_above(known, lambda tokens: tokens - 20_000) == expected, name


Rows = list[tuple[int, bool]]  # of each message its tokens, and whether the provider may hold it


def behind(rows: Rows) -> Behind:
    def told(index: int) -> tuple[int, int]:
        rest = rows[index:]
        return sum(tokens for tokens, _ in rest), sum(tokens for tokens, is_cached in rest if is_cached)

    return told


def offer(position: int, saved: int, calls: float) -> Offer:
    return Offer(position, saved, calls, {f"key{position}": Decision("pruned")}, "old")


some_rates = st.sampled_from((TENTH, Rates(0.1, 1.0), Rates(0.5, 0.5), Rates(1.0, 1.0), Rates(0.0, 2.0)))
some_rows = st.lists(st.tuples(st.integers(0, 500), st.booleans()), min_size=1, max_size=20)


@given(some_rows, st.data(), some_rates, st.booleans())
def test_the_best_place_is_found(rows: Rows, data: st.DataObject, by: Rates, every: bool) -> None:
    places = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True))
    offers = [
        offer(at, data.draw(st.integers(0, rows[at][0])), data.draw(st.floats(0, 60)))
        for at in sorted(places, reverse=True)
    ]
    found = best_change(behind(rows), offers, by, every)
    gains = []
    for count in range(1, len(offers) + 1):
        taken = offers[:count]
        (after, cached), saved = behind(rows)(taken[-1].position), sum(one.saved for one in taken)
        accrued = sum(by.cache_read * one.saved * one.due_calls for one in taken)
        gains.append(accrued - cost(after, cached, after - saved, by))
    assert (found is None) == (not offers)
    if found is not None:
        assert found.count == len(offers) or not every
        assert found.gain == pytest.approx(gains[found.count - 1], abs=1e-6)
        assert found.gain == pytest.approx(gains[-1] if every else max(gains), abs=1e-6)
