"""A broken file is set aside, a full disk is said, and no call is lost by either."""

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices import files
from ctxmgr.devices.archive import database as rows_of
from ctxmgr.devices.archive.database import ArchiveDatabase, ArchiveFault
from ctxmgr.devices.archive.file import NAME
from ctxmgr.model.policy import Archive as Limits
from tests.unit.devices.archive.rows import SECRET, held, row, texts


def garbage(path: Path) -> None:
    path.write_bytes(b"no database " + SECRET.encode() * 400)


def foreign(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()


def newer(path: Path) -> None:
    with held(path.parent) as archive:
        archive.put("s", [row("a")])
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 2")
    other.close()


def linked(path: Path) -> None:
    garbage(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


BROKEN: list[tuple[str, Callable[[Path], None], str]] = [
    ("garbage", garbage, "file is not a database"),
    ("foreign", foreign, "no archive of ctxmgr"),
    ("newer", newer, "written by a newer ctxmgr (archive version 2, known is 1)"),
    ("a link", linked, "not a regular file"),
]


@pytest.mark.parametrize(("make", "fault"), [pytest.param(*one[1:], id=one[0]) for one in BROKEN])
def test_a_file_of_no_use_is_set_aside_and_said(tmp_path: Path, make: Callable[[Path], None], fault: str) -> None:
    make(tmp_path / NAME)
    was = os.lstat(tmp_path / NAME).st_ino
    (tmp_path / f"{NAME}.broken-1").write_bytes(b"of an earlier time")
    unread = make is linked  # the log of a file that it reads SQLite carries over, or drops
    if unread:
        (tmp_path / f"{NAME}-wal").write_bytes(b"its log")
    with held(tmp_path) as archive:
        archive.put("s", [row("a")])
        assert texts(archive, ["a"]) == ["text"]
        (note,) = archive.notes
    assert f"was set aside as {NAME}.broken-2 and a new one begun" in note
    assert fault in note
    assert SECRET not in note
    assert os.lstat(tmp_path / f"{NAME}.broken-2").st_ino == was
    assert not unread or (tmp_path / f"{NAME}.broken-2-wal").read_bytes() == b"its log"
    assert (tmp_path / f"{NAME}.broken-1").read_bytes() == b"of an earlier time"


def filled(directory: Path, clock: Callable[[], float] = lambda: 1_000.0, count: int = 60) -> list[str]:
    names = [f"{number:03}" for number in range(count)]
    with held(directory, clock) as archive:
        archive.put("s", [row(name, name * 3_000) for name in names])
    return names


def smash(path: Path) -> None:
    """All but the first page becomes nonsense: it opens, and its tables cannot be read."""
    content = path.read_bytes()
    path.write_bytes(content[:4_096] + b"\xa5" * (len(content) - 4_096))


@pytest.mark.parametrize("call", ["get", "put", "tidy", "forget"])
def test_damage_found_in_the_middle_is_set_aside_and_the_call_carried_out(tmp_path: Path, call: str) -> None:
    filled(tmp_path)
    smash(tmp_path / NAME)
    calls: dict[str, Callable[[ArchiveDatabase], Any]] = {
        "get": lambda archive: archive.get("s", "h000"),
        "put": lambda archive: archive.put("s", [row("new")]),
        "tidy": lambda archive: archive.tidy(Limits(), ()),
        "forget": lambda archive: archive.forget("s"),
    }
    with held(tmp_path) as archive:
        assert not calls[call](archive)
        assert [note.count("set aside") for note in archive.notes] == [1]
        archive.put("s", [row("a")])
        assert texts(archive, ["a", "000"]) == ["text", None]
    assert (tmp_path / f"{NAME}.broken-1").stat().st_size > 60 * 9_000


def test_what_another_process_has_set_aside_is_not_set_aside_again(tmp_path: Path) -> None:
    filled(tmp_path)
    with held(tmp_path) as first, held(tmp_path) as second:
        assert texts(first, ["000"]) == ["000" * 3_000]
        assert texts(second, ["000"]) == ["000" * 3_000]
        smash(tmp_path / NAME)
        first.put("s", [row("a")])
        second.put("s", [row("b")])
        assert texts(first, ["a", "b"]) == texts(second, ["a", "b"]) == ["text", "text"]
        assert len(first.notes) == 1
        assert second.notes == []
    assert [path.name for path in tmp_path.glob("*.broken-1")] == [f"{NAME}.broken-1"]


def small_disk(monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """A database that may have so many pages says what a full disk says."""
    real = rows_of.opened

    def opened(directory: Path) -> tuple[sqlite3.Connection, str | None]:
        connection, note = real(directory)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection, note

    monkeypatch.setattr(rows_of, "opened", opened)


def test_a_full_disk_is_said_and_survived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_disk(monkeypatch, 20)
    with held(tmp_path) as archive:
        archive.put("s", [row("a")])
        for _ in range(2):
            with pytest.raises(ArchiveFault, match="full") as raised:
                archive.put("s", [row("b"), row("c", SECRET * 20_000)])
            assert SECRET not in str(raised.value)
            assert str(tmp_path / NAME) in str(raised.value)
        assert texts(archive, ["a", "b", "c"]) == ["text", None, None]
        archive.put("s", [row("b")])
        assert texts(archive, ["a", "b"]) == ["text", "text"]
        assert archive.notes == []
    assert not list(tmp_path.glob("*.broken-*"))


def test_a_directory_that_can_not_be_is_a_fault_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with held(tmp_path / "file" / "state") as archive:
        for _ in range(2):
            with pytest.raises(ArchiveFault, match="Not a directory"):
                archive.put("s", [row("a")])
            with pytest.raises(ArchiveFault):
                archive.get("s", "ha")


def test_the_log_goes_with_a_file_that_is_set_aside_though_the_disk_is_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(directory: object) -> None:
        raise OSError(errno.EIO, "the disk is at fault")

    for name in ("a", "a-wal"):
        tmp_path.joinpath(name).write_bytes(b"")
    monkeypatch.setattr(files, "sync_directory", fault)
    with pytest.raises(OSError, match="at fault"):
        files.set_aside(tmp_path / "a", ("-wal", "-shm"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.broken-1", "a.broken-1-wal"]
