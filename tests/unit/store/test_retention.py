"""What a store keeps for how long: sessions that are old, or have no room, are deleted when people ask for that."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.model.saved import Stored
from ctxmgr.store import PurgeLimits, catalogue
from ctxmgr.store.head import from_bytes, head_key, objects_prefix
from ctxmgr.store.objects import opened
from ctxmgr.store.protocol import End
from tests.unit.store.machines import Machine, event, row, running
from tests.unit.store.memory import MemoryObjects, down, up

DAY = 86_400_000  # milliseconds
NOW = 100 * DAY
LIMITS = PurgeLimits(max_age_days=30, max_megabytes=1)


def base(name: str) -> bytes:
    return b'{"kind":"base","version":1,"sessionId":"%b","state":{"seq":0}}' % name.encode()


async def keep(directory: Path, objects: MemoryObjects, name: str, days_ago: int, ends: bool = True) -> Machine:
    """A session there whose head was swapped in so many days ago."""
    machine = Machine(directory, objects, name)
    await machine.start()
    machine.save(base(name), event(1))
    machine.leaves(row("h", "what left"))
    await (machine.end() if ends else machine.kept.flush())
    objects.saved_ms[head_key(name)] = NOW - days_ago * DAY
    objects.now_ms = NOW
    return machine


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.to_thread(lambda: None)


def there(objects: MemoryObjects, name: str) -> bool:
    return any(key.startswith(objects_prefix(name)) for key in objects.kept)


async def test_what_is_older_than_the_days_is_deleted_with_its_originals(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    for name, days in (("old", 31), ("young", 29)):
        await keep(tmp_path, objects, name, days)
    gone = await catalogue.purged(objects, LIMITS, dry_run=False)
    assert [(one.session.session_id, one.fault) for one in gone] == [("old", None)]
    assert (there(objects, "old"), there(objects, "young")) == (False, True)
    assert [one.session_id for one in await catalogue.listed(objects)] == ["young"]


async def test_of_what_has_no_room_the_oldest_goes_first(tmp_path: Path, objects: MemoryObjects) -> None:
    for name, days in (("c", 3), ("a", 9), ("b", 5)):
        await keep(tmp_path, objects, name, days)
        objects.kept[objects_prefix(name) + "0" * 8] = b"x" * 400_000
    gone = await catalogue.purged(objects, LIMITS, dry_run=False)
    assert [one.session.session_id for one in gone] == ["a"]
    assert gone[0].session.size_bytes > 400_000


@pytest.mark.parametrize("ends", [True, False])
async def test_what_was_changed_within_a_day_stays_whatever_room_there_is(
    tmp_path: Path, objects: MemoryObjects, ends: bool
) -> None:
    machine = await keep(tmp_path, objects, "young", 1, ends)
    async with running(machine):
        objects.kept[objects_prefix("young") + "0" * 8] = b"x" * 2_000_000
        assert await catalogue.purged(objects, LIMITS, dry_run=False) == []
        objects.saved_ms[head_key("young")] -= 1
        assert len(await catalogue.purged(objects, LIMITS, dry_run=True)) == 1


async def test_who_goes_on_with_a_purged_session_stores_it_anew(tmp_path: Path, objects: MemoryObjects) -> None:
    machine = await keep(tmp_path, objects, "back", 31, ends=False)
    machine.kept._used = machine.kept._renewed = -1e9  # it had nothing new for long
    machine.kept._wake.set()
    async with running(machine):
        await until(lambda: not from_bytes(objects.kept[head_key("back")]).is_open)
        assert len(await catalogue.purged(objects, LIMITS, dry_run=False)) == 1
        machine.save(event(2))
        assert await machine.kept.flush() == Stored(2)
        there = from_bytes(objects.kept[head_key("back")])
        assert (there.epoch_number, there.contents.seq, len(there.contents.rows)) == (3, 2, 1)


@pytest.mark.parametrize("end", ["deleted", "purged"])
async def test_started_again_only_what_was_deleted_on_purpose_begins_anew(
    tmp_path: Path, objects: MemoryObjects, end: End
) -> None:
    machine = await keep(tmp_path, objects, "back", 31)
    saved = machine.saved
    assert await catalogue.deleted(objects, "back", frozenset(), end=end)
    begun = await machine.start()
    async with running(machine):
        assert begun.records == (() if end == "deleted" else None)
        assert machine.saved == (b"" if end == "deleted" else saved)
        assert len(begun.unsent) == (0 if end == "deleted" else 1)


async def test_what_was_purged_may_be_deleted_on_purpose_yet(tmp_path: Path, objects: MemoryObjects) -> None:
    await keep(tmp_path, objects, "gone", 31)
    await catalogue.purged(objects, LIMITS, dry_run=False)
    assert not await catalogue.deleted(objects, "gone", frozenset())
    there = from_bytes(objects.kept[head_key("gone")])
    assert (there.deleted, there.is_purged) == (True, False)


async def test_a_head_that_somebody_removed_is_put_there_again(tmp_path: Path, objects: MemoryObjects) -> None:
    machine = await keep(tmp_path, objects, "back", 0, ends=False)
    async with running(machine):
        objects.kept.clear()
        machine.save(event(2))
        assert await machine.kept.flush() == Stored(2)
        assert from_bytes(objects.kept[head_key("back")]).contents.seq == 2


async def test_one_whose_machine_was_killed_long_ago_goes_when_its_lease_is_over(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    machine = await keep(tmp_path, objects, "killed", 31, ends=False)
    await machine.die()
    waited: list[float] = []

    async def pass_by(seconds: float) -> None:
        waited.append(seconds)

    gone = await catalogue.purged(objects, LIMITS, dry_run=False, sleep=pass_by)
    assert [(one.session.session_id, one.fault) for one in gone] == [("killed", None)]
    assert sum(waited) == pytest.approx(600.0)


async def test_one_that_can_not_be_deleted_keeps_no_other_and_is_told(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    for name in ("one", "two"):
        await keep(tmp_path, objects, name, 31)
    objects.fault = lambda kind, key: down(kind, key) if (kind, key) == ("swap", head_key("one")) else up(kind, key)
    gone = await catalogue.purged(objects, LIMITS, dry_run=False)
    assert {one.session.session_id: one.fault is None for one in gone} == {"one": False, "two": True}


async def test_an_unreadable_head_stays(tmp_path: Path, objects: MemoryObjects) -> None:
    objects.kept[head_key("odd")] = b"garbage"
    assert await catalogue.purged(objects, LIMITS, dry_run=False) == []
    assert objects.kept[head_key("odd")] == b"garbage"


def test_by_the_command_line_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = (tmp_path / "store").as_uri()

    async def some() -> None:
        for name in ("old", "young"):
            machine = Machine(tmp_path / "here", opened(url), name)
            await machine.start()
            machine.save(base(name), event(1))
            await machine.end()

    asyncio.run(some())
    os.utime(tmp_path / "store" / head_key("old"), (1, 1))
    command = ["sessions", "purge", "--store", url, "--days", "30"]
    assert main([*command, "--dry-run"]) == 0
    assert "1 sessions would be deleted" in capsys.readouterr().out
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "old" in printed
    assert "1 sessions deleted: saved more than 30 days ago\n" in printed
    assert main(["sessions", "list", "--store", url, "--json"]) == 0
    listed = capsys.readouterr().out
    assert ('"young"' in listed, '"old"' in listed) == (True, False)
    assert (tmp_path / "here").exists()
    assert main(["sessions", "purge", "--store", "nowhere"]) == 2
