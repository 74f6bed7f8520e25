"""A compaction written ahead: begun once a branch from yellow on, thrown away with its branch."""

from concurrent.futures import Future
from typing import Any

from ctxmgr.session.prefetch import Prefetch, PrefetchedCompaction

ONE = PrefetchedCompaction("compaction", "e1")


def begun(ahead: Prefetch) -> "Future[Any]":
    future: Future[Any] = Future()
    ahead.begun(future)
    return future


def test_one_is_written_once_a_branch_also_where_it_failed() -> None:
    for arrived in (ONE, None):
        ahead = Prefetch()
        assert [ahead.wanted(zone, True) for zone in ("green", "yellow", "compact")] == [False, True, True]
        assert not ahead.wanted("red", False), "what the host has not measured begins none"
        future = begun(ahead)
        assert not ahead.wanted("red", True)
        ahead.arrived(future, arrived)
        assert (ahead.prepared, ahead.wanted("red", True)) == (arrived, False)
        ahead.forget()
        assert (ahead.prepared, ahead.wanted("red", True)) == (None, True)


def test_what_was_begun_on_another_branch_is_ended_and_never_seen() -> None:
    for arrived in (None, ONE):
        ahead = Prefetch()
        old = begun(ahead)
        ahead.forget()
        assert old.cancelled()
        new = begun(ahead)
        ahead.arrived(old, arrived)
        assert (ahead.prepared, new.done()) == (None, False)
        ahead.arrived(new, ONE)
        assert ahead.prepared == ONE
