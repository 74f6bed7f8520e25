"""All checks together: their order, what is shown, when the exit code is 1."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.client import Timing
from ctxmgr.doctor import checks, examine
from ctxmgr.doctor.checks import Diagnosis, Surroundings

NEVER_MS = 1e9
PATIENT = Timing({"context": NEVER_MS, "initialize": NEVER_MS, "session_start": NEVER_MS}, session_ms=NEVER_MS)


def well(_: Surroundings) -> Iterator[Diagnosis]:
    yield Diagnosis("ok", "one", "is well")


def falls_over(_: Surroundings) -> Iterator[Diagnosis]:
    yield Diagnosis("ok", "three", "begins")
    raise RuntimeError("no such thing")


def test_a_check_that_fails_is_a_finding_and_the_others_go_on() -> None:
    said = list(examine(Surroundings(), (falls_over, well)))
    assert [(one.severity, one.subject, one.text) for one in said] == [
        ("ok", "three", "begins"),
        ("bad", "falls over", "could not be looked at: RuntimeError: no such thing"),
        ("ok", "one", "is well"),
    ]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no agent, no settings and an empty state directory. Its sidecar is never too slow."""
    monkeypatch.setattr(checks, "TIMING", PATIENT)
    monkeypatch.setattr(checks, "SLOW_MS", float("inf"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CTXMGR_CONFIG", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_the_command_looks_at_everything_and_is_0(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--state-dir", str(machine / "state")]) == 0
    printed = capsys.readouterr().out
    subjects = ("version", "extras", "vocabulary", "sidecar", "state directory", "space", "settings", "agents")
    assert [one for one in subjects if f"\nok    {one:16}" not in f"\n{printed}"] == []
    assert sorted(os.listdir(machine)) == ["work"]  # nothing on the machine is changed
    assert os.listdir(machine / "work") == []


def test_the_command_is_1_where_something_is_bad(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (machine / "work" / ".ctxmgr.toml").write_text("prest = 1")
    assert main(["doctor", "--state-dir", str(machine / "state"), "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["well"] is False
    bad = [one for one in printed["findings"] if one["severity"] == "bad"]
    assert [one["subject"] for one in bad] == ["settings"]
    assert "did you mean `preset`?" in bad[0]["text"]


def test_a_finding_has_no_secret() -> None:
    def speaks(place: Surroundings) -> Iterator[Diagnosis]:
        yield Diagnosis("ok", "agent", "it speaks to https://me:hunter2@example", "set OPENAI_API_KEY=abc123def456")
        raise ValueError("https://me:hunter2@example")

    said = list(examine(Surroundings(), (speaks,)))
    assert len(said) == 2
    assert "hunter2" not in str(said)
    assert "abc123" not in str(said)
