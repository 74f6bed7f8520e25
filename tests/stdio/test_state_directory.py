"""The state directory while it is used and before: deleted, of others, linked, open to others."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from ctxmgr.devices.archive.file import opened
from ctxmgr.devices.files import make_directory
from ctxmgr.devices.snapshots import SnapshotStore
from tests.stdio.sidecar import Sidecar
from tests.stdio.test_state import facts, mode, snapshot, started, turn


def known(state_dir: Path) -> tuple[int, str, list[str]]:
    """What the next life knows."""
    with Sidecar(state_dir).ready() as sidecar:
        again = started(sidecar)
        return again["seq"], " ".join(facts(sidecar)), again["status"]["notes"]


@pytest.mark.kill
@pytest.mark.parametrize("gone", ["the file", "all files", "the directory"])
def test_what_is_deleted_while_running_is_written_whole_anew(tmp_path: Path, gone: str) -> None:
    state_dir = tmp_path / "state"
    with Sidecar(state_dir).ready("s") as sidecar:
        for number in range(5):
            sidecar.call("turn_end", **turn(number))
        if gone == "the directory":
            shutil.rmtree(state_dir)
        for path in [snapshot(state_dir)] if gone == "the file" else [*state_dir.glob("*")]:
            path.unlink()
        for number in range(5, 8):
            sidecar.call("turn_end", **turn(number))
        sidecar.kill()
        assert sidecar.said.count("a snapshot was missing and is written again as a whole") == 1
    assert mode(state_dir) == 0o700
    seq, text, notes = known(state_dir)
    assert (seq, notes) == (8, [])
    assert all(f"src/{number}.py" in text for number in range(8))


@pytest.mark.kill
def test_a_deleted_session_is_still_held_by_one_process(tmp_path: Path) -> None:
    with Sidecar(tmp_path).ready("s") as first, Sidecar(tmp_path).ready() as second:
        for path in tmp_path.glob("*"):
            path.unlink()
        first.call("turn_end", **turn(1))
        params = {"sessionId": "s", "model": {"id": "m", "contextWindow": 200_000}}
        assert "locked by pid" in second.ask("session_start", **params)["error"]["message"]
        first.kill()


@pytest.mark.kill
def test_what_was_put_in_its_place_is_set_aside(tmp_path: Path) -> None:
    with Sidecar(tmp_path).ready("s") as sidecar:
        sidecar.call("turn_end", **turn(0))
        older = snapshot(tmp_path).read_bytes()
        sidecar.call("turn_end", **turn(1))
        path = snapshot(tmp_path)
        path.unlink()
        path.write_bytes(older)
        sidecar.call("turn_end", **turn(2))
        sidecar.kill()
    assert known(tmp_path)[0] == 3
    assert (tmp_path / f"{path.name}.broken-1").read_bytes() == older


@pytest.mark.kill
@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("how", ["hard link", "world"])
def test_one_that_others_could_write_is_written_anew_for_its_owner(tmp_path: Path, how: str, running: bool) -> None:
    state_dir = tmp_path / "state"
    with Sidecar(state_dir).ready("s") as sidecar:
        sidecar.call("turn_end", **turn(0))
        if not running:
            sidecar.kill()
        path = snapshot(state_dir)
        if how == "hard link":
            os.link(path, tmp_path / "other")
        else:
            path.chmod(0o602)
        before = path.stat().st_ino
        if running:
            sidecar.call("turn_end", **turn(1))
            sidecar.kill()
        else:
            with Sidecar(state_dir).ready() as again:
                (note,) = started(again)["status"]["notes"]
                assert ("hard link" if how == "hard link" else "others could write it") in note
                again.call("turn_end", **turn(1))
                again.kill()
    assert path.stat().st_ino != before
    assert (path.stat().st_nlink, mode(path)) == (1, 0o600)
    assert known(state_dir)[0] == 2


def test_one_of_another_user_is_set_aside_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Sidecar(tmp_path).ready("s") as sidecar:
        assert sidecar.leave() == 0
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    found = SnapshotStore(tmp_path).open("s")
    assert found.lines == ()
    assert "set aside" in (found.fault or "")
    assert "belongs to another user" in (found.fault or "")
    found.file.close()


@pytest.mark.parametrize("how", ["another user", "hard link"])
def test_an_archive_that_is_not_ours_alone_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    connection, note = opened(tmp_path)
    connection.close()
    assert note is None
    if how == "hard link":
        os.link(tmp_path / "archive.sqlite3", tmp_path / "other")
    else:
        mine = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    connection, note = opened(tmp_path)
    connection.close()
    assert "set aside" in (note or "")
    assert how in (note or "")


def test_directories_made_on_the_way_are_for_their_owner_alone(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    make_directory(deep)
    made = (tmp_path / "a", tmp_path / "a" / "b", deep)
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}
    make_directory(deep)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        make_directory(tmp_path / "file" / "state")
