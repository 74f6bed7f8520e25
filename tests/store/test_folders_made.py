"""Where a store is made in a folder, and where none is: none in what a mount that is away leaves."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.store import keeping
from ctxmgr.store.head import head_key
from ctxmgr.store.objects import StoreUnreachable, opened
from ctxmgr.store.objects.file_objects import ID_FILE, NEW, NO_PARENT, NO_STORE
from tests.store.folders import Folder, on, serving, tree
from tests.store.test_serve import ready, started, status, turn
from tests.unit.store.machines import BASE, ID, Machine, event, running

NEW_NOTE = f"{keeping.OFFLINE}, as {NEW}: {keeping.LATER}"


def test_a_machine_that_never_saw_the_store_makes_none_in_the_folder_that_a_mount_leaves(
    tmp_path: Path, folder: Folder
) -> None:
    folder.path.mkdir()
    with serving(tmp_path / "new", folder) as new:
        started(ready(new))
        turn(new, 1)
        new.says(NEW_NOTE)
        assert status(new, flush=False)["durable"] is None
        assert folder.untouched()
        (folder.path / ID_FILE).touch()  # as the note says
        found = status(new)
        assert (found["durable"], found["notes"]) == (found["seq"], [])


async def test_where_nothing_is_a_store_is_made_with_an_id_of_its_own(tmp_path: Path, folder: Folder) -> None:
    await on(folder, tmp_path / "here").put("heads/a", b"1")
    assert re.fullmatch("[0-9a-f]{32}", folder.id)
    assert sorted(os.listdir(tmp_path)) == ["here", "store"]
    assert (await on(folder, tmp_path / "elsewhere").get("heads/a")).content == b"1"


async def test_the_folders_above_it_are_not_made(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "mounted" / "store")
    with pytest.raises(StoreUnreachable, match=NO_PARENT):
        await on(folder, tmp_path / "here").put("heads/a", b"1")
    assert os.listdir(tmp_path) == ["here"]


async def test_it_is_made_in_an_empty_folder_that_is_mounted(
    tmp_path: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.path.mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == folder.path)
    await on(folder, tmp_path / "here").put("heads/a", b"1")
    assert folder.id


async def test_not_in_a_folder_with_other_things(tmp_path: Path, folder: Folder) -> None:
    folder.path.mkdir()
    (folder.path / "the disk is not mounted").touch()
    with pytest.raises(StoreUnreachable, match=re.escape(NEW)):
        await on(folder, tmp_path / "here").put("heads/a", b"1")
    assert os.listdir(folder.path) == ["the disk is not mounted"]


@pytest.mark.parametrize("place", ["missing", "mounted"])
async def test_of_two_that_make_it_at_once_one_id_wins(
    place: str, tmp_path: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "mounted":
        folder.path.mkdir()
        monkeypatch.setattr(os.path, "ismount", lambda path: True)
    machines = [on(folder, tmp_path / f"machine {number}") for number in range(4)]
    await asyncio.gather(*(one.put(f"objects/a/{number}", b"1") for number, one in enumerate(machines)))
    assert len(await machines[0].listed("objects/a/")) == 4
    assert {text for name, text in tree(tmp_path).items() if name.startswith("machine")} == {
        (folder.path / ID_FILE).read_bytes()
    }


async def test_who_comes_second_by_a_moment_uses_the_store_of_the_first_and_leaves_nothing_beside_it(
    tmp_path: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def late(made: Path, place: Path) -> None:
        """The other was a moment faster."""
        monkeypatch.setattr(os, "rename", rename)
        asyncio.run(on(folder, tmp_path / "first").put("heads/a", b"1"))
        rename(made, place)

    monkeypatch.setattr(os, "rename", late)
    assert (await on(folder, tmp_path / "second").get("heads/a")).content == b"1"
    assert sorted(os.listdir(tmp_path)) == ["first", "second", "store"]


async def test_a_store_of_release_0_2_is_adopted(tmp_path: Path, folder: Folder) -> None:
    """It has heads, and no id yet."""
    here = Machine(tmp_path / "here", opened(folder.url))
    await here.start()
    here.save(BASE, event(1))
    await here.end()
    (folder.path / ID_FILE).unlink()
    before = tree(folder.path)
    elsewhere = Machine(tmp_path / "elsewhere", on(folder, tmp_path / "elsewhere"))
    begun = await elsewhere.start()
    async with running(elsewhere):
        assert (begun.stored.note, elsewhere.saved) == (None, here.saved)
        assert folder.id
        assert {name: content for name, content in tree(folder.path).items() if "objects/" in name} == {
            name: content for name, content in before.items() if "objects/" in name
        }


# by the command line

COMMANDS = (["sessions", "list"], ["sessions", "purge"], ["forget", ID])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[-1][:5])
def test_a_command_for_people_says_that_there_is_no_store_and_makes_none(
    command: list[str], tmp_path: Path, folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in ["missing", "empty"]:
        if place == "empty":
            folder.path.mkdir()
        state = ["--state-dir", str(tmp_path / "here")]
        assert main([*command, "--store", folder.url, *state]) == 1, place
        assert NO_STORE in capsys.readouterr().err, place
        assert folder.untouched(), place


def test_the_sessions_of_a_store_of_release_0_2_are_listed_and_nothing_is_written(
    tmp_path: Path, folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    async def stored() -> None:
        here = Machine(tmp_path / "here", opened(folder.url))
        await here.start()
        here.save(BASE, event(1))
        await here.end()

    asyncio.run(stored())
    (folder.path / ID_FILE).unlink()
    shutil.rmtree(tmp_path / "here")
    before = tree(folder.path)
    assert main(["sessions", "list", "--store", folder.url]) == 0
    assert (folder.path / head_key(ID)).is_file()
    assert ID in capsys.readouterr().out
    assert tree(folder.path) == before
