"""What a change of a list costs, when it pays, and where: what is due against the cost, the best place."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from ctxmgr.engine.retention.prefix_cost import (
    Behind,
    Offer,
    PrefixBreak,
    best_change,
    cost,
    step_above,
)
from ctxmgr.model import Decision
from ctxmgr.model.prices import BasePrices, PriceTier, Rates, TieredPrices

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


# OpenAI's prices double above 272,000 tokens of a request
DOUBLING = TieredPrices(1.25, 10, 0.125, 0, (PriceTier(272_000, 2.5, 15, 0.25, 0),))
FARTHER = PriceTier(500_000, 5, 20, 1.0, 0)
STEPS: list[tuple[str, BasePrices | None, float]] = [
    ("a step", DOUBLING, 252_000),
    ("the lowest of several", msgspec.structs.replace(DOUBLING, tiers=(FARTHER, *DOUBLING.tiers)), 252_000),
    ("none", TieredPrices(1.25, 10), math.inf),
    ("plain prices have none", BasePrices(1.25), math.inf),
    ("prices that nobody knows", None, math.inf),
]


@pytest.mark.parametrize(("name", "known", "expected"), STEPS, ids=[row[0] for row in STEPS])
def test_up_to_where_no_step_makes_a_request_dearer(name: str, known: BasePrices | None, expected: float) -> None:
    assert step_above(known, lambda tokens: tokens - 20_000) == expected


Rows = list[tuple[int, bool]]  # of each message its tokens, and whether the provider may hold it


def behind(rows: Rows) -> Behind:
    def told(index: int) -> tuple[int, int]:
        rest = rows[index:]
        return sum(tokens for tokens, _ in rest), sum(tokens for tokens, is_cached in rest if is_cached)

    return told


ROWS = behind([(100, True)] * 10)


def offer(position: int, saved: int, calls: float) -> Offer:
    return Offer(position, saved, calls, {f"key{position}": Decision("pruned")}, "old")


# name, offers newest first, how many of them are taken
BREAKS: list[tuple[str, list[Offer], int]] = [
    ("nothing is offered", [], 0),
    ("the one there is", [offer(5, 90, 1)], 1),
    ("what is due for long, early in the list", [offer(9, 90, 1), offer(0, 90, 199)], 2),
    ("not what has cost little by now, early in the list", [offer(9, 90, 9), offer(0, 90, 1)], 1),
]


@pytest.mark.parametrize(("name", "found", "count"), BREAKS, ids=[one[0] for one in BREAKS])
def test_where_it_breaks(name: str, found: list[Offer], count: int) -> None:
    best = best_change(ROWS, found, TENTH)
    assert (best.count if best is not None else 0) == count


def test_an_epoch_pays_when_what_is_due_has_cost_what_the_change_costs() -> None:
    """From message 5 on 500 tokens stand, 90 of them leave: 410 x 1.25 - 500 x .1 = 462.5, at 9 a call."""
    gains = {calls: best_change(ROWS, [offer(5, 90, calls)], TENTH) for calls in (51, 52)}
    assert [found is not None and found.gain >= 0 for found in gains.values()] == [False, True]


def test_where_nothing_is_cached_a_change_costs_nothing() -> None:
    found = best_change(behind([(100, False)] * 10), [offer(9, 90, 0), offer(0, 90, 0)], TENTH)
    assert found is not None
    assert found.count == 2
    assert found.cost == pytest.approx(-180 * 1.25)


some_rates = st.sampled_from((TENTH, Rates(0.1, 1.0), Rates(0.5, 0.5), Rates(1.0, 1.0), Rates(0.0, 2.0)))
some_rows = st.lists(st.tuples(st.integers(0, 500), st.booleans()), min_size=1, max_size=20)


@given(some_rows, st.data(), some_rates, st.booleans())
def test_the_best_place_is_found(rows: Rows, data: st.DataObject, by: Rates, every: bool) -> None:
    """Each place told by itself."""
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
