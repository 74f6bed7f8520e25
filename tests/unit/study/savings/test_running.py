"""Sessions are measured on several cores, in a drawn order, for as long as there is time."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace
from typing import Any

import pytest

from ctxmgr.study.savings import command
from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.command import KILLED, drawn, measured_in_time
from ctxmgr.study.savings.measuring import MeasuredSession

SESSIONS = [KeptSession("Codex", f"/s/{number}") for number in range(12)]


class Scripted(Executor):
    """Runs what it is given at once, and breaks where a session is in `deadly`, as a pool whose worker died."""

    def __init__(self, deadly: set[KeptSession]) -> None:
        self.deadly = deadly

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[0] in self.deadly:
            future.set_exception(BrokenProcessPool())
        else:
            future.set_result(fn(*args))
        return future


def ran(workers: int, time_for: int = 99, deadly: set[KeptSession] | None = None) -> list[MeasuredSession]:
    """`time_for`: as many times as there is time when it is asked."""
    left = iter(range(time_for))
    has_time = lambda: next(left, None) is not None  # noqa: E731
    return list(measured_in_time(SESSIONS, MeasuredSession, workers, has_time, lambda _: Scripted(deadly or set())))


def test_all_are_measured_where_there_is_time() -> None:
    for workers in (1, 2):
        assert {one.session for one in ran(workers)} == set(SESSIONS)


def test_those_that_there_was_time_for_are_the_first_drawn() -> None:
    for workers in (1, 2):
        assert {one.session for one in ran(workers, time_for=4)} == set(drawn(SESSIONS)[:5])


def test_one_is_measured_where_there_is_no_time() -> None:
    assert [one.session for one in ran(2, time_for=0)] == drawn(SESSIONS)[:1]


def test_a_worker_that_is_killed_costs_what_was_under_way_and_no_more() -> None:
    deadly = drawn(SESSIONS)[3]
    found = ran(2, deadly={deadly})
    assert [one.session for one in found if one.fault == KILLED] == [deadly]
    assert {one.session for one in found} == set(SESSIONS)


def test_who_interrupts_waits_for_no_session_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    workers = [SimpleNamespace(terminate=lambda number=number: ended.append(number)) for number in range(2)]
    monkeypatch.setattr(command, "active_children", lambda: workers)
    measuring = measured_in_time(SESSIONS, MeasuredSession, 2, lambda: True, lambda _: Scripted(set()))
    next(measuring)
    with pytest.raises(KeyboardInterrupt):
        measuring.throw(KeyboardInterrupt)
    assert ended == [0, 1]


def test_the_order_is_drawn_and_the_same_each_time() -> None:
    assert drawn(SESSIONS) == drawn(SESSIONS) != SESSIONS
    assert sorted(drawn(SESSIONS), key=lambda one: one.path) == sorted(SESSIONS, key=lambda one: one.path)
