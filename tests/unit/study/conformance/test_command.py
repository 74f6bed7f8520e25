"""The command `conform`, as a user calls it: real processes, verdicts, exit codes."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from tests.unit.study.goldens import COMPACTION, LATCH, NAMES, SIX, change, path, text

ALL = bool(os.environ.get("CTXMGR_CONFORM_ALL"))  # every transcript through a process of its own: half a minute
CONFORM = [sys.executable, "-m", "ctxmgr", "conform"]


def test_real_processes_say_what_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    """A few, of which one is restored from a snapshot; all of them with CTXMGR_CONFORM_ALL=1."""
    chosen = [COMPACTION, SIX, "notes/scratchpad-kept"]
    files = [str(path(name)) for name in (chosen if not ALL else NAMES)]
    assert main(["conform", "host-side", *files, "--timeout", "30"]) == 0
    out = capsys.readouterr().out
    assert f"{len(chosen)} the same, 0 with differences, 0 skipped" in out or ALL


def test_both_sides_as_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdict = tmp_path / "verdict.json"
    server = ["--command", *CONFORM, "server-side", str(path(COMPACTION)), "--verdict", str(verdict)]
    assert main(["conform", "host-side", str(path(COMPACTION)), *server]) == 0
    found = json.loads(verdict.read_bytes())
    assert (found["verdict"], found["taken"], found["findings"]) == ("same", found["hostLines"], [])
    assert verdict.stat().st_mode & 0o777 == 0o600
    assert "1 the same" in capsys.readouterr().out


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
    assert "0 the same, 1 with differences" in out
    found = json.loads(verdict.read_bytes())
    assert found["verdict"] == "different"
    assert [(one["line"], one["path"]) for one in found["findings"]] == [(4, "$.params.model.contextWindow")]


PROXY = """
import json, subprocess, sys, threading
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def pass_on():
    for line in sys.stdin.buffer:
        child.stdin.write(line)
        child.stdin.flush()
    child.stdin.close()
threading.Thread(target=pass_on, daemon=True).start()
for line in child.stdout:
    sys.stdout.buffer.write(json.dumps(json.loads(line), ensure_ascii=False).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""


def test_a_proxy_that_takes_json_apart_is_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    """1e400 becomes `Infinity` in it, which is no JSON, `caf\\u00e9` is spelled out and spaces come and go."""
    odd = path("fidelity/unknown-things-pass-through")
    server = ["--command", sys.executable, "-c", PROXY, *CONFORM, "server-side", str(odd)]
    assert main(["conform", "host-side", str(odd), "--framing", "ndjson", *server]) == 1
    out = read_out(capsys)
    assert "no strict JSON: Infinity" in out
    assert "0 the same, 1 with differences" in out


def test_a_command_that_says_nothing_or_ends_is_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    deaf = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    assert main(["conform", "host-side", str(path(LATCH)), "--timeout", "0.3", "--command", *deaf]) == 1
    assert "line 3, the answer to 1: at $ is recorded the answer to 1, came nothing in 0.3 s" in read_out(capsys)
    gone = [sys.executable, "-c", "raise SystemExit('owl')"]
    assert main(["conform", "host-side", str(path(LATCH)), "--command", *gone]) == 1
    out = read_out(capsys)
    assert "came its output ended" in out
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


@pytest.mark.parametrize(
    "arguments",
    [
        ["host-side", "/no/such/file"],
        ["host-side", "{latch}", "--command", "/no/such/program"],
        ["server-side", "/no/such/file"],
        ["server-side", "{latch}", "--any", "owl"],
    ],
)
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", *(one.format(latch=path(LATCH)) for one in arguments)]) == 2
    assert "ctxmgr conform: " in capsys.readouterr().err
