"""The commands `conform` and `drive`, as a user calls them: real processes, verdicts, exit codes."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from tests.unit.study.conformance.scripts import START, answer, ask, exits, note, process, script
from tests.unit.study.goldens import COMPACTION, LATCH, NAMES, SIX, change, path, text
from tests.unit.study.replay.commands import begun

ALL = bool(os.environ.get("CTXMGR_CONFORM_ALL"))  # every transcript through a process of its own: half a minute
CRASH = str(Path(__file__).parents[4] / "protocol" / "examples" / "a-crash.jsonl")
CONFORM = [sys.executable, "-m", "ctxmgr", "conform"]


def test_real_processes_say_what_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    """A few, of which one is restored from a snapshot; all of them with CTXMGR_CONFORM_ALL=1."""
    chosen = [COMPACTION, SIX, "notes/scratchpad-kept"]
    files = [str(path(name)) for name in (chosen if not ALL else NAMES)]
    assert main(["conform", "host-side", *files, "--timeout", "30"]) == 0
    out = capsys.readouterr().out
    assert f"{len(chosen)} match, 0 differ, 0 skipped" in out or ALL


def test_both_sides_as_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdict = tmp_path / "verdict.json"
    server = ["--command", *CONFORM, "server-side", str(path(COMPACTION)), "--verdict", str(verdict)]
    assert main(["conform", "host-side", str(path(COMPACTION)), *server]) == 0
    document = json.loads(verdict.read_bytes())
    assert (document["verdict"], document["taken"], document["findings"]) == ("same", document["hostLines"], [])
    assert verdict.stat().st_mode & 0o777 == 0o600
    assert "1 match" in capsys.readouterr().out


def test_a_difference_is_said_and_the_exit_code_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One doctored transcript: the host's side finds the answer wrong, the server's side the host's window."""
    wrong = tmp_path / "wrong.jsonl"
    window = change(4, "params", "model", "contextWindow", to=7)
    zone = change(10, "result", "zone", to="green")

    def doctor(lines: list[dict[str, Any]]) -> None:
        window(lines)
        zone(lines)

    wrong.write_bytes(text(LATCH, doctor))
    verdict = tmp_path / "verdict.json"
    server = ["--command", *CONFORM, "server-side", str(wrong), "--verdict", str(verdict)]
    assert main(["conform", "host-side", str(path(LATCH)), *server]) == 1
    out = capsys.readouterr().out
    assert "line 10, the answer to 3: at $.result.zone" in out
    assert "0 match, 1 differ" in out
    document = json.loads(verdict.read_bytes())
    assert document["verdict"] == "different"
    assert [(finding["line"], finding["path"]) for finding in document["findings"]] == [
        (4, "$.params.model.contextWindow")
    ]


def test_a_command_that_says_nothing_or_ends_is_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    deaf = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    assert main(["conform", "host-side", str(path(LATCH)), "--timeout", "0.3", "--command", *deaf]) == 1
    assert "line 3, the answer to 1: at $ expected the answer to 1, received nothing in 0.3 s" in read_out(capsys)
    gone = [sys.executable, "-c", "raise SystemExit('owl')"]
    assert main(["conform", "host-side", str(path(LATCH)), "--command", *gone]) == 1
    out = read_out(capsys)
    assert "received its output ended" in out
    assert "it said: owl" in out


def read_out(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_a_host_that_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    verdict = tmp_path / "verdict.json"
    reading, writing = os.pipe()
    held, sys_stdin = os.dup(0), reading
    os.dup2(sys_stdin, 0)
    try:
        code = main(["conform", "server-side", str(path(LATCH)), "--verdict", str(verdict), "--timeout", "0.1"])
    finally:
        os.dup2(held, 0)
        for descriptor in (held, reading, writing):
            os.close(descriptor)
    assert code == 1
    assert json.loads(verdict.read_bytes())["findings"][0]["came"] == "nothing in 0.1 s"


def test_wrong_usage_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    latch, odd = str(path(LATCH)), tmp_path / "odd.jsonl"
    odd.write_bytes(b"owl")
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, words in (
        (["conform", "host-side", "/no/such/file"], "no such file"),
        (["conform", "host-side", latch, "--command", "/no/such/program"], "cannot be started"),
        (["conform", "host-side", str(tmp_path / "none")], "ctxmgr conform: "),
        (["conform", "host-side", str(empty)], f"ctxmgr conform: {empty} is a folder without transcripts"),
        (["conform", "server-side", "/no/such/file"], "no such file"),
        (["conform", "host-side", CRASH], "this is a script; play it with `ctxmgr drive`"),
        (["drive", "/no/such/file"], "no such file"),
        (["drive", str(odd)], "line 1 is no line of a transcript: JSON is malformed"),
        (["drive", CRASH, "--command", "/no/such/program"], "cannot be started"),
    ):
        assert main(arguments) == 2, arguments
        assert words in capsys.readouterr().err


# drive


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
    assert f"{file}, line 3: answer to id 1 is not what was expected" in out
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


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX")
def test_what_a_wrapper_started_is_killed_with_it(tmp_path: Path) -> None:
    """A shell between: `kill` must reach ctxmgr itself, or the next one finds the session locked."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(script(*START, answer(2, {}), process("kill"), *START, answer(2, {"restored": True})))
    shell = ["--command", "sh", "-c", f"{sys.executable} -m ctxmgr serve; exit 7"]
    assert main(["drive", str(file), *shell]) == 0


def test_a_recording_that_can_not_be_followed_is_skipped_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `replay --record` writes names a state directory that is gone, and weighs by a vocabulary."""
    session, recorded = str(begun(tmp_path, 4)), tmp_path / "recorded"
    assert main(["replay", session, "--preset", "turns", "--no-measures", "--record", str(recorded)]) == 0
    (file,) = recorded.iterdir()
    capsys.readouterr()
    assert main(["drive", str(file)]) == 1
    assert "skipped: line 1: weights are those of o200k_base" in " ".join(capsys.readouterr().out.split())


def test_every_reader_of_headers_gives_one_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.jsonl"
    for header, says in (
        ({"ctxmgr": {}}, "the transcript has rules 1"),
        ({"ctxmgr": "x"}, "line 1 is no line of a transcript: Expected `object`, got `str`"),
    ):
        file.write_text(json.dumps(header) + "\n")
        for arguments in (["drive"], ["conform", "host-side"], ["replay"]):
            assert main([*arguments, str(file)]) != 0, arguments
            shown = capsys.readouterr()
            assert says in " ".join((shown.out + shown.err).split()), (arguments, header)
