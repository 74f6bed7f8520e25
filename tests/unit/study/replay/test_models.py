"""`ctxmgr replay --models FILE`: what a user says of his models holds, and the host's own word before it."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.settings import models_file
from ctxmgr.study.recordings import readers
from ctxmgr.study.spawning import Driver
from tests.unit.study.replay.commands import GREENHOUSE, begun

SESSIONS = GREENHOUSE.parent
PRICES = {"input": 10.0, "output": 20.0, "cacheRead": 5.0, "cacheWrite": 10.0}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Says a window, prices and a limit of the model that the sessions here were recorded with."""
    path = tmp_path / "own.json"
    row = {"id": "scripted-1", "window": 90_000, "maxOutputTokens": 77, "prices": PRICES}
    path.write_text(json.dumps({"models": [row]}))
    return path


def replayed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["replay", *map(str, arguments), "--preset", "off", "--json"]) == 0
    row: dict[str, Any] = json.loads(capsys.readouterr().out)[0]
    return row


def test_its_prices_are_billed_and_those_given_go_before(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = begun(tmp_path, 20)
    row = replayed(capsys, short, "--models", own)
    prices = row["measures"]["prices"]
    assert (prices["input"], prices["read"], prices["write"], prices["output"]) == (10, 0.5, 1, 20)
    given = replayed(capsys, short, "--models", own, "--prices", "4,0.1,1")
    assert given["measures"]["prices"]["input"] == 4


def test_its_window_holds_where_the_recording_names_none(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = begun(tmp_path, 20)
    assert not readers.read(readers.source(short)).says_window
    assert replayed(capsys, short, "--models", own, "--no-measures")["window"] == 90_000
    given = ("--models", own, "--no-measures", "--window", "64000")
    assert replayed(capsys, short, *given)["window"] == 64_000


def test_the_hosts_own_word_in_the_recording_wins(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = SESSIONS / "ledger.jsonl"
    assert readers.read(readers.source(ledger)).says_window
    assert replayed(capsys, ledger, "--models", own, "--no-measures")["window"] == 128_000


def test_a_transcript_recorded_with_a_file_is_the_same_with_that_file(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = Driver(models=models_file(str(own)))
    for number, (method, params) in enumerate(
        [
            ("initialize", {"protocolVersion": "1.1"}),
            ("session_start", {"sessionId": "s", "model": {"id": "scripted-1", "contextWindow": 9_000}}),
        ]
    ):
        host.receive(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
    assert b'"maxOutputTokens":77' in host.sent[-1]
    talk = tmp_path / "talk.jsonl"
    talk.write_bytes(b"".join(line + b"\n" for line in host.recorded))
    assert main(["replay", str(talk), "--models", str(own)]) == 0
    assert main(["replay", str(talk)]) == 1
    assert "maxOutputTokens" in capsys.readouterr().out


def test_a_bad_file_is_told_and_nothing_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"models": [{"id": "a", "windw": 7}]}')
    for command in ("replay", "compare"):
        assert main([command, str(GREENHOUSE), "--models", str(bad)]) == 2
        output = capsys.readouterr()
        assert output.err.startswith(f"ctxmgr {command}: {bad}")
        assert "windw" in output.err
        assert output.out == ""
