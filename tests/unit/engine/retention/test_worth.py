"""How long a block is worth its place: by kind, size, prices and window."""

import itertools
import math

import pytest

from ctxmgr.engine.retention.worth import AGES, KEEP, YIELDS, Worth, keep_tokens
from ctxmgr.model import Policy, Rates


def test_the_table_falls_with_age_in_every_row() -> None:
    for kind, yields in YIELDS.items():
        assert len(yields) == len(AGES), kind
        assert all(after < before for before, after in itertools.pairwise(yields)), kind


# keep, tokens that a block of each kind stays (arguments, call, read, command, search), the room for words
AGES_BY_KEEP: list[tuple[int, tuple[int, ...], int]] = [
    (60, (9_223, 5_130, 1_674, 432, 49), 975),
    (330, (40_020, 41_711, 9_121, 2_376, 267), 7_925),
    (1_700, (122_296, 143_228, 22_278, 13_228, 1_377), 27_213),
    (3_400, (204_000, 280_500, 30_324, 28_988, 2_754), 53_295),
    (20_000, (1_200_000, 1_650_000, 73_427, 69_525, 16_200), 313_500),
]


@pytest.mark.parametrize(("keep", "ages", "words"), AGES_BY_KEEP)
def test_how_long_each_kind_stays(keep: int, ages: tuple[int, ...], words: int) -> None:
    """At the usual price of reading, a tenth of the input's."""
    by = Worth(keep, Rates()).retention()
    assert tuple(round(by.ages[kind]) for kind in YIELDS) == ages
    assert (round(by.words_tokens), round(by.words_left)) == (words, round(words / 5))


def test_what_words_have_where_a_list_is_pressed() -> None:
    """Whatever `keep` is, by the price that reading has; by the usual one where it is free."""
    rooms = [
        Worth(keep, rates).pressed(steps).words_tokens
        for keep, rates, steps in ((1_700, Rates(), 1), (9_000, Rates(), 2), (1_700, Rates(0.0, 1.0), 1))
    ]
    assert [round(room) for room in rooms] == [21_297, 26_838, 21_297]


def test_where_reading_is_free_nothing_leaves_for_its_price() -> None:
    by = Worth(300, Rates(0.0, 1.0)).retention()
    assert by.words_tokens == math.inf
    assert set(by.ages.values()) == {math.inf}


def test_results_leave_long_ones_first() -> None:
    by = Worth(1_500, Rates()).retention()
    ages = [by.age("read", weight) for weight in (10, 250, 1_000, 4_000, 100_000)]
    usual = by.ages["read"]
    assert ages == pytest.approx([2 * usual, 2 * usual, usual, usual / 2, usual / 2])


def test_in_a_smaller_window_less_is_kept_and_in_a_larger_one_no_more() -> None:
    kept = [keep_tokens(Policy(), usable) for usable in (45_000, 90_000, 180_000, 1_000_000)]
    assert kept == [KEEP["balanced"] / 4, KEEP["balanced"] / 2, KEEP["balanced"], KEEP["balanced"]]


def test_over_their_room_words_leave_down_to_a_fifth_and_where_it_is_pressed_to_the_room() -> None:
    """A change of the oldest steps has to last, but what is pressed takes no more than is needed."""
    by = Worth(1_500, Rates())
    assert by.retention().words_left == pytest.approx(by.retention().words_tokens / 5)
    assert by.pressed(0) == by.retention()
    assert by.pressed(1).words_left == by.pressed(1).words_tokens


def test_pressed_everything_stays_for_less_and_less() -> None:
    steps = [Worth(1_500, Rates()).pressed(number) for number in range(6)]
    for more, less in itertools.pairwise(steps):
        assert 0.4 * more.words_tokens < less.words_tokens < more.words_tokens
        assert all(0.4 * more.ages[kind] < less.ages[kind] < more.ages[kind] for kind in YIELDS)
