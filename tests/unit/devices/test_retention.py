"""What grew too old or has no room goes, the oldest first, and nothing of a session that is open."""

import os
from pathlib import Path

import pytest

from ctxmgr.devices import ArchiveDatabase, retention
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.model.policy import Archive as Limits

DAY_MS = 86_400_000
NOW_MS = 100 * DAY_MS
BASE = b'{"kind":"base","version":1,"sessionId":"%s","state":{}}'


def save(directory: Path, session: str, days_ago: float, text: str = "", keep_open: bool = False) -> None:
    """A session that was saved so long ago, with one original."""
    opened = SnapshotStore(directory).open(session)
    opened.file.append(BASE % session.encode())
    at = (NOW_MS - days_ago * DAY_MS) / 1000
    if text:
        archive = ArchiveDatabase(directory, lambda: at)
        archive.put(session, [ArchiveRow("h", f"k{session}", "read", text)])
        archive.close()
    if not keep_open:
        opened.file.close()
    os.utime(directory / file_name(session), (at, at))


def outdated(directory: Path, **limits: int) -> list[str | None]:
    return [one.session_id for one in retention.outdated(directory, Limits(**limits), NOW_MS)]


def originals(directory: Path) -> list[str]:
    archive = ArchiveDatabase(directory)
    found = [one.session_id for one in archive.sizes()]
    archive.close()
    return found


def test_what_was_saved_too_long_ago_goes_the_oldest_first(tmp_path: Path) -> None:
    for session, days in (("new", 1), ("old", 40), ("older", 50)):
        save(tmp_path, session, days)
    assert outdated(tmp_path, max_age_days=30) == ["older", "old"]
    assert outdated(tmp_path, max_age_days=60) == []


def test_of_what_has_no_room_only_so_much_goes_as_is_over(tmp_path: Path) -> None:
    for session, days in (("a", 3), ("b", 2), ("c", 1)):
        save(tmp_path, session, days, "x" * 600_000)
    assert outdated(tmp_path, max_megabytes=1) == ["a", "b"]
    assert outdated(tmp_path, max_megabytes=2) == []


def test_originals_without_a_snapshot_count_and_go(tmp_path: Path) -> None:
    save(tmp_path, "gone", 40, "text")
    os.unlink(tmp_path / file_name("gone"))
    assert outdated(tmp_path, max_age_days=30) == ["gone"]


def test_a_session_that_is_open_stays_and_its_lock_is_asked_again(tmp_path: Path) -> None:
    save(tmp_path, "open", 40, "text", keep_open=True)
    assert outdated(tmp_path, max_age_days=30) == []
    one = retention.SavedSession("open", file_name("open"), 0, 0, False)
    assert "is locked" in (retention.delete(tmp_path, one) or "")
    assert originals(tmp_path) == ["open"]


def test_what_is_deleted_is_gone_with_its_originals(tmp_path: Path) -> None:
    save(tmp_path, "old", 40, "text")
    save(tmp_path, "new", 1, "text")
    (one,) = retention.outdated(tmp_path, Limits(max_age_days=30), NOW_MS)
    assert retention.delete(tmp_path, one) is None
    assert not (tmp_path / file_name("old")).exists()
    assert originals(tmp_path) == ["new"]


def test_a_snapshot_that_can_not_be_read_is_left_and_said(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"no snapshot\n")
    os.utime(tmp_path / "x.jsonl", (0, 0))
    (one,) = retention.outdated(tmp_path, Limits(max_age_days=30), NOW_MS)
    assert retention.delete(tmp_path, one) == "x.jsonl cannot be read, and was left"
    assert (tmp_path / "x.jsonl").exists()


def test_tidying_takes_originals_alone_and_none_of_an_open_session(tmp_path: Path) -> None:
    save(tmp_path, "old", 40, "text")
    save(tmp_path, "open", 40, "text", keep_open=True)
    assert retention.tidy_originals(tmp_path, Limits(max_age_days=30)) == 1
    assert originals(tmp_path) == ["open"]
    assert (tmp_path / file_name("old")).exists()


@pytest.mark.parametrize("missing", ["", "none"])
def test_where_there_is_nothing_nothing_is_made(tmp_path: Path, missing: str) -> None:
    directory = tmp_path / missing
    assert retention.tidy_originals(directory, Limits()) == 0
    assert retention.outdated(directory, Limits(), NOW_MS) == []
    assert list(tmp_path.iterdir()) == []
