"""A store in a folder is used while it is there: what is saved meanwhile is not durable, and none is made."""

import errno
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.store import keeping
from ctxmgr.store.objects import Objects, StoreUnreachable, file_objects
from ctxmgr.store.objects.file_objects import AWAY, OTHER
from tests.store.folders import Folder, Take, on, serving, tree
from tests.store.test_serve import ready, started, status, turn

AWAY_NOTE = f"{keeping.OFFLINE}, as {AWAY}: {keeping.LATER}"


@pytest.mark.kill
def test_what_is_saved_while_the_folder_is_away_is_not_durable_and_is_delivered_when_it_is_back(
    tmp_path: Path, folder: Folder, away: Take
) -> None:
    with serving(tmp_path / "here", folder) as here:
        started(ready(here))
        for number in range(5):
            turn(here, number)
        before = status(here)
        assert before["durable"] == before["seq"]
        away()
        for number in range(5, 10):
            turn(here, number)
        here.says(AWAY_NOTE)
        found = status(here)
        assert (found["durable"], found["notes"]) == (before["durable"], [AWAY_NOTE])
        assert found["seq"] == before["seq"] + 5
        assert folder.untouched()
        folder.back()
        for number in range(10, 12):
            turn(here, number)
        found = status(here)
        assert (found["durable"], found["notes"]) == (before["seq"] + 7, [])
        here.kill()
    with serving(tmp_path / "elsewhere", folder) as elsewhere:
        again = started(ready(elsewhere))
        assert (again["restored"], again["seq"]) == (True, before["seq"] + 7)


def test_a_start_while_the_folder_is_away_makes_nothing_and_is_caught_up_with(
    tmp_path: Path, folder: Folder, away: Take
) -> None:
    for is_away in (False, True):
        if is_away:
            away()
        with serving(tmp_path / "here", folder) as here:
            started(ready(here))
            turn(here, 1)
            if is_away:
                here.says(AWAY_NOTE)
                assert status(here, flush=False)["notes"] == [AWAY_NOTE]
                assert folder.untouched()
                folder.back()
            found = status(here)
            assert (found["durable"], found["notes"]) == (found["seq"], [])


def asks(objects: Objects, tag: str) -> list[Awaitable[Any]]:
    """Each call once, of what is there and of what is not."""
    return [
        objects.get("heads/a"),
        objects.get("heads/b"),
        objects.put("objects/a/1", b"1"),
        objects.put_if_match("heads/a", b"2", tag),
        objects.put_if_match("heads/b", b"2", tag),
        objects.put_if_none_match("heads/b", b"2"),
        objects.put_if_none_match("heads/a", b"2"),
        objects.listed("heads/"),
        objects.delete("heads/a"),
    ]


@pytest.mark.parametrize("process", ["the same", "a later one"])
async def test_no_call_takes_a_store_that_is_away_for_one_that_is_empty(
    process: str, tmp_path: Path, folder: Folder, away: Take
) -> None:
    objects = on(folder, tmp_path / "here")
    tag = await objects.put_if_none_match("heads/a", b"1")
    if process == "a later one":
        objects = on(folder, tmp_path / "here")
    away()
    for asked in asks(objects, tag):
        with pytest.raises(StoreUnreachable, match=AWAY):
            await asked
        assert folder.untouched()
    folder.back()
    assert (await objects.get("heads/a")).content == b"1"


async def test_a_store_is_the_same_by_whatever_path_it_is_named(tmp_path: Path, folder: Folder) -> None:
    """A link to the folder above it, and a path with a detour."""
    await on(folder, tmp_path / "here").put_if_none_match("heads/a", b"1")
    above = folder.path.parent
    (tmp_path / "link").symlink_to(above, target_is_directory=True)
    folder.moved()
    for path in (tmp_path / "link" / folder.path.name, above / ".." / above.name / folder.path.name):
        with pytest.raises(StoreUnreachable, match=AWAY):
            await on(Folder(path), tmp_path / "here").put_if_none_match("heads/a", b"2")
    assert folder.untouched()


@pytest.mark.parametrize("process", ["the same", "a later one"])
async def test_another_store_in_its_place_is_neither_read_nor_written(
    process: str, tmp_path: Path, folder: Folder
) -> None:
    objects = on(folder, tmp_path / "here")
    await objects.put("heads/a", b"1")
    folder.moved()
    await on(folder, tmp_path / "elsewhere").put("heads/a", b"of the other")
    before = tree(folder.path)
    if process == "a later one":
        objects = on(folder, tmp_path / "here")
    for asked in (objects.get("heads/a"), objects.put("heads/a", b"2"), objects.delete("heads/a")):
        with pytest.raises(StoreUnreachable, match=OTHER):
            await asked
    assert tree(folder.path) == before


async def test_what_is_written_while_the_folder_is_taken_away_is_not_said_to_be_there(
    tmp_path: Path, folder: Folder, away: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes where the folder has gone: nothing comes to lie in its place."""
    objects = on(folder, tmp_path / "here")
    await objects.put("heads/a", b"1")
    write = file_objects.write_file

    def moved(root: int, key: str, content: bytes) -> None:
        away()
        write(root, key, content)

    with monkeypatch.context() as patched:
        patched.setattr(file_objects, "write_file", moved)
        with pytest.raises(StoreUnreachable, match=AWAY):
            await objects.put("objects/a/1", b"1")
    assert folder.untouched()
    folder.back()
    assert (await objects.get("objects/a/1")).content == b"1"


async def test_a_process_whose_state_directory_takes_nothing_makes_no_second_store_either(
    tmp_path: Path, folder: Folder, away: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(state_dir: Path, name: str, id: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(file_objects, "remember", full)
    objects = on(folder, tmp_path / "here")
    await objects.put("heads/a", b"1")
    away()
    with pytest.raises(StoreUnreachable, match=AWAY):
        await objects.put("heads/a", b"2")
    assert folder.untouched()
