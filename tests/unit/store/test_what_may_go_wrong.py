"""What is promised of a session in a store that fails, that was changed, or whose session was deleted."""

import asyncio
import fcntl
from pathlib import Path

import pytest

from ctxmgr.devices import ArchiveDatabase, ArchiveFault
from ctxmgr.model import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.store import catalogue, keeping
from ctxmgr.store.head import head_key, objects_prefix
from ctxmgr.store.objects import StoreUnreachable, file_objects
from tests.unit.store.machines import BASE, ID, Machine, event, head, heard, row, running, silently
from tests.unit.store.memory import MemoryObjects, down, up

OFFLINE = f"{keeping.OFFLINE}, as the store did not answer: {keeping.LATER}"


async def test_offline_it_is_said_kept_here_and_caught_up(
    here: Machine, elsewhere: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FLUSH_SECONDS", 0.0)
    await here.start()
    here.save(BASE, event(1))
    async with running(here):
        await heard(here, 1, None)
        objects.fault = down
        here.save(event(2))
        here.leaves(row("h"))
        await heard(here, 1, OFFLINE)
        here.save(event(3))
        objects.fault = up
        here.kept._hurry.set()
        await heard(here, 3, None)
        assert objects.kept[objects_prefix(ID) + head(objects).contents.rows[0]]


async def test_what_went_on_offline_does_not_take_the_place_of_what_went_on_elsewhere(
    here: Machine, elsewhere: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.end()
    await elsewhere.start()
    elsewhere.save(event(2, "elsewhere"))
    await elsewhere.end()
    objects.fault = down
    await here.start()
    async with running(here):
        here.save(event(2, "here"), event(3, "here"))
        objects.fault = up
        here.kept._hurry.set()
        await heard(here, None, keeping.FENCED)
        assert head(objects).contents.seq == 2
        assert not head(objects).is_open


@pytest.mark.parametrize("fault", ["lost before", "lost after", "refused"])
@pytest.mark.parametrize("number", range(6))
async def test_any_one_request_may_fail_in_any_way(
    here: Machine,
    elsewhere: Machine,
    objects: MemoryObjects,
    fault: str,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keeping, "RETRY_SECONDS", 0.0)
    asked = iter(range(1_000))
    kinds = ("swap", "create") if fault == "refused" else ("get", "put", "swap", "create", "listed")
    objects.fault = lambda kind, key: fault if kind in kinds and next(asked) == number else None
    await here.start()
    here.save(BASE, event(1))
    for _ in range(20):
        here.kept._hurry.set()
        if (await asyncio.wait_for(here.kept.flush(), 20)).seq == 1:
            break
    here.save(event(2))
    assert (await here.end()).seq == 2
    await elsewhere.start()
    async with running(elsewhere):
        assert elsewhere.saved == here.saved


async def test_deleting_a_session_deletes_it_there(here: Machine, objects: MemoryObjects) -> None:
    await here.start()
    here.save(BASE, event(1, "secret"))
    here.leaves(row("h", "secret"))
    await here.end()
    assert await catalogue.deleted(objects, ID, frozenset())
    assert list(objects.kept) == [head_key(ID)]
    assert head(objects).session == ""
    assert await catalogue.listed(objects) == []
    assert not await catalogue.deleted(objects, ID, frozenset())


async def test_a_machine_that_still_has_a_deleted_session_does_not_bring_it_back(
    here: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE, event(1, "secret"))
    await here.end()
    await catalogue.deleted(objects, ID, frozenset())
    begun = await here.start()
    async with running(here):
        assert begun.records == ()
        assert here.saved == b""


async def test_an_open_session_is_deleted_when_its_lease_is_over_and_its_owner_is_told(
    here: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()

    async def no_time(seconds: float) -> None:
        return

    assert await catalogue.deleted(objects, ID, frozenset(), no_time)
    async with running(here):
        here.save(event(2))
        assert await here.kept.flush() == Stored(None, keeping.DELETED)
        assert objects.kept.keys() == {head_key(ID)}


async def test_sessions_are_listed(here: Machine, objects: MemoryObjects) -> None:
    await here.start()
    async with running(here):
        here.save(BASE, event(1))
        await here.kept.flush()
        (one,) = await catalogue.listed(objects)
        assert (one.session_id, one.event_count, one.is_open, one.epoch_number) == (ID, 1, True, 1)
        assert one.size_bytes == len(here.saved)


async def test_what_an_older_epoch_left_is_swept_and_never_read(
    here: Machine, elsewhere: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()
    objects.fault = lambda kind, key: "lost after" if kind == "put" else None
    here.save(event(2, "never named"))
    monkeypatch.setattr(keeping, "FLUSH_SECONDS", 0.0)
    await heard(here, 1, OFFLINE)
    await here.die()
    objects.fault = up
    left = {key for key in objects.kept if key.startswith("objects/")}
    await silently(elsewhere, monkeypatch)
    async with running(elsewhere):
        names = {key.removeprefix(objects_prefix(ID)) for key in objects.kept if key.startswith("objects/")}
        assert len(left) == 2
        assert names == head(objects).contents.names
        assert b"never named" not in elsewhere.saved


async def test_a_folders_lock_that_another_holds_for_long_is_no_answer_and_no_wait_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_objects, "LOCK_SECONDS", 0.0)
    objects = file_objects.FileObjects(tmp_path / "store")
    tag = await objects.put_if_none_match("heads/a", b"1")
    with (tmp_path / "store" / "heads" / ".a.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StoreUnreachable):
            await objects.put_if_match("heads/a", b"2", tag)
    await objects.put_if_match("heads/a", b"2", tag)


@pytest.mark.parametrize("when", ["before it is claimed", "later"])
async def test_rows_that_left_offline_are_all_there_in_the_end(
    when: str, here: Machine, elsewhere: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    if when == "later":
        await here.start()
        here.save(BASE)
        await here.kept.flush()
    objects.fault = down
    if when == "before it is claimed":
        await here.start()
        here.save(BASE)
    async with running(here):
        rows = [row(f"h{number}", f"{number} " * 100) for number in range(20)]
        for one in rows:
            here.leaves(one)
        here.save(event(1))
        await heard(here, None if when == "before it is claimed" else 0, OFFLINE)
        objects.fault = up
        here.kept._hurry.set()
        await heard(here, 1, None)
    await silently(elsewhere, monkeypatch)
    async with running(elsewhere):
        assert [elsewhere.archived(one.handle) for one in rows] == rows


async def test_rows_that_could_not_be_read_hold_no_line_back_and_are_not_forgotten(
    here: Machine, elsewhere: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    async with running(here):
        here.save(BASE)
        await here.kept.flush()
        with monkeypatch.context() as patched:

            def locked(self: ArchiveDatabase, *which: object) -> list[ArchiveRow]:
                raise ArchiveFault("it is locked")

            patched.setattr(ArchiveDatabase, "rows", locked)
            here.leaves(row("h"))
            here.save(event(1))
            await heard(here, 1, keeping.ROWS_NOT_KEPT.format("it is locked"))
            assert here.kept._uploading is not None
            await here.kept._uploading.upload(holding=False)
            assert head(objects).is_open, "else nobody would ask for its rows again"
        here.kept._hurry.set()
        await heard(here, 1, None)
    await silently(elsewhere, monkeypatch)
    async with running(elsewhere):
        assert elsewhere.archived("h") == row("h")
