"""The archive: what is put comes back, whoever else writes, whatever breaks; and it does not grow for ever."""

import os
import select
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxmgr.devices import archive as rows_of
from ctxmgr.devices import archive_file
from ctxmgr.devices.archive import DUE_BYTES, DUE_SECONDS, MEGABYTE, ROW_BYTES, ArchiveDatabase, ArchiveFault
from ctxmgr.devices.archive_file import NAME
from ctxmgr.model.archive import ArchiveRow
from ctxmgr.model.policy import Archive as Limits
from tests.unit.devices import archive_writer

ROOT = Path(__file__).parents[3]
WRITER = Path(archive_writer.__file__)
WAIT_SECONDS = 60  # for a child that should answer in milliseconds; only a failure waits so long
DAY = 86_400.0
SECRET = "the-owl-flies-at-nine"


def row(name: str, text: str = "text", handle: str = "") -> ArchiveRow:
    return ArchiveRow(handle or f"h{name}", f"k{name}", f'read path="{name}"', text)


@contextmanager
def held(directory: Path, clock: Callable[[], float] = lambda: 1_000.0) -> Iterator[ArchiveDatabase]:
    archive = ArchiveDatabase(directory, clock)
    try:
        yield archive
    finally:
        archive.close()


def texts(archive: ArchiveDatabase, names: Sequence[str], session_id: str = "s") -> list[str | None]:
    found = [archive.get(session_id, f"h{name}") for name in names]
    return [one.text if one else None for one in found]


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


# what is put comes back


def test_what_was_put_comes_back_whole(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a"), row("b", "")])
        assert archive.get("s", "ha") == row("a")
        assert archive.get("s", "hb") == row("b", "")
        assert archive.get("s", "hc") is None
        assert archive.get("t", "ha") is None
    with held(tmp_path) as again:
        assert again.get("s", "ha") == row("a")


@pytest.mark.parametrize("session_id", ["", "../../x", "a\0b", "\ud83d", "Ünï", "x" * 5_000])
@pytest.mark.parametrize("text", ["a\0b", "half \ud83d of one", "\N{OWL}\r\n" * 3, "x" * 200_000])
def test_any_id_and_any_text(tmp_path: Path, session_id: str, text: str) -> None:
    with held(tmp_path) as archive:
        archive.put(session_id, [row("a", text)])
        assert archive.get(session_id, "ha") == row("a", text)
        assert archive.get(session_id + "!", "ha") is None


def test_the_same_rows_put_again_change_nothing(tmp_path: Path) -> None:
    now = [1_000.0]
    with held(tmp_path, lambda: now[0]) as archive:
        archive.put("s", [row("a"), row("b")])
        now[0] += 40 * DAY
        archive.put("s", [row("a"), row("b")])
        assert archive.tidy(Limits(), ()) == 2, "they are as old as they were"


def test_the_newest_text_of_a_key_holds(tmp_path: Path) -> None:
    """A result that was pruned leaves again with its whole message: the same key, another text."""
    with held(tmp_path) as archive:
        archive.put("s", [row("a", "its output")])
        archive.put("s", [row("a", "the message with its output")])
        assert texts(archive, ["a"]) == ["the message with its output"]


def test_two_keys_that_meet_in_a_handle_are_both_kept_and_neither_is_served(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a", handle="meet"), row("b", handle="meet")])
        assert archive.get("s", "meet") is None
        archive.put("t", [row("a", handle="meet")])
        assert archive.get("t", "meet") == row("a", handle="meet")


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("st"), st.lists(st.tuples(st.sampled_from("abcd"), st.text(max_size=9)))),
        max_size=8,
    )
)
def test_it_holds_what_a_dict_would(tmp_path_factory: pytest.TempPathFactory, puts: Any) -> None:
    directory = tmp_path_factory.mktemp("archive")
    held_of: dict[tuple[str, str], str] = {}
    with held(directory) as archive:
        for session, pairs in puts:
            archive.put(session, [row(name, text) for name, text in pairs])
            held_of |= {(session, name): text for name, text in pairs}
        for session in "st":
            assert texts(archive, "abcd", session) == [held_of.get((session, name)) for name in "abcd"]


# files


def test_nothing_is_made_before_something_is_asked(tmp_path: Path) -> None:
    directory = tmp_path / "state"
    with held(directory) as archive:
        assert archive.forget("s") == 0
        assert not archive.due
        assert not directory.exists()
        assert archive.get("s", "ha") is None
        assert directory.exists()


def test_files_are_for_their_owner_alone_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at before SQLite opens the file as well: a moment is enough for another to open it."""
    directory, before = tmp_path / "deep" / "state", os.umask(0)
    seen: list[dict[str, int]] = []
    real = sqlite3.connect

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        seen.append(modes(directory))
        return real(*given, **more)

    monkeypatch.setattr(sqlite3, "connect", connect)
    monkeypatch.setattr(os, "fchmod", lambda *given: None)  # mending it afterwards would be too late
    try:
        with held(directory) as archive:
            archive.put("s", [row("a")])
            seen.append(modes(directory))
    finally:
        os.umask(before)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert set(seen[0]) == {NAME, f"{NAME}.lock"}
    assert set(seen[1]) == {NAME, f"{NAME}-wal", f"{NAME}-shm", f"{NAME}.lock"}
    assert {mode for one in seen for mode in one.values()} == {0o600}


def test_a_file_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("s", [row("a")])
    (tmp_path / NAME).chmod(0o644)
    with held(tmp_path) as archive:
        assert archive.get("s", "ha") == row("a")
        assert set(modes(tmp_path).values()) == {0o600}


# several processes


def spawned(directory: Path, session_id: str, puts: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, str(WRITER), str(directory), session_id, str(puts)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, bufsize=0)


def acknowledged(writer: "subprocess.Popen[bytes]", count: int) -> None:
    assert writer.stdout is not None
    for _ in range(count):
        ready, _, _ = select.select([writer.stdout], [], [], WAIT_SECONDS)
        assert ready, "the writer is silent"
        assert writer.stdout.readline(), writer.stderr.read() if writer.stderr else ""


def ended(writer: "subprocess.Popen[bytes]") -> None:
    _, said = writer.communicate(timeout=WAIT_SECONDS)
    assert (writer.returncode, said) == (0, b"")


def test_two_processes_write_one_file_from_its_creation_on(tmp_path: Path) -> None:
    puts = 60
    writers = [spawned(tmp_path, session_id, puts) for session_id in "st"]
    for writer in writers:
        ended(writer)
    with held(tmp_path) as archive:
        for session_id in "st":
            for number in range(puts):
                for one in archive_writer.rows(number):
                    assert archive.get(session_id, one.handle) == one
    assert not list(tmp_path.glob("*.broken-*"))


@pytest.mark.kill
@pytest.mark.parametrize("puts", [1, 5, 40])
def test_killed_at_any_moment_it_has_what_it_acknowledged(tmp_path: Path, puts: int) -> None:
    writer = spawned(tmp_path, "s", 0)
    acknowledged(writer, puts)
    writer.kill()
    writer.communicate(timeout=WAIT_SECONDS)
    with held(tmp_path) as archive:
        for number in range(puts):
            for one in archive_writer.rows(number):
                assert archive.get("s", one.handle) == one
        number = puts
        while (found := [archive.get("s", one.handle) for one in archive_writer.rows(number)]) != [None] * 3:
            assert found == archive_writer.rows(number), "a put is there whole or not at all"
            number += 1
        assert archive.notes == []


def test_one_that_holds_the_file_too_long_is_a_fault_and_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_file, "BUSY_SECONDS", 0.05)
    with held(tmp_path) as archive:
        archive.put("s", [row("a")])
        other = sqlite3.connect(tmp_path / NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ArchiveFault, match="locked"):
            archive.put("s", [row("b")])
        assert texts(archive, ["a", "b"]) == ["text", None]
        other.execute("ROLLBACK")
        other.close()
        archive.put("s", [row("b")])
        assert texts(archive, ["a", "b"]) == ["text", "text"]


def test_one_that_opens_it_for_too_long_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxmgr.devices.locks import release, seize

    monkeypatch.setattr(archive_file, "BUSY_SECONDS", 0.05)
    lock = seize(tmp_path / f"{NAME}.lock")
    with held(tmp_path) as archive:
        with pytest.raises(ArchiveFault, match=f"opened by pid {os.getpid()}"):
            archive.put("s", [row("a")])
        release(lock)
        archive.put("s", [row("a")])


# damage


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
    ("a link", linked, "no regular file"),
    ("a directory", Path.mkdir, "no regular file"),
]


@pytest.mark.parametrize(("make", "fault"), [pytest.param(*one[1:], id=one[0]) for one in BROKEN])
def test_a_file_of_no_use_is_set_aside_and_said(tmp_path: Path, make: Callable[[Path], None], fault: str) -> None:
    make(tmp_path / NAME)
    was = os.lstat(tmp_path / NAME).st_ino
    (tmp_path / f"{NAME}.broken-1").write_bytes(b"of an earlier time")
    unread = make in (linked, Path.mkdir)  # the log of a file that it reads SQLite carries over, or drops
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
    """All but the first page becomes nonsense: it opens, and its tables can not be read."""
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


def test_a_log_without_its_file_is_of_no_account(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}-wal").write_bytes(b"of a file that is gone" * 100)
    with held(tmp_path) as archive:
        archive.put("s", [row("a")])
        assert texts(archive, ["a"]) == ["text"]
        assert archive.notes == []


# a disk at fault


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


# retention


def tidied(archive: ArchiveDatabase, limits: Limits, live: Sequence[str] = ()) -> list[int]:
    """How many rows each step took."""
    steps = [archive.tidy(limits, live)]
    while archive.due:
        steps.append(archive.tidy(limits, live))
    return steps


def test_what_is_too_old_goes(tmp_path: Path) -> None:
    now = [0.0]
    with held(tmp_path, lambda: now[0]) as archive:
        for day in range(5):
            now[0] = day * DAY
            archive.put("s", [row(str(day))])
        now[0] = 4.5 * DAY
        assert tidied(archive, Limits(max_age_days=2)) == [3]
        assert texts(archive, "01234") == [None, None, None, "text", "text"]


def test_the_oldest_go_until_the_rest_fits(tmp_path: Path) -> None:
    size = 10_000
    fits = MEGABYTE // (size + ROW_BYTES)
    names = [f"{number:03}" for number in range(3 * fits)]
    with held(tmp_path) as archive:
        for name in names:
            archive.put("s", [row(name, "x" * size)])
        steps = tidied(archive, Limits(max_megabytes=1))
        assert sum(steps) == 2 * fits
        assert len(steps) > 1
        assert max(steps) < fits + 5, "no step holds the file for long"
        kept = [name for name, text in zip(names, texts(archive, names), strict=True) if text]
        assert kept == names[-fits:]
    assert (tmp_path / NAME).stat().st_size < 1.5 * MEGABYTE, "the disk has it back"


def test_what_an_open_session_put_stays(tmp_path: Path) -> None:
    now = [0.0]
    with held(tmp_path, lambda: now[0]) as archive:
        for session_id in "st":
            archive.put(session_id, [row("old", "x" * MEGABYTE)])
        now[0] = 100 * DAY
        assert tidied(archive, Limits(1, 1), ["s"]) == [1]
        assert texts(archive, ["old"], "s") == ["x" * MEGABYTE]
        assert texts(archive, ["old"], "t") == [None]


def test_when_it_is_time_to_tidy(tmp_path: Path) -> None:
    now = [0.0]
    with held(tmp_path, lambda: now[0]) as archive:
        archive.put("s", [row("a")])
        assert archive.due, "at the start"
        archive.tidy(Limits(), ())
        assert not archive.due
        archive.put("s", [row("b", "x" * DUE_BYTES)])
        assert archive.due, "so much came since"
        archive.tidy(Limits(), ())
        now[0] = DUE_SECONDS + 1
        assert archive.due, "so long ago"
        archive.tidy(Limits(), ())
        assert not archive.due


# a session that is deleted


def test_of_a_forgotten_session_no_byte_is_left(tmp_path: Path) -> None:
    with held(tmp_path) as archive:
        archive.put("t", [row("kept", "of another")])
        archive.put("s", [row(f"small {number}", SECRET) for number in range(20)])  # in a page with that
        archive.put("s", [row(str(number), f"{SECRET} {number} " * 900) for number in range(20)])
        archive.tidy(Limits(), ())
        assert archive.forget("s") == 40
        assert texts(archive, ["0"]) == [None]
        assert texts(archive, ["kept"], "t") == ["of another"]
        assert [path for path in tmp_path.iterdir() if SECRET.encode() in path.read_bytes()] == []
