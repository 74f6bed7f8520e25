"""Several processes share one file, and one that is killed has what it acknowledged."""

import os
import select
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ctxmgr.devices.archive import file as archive_file
from ctxmgr.devices.archive.database import ArchiveFault
from ctxmgr.devices.archive.file import NAME
from tests.unit.devices.archive import writer as archive_writer
from tests.unit.devices.archive.rows import held, row, texts

ROOT = Path(__file__).parents[4]
WRITER = Path(archive_writer.__file__)
WAIT_SECONDS = 60  # for a child that should answer in milliseconds; only a failure waits so long


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


def test_an_archive_opened_twice_in_one_process_keeps_its_locks(tmp_path: Path) -> None:
    """Else who closes it elsewhere takes itself for the last, and deletes the log that is written here."""
    with held(tmp_path) as archive:
        archive.put("s", [row("1")])
        with held(tmp_path) as again:
            assert texts(again, "1") == ["text"]
        ended(spawned(tmp_path, "t", 1))
        assert tmp_path.joinpath(f"{NAME}-wal").exists()
        archive.put("s", [row("2")])
        with held(tmp_path) as reader:
            assert texts(reader, "12") == ["text", "text"]


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
    from ctxmgr.devices.files import release, seize

    monkeypatch.setattr(archive_file, "BUSY_SECONDS", 0.05)
    lock = seize(tmp_path / f"{NAME}.lock")
    with held(tmp_path) as archive:
        with pytest.raises(ArchiveFault, match=f"opened by pid {os.getpid()}"):
            archive.put("s", [row("a")])
        release(lock)
        archive.put("s", [row("a")])
