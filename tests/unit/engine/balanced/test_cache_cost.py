"""When an epoch pays, and where: the cold cache, the cost of a change, the best place, the line."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.balanced.cache_cost import (
    CACHE_TTL,
    CALLS_AT_LEAST,
    NO_STEPS,
    PrefixBreak,
    PriceStep,
    PriceSteps,
    Row,
    arithmetic,
    best_break,
    cost,
    is_cold,
    price_steps,
    regret,
)
from ctxmgr.model.prices import BasePrices, PriceTier, Rates, TieredPrices

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


# OpenAI's prices double above 272,000 tokens of a request
DOUBLING = TieredPrices(1.25, 10, 0.125, 0, (PriceTier(272_000, 2.5, 15, 0.25, 0),))
FARTHER = PriceTier(500_000, 5, 20, 1.0, 0)
STEPS: list[tuple[str, BasePrices | None, PriceSteps]] = [
    ("a step", DOUBLING, PriceSteps((PriceStep(252_000, 2.0, 2.0),), 20_000)),
    (
        "each of several",
        msgspec.structs.replace(DOUBLING, tiers=(FARTHER, *DOUBLING.tiers)),
        PriceSteps((PriceStep(480_000, 8.0, 4.0), PriceStep(252_000, 2.0, 2.0)), 20_000),
    ),
    (
        "by what reading costs there",
        TieredPrices(1, 0, 0.1, 1.25, (PriceTier(20_100, 1, 0, 0.3, 2.5),)),
        PriceSteps((PriceStep(100, pytest.approx(3.0), 2.0),), 20_000),  # type: ignore[arg-type]
    ),
    (
        "where reading is free by input",
        TieredPrices(1, 0, 0, 0, (PriceTier(20_100, 4, 0, 0, 0),)),
        PriceSteps((PriceStep(100, 4.0, 4.0),), 20_000),
    ),
    ("none", TieredPrices(1.25, 10), NO_STEPS),
    ("plain prices have none", BasePrices(1.25), NO_STEPS),
    ("prices that nobody knows", None, NO_STEPS),
    ("what is free has none", TieredPrices(tiers=DOUBLING.tiers), NO_STEPS),
]


@pytest.mark.parametrize(("name", "known", "expected"), STEPS, ids=[row[0] for row in STEPS])
def test_where_a_request_becomes_dearer(name: str, known: BasePrices | None, expected: PriceSteps) -> None:
    assert price_steps(known, lambda tokens: tokens - 20_000) == expected


LADDER = PriceSteps((PriceStep(1_000, 2.0, 2.0), PriceStep(2_000, 10.0, 10.0)), 500)
# name, weight, what a choice would keep, tokens that reading is paid for in addition
REGRETS: list[tuple[str, int, int, float]] = [
    ("under all steps", 900, 400, 500),
    ("at a step", 1_000, 400, 600),
    ("over one: all of the request, with what is beside the list", 1_200, 400, 800 + 1_700),
    ("over two", 2_100, 400, 1_700 + 9 * 2_600),
    ("over two with a choice between them", 2_100, 1_500, 600 + 4 * 2_600),
    ("over one whatever is chosen", 1_900, 1_100, 800),
    ("nothing would leave", 2_100, 2_100, 0),
]


@pytest.mark.parametrize(("name", "weight", "kept", "tokens"), REGRETS, ids=[row[0] for row in REGRETS])
def test_each_call_pays_for_what_a_choice_would_leave_and_for_the_steps_it_would_stay_under(
    name: str, weight: int, kept: int, tokens: float
) -> None:
    assert regret(weight, kept, TENTH, LADDER) == pytest.approx(0.1 * tokens)


FREE = Rates(0.0, 1.25)
# name, weight, what a choice would keep, new tokens of the call, rates, regret in tokens of input
NEW: list[tuple[str, int, int, int, Rates, float]] = [
    ("over a step what is new is written at thrice the price", 1_200, 400, 100, FREE, 2 * 100 * 1.25),
    ("under it at the price that it has", 1_000, 400, 100, FREE, 0),
    ("over it whatever is chosen", 1_900, 1_100, 100, FREE, 0),
    ("over two with a choice between them", 2_100, 1_500, 100, FREE, 100 * 1.25),
    ("beside what reading costs there", 1_200, 400, 100, TENTH, 0.1 * 2_500 + 2 * 100 * 1.25),
    ("nothing new", 1_200, 400, 0, FREE, 0),
]


@pytest.mark.parametrize(("name", "weight", "kept", "new", "by", "tokens"), NEW, ids=[row[0] for row in NEW])
def test_what_is_new_is_paid_more_for_over_a_step(
    name: str, weight: int, kept: int, new: int, by: Rates, tokens: float
) -> None:
    ladder = PriceSteps((PriceStep(1_000, 2.0, 3.0), PriceStep(2_000, 10.0, 6.0)), 500)
    assert regret(weight, kept, by, ladder, new) == pytest.approx(tokens)


def test_a_choice_may_leave_the_step_that_a_list_is_over() -> None:
    assert LADDER.parts(1_200, 400)
    assert not LADDER.parts(1_200, 1_100)
    assert not LADDER.parts(1_000, 400)
    assert not NO_STEPS.parts(1_200, 400)


def test_a_step_that_makes_a_request_cheaper_is_no_regret() -> None:
    assert regret(1_200, 400, TENTH, PriceSteps((PriceStep(1_000, 0.5, 0.5),)), 90) == pytest.approx(80)


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


def row(index: int, now: int, then: int, cached: bool = True, start: bool = True) -> Row:
    return Row(index, now, then, cached, start)


KEPT = [row(at, 100, 100) for at in range(5)]

# name, rows, tokens put in, expected place and sum
BREAKS: list[tuple[str, list[Row], int, int | None]] = [
    ("nothing", [], 0, None),
    ("nothing is removed", KEPT, 0, None),
    ("as much is put in as is removed", [*KEPT, row(5, 100, 0)], 100, None),
    ("the one place after which something leaves", [*KEPT, row(5, 100, 0)], 0, 5),
    ("what leaves early for little keeps its place", [row(0, 20, 0), *KEPT * 20, row(9, 900, 0)], 0, 101),
    ("what leaves early for much does not", [row(0, 9_000, 0), *KEPT, row(9, 900, 0)], 0, 0),
    ("it can not part a step", [*KEPT, row(5, 100, 0, start=False)], 0, 4),
    ("where nothing may break nothing does", [row(0, 100, 0, start=False)], 0, None),
]


@pytest.mark.parametrize(("name", "rows", "inserted", "place"), BREAKS, ids=[one[0] for one in BREAKS])
def test_where_it_breaks(name: str, rows: list[Row], inserted: int, place: int | None) -> None:
    found = best_break(rows, inserted, 0, TENTH)
    assert (found.row_index if found is not None else None) == place


def test_where_one_must_be_it_is_the_cheapest() -> None:
    assert best_break(KEPT, 0, 0, TENTH) is None
    found = best_break(KEPT, 0, 0, TENTH, must=True)
    assert found is not None
    assert (found.row_index, found.before_tokens, found.remaining_tokens) == (4, 100, 100)


def test_an_epoch_that_lasts_longer_reaches_further_back() -> None:
    rows = [row(0, 200, 0), *KEPT * 4, row(21, 900, 0)]
    places = [found.row_index for calls in (0, 50, 500) if (found := best_break(rows, 0, calls, TENTH)) is not None]
    assert places == [21, 21, 0]


some_rows = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 500), st.booleans(), st.booleans()), max_size=20
).map(
    lambda rows: [Row(at, now, min(now, then), cached, start) for at, (now, then, cached, start) in enumerate(rows)]
)
some_rates = st.sampled_from((TENTH, Rates(0.1, 1.0), Rates(0.5, 0.5), Rates(1.0, 1.0), Rates(0.0, 2.0)))


def by_force(rows: list[Row], inserted: int, calls: int, by: Rates, must: bool) -> PrefixBreak | None:
    """Each place told by itself, by what is paid over the calls with and without the change."""
    found: list[tuple[float, int, PrefixBreak]] = []
    for place in range(len(rows)):
        rest = rows[place:]
        after, left = sum(one.now_tokens for one in rest), sum(one.then_tokens for one in rest) + inserted
        cached = sum(one.now_tokens for one in rest if one.is_cached)
        if rows[place].may_break and (must or left < after):
            keeping = cached * by.cache_read + (after - cached) * by.cache_write
            now, saves = left * by.cache_write - keeping, (after - left) * by.cache_read
            gain = max(CALLS_AT_LEAST, calls) * saves - now
            found.append((gain, place, PrefixBreak(place, after, cached, left, now, saves)))
    return max(found, key=lambda one: (round(one[0], 6), one[1]))[2] if found else None


@settings(max_examples=200)
@given(some_rows, st.integers(0, 200), st.integers(0, 60), some_rates, st.booleans())
def test_the_best_place_is_found(rows: list[Row], inserted: int, calls: int, by: Rates, must: bool) -> None:
    found, best = best_break(rows, inserted, calls, by, must), by_force(rows, inserted, calls, by, must)
    if found is None or best is None:
        assert found is best
        return
    expected = max(CALLS_AT_LEAST, calls)
    assert expected * found.saves - found.cost == pytest.approx(expected * best.saves - best.cost, abs=1e-6)
    rest = rows[found.row_index :]
    assert rows[found.row_index].may_break
    assert found.before_tokens == sum(one.now_tokens for one in rest)
    assert found.cached_tokens == sum(one.now_tokens for one in rest if one.is_cached)
    assert found.remaining_tokens == sum(one.then_tokens for one in rest) + inserted
    assert found.cost == pytest.approx(cost(found.before_tokens, found.cached_tokens, found.remaining_tokens, by))
    assert found.saves == pytest.approx((found.before_tokens - found.remaining_tokens) * by.cache_read)


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


@pytest.mark.parametrize(("calls", "between", "place"), [(0, 400, 0), (0, 450, 2), (4, 450, 2), (5, 450, 0)])
def test_an_epoch_is_expected_to_last_four_calls_at_least(calls: int, between: int, place: int) -> None:
    """To break early saves 100 a call more, and costs writing what is between: 1.15 of it less 100."""
    rows = [Row(0, 1_000, 0, True, True), Row(1, between, between, True, True), Row(2, 1_000, 0, True, True)]
    found = best_break(rows, 0, calls, TENTH, False)
    assert found is not None
    assert found.row_index == place
