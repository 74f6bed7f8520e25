"""What is too old or too much goes, but for what an open session put."""

from collections.abc import Sequence
from pathlib import Path

from ctxmgr.devices.archive.database import DUE_BYTES, DUE_SECONDS, MEGABYTE, ROW_BYTES, ArchiveDatabase
from ctxmgr.devices.archive.file import NAME
from ctxmgr.model.policy import Archive as Limits
from tests.unit.devices.archive.rows import DAY, SECRET, held, row, texts


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
        archive.put("s", [row("b", "漢" * (DUE_BYTES // 3 - 1))])
        assert not archive.due
        archive.put("s", [row("c", "漢漢")])
        assert archive.due, "so many bytes came since"
        archive.tidy(Limits(), ())
        now[0] = DUE_SECONDS + 1
        assert archive.due, "so long ago"
        archive.tidy(Limits(), ())
        assert not archive.due


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
