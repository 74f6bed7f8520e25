"""A compaction written ahead: begun once a branch from yellow on, thrown away with its branch."""

from concurrent.futures import Future
from typing import Any

import pytest

from ctxmgr.session.prefetch import Prefetch, PrefetchedCompaction

ONE = PrefetchedCompaction("compaction", "e1")

BEGUN: list[tuple[Any, bool, bool]] = [
    # zone, a real reading: begun
    ("green", True, False),
    ("yellow", False, False),
    ("yellow", True, True),
    ("red", True, True),
    ("compact", True, True),
]


@pytest.mark.parametrize(("zone", "known", "begun"), BEGUN)
def test_begun_from_yellow_on_by_a_real_reading(zone: Any, known: bool, begun: bool) -> None:
    assert Prefetch().wanted(zone, known) is begun


def begun(ahead: Prefetch) -> "Future[Any]":
    future: Future[Any] = Future()
    ahead.begun(future)
    return future


def test_one_is_written_at_a_time_and_then_it_is_there() -> None:
    ahead = Prefetch()
    future = begun(ahead)
    assert not ahead.wanted("red", True)
    ahead.arrived(future, ONE)
    assert ahead.prepared is ONE
    assert not ahead.wanted("red", True)


def test_what_failed_is_not_tried_again_on_this_branch() -> None:
    ahead = Prefetch()
    ahead.arrived(begun(ahead), None)
    assert ahead.prepared is None
    assert not ahead.wanted("red", True)
    ahead.forget()
    assert ahead.wanted("red", True)


@pytest.mark.parametrize("arrived", [None, ONE])
def test_what_was_begun_on_another_branch_is_ended_and_never_seen(arrived: PrefetchedCompaction | None) -> None:
    ahead = Prefetch()
    old = begun(ahead)
    ahead.forget()
    assert old.cancelled()
    new = begun(ahead)
    ahead.arrived(old, arrived)
    assert ahead.prepared != ONE
    assert not new.done()
    ahead.arrived(new, ONE)
    assert ahead.prepared == ONE


def test_with_its_branch_it_goes() -> None:
    ahead = Prefetch()
    ahead.arrived(begun(ahead), ONE)
    ahead.forget()
    assert ahead.prepared is None
    assert ahead.wanted("yellow", True)
