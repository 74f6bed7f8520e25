"""What is loaded before it is needed: in a silence of the host, or all at once."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from ctxmgr.server import loading
from ctxmgr.server.loading import QUIET_SECONDS, Loading


class Timers:
    """A loop's timers, that run when a test says so."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, delay: float, work: Callable[[], None]) -> "Timers":
        self.due.append((delay, work))
        return self

    def call_soon(self, work: Callable[[], None]) -> "Timers":
        return self.call_later(0, work)

    def cancel(self) -> None:
        self.due.clear()

    def run(self) -> float:
        [(delay, work)], self.due = self.due, []
        work()
        return delay


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What of three pieces is loaded: the second one cannot be."""
    done: list[str] = []

    def refused() -> None:
        raise OSError

    def pieces(archives: bool) -> Iterator[Callable[[], object]]:
        yield lambda: done.append("a")
        yield refused
        yield lambda: done.append("archives" if archives else "c")

    monkeypatch.setattr(loading, "pieces", pieces)
    return done


def begun(timers: Timers, archives: bool = False) -> Loading:
    loop: asyncio.AbstractEventLoop = timers  # type: ignore[assignment]
    return Loading(loop, archives)


def test_a_silence_loads_piece_by_piece_whatever_fails(loaded: list[str]) -> None:
    timers = Timers()
    begun(timers)
    assert loaded == []
    assert [timers.run() for _ in range(4)] == [QUIET_SECONDS, 0, 0, 0]
    assert (loaded, timers.due) == (["a", "c"], [])


def test_a_call_is_not_kept_waiting_for_what_is_left(loaded: list[str]) -> None:
    timers = Timers()
    one = begun(timers, archives=True)
    one.heard()
    assert (timers.run(), loaded) == (QUIET_SECONDS, ["a"])
    one.heard()
    assert timers.run() == QUIET_SECONDS
    timers.run()
    timers.run()
    one.heard()
    assert (loaded, timers.due) == (["a", "archives"], [])


def test_all_of_it_is_loaded_at_once(loaded: list[str]) -> None:
    timers = Timers()
    one = begun(timers)
    one.finish()
    one.heard()
    assert (loaded, timers.due) == (["a", "c"], [])


def test_where_the_pieces_can_not_be_told_they_are_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    done, faults = list[str](), [OSError]

    def pieces(archives: bool) -> Iterator[Callable[[], object]]:
        if faults:
            raise faults.pop()
        yield lambda: done.append("a")

    monkeypatch.setattr(loading, "pieces", pieces)
    timers = Timers()
    begins = begun(timers)
    timers.run()
    assert (done, timers.due) == ([], [])
    begins.finish()
    assert done == ["a"]
