"""`ctxmgr hook` never fails the program that calls it, and loads nothing before there is something to do."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ctxmgr import hooks as command
from ctxmgr.cli import main
from ctxmgr.hooks import IN_RUN

SHORT = json.dumps({"tool_name": "Bash", "tool_use_id": "t1", "tool_response": {"stdout": "ok"}}).encode()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "ctxmgr"


def given(monkeypatch: pytest.MonkeyPatch, payload: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(payload)))


FAULTS = [
    (["Nonsense"], b"{}"),
    (["PostToolUse"], b"no JSON"),
    (["PreCompact"], b'{"transcript_path": "/no/such/file"}'),
    (["PreCompact", "--program", "nobody"], b'{"transcript_path": "/dev/null"}'),
]


@pytest.mark.parametrize(("arguments", "payload"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_prints_nothing_ends_with_0_and_is_in_the_log(
    arguments: list[str],
    payload: bytes,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    given(monkeypatch, payload)
    assert main(["hook", *arguments]) == 0
    assert capfd.readouterr() == ("", "")
    (line,) = (state / "hooks.log").read_text().splitlines()
    assert "Error at " in line
    assert (state / "hooks.log").stat().st_mode & 0o777 == 0o600


def test_a_log_that_has_grown_begins_anew(state: Path) -> None:
    state.mkdir()
    (state / "hooks.log").write_bytes(b"x" * (command.LOG_BYTES + 1))
    command.note("PreCompact", ValueError("what a user said"))
    (line,) = (state / "hooks.log").read_text().splitlines()
    assert line.endswith(" PreCompact: ValueError")


def test_a_log_that_cannot_be_written_is_no_fault(state: Path) -> None:
    state.write_text("a file where the directory should be")
    command.note("PreCompact", ValueError())


def test_a_program_that_ctxmgr_run_started_is_left_alone() -> None:
    assert command.answered("PreCompact", "claude", b"no JSON", {IN_RUN: "1"}) is None


def test_what_has_nothing_to_do_loads_the_standard_library_alone() -> None:
    code = (
        "import sys; from ctxmgr.cli import main; assert main(['hook', 'PostToolUse']) == 0; "
        "print(sorted({'msgspec', 'argparse', 'sqlite3', 'platformdirs'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=SHORT, capture_output=True, check=True, env={**os.environ, IN_RUN: ""}
    )
    assert done.stdout.strip() == b"[]"
