"""The command `sessions`: what is saved, listed, shown, exported and deleted."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.devices import ArchiveDatabase, ArchiveFault
from ctxmgr.devices.snapshots import SnapshotStore, file_name
from ctxmgr.model import ArchiveRow
from tests.inprocess import InProcess

USER = {"role": "user", "content": "hello", "timestamp": 1}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "stopReason": "stop", "timestamp": 2}
TURNS: Mapping[str, object] = {"preset": "turns"}
ODD = "\x1b[31m../../etc/passwd"


def save(state: Path, session: str, policy: Mapping[str, object] = TURNS) -> Path:
    """A session with one list of one message; its snapshot."""
    host = InProcess()
    host.request("context", sessionId="s", messages=[USER])
    host.notify("turn_end", sessionId="s", message=REPLY, usage={"tokens": 1_000})
    host.request("setPolicy", sessionId="s", policy=policy)
    opened = SnapshotStore(state).open(session)
    assert opened.file is not None
    for line in host.saved["s"]:
        for member in (b'"sessionId":', b'"session_id":'):
            line = line.replace(member + b'"s"', member + json.dumps(session).encode())
        opened.file.append(line)
    opened.file.close()
    return state / file_name(session)


def put(state: Path, session: str, *texts: str) -> None:
    archive = ArchiveDatabase(state)
    archive.put(session, [ArchiveRow(f"h{at}", f"k{at}", "read a.py", text) for at, text in enumerate(texts)])
    archive.close()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def run(state: Path, action: str, *arguments: str) -> int:
    return main(["sessions", action, "--state-dir", str(state), *arguments])


def test_the_list_has_each_session_with_its_figures(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at, name in enumerate(("a", "b")):
        os.utime(save(state, name), (at, at))
    assert run(state, "list", "--json") == 0
    newest, oldest = json.loads(capsys.readouterr().out)
    assert (newest["session"], oldest["session"]) == ("b", "a")
    assert newest["file"] == str(state / file_name("b"))
    assert newest["size_bytes"] == (state / file_name("b")).stat().st_size
    figures = ("saved_ms", "message_count", "preset", "model", "holder", "fault")
    assert [newest[one] for one in figures] == [1000, 1, "turns", "m", None, None]
    assert newest["event_count"] == 1
    assert newest["outgoing_tokens"] > 0
    assert run(state, "list") == 0
    head, first, _ = capsys.readouterr().out.splitlines()
    assert head.split() == ["session", "project", "age", "size", "preset", "first", "words"]
    assert first.split()[0] == "b"
    assert first.endswith("turns   hello")


def test_a_session_without_a_preset_of_its_own_is_listed_with_the_default_one(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "s", policy={})
    assert run(state, "list") == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.endswith("balanced  hello")


def test_without_sessions_it_says_where_it_looked(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(state, "list") == 0
    assert capsys.readouterr().out == f"no session is saved in {state}\n"
    assert run(state, "list", "--json") == 0
    assert json.loads(capsys.readouterr().out) == []
    assert not state.exists()


def test_one_that_can_not_be_read_is_listed_with_the_reason(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "a")
    (state / "broken.jsonl").write_bytes(b"rubbish\n")
    (state / "empty.jsonl").write_bytes(b"")
    assert run(state, "list", "--json") == 0
    faults = {one["session"]: one["fault"] for one in json.loads(capsys.readouterr().out)}
    assert faults == {"a": None, "broken.jsonl": "its first line is damaged", "empty.jsonl": "nothing is saved yet"}
    assert run(state, "list") == 0
    assert "  its first line is damaged" in capsys.readouterr().out


def test_an_odd_id_is_no_path_and_is_shown_made_safe(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = save(state, ODD)
    assert path.parent == state
    assert run(state, "list") == 0
    assert "\\u001b[31m../" in capsys.readouterr().out
    assert run(state, "show", ODD) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert run(state, "delete", ODD) == 0
    assert not path.exists()


def test_one_that_is_open_is_listed_so_and_not_deleted(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(state, "a")
    other = save(state, "b")
    put(state, "a", "text")
    opened = SnapshotStore(state).open("a")
    assert opened.file is not None
    assert run(state, "list") == 0
    assert f"(open: process {os.getpid()}) hello" in capsys.readouterr().out
    assert run(state, "delete", "a", "b") == 1
    said = capsys.readouterr()
    assert f"is locked by pid {os.getpid()}: nothing was deleted" in said.err
    assert said.err.startswith("ctxmgr sessions delete: ")
    assert (state / file_name("a")).exists()
    assert not other.exists()
    opened.file.close()
    assert run(state, "delete", "a") == 0
    assert capsys.readouterr().out == "deleted a: the snapshot, 1 originals\n"


def test_an_unknown_id_is_2(state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for action, *more in (("show",), ("delete",), ("export", str(tmp_path / "x"))):
        assert run(state, action, "nobody", *more) == 2
        said = capsys.readouterr().err
        assert (said.count("\n"), f"nothing is saved of nobody in {state}; --state-dir names another" in said) == (
            1,
            True,
        )
    assert not (tmp_path / "x").exists()
    assert not state.exists()


@pytest.mark.parametrize("command", [["sessions", "delete"], ["forget"]])
def test_a_deleted_id_deletes_no_session_whose_id_begins_with_it(
    command: list[str], state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = save(state, "s1"), save(state, "s10")
    assert main([*command, "--state-dir", str(state), "s1"]) == 0
    assert main([*command, "--state-dir", str(state), "s1"]) == 2
    assert (first.exists(), second.exists()) == (False, True)
    assert "no session has the id s1; to delete s10, give its whole id\n" in capsys.readouterr().err


def test_a_file_with_an_id_that_is_no_text_hides_no_session(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "mine")
    (state / "other.jsonl").write_text('{"sessionId":12}\n')
    assert run(state, "show", "mi") == 0
    assert "session mine" in capsys.readouterr().out


IDS = ("claude:09fffd84-80fe-1", "claude:09fffd84-80fe-2", "codex:7777", "mine", "codex:77777")


def words(action: str, named: str, state: Path, out: Path) -> list[str]:
    more = [str(out)] if action == "export" else []
    return {"forget": ["forget", "--state-dir", str(state), named], "inspect": ["inspect", named]}.get(
        action, ["sessions", action, named, *more]
    )


@pytest.mark.parametrize("action", ["show", "export", "inspect"])
@pytest.mark.parametrize(
    ("named", "meant"), [("claude:09fffd84-80fe-1", 0), ("09fffd84-80fe-2", 1), ("7777", 2), ("mi", 3)]
)
def test_a_session_is_shown_by_any_beginning_that_means_it_alone(
    action: str, named: str, meant: int, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for id in IDS:
        save(state, id)
    monkeypatch.setenv("CTXMGR_STATE_DIR", str(state))
    assert main(words(action, named, state, tmp_path / "out")) == 0
    exported = (tmp_path / "out").read_text() if action == "export" else ""
    assert IDS[meant] in capsys.readouterr().out + exported


@pytest.mark.parametrize("action", ["delete", "forget"])
@pytest.mark.parametrize(("named", "meant"), [("claude:09fffd84-80fe-1", 0), ("7777", 2), ("777", -1), ("mi", -1)])
def test_a_session_is_deleted_by_its_whole_id_with_or_without_its_program(
    action: str, named: str, meant: int, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [save(state, id) for id in IDS]
    monkeypatch.setenv("CTXMGR_STATE_DIR", str(state))
    assert main(words(action, named, state, tmp_path)) == (2 if meant < 0 else 0)
    assert [path.exists() for path in paths] == [number != meant for number in range(len(IDS))]


@pytest.mark.parametrize("action", ["show", "export", "delete", "forget", "inspect"])
def test_a_beginning_that_means_several_names_them_and_does_nothing(
    action: str, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [save(state, id) for id in IDS]
    monkeypatch.setenv("CTXMGR_STATE_DIR", str(state))
    assert main(words(action, "09ff", state, tmp_path / "out")) == 2
    assert f"2 sessions begin with 09ff: {IDS[0]}, {IDS[1]}" in capsys.readouterr().err
    assert all(path.exists() for path in paths)


def test_the_list_fits_80_columns_and_names_each_by_a_beginning_that_means_it(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ctxmgr.plain_text.columns", lambda: 80)
    monkeypatch.setitem(USER, "content", "Port the order tables to the new schema. " * 9)
    for id in IDS:
        path = save(state, id)
        path.write_bytes(path.read_bytes())
    assert run(state, "list") == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert all(len(row) <= 80 and row.endswith("...") for row in rows)
    assert {row.split()[0] for row in rows} == {
        "claude:09fffd84-80fe-1",
        "claude:09fffd84-80fe-2",
        "codex:7777",
        "codex:77777",
        "mine",
    }


def test_the_list_has_the_last_folder_of_the_project_and_the_first_words(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = InProcess()
    host.request("session_start", sessionId="s", model={"id": "m", "contextWindow": 9_000}, cwd="/work/my/shop")
    host.request("context", sessionId="s", messages=[USER | {"content": "Port\nthe   tables"}])
    opened = SnapshotStore(state).open("s")
    assert opened.file is not None
    for line in host.saved["s"]:
        opened.file.append(line)
    opened.file.close()
    assert run(state, "list") == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split()[:2] == ["s", "shop"]
    assert row.endswith("balanced  Port the tables")


def test_show_says_what_inspect_says(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = save(state, "a")
    assert run(state, "show", "a", "--full") == 0
    shown = capsys.readouterr().out
    assert main(["inspect", str(path), "--full"]) == 0
    assert capsys.readouterr().out == shown


def test_an_export_holds_one_session_and_nothing_else(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(state, "a")
    save(state, "other")
    put(state, "a", "the text", "half a pair \udc80")
    put(state, "other", "another text")
    file = tmp_path / "a.export"
    assert run(state, "export", "a", str(file)) == 0
    head, *lines = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    assert head == {"export": "ctxmgr session", "version": 1, "sessionId": "a"}
    records = [json.loads(line[9:]) for line in path.read_text("utf-8").splitlines()]
    assert [line["record"] for line in lines if "record" in line] == records
    assert [line["original"] for line in lines if "original" in line] == [
        {"handle": "h0", "key": "k0", "call": "read a.py", "text": "the text"},
        {"handle": "h1", "key": "k1", "call": "read a.py", "text": "half a pair \udc80"},
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    out = capsys.readouterr().out
    assert out.startswith(f"{file}: {len(records)} records of the snapshot, 2 originals, ")
    assert "what was said and read" in out


def test_a_file_that_is_there_is_not_written_over(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "a")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        assert run(state, "export", "a", str(tmp_path / name)) == 2
        assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"
    assert run(state, "export", "a", str(tmp_path / "none" / "file")) == 1
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_of_a_broken_snapshot_its_good_lines_are_exported_and_the_fault_is_told(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(state, "a")
    put(state, "a", "text")
    path.write_bytes(b"rubbish\n")
    assert run(state, "export", "a", str(tmp_path / "x")) == 1
    said = capsys.readouterr()
    assert "0 records of the snapshot, 1 originals" in said.out
    assert "cannot be used: its first line is damaged" in said.err


def test_where_the_archive_can_not_be_read_nothing_is_exported(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "a")

    def refuse(self: ArchiveDatabase, session: str) -> list[ArchiveRow]:
        raise ArchiveFault("the disk refuses")

    monkeypatch.setattr(ArchiveDatabase, "rows", refuse)
    assert run(state, "export", "a", str(tmp_path / "x")) == 1
    assert capsys.readouterr().err == "ctxmgr sessions: the originals cannot be read: the disk refuses\n"
    assert not (tmp_path / "x").exists()


def test_the_directory_is_the_one_that_the_settings_name(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "a")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTXMGR_STATE_DIR", str(state))
    assert main(["sessions", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[0] == "a"
    monkeypatch.setenv("CTXMGR_STATE_DIR", "nowhere")
    assert main(["sessions", "list"]) == 2
    assert "CTXMGR_STATE_DIR: state_dir must be a path" in capsys.readouterr().err


def test_purging_tells_first_and_then_deletes(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.utime(save(state, "old"), (0, 0))
    save(state, "new")
    put(state, "old", "text")
    assert run(state, "purge", "--days", "7", "--dry-run") == 0
    assert "1 sessions would be deleted" in capsys.readouterr().out
    assert (state / file_name("old")).exists()
    assert run(state, "purge", "--days", "7") == 0
    said = capsys.readouterr().out
    assert "old" in said
    assert "1 sessions deleted" in said
    assert [(state / file_name(name)).exists() for name in ("old", "new")] == [False, True]
    assert run(state, "purge", "--days", "7") == 0
    assert capsys.readouterr().out.startswith("0 sessions deleted")


def test_purging_leaves_who_is_open(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.utime(save(state, "old"), (0, 0))
    opened = SnapshotStore(state).open("old")
    assert opened.file is not None
    assert run(state, "purge", "--days", "7") == 0
    assert capsys.readouterr().out.startswith("0 sessions deleted")
    opened.file.close()


def test_of_a_full_disk_no_half_of_an_export_stays(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(state, "a")

    def full(value: object, **more: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(json, "dumps", full)
    assert run(state, "export", "a", str(tmp_path / "x")) == 1
    assert "cannot be written: No space left on device" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
