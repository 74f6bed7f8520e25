"""A store that was meddled with, that takes no writes, or whose sessions have odd names: nothing of it is believed,
no session stops for it, and no two sessions meet.
"""

import errno
import os
import unicodedata
from pathlib import Path

import pytest

from ctxmgr.store import catalogue, keeping
from ctxmgr.store.head import head_key, objects_prefix
from ctxmgr.store.objects import file_objects, opened
from tests.unit.store.machines import BASE, ID, Machine, event, head, heard, row, running
from tests.unit.store.memory import MemoryObjects

GARBAGE = [b"", b"{}", b'{"owner":"a","epoch":1,"count":1,"session":"s","version":99}']


async def stored(machine: Machine) -> None:
    await machine.start()
    machine.save(BASE, event(1))
    machine.leaves(row("h"))
    await machine.end()


@pytest.mark.parametrize("content", GARBAGE, ids=lambda content: content[:40])
async def test_a_head_with_garbage_is_told_and_left_as_it_is_and_the_session_goes_on_here(
    content: bytes, here: Machine, objects: MemoryObjects
) -> None:
    await stored(here)
    objects.kept[head_key(ID)] = content
    begun = await here.start()
    async with running(here):
        assert begun.refused is None
        assert begun.stored.note.startswith("the session is not saved in the store: ")
        here.save(event(2))
        assert (await here.kept.flush()).note == begun.stored.note
        assert objects.kept[head_key(ID)] == content
        listed = await catalogue.listed(objects)
        assert [one.fault is not None for one in listed] == [True]


@pytest.mark.parametrize("kind", ["lines", "rows"])
@pytest.mark.parametrize("damage", ["gone", "cut", "changed"])
async def test_an_object_that_is_gone_or_damaged_is_told_nothing_of_it_is_used_and_its_head_stays(
    kind: str, damage: str, here: Machine, elsewhere: Machine, objects: MemoryObjects
) -> None:
    await stored(here)
    before = head(objects).contents
    key = objects_prefix(ID) + getattr(before, kind)[0]
    if damage == "gone":
        del objects.kept[key]
    elif damage == "cut":
        objects.kept[key] = objects.kept[key][:-3]
    else:
        content = objects.kept[key]
        objects.kept[key] = content[:-1] + bytes((content[-1] ^ 1,))
    begun = await elsewhere.start()
    async with running(elsewhere):
        assert (begun.refused, begun.records) == (None, None)
        assert begun.stored.note.startswith("the session is not saved in the store: ")
        elsewhere.save(BASE, event(1, "elsewhere"))
        await elsewhere.kept.flush()
        assert head(objects).contents == before
        assert not head(objects).is_open
    again = await here.start()
    async with running(here):
        assert again.stored.note is None  # what lies here is whole, and it was the last to write


NAMES = ["a", "A", "a/", "a/../a", "../a", "..", ".", "a\\b", "a%2Fb", "a b", "", "ÅÄ", "\u212b", " a", "x" * 3_000]


async def test_sessions_whose_names_are_nearly_the_same_do_not_meet(tmp_path: Path) -> None:
    forms = [unicodedata.normalize(form, "Ångström") for form in ("NFC", "NFD")]
    names = [*NAMES, *forms]
    objects = opened((tmp_path / "store").as_uri())
    for number, name in enumerate(names):
        assert await catalogue.deleted(objects, name, frozenset()) is False
        await objects.put(objects_prefix(name) + "0", b"%d" % number)
    assert len({head_key(name) for name in names}) == len(names)
    for number, name in enumerate(names):
        assert (await objects.get(objects_prefix(name) + "0")).content == b"%d" % number
    assert os.listdir(tmp_path) == ["store"]
    assert len(os.listdir(tmp_path / "store" / "objects")) == len(names)


async def test_a_folder_that_can_not_be_written_is_told_so(
    here: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(root: int, key: str, content: bytes) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(file_objects, "write_file", refuses)
    here.objects = opened((tmp_path / "store").as_uri())
    begun = await here.start()
    async with running(here):
        cause = f"the store's folder cannot be used ({os.strerror(errno.EROFS)})"
        assert begun.stored.note == f"{keeping.OFFLINE}, as {cause}: {keeping.LATER}"
        here.save(BASE, event(1))
        assert b'"seq":1' in here.saved


async def test_writes_that_are_refused_once_it_is_ours_are_told_and_reads_go_on(
    here: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FLUSH_SECONDS", 0.0)
    await here.start()
    async with running(here):
        here.save(BASE, event(1))
        await heard(here, 1, None)
        there = dict(objects.kept)
        objects.fault = lambda kind, key: None if kind in ("get", "listed") else "lost before"
        here.save(event(2))
        await heard(here, 1, f"{keeping.OFFLINE}, as the store did not answer: {keeping.LATER}")
        assert objects.kept == there
