"""Queues alone: calls that park are generators, and the test brings what they wait for."""

import itertools
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.server.session_queue import SessionQueue, SessionQueues


class Desk:
    """Three queues, a journal of what was done, and the tickets that are out."""

    def __init__(self) -> None:
        self.out: list[tuple[int, str]] = []
        self.journal: list[str] = []
        self.queues = SessionQueues(
            lambda ticket, queue, wanted: self.out.append((ticket, wanted)), itertools.count(1)
        )
        for name in "abc":
            self.queues.by_session[name] = SessionQueue(name)

    def submit(self, queue: str, name: str, parks: int = 0, fails: bool = False) -> Any:
        start = (lambda: self._parking(name, parks, fails)) if parks else (lambda: self._plain(name, fails))
        return self.queues.submit(self.queues.by_session[queue], start, self._finished)

    def _plain(self, name: str, fails: bool) -> str:
        self.journal.append(name)
        if fails:
            raise ValueError(name)
        return name

    def _parking(self, name: str, parks: int, fails: bool) -> Generator[str, str, str]:
        self.journal.append(f"{name} begins")
        for _ in range(parks):
            assert (yield f"for {name}") == f"for {name}"
        return self._plain(name, fails)

    def _finished(self, value: str) -> str:
        self.journal.append(f"{value} finished")
        return value.upper()

    def resume(self, which: int = 0) -> None:
        ticket, wanted = self.out.pop(which)
        self.queues.resume(ticket, wanted)


def test_fault_while_parking_is_raised() -> None:
    desk = Desk()

    def park(ticket: int, queue: SessionQueue, wanted: Any) -> None:
        raise OSError("no device")

    queues = SessionQueues(park, itertools.count(1))
    queues.by_session["a"] = SessionQueue("a")
    with pytest.raises(OSError, match="no device"):
        queues.submit(queues.by_session["a"], lambda: desk._parking("x", 1, False))


def test_call_submitted_by_an_answer_keeps_its_place() -> None:
    """As the host's own answer does, that is heard in the session's order."""
    desk = Desk()
    first = desk.submit("a", "x", parks=1)
    desk.submit("a", "y", parks=1)
    first.add_done_callback(lambda future: desk.submit("a", "heard"))
    desk.resume()
    desk.resume()
    assert [one for one in desk.journal if "finished" in one] == ["x finished", "y finished", "heard finished"]


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), st.sampled_from("abc"), st.integers(0, 3), st.booleans()),
        st.tuples(st.just("resume"), st.just(""), st.integers(0, 3), st.just(False)),
        st.tuples(st.just("cancel"), st.just(""), st.integers(0, 30), st.just(False)),
    ),
    max_size=60,
)


@given(MOVES)
def test_each_queue_keeps_its_order_whatever_comes_back_first(moves: list[tuple[str, str, int, bool]]) -> None:
    desk = Desk()
    futures: list[Any] = []
    for number, (move, queue, count, fails) in enumerate(moves):
        if move == "resume" and desk.out:
            desk.resume(count % len(desk.out))
        elif move == "cancel" and futures:
            futures[count % len(futures)].cancel()
        elif move == "submit":
            free = desk.queues.by_session[queue].idle
            if free and not count and fails:
                with pytest.raises(ValueError, match=f"{queue}{number}"):
                    desk.submit(queue, f"{queue}{number}", count, fails)
                continue
            value = desk.submit(queue, f"{queue}{number}", count, fails)
            if not isinstance(value, str):
                futures.append(value)
    while desk.out:
        desk.resume(-1)
    assert all(future.done() for future in futures)
    assert desk.queues.idle
    done = [one for one in desk.journal if " " not in one]
    for queue in "abc":
        numbers = [int(one[1:]) for one in done if one[0] == queue]
        assert numbers == sorted(numbers)
