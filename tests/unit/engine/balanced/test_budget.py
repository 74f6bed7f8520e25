"""How much an epoch leaves: by the keys of the policy, the window and the zone."""

import math
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.balanced.budget import (
    CHEAPEST,
    DEAREST,
    INDEX_MOST_SHARE,
    LEAST,
    MIDDLE,
    NEWEST_SHARE,
    OLD_SHARE_LEAST,
    OLD_SHARE_MOST,
    RED_SHARE,
    USER_SHARE,
    Budget,
    ListLimits,
    room,
)
from ctxmgr.model import Rates
from ctxmgr.model.policy import ZONES, Policy, Zone

LARGE = 1e9
ANY = ListLimits(LARGE)
NEWEST, INDEX = Policy().newest_tokens, Policy().index_tokens
SMALL = 1_000


def by_knob(knob: float, usable: float, zone: Zone, window: float = math.inf) -> Budget:
    return room(Policy(cost_versus_recall=knob), ListLimits(usable, window=window), zone)


# name, (knob, usable, zone), tokens of the old part, of newest steps, of the index
TABLE: list[tuple[str, tuple[float, float, Zone], float, float, float]] = [
    ("the least", (0, LARGE, "green"), 36, NEWEST, INDEX),
    ("the middle", (0.5, LARGE, "green"), CHEAPEST, NEWEST, INDEX),
    ("between the middle and the end", (0.75, LARGE, "green"), (CHEAPEST * DEAREST) ** 0.5, NEWEST, INDEX),
    ("the dearest", (1, LARGE, "green"), DEAREST, NEWEST, INDEX),
    ("yellow as green", (0.5, LARGE, "yellow"), CHEAPEST, NEWEST, INDEX),
    ("red halves the old part", (0.5, LARGE, "red"), CHEAPEST / 2, NEWEST, INDEX),
    ("compact leaves the last steps alone", (0.5, LARGE, "compact"), 0, 0, INDEX),
    ("a small window", (0.5, SMALL, "green"), *(share * SMALL for share in (OLD_SHARE_LEAST, 0.1, 0.1))),
    ("and much of it", (1, SMALL, "green"), *(share * SMALL for share in (OLD_SHARE_MOST, 0.1, 0.1))),
    ("none at all", (0.5, 0, "green"), 0, 0, 0),
]


@pytest.mark.parametrize(("name", "of", "old", "newest", "index"), TABLE, ids=[row[0] for row in TABLE])
def test_room(name: str, of: tuple[float, float, Zone], old: float, newest: float, index: float) -> None:
    users = USER_SHARE * of[1]
    assert by_knob(*of) == Budget(int(old), int(newest), int(index), users)
    assert by_knob(*of, 900.0) == Budget(int(old), int(newest), int(index), users, 900.0)


def test_each_tenth_of_the_knob_keeps_so_many_times_as_much() -> None:
    sizes = [by_knob(tenth / 10, LARGE, "green").old for tenth in range(11)]
    step = (DEAREST / CHEAPEST) ** (0.1 / (1 - MIDDLE))
    assert [more / less for less, more in pairwise(sizes)] == pytest.approx(
        [step] * 10, rel=0.03
    )  # of whole tokens


@given(st.floats(0, 1), st.floats(0, 1e6), st.sampled_from(ZONES))
def test_never_more_than_its_share(knob: float, usable: float, zone: Zone) -> None:
    found = by_knob(knob, usable, zone)
    assert 0 <= found.old <= min(DEAREST, OLD_SHARE_MOST * usable)
    assert 0 <= found.newest <= min(NEWEST, NEWEST_SHARE * usable)
    assert 0 <= found.index <= min(INDEX, INDEX_MOST_SHARE * usable)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1e6))
def test_a_worse_zone_and_a_lower_knob_keep_no_more(one: float, two: float, usable: float) -> None:
    low, high = sorted((one, two))
    assert by_knob(low, usable, "green").old <= by_knob(high, usable, "green").old
    sizes = [by_knob(high, usable, zone).old for zone in ZONES]
    assert sizes == sorted(sizes, reverse=True)


def test_in_a_small_window_it_is_a_tenth_to_a_half_of_what_is_usable() -> None:
    assert [by_knob(knob, 10_000, "green").old for knob in (0, 0.5, 1)] == [36, 1_000, 5_000]
    assert [by_knob(knob, LARGE, "green").old for knob in (0, 0.5, 1)] == [36, 1_500, 62_500]
    assert by_knob(1, 10_000, "green").newest == 1_000


SET = Policy(old_tokens=2_500, newest_tokens=1_000, index_tokens=4_000)


def test_what_is_set_goes_before_the_knob() -> None:
    for knob in (0.0, 0.5, 1.0):
        policy = msgspec.structs.replace(SET, cost_versus_recall=knob)
        found = room(policy, ANY, "green")
        assert (found.old, found.newest, found.index) == (2_500, 1_000, 4_000)


def test_the_index_does_not_shrink_with_the_old_part() -> None:
    assert [room(SET, ANY, zone).index for zone in ZONES] == [4_000] * 4
    assert [room(SET, ANY, zone).old for zone in ZONES] == [2_500, 2_500, 1_250, 0]


def test_in_a_small_window_what_is_set_has_its_share_at_most() -> None:
    found = room(Policy(old_tokens=9_000, newest_tokens=9_000, index_tokens=9_000), ListLimits(10_000), "green")
    shares = [OLD_SHARE_MOST, NEWEST_SHARE, INDEX_MOST_SHARE]
    assert [found.old, found.newest, found.index] == [int(share * 10_000) for share in shares]


def test_nothing_is_room_for_nothing() -> None:
    assert room(Policy(old_tokens=0, newest_tokens=0, index_tokens=0), ANY, "green").total == 0


def test_the_dearer_reading_is_the_less_is_kept() -> None:
    reads = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
    sizes = [room(Policy(), ANY, "green", Rates(read, 1.25)).old for read in reads]
    assert sizes == [CHEAPEST, CHEAPEST, CHEAPEST, CHEAPEST, LEAST, LEAST, LEAST]
    low = [room(Policy(cost_versus_recall=0.3), ANY, "green", Rates(read, 1.25)).old for read in reads]
    assert low == [337] * len(reads)  # under LEAST prices take nothing more
    ends = [room(Policy(cost_versus_recall=1), ANY, "green", Rates(read, 1.25)).old for read in reads]
    assert ends == [DEAREST] * len(reads)


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_price_of_reading_keeps_more_than_a_lower_one(one: float, two: float) -> None:
    low, high = sorted((one, two))
    assert room(Policy(), ANY, "green", Rates(low, 1)).old >= room(Policy(), ANY, "green", Rates(high, 1)).old


@given(st.floats(0, 1), st.floats(0, 1e5), st.floats(0, 1e5), st.sampled_from(ZONES))
def test_all_parts_together_are_half_of_what_red_leaves_at_most(
    knob: float, usable: float, red: float, zone: Zone
) -> None:
    found = room(Policy(cost_versus_recall=knob), ListLimits(usable, red), zone)
    assert found.total <= RED_SHARE * red + 1


def test_where_red_leaves_little_each_part_gives_way_alike() -> None:
    free, tight = (room(Policy(), ListLimits(24_000, red), "green") for red in (LARGE, 4_000))
    shares = [less / more for less, more in ((tight.old, free.old), (tight.newest, free.newest))]
    assert shares == pytest.approx([tight.index / free.index] * 2, rel=0.01)
