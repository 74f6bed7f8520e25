"""A disk that is full, read-only or failing: the file stays whole, and the session goes on."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices.snapshots import SnapshotStore, to_line
from ctxmgr.devices.snapshots.file import SnapshotFull
from tests.unit.devices.snapshots.files import (
    BASE,
    NEWER,
    RECORDS,
    THREE,
    TWO,
    WHOLE,
    begun,
    descriptors,
    held,
    named,
    reopened,
    usable,
)


def failing(monkeypatch: pytest.MonkeyPatch, name: str, code: int = errno.ENOSPC) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, name, fail)


def test_a_short_write_is_cut_off_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, write = begun(tmp_path), os.write
    with held(store) as file:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:7]))
            with pytest.raises(SnapshotFull) as full:
                file.append(THREE)
        assert full.value.errno == errno.ENOSPC
        assert f"{named(tmp_path)} did not reach the disk: No space left" in str(full.value)
        assert named(tmp_path).read_bytes() == WHOLE
        lacking = file.grown
        file.rewrite([BASE, THREE])
        assert (lacking, file.grown) == (True, False)
    assert reopened(store) == (BASE, THREE)


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_tail_that_could_not_be_cut_off_is_cut_off_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rewritten: bool
) -> None:
    store, write = begun(tmp_path), os.write
    with held(store) as file:
        if rewritten:
            file.rewrite(RECORDS)
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:7]))
            failing(patch, "ftruncate", errno.EIO)
            for _ in range(2):
                with pytest.raises(SnapshotFull):
                    file.append(THREE)
        assert named(tmp_path).read_bytes() == WHOLE + to_line(THREE)[:7]
        file.append(THREE)
        assert named(tmp_path).read_bytes() == WHOLE + to_line(THREE)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    with held(begun(tmp_path)) as file:
        with monkeypatch.context() as patch:
            failing(patch, "write", code)
            with pytest.raises(SnapshotFull) as full:
                file.append(THREE)
            with pytest.raises(SnapshotFull):
                file.rewrite([BASE])
        assert full.value.errno == code
        assert named(tmp_path).read_bytes() == WHOLE
        assert not named(tmp_path, ".tmp").exists()
    assert reopened(SnapshotStore(tmp_path)) == RECORDS


@pytest.mark.parametrize("point", ["fsync", "replace"])
def test_a_rewrite_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    before = descriptors()
    store = begun(tmp_path)
    with held(store) as file:
        with monkeypatch.context() as patch:
            failing(patch, point, errno.EIO)
            with pytest.raises(SnapshotFull):
                file.rewrite([BASE])
        assert named(tmp_path).read_bytes() == WHOLE
        assert not named(tmp_path, ".tmp").exists()
        file.append(THREE)
    assert reopened(store) == (*RECORDS, THREE)
    assert descriptors() == before


def test_a_rewrite_whose_name_is_not_on_the_disk_yet_goes_on_in_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, fsync = begun(tmp_path), os.fsync

    def fail_on_directories(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)

    with held(store) as file:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail_on_directories)
            with pytest.raises(SnapshotFull):
                file.rewrite([BASE, TWO])
        file.append(THREE)
    assert reopened(store) == (BASE, TWO, THREE)


def test_where_no_directory_can_be_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    opened = SnapshotStore(tmp_path / "file" / "state").open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, (), False)
    assert "the session is not saved: Not a directory" in (opened.fault or "")


def test_on_a_read_only_disk_the_state_is_given_and_nothing_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, plain = begun(tmp_path), os.open

    def read_only(path: str, flags: int, mode: int = 0o777, **folder: Any) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return plain(path, flags, mode, **folder)

    monkeypatch.setattr(os, "open", read_only)
    opened = store.open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, RECORDS, False)
    assert (opened.fault or "").endswith("the session is not saved: Read-only file system")


@pytest.mark.parametrize("point", ["write", "fsync"])
def test_a_torn_tail_that_can_not_be_kept_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    store = begun(tmp_path, WHOLE + b"torn")
    with monkeypatch.context() as patch:
        failing(patch, point)
        opened = store.open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, RECORDS, False)
    assert named(tmp_path).read_bytes() == WHOLE + b"torn"
    usable(store.open("s")).close()  # the lock was released
    assert named(tmp_path, ".torn").read_bytes() == b"torn"


def test_a_file_that_can_not_be_set_aside_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = begun(tmp_path, NEWER)
    with monkeypatch.context() as patch:
        failing(patch, "rename", errno.EACCES)
        opened = store.open("s")
    assert (opened.file, opened.lines, opened.refused) == (None, (), False)
    assert named(tmp_path).read_bytes() == NEWER


def test_the_lock_is_released_even_when_the_last_sync_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = begun(tmp_path)
    file = usable(store.open("s"))
    with monkeypatch.context() as patch:
        failing(patch, "fdatasync", errno.EIO)
        with pytest.raises(OSError, match="Input/output"):
            file.close()
    assert reopened(store) == RECORDS
