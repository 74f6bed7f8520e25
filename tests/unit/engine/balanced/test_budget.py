"""How much an epoch leaves: by the knob, the window and the zone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.balanced.budget import (
    CHEAPEST,
    DEAREST,
    INDEX_SHARE,
    NEWEST,
    NEWEST_SHARE,
    OLD_SHARE_LEAST,
    OLD_SHARE_MOST,
    USER_SHARE,
    Budget,
    room,
)
from ctxmgr.model.policy import ZONES, Zone

LARGE = 1e9
SMALL = 1_000
MIDDLE = (CHEAPEST * DEAREST) ** 0.5

# name, (knob, usable, zone), tokens of the old part, of newest steps, of what the index is a share of
TABLE: list[tuple[str, tuple[float, float, Zone], float, float, float]] = [
    ("the cheapest", (0, LARGE, "green"), CHEAPEST, NEWEST, CHEAPEST),
    ("the middle", (0.5, LARGE, "green"), MIDDLE, NEWEST, MIDDLE),
    ("the dearest", (1, LARGE, "green"), DEAREST, NEWEST, DEAREST),
    ("yellow as green", (0.5, LARGE, "yellow"), MIDDLE, NEWEST, MIDDLE),
    ("red halves the old part", (0.5, LARGE, "red"), MIDDLE / 2, NEWEST, MIDDLE),
    ("compact leaves the last steps alone", (0.5, LARGE, "compact"), 0, 0, MIDDLE),
    ("a small window", (0, SMALL, "green"), OLD_SHARE_LEAST * SMALL, NEWEST_SHARE * SMALL, OLD_SHARE_LEAST * SMALL),
    ("and much of it", (1, SMALL, "green"), OLD_SHARE_MOST * SMALL, NEWEST_SHARE * SMALL, OLD_SHARE_MOST * SMALL),
    ("none at all", (0.5, 0, "green"), 0, 0, 0),
]


@pytest.mark.parametrize(("name", "of", "old", "newest", "whole"), TABLE, ids=[row[0] for row in TABLE])
def test_room(name: str, of: tuple[float, float, Zone], old: float, newest: float, whole: float) -> None:
    users = USER_SHARE * of[1]
    assert room(*of) == Budget(int(old), int(newest), int(INDEX_SHARE * whole), users)
    assert room(*of, 900.0) == Budget(int(old), int(newest), int(INDEX_SHARE * whole), users, 900.0)


def test_each_tenth_of_the_knob_keeps_so_many_times_as_much() -> None:
    sizes = [room(tenth / 10, LARGE, "green").old for tenth in range(11)]
    step = (DEAREST / CHEAPEST) ** 0.1
    assert [more / less for less, more in pairwise(sizes)] == pytest.approx([step] * 10, rel=1e-3)


@given(st.floats(0, 1), st.floats(0, 1e6), st.sampled_from(ZONES))
def test_never_more_than_its_share(knob: float, usable: float, zone: Zone) -> None:
    found = room(knob, usable, zone)
    assert 0 <= found.old <= min(DEAREST, OLD_SHARE_MOST * usable)
    assert 0 <= found.newest <= min(NEWEST, NEWEST_SHARE * usable)
    assert 0 <= found.index <= INDEX_SHARE * min(DEAREST, OLD_SHARE_MOST * usable)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1e6))
def test_a_worse_zone_and_a_lower_knob_keep_no_more(one: float, two: float, usable: float) -> None:
    low, high = sorted((one, two))
    assert room(low, usable, "green").old <= room(high, usable, "green").old
    sizes = [room(high, usable, zone).old for zone in ZONES]
    assert sizes == sorted(sizes, reverse=True)


def test_in_a_small_window_it_is_a_tenth_to_a_half_of_what_is_usable() -> None:
    assert [room(knob, 10_000, "green").old for knob in (0, 1)] == [1_000, 5_000]
    assert [room(knob, LARGE, "green").old for knob in (0, 1)] == [2_500, 62_500]
    assert room(1, 10_000, "green").newest == 1_000
