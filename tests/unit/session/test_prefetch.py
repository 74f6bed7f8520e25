"""A compaction written ahead: begun once a branch from yellow on, thrown away with its branch. Of two of one
branch at once the second is refused."""

from concurrent.futures import Future
from typing import Any

import pytest

from ctxmgr.session.prefetch import BranchLocks, Prefetch, PrefetchedCompaction

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


CASES = (
    ("the same path", "abc", "abc", False),
    ("the second is an older state of it", "abcd", "abc", False),
    ("another branch", "abc", "abx", True),
    ("another branch of the root", "ab", "ax", True),
    ("no ids are known of the second", "abc", "", False),
)


@pytest.mark.parametrize(("name", "first", "second", "allowed"), CASES, ids=[case[0] for case in CASES])
def test_two_compactions_of_one_branch_at_once(name: str, first: str, second: str, allowed: bool) -> None:
    claims = BranchLocks()
    held = claims.claim(list(first), first[-1:] or None)
    assert held is not None
    assert (claims.claim(list(second), second[-1:] or None) is not None) is allowed
    claims.release(held)
    assert claims.claim(list(second), second[-1:] or None) is not None or allowed
