"""The command `drive`, over real processes: exit codes, what it prints, what it records."""

import os
import re
import sys
from pathlib import Path

import pytest

from ctxmgr.cli import main
from tests.unit.study.conformance.scripts import START, answer, ask, exits, note, process, script

CRASH = str(Path(__file__).parents[4] / "protocol" / "examples" / "a-crash.jsonl")


def test_a_script_of_two_processes_is_played_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", CRASH, "--framing", "ndjson", "--show"]) == 0
    out = capsys.readouterr().out
    assert "7 lines sent, 5 matched" in out
    assert '-> {"jsonrpc":"2.0","id":1,"method":"initialize"' in out


def test_a_failure_is_reported_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.jsonl"
    file.write_bytes(script(START[0], answer(1, {"policy": {"preset": "tools"}})))
    assert main(["drive", str(file), CRASH]) == 1
    out = capsys.readouterr().out
    assert f"{file}, line 3: answer to id 1: not what was expected" in out
    assert re.search(r"at +\$\.result\.policy\.preset\n +expected +\"tools\"\n +got +\"balanced\"", out)
    assert "a-crash.jsonl: 7 lines sent" in out  # scripts after a failed one are played
    assert re.search(r"the last messages\n +-> .*\"initialize\".*\n +<- ", out)


def test_any_command_is_driven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program of ten lines that answers everything with its params."""
    peer = tmp_path / "peer.py"
    peer.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    one = json.loads(line)\n"
        "    if 'id' in one:\n"
        "        answer = {'jsonrpc': '2.0', 'id': one['id'], 'result': one['params']}\n"
        "        print(json.dumps(answer), flush=True)\n"
        "print('over', file=sys.stderr)\n"
        "sys.exit(3)\n"
    )
    file = tmp_path / "a.jsonl"
    file.write_bytes(script(ask(1, "echo", a=1), answer(1, {"a": 1}), note("exit"), process("close"), exits(3)))
    command = ["--framing", "ndjson", "--command", sys.executable, str(peer)]
    assert main(["drive", str(file), *command]) == 0
    file.write_bytes(script(ask(1, "echo"), process("close"), exits(0)))
    assert main(["drive", str(file), *command]) == 1
    assert re.search(r"expected +0\n +got +3\n(.*\n)*.*its standard error\n +over", capsys.readouterr().out)


def test_what_does_not_answer_in_time_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(script(ask(1, "echo"), answer(1, {})))
    silent = ["--command", sys.executable, "-c", "import sys; sys.stdin.read()"]
    assert main(["drive", str(file), "--timeout", "0.2", *silent]) == 1
    assert "line 3: answer to id 1: it did not come within 0.2 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        (b"owl", [], "line 1 is no line of a transcript"),
        (b"{}", [], "line 1: a script begins with the header"),
        (script(ask(1, "a")), ["--command", "/no/such/program"], "can not be started"),
        (None, [], "no such file: "),
    ],
)
def test_wrong_usage_is_2(
    content: bytes | None, more: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.jsonl"
    if content is not None:
        file.write_bytes(content)
    assert main(["drive", str(file), *more]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("command", [["replay"], ["conform", "host-side"]])
def test_other_commands_send_a_script_here(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, CRASH]) != 0
    printed = capsys.readouterr()
    assert "a script of a host, which `ctxmgr drive` plays" in " ".join((printed.out + printed.err).split())


def test_help_shows_the_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["drive", "--help"])
    assert caught.value.code == 0
    assert '{"$capture": "name"}' in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX")
def test_what_a_wrapper_started_is_killed_with_it(tmp_path: Path) -> None:
    """A shell between: `kill` must reach ctxmgr itself, or the next one finds the session locked."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(script(*START, answer(2, {}), process("kill"), *START, answer(2, {"restored": True})))
    shell = ["--command", "sh", "-c", f"{sys.executable} -m ctxmgr serve; exit 7"]
    assert main(["drive", str(file), *shell]) == 0
