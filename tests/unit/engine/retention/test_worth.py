"""How long a block is worth its place: by kind, size, prices and window."""

import pytest

from ctxmgr.engine.retention.worth import KEEP, YIELDS, Worth, keep_tokens
from ctxmgr.model import Policy, Rates

# keep, tokens that a block of each kind stays (arguments, call, read, command, search), the room for words
AGES_BY_KEEP: list[tuple[int, tuple[int, ...], int]] = [
    (60, (9_223, 5_130, 1_674, 432, 49), 975),
    (330, (40_020, 41_711, 9_121, 2_376, 267), 7_925),
    (20_000, (1_200_000, 1_650_000, 73_427, 69_525, 16_200), 313_500),
]


def test_how_long_each_kind_stays() -> None:
    for keep, ages, words in AGES_BY_KEEP:
        by = Worth(keep, Rates()).retention()
        assert tuple(round(by.ages[kind]) for kind in YIELDS) == ages, keep
        assert (round(by.words_tokens), round(by.words_left)) == (words, round(words / 5)), keep


def test_what_words_have_where_a_list_is_pressed() -> None:
    rooms = [
        Worth(keep, rates).pressed(steps).words_tokens
        for keep, rates, steps in ((1_700, Rates(), 1), (9_000, Rates(), 2), (1_700, Rates(0.0, 1.0), 1))
    ]
    assert [round(room) for room in rooms] == [21_297, 26_838, 21_297]


def test_results_leave_long_ones_first() -> None:
    by = Worth(1_500, Rates()).retention()
    ages = [by.age("read", weight) for weight in (10, 250, 1_000, 4_000, 100_000)]
    usual = by.ages["read"]
    assert ages == pytest.approx([2 * usual, 2 * usual, usual, usual / 2, usual / 2])


def test_in_a_smaller_window_less_is_kept_and_in_a_larger_one_no_more() -> None:
    kept = [keep_tokens(Policy(), usable) for usable in (45_000, 90_000, 180_000, 1_000_000)]
    assert kept == [KEEP["balanced"] / 4, KEEP["balanced"] / 2, KEEP["balanced"], KEEP["balanced"]]
