"""What is promised of a start whose store is slow or does not answer, and of one that its host gave up."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from ctxmgr.model.saved import Stored
from ctxmgr.store import SessionStore, keeping
from ctxmgr.store.driving import TOO_LATE
from ctxmgr.store.keeping import Terms
from tests.store.servers import pointed_at
from tests.unit.store.machines import BASE, ID, Machine, event, head, heard, running
from tests.unit.store.memory import MemoryObjects, down

IMPATIENT = Terms(delay_ms=0, lease_ms=600_000, start_ms=0)
OFFLINE = f"{keeping.OFFLINE}, as {TOO_LATE}: {keeping.LATER}"


@pytest.fixture
def silent_server() -> Iterator[str]:
    """It takes connections and never answers; its address."""
    taken = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in taken:
        connection.close()


def test_a_server_that_takes_connections_and_never_answers_stops_no_start(
    silent_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SessionStore(pointed_at(silent_server, monkeypatch, "x"), lambda *told: None, start_ms=50)
    begun = store.begin(ID, tmp_path / "s.jsonl").result(10)
    assert (begun.refused, begun.ownership, begun.records) == (None, None, None)
    assert begun.stored == Stored(None, OFFLINE)
    store.go(ID)
    store.end(0.0)


async def test_it_goes_on_from_what_lies_here_and_is_claimed_later(here: Machine, objects: MemoryObjects) -> None:
    objects.held = asyncio.Event()
    begun = await here.start(IMPATIENT)
    async with running(here):
        assert begun.stored.note == OFFLINE
        here.save(BASE, event(1))
        objects.held.set()
        here.kept._hurry.set()
        await heard(here, 1, None)
        assert head(objects).is_open


@pytest.mark.parametrize("kind", ["swap", "create"])
async def test_a_claim_without_an_answer_takes_no_longer(here: Machine, objects: MemoryObjects, kind: str) -> None:
    if kind == "swap":
        await here.start()
        here.save(BASE)
        await here.end()
    objects.held, objects.holds = asyncio.Event(), {kind}
    begun = await here.start(IMPATIENT)
    async with running(here):
        assert begun.ownership is None
        assert begun.stored.note == OFFLINE


async def test_the_time_in_which_a_lease_runs_out_is_not_counted(
    here: Machine, elsewhere: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()
    await here.die()
    now = [0.0]

    async def pass_by(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("ctxmgr.store.driving.time.monotonic", lambda: now[0])
    monkeypatch.setattr("ctxmgr.store.beginning.asyncio.sleep", pass_by)
    begun = await elsewhere.start(Terms(0, 600_000, start_ms=3_000))
    async with running(elsewhere):
        assert now[0] >= 600.0
        assert begun.ownership is not None
        assert elsewhere.saved == here.saved


@pytest.mark.parametrize("way", ["down", "held"])
async def test_what_can_not_be_swept_keeps_no_session_from_what_it_begins_from(
    here: Machine, elsewhere: Machine, objects: MemoryObjects, way: str
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.end()
    if way == "down":
        objects.fault = lambda kind, key: down(kind, key) if kind == "listed" else None
    else:
        objects.held, objects.holds = asyncio.Event(), {"listed"}
    begun = await elsewhere.start(Terms(0, 600_000, start_ms=20))
    async with running(elsewhere):
        assert begun.stored == Stored(1)
        assert elsewhere.saved == here.saved


# a start that its host gave up


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    store = SessionStore((tmp_path / "store").as_uri(), lambda *told: None, 0, 600_000)
    store._objects = MemoryObjects()
    yield store
    store.end(5.0)


async def waiting_for_the_head(store: SessionStore, snapshot: Path) -> "Future[object]":
    """A start that waits for an answer."""
    objects = store._objects
    assert isinstance(objects, MemoryObjects)
    objects.held = asyncio.Event()
    begun: Future[object] = store.begin(ID, snapshot)  # type: ignore[assignment]
    while not objects.requests:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asyncio.sleep(0), store._loop))
    return begun


def release(store: SessionStore) -> None:
    assert isinstance(store._objects, MemoryObjects)
    store._loop.call_soon_threadsafe(store._objects.held.set)


async def test_the_next_start_gets_what_it_comes_to(store: SessionStore, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = await waiting_for_the_head(store, path)
    store.close(ID)
    second = store.begin(ID, path)
    release(store)
    assert await asyncio.wrap_future(second) == await asyncio.wrap_future(first)
    store.go(ID)
    assert isinstance(store._objects, MemoryObjects)
    assert [kind for kind, key in store._objects.requests] == ["get", "create"]


async def test_one_that_came_when_nobody_waited_is_kept_for_the_next(store: SessionStore, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = store.begin(ID, path)
    await asyncio.wrap_future(first)
    store.close(ID)
    assert await asyncio.wrap_future(store.begin(ID, path)) == first.result()


async def test_not_where_another_process_has_written_here_meanwhile(store: SessionStore, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = await asyncio.wrap_future(store.begin(ID, path))
    path.write_bytes(BASE)
    second = await asyncio.wrap_future(store.begin(ID, path))
    assert second.ownership.head.epoch_number == first.ownership.head.epoch_number + 1


async def test_one_for_which_nobody_comes_is_let_go_of(store: SessionStore, tmp_path: Path) -> None:
    begun = await asyncio.wrap_future(store.begin(ID, tmp_path / "s.jsonl"))
    assert begun.ownership is not None
    kept = store._begun[ID]

    async def forgotten() -> None:
        store._forget(ID, kept, kept.begin_count - 1)  # another start has come since
        assert not store._ending
        store._forget(ID, kept, kept.begin_count)
        await asyncio.wait(list(store._ending.values()))

    await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(forgotten(), store._loop))
    assert isinstance(store._objects, MemoryObjects)
    assert not head(store._objects).is_open
    assert not store._begun
