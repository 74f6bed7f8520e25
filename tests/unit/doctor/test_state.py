"""The state directory: what is said of its rights, its disk, and what lies in it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from ctxmgr.devices import ArchiveDatabase, archive_path
from ctxmgr.doctor import checks
from ctxmgr.doctor.checks import Diagnosis, Surroundings
from ctxmgr.model import ArchiveRow


@pytest.fixture
def place(tmp_path: Path) -> Surroundings:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return Surroundings({}, str(tmp_path), str(folder))


def grades(said: Iterator[Diagnosis]) -> list[tuple[str, str]]:
    return [(one.severity, one.text) for one in said]


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
