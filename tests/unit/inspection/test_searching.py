"""The command `search`: hits for people and as JSON, one original whole, and nothing of a secret."""

import json
from pathlib import Path

import pytest

from ctxmgr.cli.commands import main
from ctxmgr.devices import ArchiveDatabase
from ctxmgr.devices.snapshots import file_name
from ctxmgr.model.epochs import ArchiveRow

TOKEN = "ghp_" + "aB3" * 12


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    archive = ArchiveDatabase(tmp_path, lambda: 1_000.0)
    archive.put("one", [ArchiveRow("h1", "k1", 'read path="src/disk.py"', f"raise ENOSPC\n# {TOKEN}\n")])
    archive.put("two", [ArchiveRow("h2", "k2", "user text", "ENOSPC again \x1b[31m")])
    archive.close()
    return tmp_path


def ran(directory: Path, *words: str) -> int:
    return main(["search", *words, "--state-dir", str(directory)])


def test_hits_for_people(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(directory, "ENOSPC", "path:disk.py") == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert lines[0] == "1.  raise ENOSPC"
    assert lines[-2] == '    -- h1  read path="src/disk.py"'
    assert "raise ENOSPC" in said
    assert TOKEN not in said
    assert "[masked]" in said


def test_all_sessions_or_one_safe_for_a_terminal(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(directory, "ENOSPC", "--limit", "5") == 0
    both = capsys.readouterr().out
    assert ("h1" in both, "h2" in both, "\x1b" in both) == (True, True, False)
    assert ran(directory, "ENOSPC", "--session", "two") == 0
    assert "h1" not in capsys.readouterr().out


def test_hits_as_json(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(directory, "ENOSPC", "--json", "--session", "one") == 0
    (hit,) = json.loads(capsys.readouterr().out)
    assert (hit["session"], hit["handle"], hit["path"], hit["at"]) == ("one", "h1", "src/disk.py", 1_000_000)


def test_an_original_whole(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(directory, "--original", "h1") == 0
    assert capsys.readouterr().out == "raise ENOSPC\n# [masked]\n\n"
    assert ran(directory, "--original", "h1", "--session", "two") == 1


@pytest.fixture
def named(directory: Path) -> Path:
    """With ids as long as those of programs are."""
    archive = ArchiveDatabase(directory, lambda: 1_000.0)
    for name in ("claude:0c5f1ab2-77", "claude:0c5f1ab2-78", "claude:9e", "claude:9e-sub"):
        archive.put(name, [ArchiveRow(f"h-{name}", "k", "user text", f"ENOSPC in {name}")])
    archive.close()
    return directory


@pytest.mark.parametrize(
    ("session", "found"),
    [("claude:0c5f1ab2-7", None), ("claude:0c5f1ab2-77", "claude:0c5f1ab2-77"), ("claude:9e", "claude:9e"),
     ("claude:9e-", "claude:9e-sub"), ("o", "one")],
)  # fmt: skip
def test_a_session_by_the_beginning_of_its_id(
    named: Path, capsys: pytest.CaptureFixture[str], session: str, found: str | None
) -> None:
    code = ran(named, "ENOSPC", "--json", "--session", session)
    printed = capsys.readouterr()
    if found is None:
        assert (code, printed.out) == (2, "")
        assert f"2 sessions begin with {session}: claude:0c5f1ab2-77, claude:0c5f1ab2-78" in printed.err
    else:
        assert code == 0
        assert [one["session"] for one in json.loads(printed.out)] == [found]


@pytest.mark.parametrize("words", [("ENOSPC",), ("--original", "h1")])
def test_an_unknown_session(directory: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert ran(directory, *words, "--session", "nobody") == 2
    assert "nothing is saved of nobody in " in capsys.readouterr().err


def test_a_saved_session_of_which_nothing_left(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / file_name("young")).write_bytes(b"")
    assert ran(directory, "ENOSPC", "--session", "young") == 1
    assert "no removed text contains these words" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "code"), [((), 2), (("x", "--original", "h1"), 2), (("x", "--limit", "0"), 2)])
def test_wrong_usage(directory: Path, words: tuple[str, ...], code: int) -> None:
    assert ran(directory, *words) == code


def test_nothing_found(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(directory, "nonesuch") == 1
    assert "no removed text contains these words" in capsys.readouterr().err
    assert ran(directory / "none", "x") == 1


def test_an_archive_that_can_not_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "archive.sqlite3.lock").mkdir()
    (tmp_path / "archive.sqlite3").write_bytes(b"")
    assert ran(tmp_path, "x") == 1
    assert "cannot be searched" in capsys.readouterr().err
