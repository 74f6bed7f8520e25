"""What a store keeps for how long: sessions that are old, or have no room, are deleted when people ask for that."""

import asyncio
import os
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.model import Archive
from ctxmgr.store import catalogue
from ctxmgr.store.keys import head_key, objects_prefix
from ctxmgr.store.objects import opened
from tests.unit.store.machines import Machine, event, row, running
from tests.unit.store.memory import MemoryObjects, down, up

DAY = 86_400_000  # milliseconds
NOW = 100 * DAY
LIMITS = Archive(max_age_days=30, max_megabytes=1)


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
    return machine


def there(objects: MemoryObjects, name: str) -> bool:
    return any(key.startswith(objects_prefix(name)) for key in objects.kept)


async def test_what_is_older_than_the_days_is_deleted_with_its_originals(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    for name, days in (("old", 31), ("young", 29)):
        await keep(tmp_path, objects, name, days)
    gone = await catalogue.purged(objects, LIMITS, NOW, dry_run=False)
    assert [(one.session_id, fault) for one, fault in gone] == [("old", None)]
    assert (there(objects, "old"), there(objects, "young")) == (False, True)
    assert [one.session_id for one in await catalogue.listed(objects)] == ["young"]


async def test_of_what_has_no_room_the_oldest_goes_first(tmp_path: Path, objects: MemoryObjects) -> None:
    for name, days in (("c", 3), ("a", 9), ("b", 5)):
        await keep(tmp_path, objects, name, days)
        objects.kept[objects_prefix(name) + "0" * 8] = b"x" * 400_000
    gone = await catalogue.purged(objects, LIMITS, NOW, dry_run=False)
    assert [one.session_id for one, _ in gone] == ["a"]
    assert gone[0][0].size_bytes > 400_000


async def test_told_first_nothing_is_deleted(tmp_path: Path, objects: MemoryObjects) -> None:
    await keep(tmp_path, objects, "old", 31)
    before = dict(objects.kept)
    gone = await catalogue.purged(objects, LIMITS, NOW, dry_run=True)
    assert [one.session_id for one, _ in gone] == ["old"]
    assert objects.kept == before


async def test_one_that_a_machine_goes_on_with_stays(tmp_path: Path, objects: MemoryObjects) -> None:
    machine = await keep(tmp_path, objects, "busy", 0, ends=False)
    async with running(machine):
        objects.kept[objects_prefix("busy") + "0" * 8] = b"x" * 2_000_000
        assert await catalogue.purged(objects, LIMITS, NOW, dry_run=False) == []


async def test_one_whose_machine_was_killed_long_ago_goes_when_its_lease_is_over(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    machine = await keep(tmp_path, objects, "killed", 31, ends=False)
    await machine.die()
    waited: list[float] = []

    async def pass_by(seconds: float) -> None:
        waited.append(seconds)

    gone = await catalogue.purged(objects, LIMITS, NOW, dry_run=False, sleep=pass_by)
    assert [(one.session_id, fault) for one, fault in gone] == [("killed", None)]
    assert sum(waited) == pytest.approx(600.0)


async def test_one_that_can_not_be_deleted_keeps_no_other_and_is_told(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    for name in ("one", "two"):
        await keep(tmp_path, objects, name, 31)
    objects.fault = lambda kind, key: down(kind, key) if (kind, key) == ("swap", head_key("one")) else up(kind, key)
    gone = await catalogue.purged(objects, LIMITS, NOW, dry_run=False)
    assert {one.session_id: fault is None for one, fault in gone} == {"one": False, "two": True}


async def test_an_unreadable_head_stays(tmp_path: Path, objects: MemoryObjects) -> None:
    objects.kept[head_key("odd")] = b"garbage"
    assert await catalogue.purged(objects, LIMITS, NOW, dry_run=False) == []
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
    assert "1 sessions deleted: saved more than 30 days ago, or beyond 256 MB" in printed
    assert main(["sessions", "list", "--store", url, "--json"]) == 0
    listed = capsys.readouterr().out
    assert ('"young"' in listed, '"old"' in listed) == (True, False)
    assert (tmp_path / "here").exists()
    assert main(["sessions", "purge", "--store", "nowhere"]) == 2
