"""What two arms differ in, against made sessions whose truth is known."""

from collections import Counter
from statistics import median

import msgspec
import pytest

from ctxmgr.holdout.comparison import LEAST_SESSIONS, LEVEL, MEASURES, Comparison, Difference, compared
from tests.unit.holdout.made import rows

COST, OF_SESSION, LENGTH, ERRORS = (measure.name for measure in MEASURES[:4])
DRAWS = 100
RUNS = 20


def of(comparison: Comparison, name: str) -> Difference:
    return next(one for one in comparison.differences if one.name == name)


def covers(one: Difference, change: float) -> bool:
    assert one.low is not None
    assert one.high is not None
    return one.low <= change <= one.high


def test_arms_that_do_not_differ_show_nothing_beyond_the_nominal_share() -> None:
    shown = Counter[str]()
    for seed in range(RUNS):
        found = compared(rows(80, seed, 0.2), DRAWS)
        shown.update(one.name for one in found.differences if one.is_shown)
    assert sum(shown.values()) <= (1 - LEVEL) * RUNS * len(MEASURES)


def test_a_fifth_that_is_saved_is_shown_as_a_fifth() -> None:
    found = [of(compared(rows(800, seed, effect=0.8), DRAWS), COST) for seed in range(4)]
    assert sum(one.is_shown for one in found) >= len(found) - 1
    assert sum(covers(one, -0.2) for one in found) >= len(found) - 1
    assert median(one.change or 0 for one in found) == pytest.approx(-0.2, abs=0.03)


def test_of_few_sessions_it_is_told_how_many_are_missing() -> None:
    """So many show it in about four of five cases (rule 6)."""
    needed = [of(compared(rows(60, seed, effect=0.8), DRAWS), COST).needed for seed in range(15)]
    count = round(median(number for number in needed if number is not None))
    assert count > 60
    at_that = [of(compared(rows(count, 1_000 + seed, effect=0.8), DRAWS), COST).is_shown for seed in range(12)]
    assert 0.5 <= sum(at_that) / len(at_that) <= 0.95


def test_longer_sessions_are_no_dearer_at_equal_depth() -> None:
    """Their later calls cost more: without bins each call would."""
    found = compared(rows(400, 3, longer=2.5, longest=200), DRAWS)
    assert covers(of(found, COST), 0)
    assert of(found, LENGTH).is_shown
    assert (of(found, OF_SESSION).change or 0) > 0.5


def test_of_fewer_sessions_than_ten_there_is_no_interval() -> None:
    few = [row for row in rows(400, 1, effect=0.1) if row.at < 1_000 * (LEAST_SESSIONS - 1)]
    one = of(compared(few, DRAWS), COST)
    assert (one.low, one.high, one.is_shown) == (None, None, False)
    assert one.change is not None
    assert one.needed is not None


def test_events_that_one_arm_happens_to_lack_are_not_shown() -> None:
    """Drawn with repetition it would lack them for ever."""
    made = list(rows(60, 2, share=0.2))
    first = next(row for row in made if row.arm == "managed")
    quiet = [msgspec.structs.replace(row, error=row.session == first.session) for row in made]
    assert not of(compared(quiet, DRAWS), ERRORS).is_shown


def test_a_session_with_calls_in_both_arms_is_left_out() -> None:
    made = list(rows(40, 6))
    other = msgspec.structs.replace(made[-1], arm="managed" if made[-1].arm == "heldOut" else "heldOut")
    found = compared([*made, other], DRAWS)
    assert (found.sessions, found.mixed_sessions) == (39, 1)


def test_a_call_without_a_price_is_in_no_sum_of_dollars_and_counts_as_a_call() -> None:
    made = list(rows(40, 7))
    bare = [msgspec.structs.replace(row, dollars=None) for row in made]
    found = compared(bare, DRAWS)
    assert found.unpriced == sum(not row.error for row in made)
    assert of(found, COST) == Difference(COST, True)
    assert of(found, LENGTH).change is not None


def test_of_nothing_there_is_nothing() -> None:
    found = compared([], DRAWS)
    assert (found.sessions, found.calls, found.since) == (0, 0, None)
    assert found.differences == tuple(Difference(measure.name, measure.is_ratio) for measure in MEASURES)
