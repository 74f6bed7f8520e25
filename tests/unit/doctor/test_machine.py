"""Settings, agents and a recording: what is said of each."""

import json
from pathlib import Path

import pytest

from ctxmgr.doctor import checks
from ctxmgr.doctor.checks import Surroundings

PROGRAM = "#!/bin/sh\necho '9.9 (Claude Code)'\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path


def place(root: Path, recording: str = "", **environ: str) -> Surroundings:
    config = {"CTXMGR_CONFIG": str(root / "config.toml")} if (root / "config.toml").exists() else {}
    every = {"HOME": str(root), "PATH": f"{root}/bin:/bin", **config, **environ}
    return Surroundings(every, str(root / "work"), str(root / "state"), recording)


def install(root: Path, name: str, text: str = PROGRAM) -> None:
    (root / "bin").mkdir(exist_ok=True)
    (root / "bin" / name).write_text(text)
    (root / "bin" / name).chmod(0o755)


def test_settings_that_can_be_used_are_named(root: Path) -> None:
    (root / "config.toml").write_text("")
    (root / "work" / ".ctxmgr.toml").write_text("preset = 'off'")
    (said,) = checks.setting_files(place(root))
    assert (said.severity, said.text) == ("ok", f"read from {root}/config.toml, {root}/work/.ctxmgr.toml")


def test_settings_that_can_not_be_used_are_bad(root: Path) -> None:
    (root / "work" / ".ctxmgr.toml").write_text("upstream.openai = 'http://x'")
    (said,) = checks.setting_files(place(root, CTXMGR_CONFIG=str(root / "work" / "none.toml")))
    assert (said.severity, said.text) == ("bad", f"{root}/work/none.toml: no such file")
    (root / "config.toml").write_text("")
    (said,) = checks.setting_files(place(root))
    assert said.severity == "bad"
    assert said.text.startswith(f"{root}/work/.ctxmgr.toml line 1: a project's file may not set upstream")


def test_a_file_that_others_can_write_is_told(root: Path) -> None:
    (root / "config.toml").write_text("")
    assert list(checks.rights(place(root))) == []
    (root / "config.toml").chmod(0o666)
    (said,) = checks.rights(place(root))
    assert (said.severity, said.advice) == ("warn", f"chmod go-w {root}/config.toml")


def test_a_variable_that_is_nearly_one_of_ours_is_told(root: Path) -> None:
    ours = {"CTXMGR_PRESET": "off", "CTXMGR_COMMAND": "x", "CTXMGR_FLAG": "1", "PRESET": "off"}
    assert list(checks.variables(place(root, **ours))) == []
    (said,) = checks.variables(place(root, CTXMGR_PRESETS="off", **ours))
    assert (said.severity, said.text) == ("warn", "CTXMGR_PRESETS is set, but nothing reads it")
    assert said.advice == "did you mean CTXMGR_PRESET?"


def test_an_agent_is_told_with_how_to_begin_and_what_it_loses(root: Path) -> None:
    install(root, "claude")
    first, *losses = checks.agents(place(root, ANTHROPIC_BASE_URL="https://gateway.example/a"))
    assert first.text == (
        f"9.9 (Claude Code) at {root}/bin/claude; tried with 2.1.330; provider: https://gateway.example/a"
    )
    assert first.advice == "ctxmgr run -- claude"
    assert [one.text.startswith("behind ctxmgr: ") for one in losses] == [True] * 3
    assert "ENABLE_TOOL_SEARCH=true" in losses[0].text


def test_a_recording_is_told_by_what_is_in_it(root: Path) -> None:
    tree = {"uuid": "1", "parentUuid": None, "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w"}
    line = {**tree, "type": "user", "message": {"role": "user", "content": "hello"}}
    (root / "s.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({"type": "summary", "summary": "x"}) + "\n")
    first, *notes = checks.recording(place(root, str(root / "s.jsonl")))
    assert first.severity == "ok"
    assert first.text == f"{root}/s.jsonl is a Claude Code transcript: 1 entries (1 user), model unknown"
    assert first.advice.startswith("ctxmgr replay ")
    assert all(one.severity == "ok" for one in notes)


def test_what_is_no_recording_is_bad(root: Path) -> None:
    (root / "x.jsonl").write_text('{"a": 1}\n')
    (said,) = checks.recording(place(root, str(root / "x.jsonl")))
    assert said.severity == "bad"
    assert said.text.startswith("x.jsonl is neither a transcript of ctxmgr, ")
    (said,) = checks.recording(place(root, str(root / "none.jsonl")))
    assert said.text == f"{root}/none.jsonl: No such file or directory"
    assert list(checks.recording(place(root))) == []
