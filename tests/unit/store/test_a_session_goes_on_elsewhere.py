"""What is promised of a session in a store, with two machines in this process and a store in memory."""

import pytest

from ctxmgr.store import keeping, parts, uploading
from ctxmgr.store.head import head_key, objects_prefix
from ctxmgr.store.keeping import Terms
from tests.unit.store.machines import BASE, ID, Machine, event, head, row, running, silently
from tests.unit.store.memory import MemoryObjects, down, up


async def test_what_comes_together_goes_in_one_batch_of_two_requests(here: Machine, objects: MemoryObjects) -> None:
    await here.start(Terms(600_000, 600_000))
    async with running(here):
        await here.kept.flush()
        before = len(objects.requests)
        here.save(BASE, *(event(number) for number in range(1, 30)))
        await here.kept.flush()
        assert [kind for kind, _ in objects.requests[before:]] == ["put", "swap"]


async def test_many_batches_do_not_make_a_long_head(
    here: Machine, elsewhere: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE)
    for number in range(1, 80):
        here.save(event(number))
        await here.kept.flush()
    assert len(head(objects).contents.lines) <= 25
    names = {key.removeprefix(objects_prefix(ID)) for key in objects.kept if key.startswith("objects/")}
    assert names == head(objects).contents.names
    await here.end()
    await elsewhere.start()
    async with running(elsewhere):
        assert elsewhere.saved == here.saved


async def test_many_batches_of_rows_do_not_make_a_long_head(
    here: Machine, elsewhere: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE)
    for number in range(80):
        here.leaves(row(f"h{number}", f"{number} left"))
        assert (await here.kept.flush()).note is None
    contents = head(objects).contents
    assert len(contents.rows) <= uploading.MOST_PARTS
    names = {key.removeprefix(objects_prefix(ID)) for key in objects.kept if key.startswith("objects/")}
    assert names == contents.names
    there = await parts.rows(objects, ID, contents)
    assert there == [row(f"h{number}", f"{number} left") for number in range(80)]
    await here.end()
    await elsewhere.start()
    async with running(elsewhere):
        assert all(elsewhere.archived(one.handle) == one for one in there)


async def test_objects_that_are_full_stay_and_are_not_read_again(
    here: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxmgr.store.uploading.ROWS_BYTES", 1_000)
    await here.start()
    async with running(here):
        for number in range(60):
            here.leaves(row(f"h{number}", f"{number}" * 50))
            await here.kept.flush()
        contents = head(objects).contents
        assert contents.packed > 0
        full = set(contents.rows[: contents.packed])
        before = len(objects.requests)
        for number in range(60, 90):
            here.leaves(row(f"h{number}", f"{number}" * 50))
            await here.kept.flush()
        later = head(objects).contents
        assert later.packed > contents.packed
        assert full <= set(later.rows[: later.packed])
        got = {key.removeprefix(objects_prefix(ID)) for kind, key in objects.requests[before:] if kind == "get"}
        assert not got & full
        assert len(later.rows) - later.packed <= uploading.MOST_PARTS
        assert [one.handle for one in await parts.rows(objects, ID, later)] == [f"h{n}" for n in range(90)]


@pytest.mark.parametrize("fails", ["get", "put", "swap"])
async def test_a_head_names_all_rows_whatever_fails_while_they_are_packed(
    here: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    monkeypatch.setattr("ctxmgr.store.keeping.RETRY_SECONDS", 0.0)
    await here.start()
    async with running(here):
        for number in range(uploading.MOST_PARTS):
            here.leaves(row(f"h{number}"))
            await here.kept.flush()
        lost: list[str] = []

        def once(kind: str, key: str) -> str | None:
            if kind != fails or (kind == "get" and key == head_key(ID)) or len(lost) > 2:
                return None
            lost.append(key)
            return "lost after" if kind != "get" else "lost before"

        objects.fault = once
        for number in range(uploading.MOST_PARTS, 60):
            here.leaves(row(f"h{number}"))
            await here.kept.flush()
            there = await parts.rows(objects, ID, head(objects).contents)
            assert [one.handle for one in there] == [f"h{n}" for n in range(number + 1)]
        assert lost
        assert len(head(objects).contents.rows) <= uploading.MOST_PARTS


async def test_rows_that_can_not_be_packed_stop_no_batch(here: Machine, objects: MemoryObjects) -> None:
    await here.start()
    async with running(here):
        for number in range(uploading.MOST_PARTS):
            here.leaves(row(f"h{number}"))
            await here.kept.flush()
        del objects.kept[objects_prefix(ID) + head(objects).contents.rows[3]]
        before = len(objects.requests)
        for number in range(100, 110):
            here.leaves(row(f"h{number}"))
            assert (await here.kept.flush()).note is None
        assert len(head(objects).contents.rows) == uploading.MOST_PARTS + 10
        gets = [key for kind, key in objects.requests[before:] if kind == "get"]
        assert len(gets) <= uploading.MOST_PARTS  # it is not tried with each


async def test_a_snapshot_that_was_rewritten_is_put_whole(here: Machine, elsewhere: Machine) -> None:
    await here.start()
    here.save(BASE, event(1, "long" * 100))
    await here.kept.flush()
    here.file.rewrite([BASE, event(2)])
    here.kept.changed()
    assert (await here.end()).seq == 2
    await elsewhere.start()
    async with running(elsewhere):
        assert elsewhere.saved == here.saved


async def test_a_session_that_is_held_elsewhere_is_refused_while_its_head_changes(
    here: Machine, elsewhere: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()

    async def meanwhile(seconds: float) -> None:
        here.save(event(2))
        await here.kept.flush()

    monkeypatch.setattr("ctxmgr.store.beginning.asyncio.sleep", meanwhile)
    async with running(here):
        begun = await elsewhere.start()
        elsewhere.file.close()
        assert begun.refused is not None
        assert "another machine" in begun.refused
        assert (await here.kept.flush()).note is None


async def test_who_takes_over_measures_the_lease_by_its_own_clock(
    here: Machine, elsewhere: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start(Terms(0, 60_000))
    here.save(BASE, event(1))
    await here.kept.flush()
    await here.die()
    waited = await silently(elsewhere, monkeypatch)
    async with running(elsewhere):
        assert sum(waited) == pytest.approx(60.0)
        assert elsewhere.saved == here.saved
        assert head(objects).epoch_number == 2


async def test_one_that_was_let_go_of_is_taken_at_once(
    here: Machine, elsewhere: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.end()
    assert await silently(elsewhere, monkeypatch) == []
    await elsewhere.end()


async def test_what_was_killed_here_goes_on_here_at_once_with_what_had_not_gone_there(
    here: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()
    objects.fault = down
    here.file.append(event(2))
    here.leaves(row("late"))
    await here.die()
    objects.fault = up
    assert await silently(here, monkeypatch) == []
    assert (await here.kept.flush()).seq == 2
    assert head(objects).contents.rows
    await here.end()


async def test_an_owner_that_was_away_says_so_once_and_saves_nothing_there(
    here: Machine, elsewhere: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()
    await silently(elsewhere, monkeypatch)
    elsewhere.save(event(2, "elsewhere"))
    await elsewhere.kept.flush()
    there = head(objects)
    async with running(here, elsewhere):
        for number in range(2, 5):
            here.save(event(number, "here"))
            await here.kept.flush()
        assert [one.note for one in here.told].count(keeping.FENCED) == 1
        assert head(objects).owner == there.owner
        assert (await elsewhere.kept.flush()).note is None
        assert b'"here"' in here.saved  # and goes on here


async def test_one_that_was_fenced_goes_on_here_from_what_is_there(
    here: Machine, elsewhere: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.start()
    here.save(BASE, event(1))
    await here.kept.flush()
    await silently(elsewhere, monkeypatch)
    here.save(event(2, "here"))
    await here.end()
    elsewhere.save(event(2, "elsewhere"))
    await elsewhere.end()
    await here.start()
    async with running(here):
        assert here.saved == elsewhere.saved
        assert [path.name for path in here.directory.glob("*.broken-1")]


async def test_a_session_that_nobody_uses_is_let_go_of_and_taken_up_again(
    here: Machine, objects: MemoryObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("ctxmgr.store.keeping.time.monotonic", lambda: now[0])
    await here.start(Terms(0, 30_000))
    async with running(here):
        here.save(BASE, event(1))
        await here.kept.flush()
        now[0] = 15.0
        await here.kept.flush()
        assert head(objects).is_open
        assert head(objects).count == 3  # the claim, the first batch, a renewal
        now[0] = 330.0
        await here.kept.flush()
        assert not head(objects).is_open
        here.save(event(2))
        assert (await here.kept.flush()).seq == 2
        assert head(objects).is_open
