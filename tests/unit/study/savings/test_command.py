"""`ctxmgr savings`, in a made home folder."""

import json
import os
import re
import socket
import stat
import sys
from pathlib import Path

import pytest

from ctxmgr.cli import main, parser
from ctxmgr.extras import needs
from ctxmgr.study.savings import command
from ctxmgr.study.savings.agents import FOLDERS, MOST_BYTES
from tests.unit.study.savings import made
from tests.unit.study.savings.test_agents import tree

Said = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of the real home is in reach, and no network."""

    def refused(*given: object, **more: object) -> None:
        raise AssertionError("a network was asked")

    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in {row.variable for row in FOLDERS} - {""}:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)
    return folder


def said(capsys: Said, *arguments: str) -> dict[str, object]:
    assert main(["savings", "--workers", "1", "--json", *arguments]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_it_says_what_the_sessions_of_all_agents_cost(home: Path, capsys: Said) -> None:
    made.a_home(home)
    assert main(["savings", "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Your 6 sessions of the last 30 days cost $")
    assert "balanced would have cost the same." in out
    assert "under 25 calls" in out


def test_nothing_is_written_but_the_page_which_is_yours_alone(home: Path, tmp_path: Path, capsys: Said) -> None:
    made.a_home(home)
    before = tree(tmp_path)
    page = made.put(tmp_path / "page.html", b"older")
    page.chmod(0o644)
    assert main(["savings", "--workers", "1", "--report", str(page)]) == 0
    after = tree(tmp_path)
    assert {path: found for path, found in after.items() if path != str(page)} == before
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_the_page_says_what_the_terminal_says_and_needs_nothing_beside_it(
    home: Path, tmp_path: Path, capsys: Said
) -> None:
    made.a_home(home)
    page = tmp_path / "page.html"
    found = said(capsys, "--report", str(page))
    text = page.read_text(encoding="utf-8")
    assert str(found["said"]) in text
    assert '<th scope="col">balanced</th>' in text
    assert "src=" not in text
    assert set(re.findall(r"https?://[^\"]*", text)) == {"http://www.w3.org/2000/svg"}  # a name, which nobody asks


@pytest.mark.long
def test_workers_say_what_this_process_says(home: Path, capsys: Said) -> None:
    made.a_home(home)
    assert said(capsys, "--workers", "2") == said(capsys)


def test_days_and_agents_narrow_it_down(home: Path, capsys: Said) -> None:
    made.a_home(home)
    os.utime(home / made.FILES[0][2], (0, 0))
    assert said(capsys, "--agent", "claude", "--agent", "pi")["found"] == 1
    assert said(capsys)["found"] == 5


def test_policies_are_the_points_that_are_asked_for(home: Path, capsys: Said) -> None:
    made.a_home(home)
    found = json.dumps(said(capsys, "--policies", "lean,careful"))
    assert '"lean"' in found
    assert '"balanced"' not in found
    assert "lean would have cost" in found


def test_files_that_are_named_are_measured_instead(home: Path, tmp_path: Path, capsys: Said) -> None:
    made.a_home(home)
    made.put(tmp_path / "named/a.jsonl", made.pi(2))
    made.put(tmp_path / "named/b.jsonl", made.codex(2))
    assert str(said(capsys, str(tmp_path / "named"))["said"]).startswith("The 2 sessions that you named cost $")


def test_what_can_not_be_read_is_counted_and_told(home: Path, capsys: Said) -> None:
    made.a_home(home)
    made.put(home / ".claude/projects/-w/b-a-d-0-0.jsonl", b"secret")
    made.put(home / ".local/share/opencode/opencode-x.db", b"none")
    assert main(["savings", "--workers", "1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("6 of your 7 sessions")
    assert "Not measured, because they cannot be read as sessions: 1 (Claude Code 1);" in out
    assert "Places that hold sessions and cannot be read: 1" in out
    assert "secret" not in json.dumps(said(capsys))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_among_the_sessions_is_not_waited_for(home: Path, capsys: Said) -> None:
    made.a_home(home)
    paths = [".claude/projects/-w/f-i-f-o-0.jsonl", ".local/share/opencode/opencode-x.db"]
    for path in paths:
        os.mkfifo(home / path)
    notes = str(said(capsys)["notes"])
    assert "cannot be read as sessions: 1 (Claude Code 1);" in notes
    assert "Places that hold sessions and cannot be read: 1" in notes


def test_a_file_that_no_memory_holds_is_not_read(home: Path, capsys: Said) -> None:
    made.a_home(home)
    huge = made.put(home / ".claude/projects/-w/h-u-g-e-0.jsonl", b"")
    os.truncate(huge, MOST_BYTES + 1)
    assert "it is larger than 1,073,741,824 bytes" in json.dumps(said(capsys))


def test_what_holds_no_call_is_no_session(home: Path, capsys: Said) -> None:
    made.put(home / ".claude/projects/-w/a-0-0-0-0.jsonl", made.claude(2))
    made.put(home / ".claude/projects/-w/b-0-0-0-0.jsonl", made.claude(0))
    found = said(capsys)
    assert str(found["said"]).startswith("Your 1 session of the last 30 days cost $")
    assert "Not counted, for no model was called in them: 1." in str(found["notes"])


def test_a_model_without_a_price_is_told(home: Path, capsys: Said) -> None:
    made.put(home / ".claude/projects/-w/a-0-0-0-0.jsonl", made.claude(2, "acme-1"))
    made.put(home / ".claude/projects/-w/b-0-0-0-0.jsonl", made.claude(2, "claude-opus-9"))
    notes = str(said(capsys)["notes"])
    assert "Without a known price, so without a cost: 1 session (acme-1)." in notes
    assert "By the prices of the nearest model of the family: 1 session (claude-opus-9 as claude-opus" in notes


def test_a_sample_is_told(home: Path, capsys: Said) -> None:
    made.a_home(home)
    clock = iter(range(0, 1_000, 15))  # by a second look at it 15 s have gone, by a third 30
    arguments = ["savings", "--workers", "1", "--json", "--seconds", "40"]
    assert command.run(parser("savings").parse_args(arguments), lambda: next(clock)) == 0
    found = json.loads(capsys.readouterr().out)
    assert str(found["said"]).startswith("3 of your 6 sessions")
    assert "In 40 seconds (--seconds), 3 of 6 sessions were read, in a random order" in str(found["notes"])


def test_no_sessions_are_said_and_are_a_failure(capsys: Said) -> None:
    assert main(["savings"]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("No sessions of the last 30 days were found.")
    assert "Looked for those of Claude Code, Codex, OpenCode, Gemini CLI, pi, Cline" in told.err


def test_wrong_usage_is_said(capsys: Said) -> None:
    for arguments, words in (
        (["nowhere"], "no such file or folder: nowhere"),
        (["--report", "nowhere/page.html"], "cannot be written"),
        (["--models", "nowhere.json"], "nowhere.json"),
        (["--state-dir", "x"], "--state-dir goes with --live"),
        (["--live", "x", "--report", "page.html"], "takes no PATH and no --report"),
    ):
        assert main(["savings", *arguments]) == 2, arguments
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["savings", "--policies", "lean,odd"])
    assert "is not a list of points of keep" in capsys.readouterr().err


class WithoutStudy:
    """Of the import system, in whose sight that distribution is not installed."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "ctxmgr.study":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_without_the_study_extra_it_says_what_to_install(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("ctxmgr.study")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [WithoutStudy(), *sys.meta_path])
    assert main(["savings"]) == 2
    assert f"this command {needs('study')}" in capsys.readouterr().err
