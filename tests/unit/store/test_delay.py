"""How far a store may be behind what was saved here, by a clock that moves where the test says so."""

import asyncio
from collections.abc import Callable

import pytest

from ctxmgr.store import keeping
from ctxmgr.store.keeping import Terms
from tests.unit.store.machines import BASE, Machine, event, heard, running
from tests.unit.store.memory import MemoryObjects

DELAY_MS = 1_000


class Clock:
    """Seconds. It goes on only while the keeper puts a batch off, and where the test moves it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.put_off: list[float] = []  # when batches began that were put off
        monkeypatch.setattr("ctxmgr.store.keeping.time.monotonic", lambda: self.now)
        monkeypatch.setattr(keeping, "_within", self.within)
        self.machine: Machine | None = None

    async def within(self, event: asyncio.Event, seconds: float | None) -> None:
        assert self.machine is not None
        if event is self.machine.kept._wake:
            await event.wait()
        elif not event.is_set():
            self.now += seconds or 0.0
            self.put_off.append(self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, here: Machine) -> Clock:
    clock = Clock(monkeypatch)
    clock.machine = here
    return clock


def during_put(objects: MemoryObjects, does: Callable[[], None]) -> None:
    """The next object takes this long, or has this happen while it is sent; once."""
    waiting = [does]

    def fault(kind: str, key: str) -> None:
        if kind == "put" and waiting:
            waiting.pop()()

    objects.fault = fault


async def test_a_change_is_sent_when_the_delay_has_passed_and_no_later(here: Machine, clock: Clock) -> None:
    await here.start(Terms(DELAY_MS, 600_000))
    async with running(here):
        here.save(BASE, event(1))
        await heard(here, 1, None)
        assert clock.put_off == [1.0]
        clock.now = 7.0
        here.save(event(2))
        clock.now = 7.4
        here.save(event(3))
        await heard(here, 3, None)
        assert clock.put_off == [1.0, 8.0]


async def test_the_delay_is_counted_from_the_change_though_a_batch_was_under_way(
    here: Machine, objects: MemoryObjects, clock: Clock
) -> None:
    await here.start(Terms(DELAY_MS, 600_000))
    async with running(here):

        def meanwhile() -> None:
            clock.now += 0.2
            here.save(event(2))
            clock.now += 0.5

        during_put(objects, meanwhile)
        here.save(BASE, event(1))
        await heard(here, 2, None)
        assert clock.put_off == [1.0, pytest.approx(2.2)]  # it was saved at 1.2, and the batch ended at 1.7


async def test_behind_a_batch_that_took_longer_than_the_delay_the_next_goes_at_once(
    here: Machine, objects: MemoryObjects, clock: Clock
) -> None:
    await here.start(Terms(DELAY_MS, 600_000))
    async with running(here):

        def meanwhile() -> None:
            here.save(event(2))
            clock.now += 5.0

        during_put(objects, meanwhile)
        here.save(BASE, event(1))
        await heard(here, 2, None)
        assert clock.put_off == [1.0, 6.0]
