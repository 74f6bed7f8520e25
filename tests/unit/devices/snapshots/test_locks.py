"""One process at a time writes a session, and its files are for their owner alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices import files
from ctxmgr.devices.snapshots import SnapshotFile, SnapshotStore, file_name
from tests.unit.devices.snapshots.files import (
    BASE,
    WAIT_SECONDS,
    acknowledged,
    begun,
    descriptors,
    held,
    named,
    reopened,
    usable,
    writer,
)


def test_a_second_open_in_this_process_is_refused(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with held(store) as file:
        for other in (store, SnapshotStore(tmp_path)):
            opened = other.open("s")
            assert (opened.file, opened.lines, opened.refused) == (None, (), True)
            assert f"locked by pid {os.getpid()}" in (opened.fault or "")
        file.rewrite([BASE])
        assert store.open("s").refused, "a rewrite swaps the inode"
        with held(store, "another session"):
            pass
    assert reopened(store) == (BASE,)


def test_a_second_process_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    with writer(tmp_path) as child:
        acknowledged(child, 1)
        opened = store.open("s")
        deleted = store.delete("s")
        child.kill()
        child.stdout.read()
        child.wait(WAIT_SECONDS)
    assert opened.refused
    for fault in (opened.fault, deleted):
        assert f"{named(tmp_path)} is locked by pid {child.pid}" in (fault or "")
    usable(store.open("s")).close()


def test_a_lock_file_deleted_under_a_waiting_opener_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening the lock file and locking it, the session is deleted and opened anew by another."""
    store, plain = begun(tmp_path), os.open
    meanwhile: list[SnapshotFile] = []

    def interrupted(path: Path, flags: int, mode: int = 0o777, **folder: Any) -> int:
        descriptor = plain(path, flags, mode, **folder)
        if str(path).endswith(".lock") and not meanwhile:
            monkeypatch.setattr(os, "open", plain)
            assert store.delete("s") is None
            meanwhile.append(usable(store.open("s")))
        return descriptor

    monkeypatch.setattr(os, "open", interrupted)
    assert store.open("s").refused
    meanwhile[0].close()
    assert reopened(store) == ()


@pytest.fixture
def _open_umask() -> Iterator[None]:
    """The umask under which a careless mode shows."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_open_umask")
@pytest.mark.parametrize("rewritten", [False, True])
def test_only_the_owner_may_read(tmp_path: Path, rewritten: bool) -> None:
    directory = tmp_path / "state"
    store = SnapshotStore(directory)
    with held(store) as file:
        file.append(BASE)
        if rewritten:
            file.rewrite([BASE])
    with named(directory).open("ab") as tail:
        tail.write(b"torn")
    with held(store):
        pass
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert modes == {file_name("s") + side: 0o600 for side in ("", ".lock", ".torn")}


def test_no_descriptor_is_inherited_or_left_open(tmp_path: Path) -> None:
    before = descriptors()
    with held(begun(tmp_path)) as file:
        file.rewrite([BASE])
        opened = descriptors() - before
        assert len(opened) == 2, "the snapshot and its lock"
        assert not any(map(os.get_inheritable, opened))
        assert SnapshotStore(tmp_path).open("s").refused
        SnapshotStore(tmp_path).delete("s")
    assert descriptors() == before


def test_a_released_lock_is_free_though_a_process_that_is_being_started_has_a_copy(tmp_path: Path) -> None:
    lock = files.seize(tmp_path / "a.lock")
    copy = os.dup(lock)  # as a fork has it until its program begins
    files.release(lock)
    files.release(files.seize(tmp_path / "a.lock"))
    os.close(copy)
