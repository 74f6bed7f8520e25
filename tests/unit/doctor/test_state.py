"""The state directory: what is said of its rights, its disk, and what lies in it."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ctxmgr.devices import ArchiveDatabase, archive_path
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.doctor import checks
from ctxmgr.doctor.checks import Diagnosis, Surroundings, read_surroundings
from ctxmgr.model import ArchiveRow


@pytest.fixture
def place(tmp_path: Path) -> Surroundings:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return Surroundings({}, str(tmp_path), str(folder))


def grades(said: Iterator[Diagnosis]) -> list[tuple[str, str]]:
    return [(one.severity, one.text) for one in said]


def test_a_directory_of_ones_own_is_well(place: Surroundings) -> None:
    assert grades(checks.directory(place)) == [("ok", f"{place.state} is readable only by you")]


def test_one_that_is_not_there_yet_is_well(place: Surroundings) -> None:
    place.state.rmdir()
    assert grades(checks.directory(place)) == [("ok", f"{place.state} will be created with the first session")]
    assert [one for check in (checks.sessions, checks.set_aside, checks.archive) for one in check(place)] == []
    assert [one.severity for one in checks.space(place)]


def test_one_that_others_can_read_is_told(place: Surroundings) -> None:
    place.state.chmod(0o755)
    (said,) = checks.directory(place)
    assert (said.severity, said.text) == ("warn", f"{place.state} can be read by others (mode 755)")
    assert said.advice == f"chmod 700 {place.state}"


def test_one_that_is_a_file_or_anothers_or_can_not_be_written_is_bad(
    place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert [one.severity for one in checks.directory(place)] == ["bad"]
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    assert grades(checks.directory(place)) == [("bad", f"{place.state} belongs to another user")]
    place.state.rmdir()
    place.state.write_text("")
    assert grades(checks.directory(place)) == [("bad", f"{place.state} is not a directory, so no session is saved")]


@pytest.mark.parametrize(("free", "severity"), [(10**10, "ok"), (10**8, "warn"), (10**7, "bad")])
def test_little_space_is_told(
    free: int, severity: str, place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    assert grades(checks.space(place)) == [(severity, f"{free / 1e6:,.0f} MB free on its disk")]


def test_sessions_are_counted_and_those_that_are_open_too(place: Surroundings) -> None:
    opened = SnapshotStore(place.state).open("a")
    (place.state / file_name("b")).write_bytes(b"")
    assert grades(checks.sessions(place)) == [("ok", "2 saved (0.0 MB), 1 of them open now")]
    opened.file.close()


def test_snapshots_that_can_not_be_read_are_named(place: Surroundings) -> None:
    for name in "abcde":
        (place.state / f"{name}.jsonl").write_bytes(b"broken\n")
    _, said = checks.sessions(place)
    assert said.severity == "warn"
    assert said.text.startswith("5 cannot be read: ")
    assert said.text.endswith(", and 2 more")


def test_what_was_set_aside_is_named(place: Surroundings) -> None:
    (place.state / "a.jsonl.torn").write_bytes(b"x")
    assert grades(checks.set_aside(place)) == [("warn", "1 files are no longer used (0.0 MB): a.jsonl.torn")]


def test_an_archive_is_well_or_told(place: Surroundings) -> None:
    archive = ArchiveDatabase(place.state)
    archive.put("s", [ArchiveRow("h", "k", "", "text")])
    archive.close()
    before = sorted(os.listdir(place.state))
    ((severity, text),) = grades(checks.archive(place))
    assert sorted(os.listdir(place.state)) == before
    assert (severity, text.startswith("originals of what was removed, ")) == ("ok", True)
    file = archive_path(place.state)
    file.write_bytes(b"no database at all, but for its length" * 100)
    ((severity, text),) = grades(checks.archive(place))
    assert (severity, text) == ("warn", "cannot be used: file is not a database")
    assert file.read_bytes().startswith(b"no database")


def test_another_programs_database_is_no_archive(place: Surroundings) -> None:
    connection = sqlite3.connect(archive_path(place.state))
    connection.execute("CREATE TABLE a (b)")
    connection.commit()
    connection.close()
    assert grades(checks.archive(place)) == [("warn", "cannot be used: it is no archive of ctxmgr")]


def test_the_directory_is_the_one_that_is_named_or_the_settings(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("state_dir = '/from/settings'")
    environ = {"CTXMGR_CONFIG": str(tmp_path / "config.toml")}
    assert read_surroundings(environ, str(tmp_path), "/named", None).state == Path("/named")
    assert read_surroundings(environ, str(tmp_path), None, None).state == Path("/from/settings")
    (tmp_path / "config.toml").write_text("no settings")
    assert read_surroundings(environ, str(tmp_path), None, None).state_dir == ""


def test_a_holdout_that_is_on_is_told_with_the_command_that_compares(place: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('holdout = "10%"\n')
    at = Surroundings({"CTXMGR_CONFIG": str(tmp_path / "mine.toml")}, str(tmp_path), str(place.state))
    (said,) = checks.holdout(at)
    assert (said.severity, said.text) == ("ok", "10% of sessions stay unchanged, for comparison")
    assert "ctxmgr savings --live" in said.advice


def test_one_that_is_off_is_named_to_who_has_more_than_a_few_sessions(place: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("")
    at = Surroundings({"CTXMGR_CONFIG": str(tmp_path / "mine.toml")}, str(tmp_path), str(place.state))
    for number in range(checks.FEW_SESSIONS):
        (place.state / f"s-{number}.jsonl").write_text("")
    assert [*checks.holdout(at)] == []
    (place.state / "one-more.jsonl").write_text("")
    (said,) = checks.holdout(at)
    assert said.text.startswith("off: ")
    assert 'holdout = "10%"' in said.advice
