"""A drive in this process gives what one through a spawned sidecar gives, and spawns only where that is wanted."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.driving import session
from ctxmgr.study.driving.drive import drive
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.recordings import readers

SESSIONS = Path(__file__).parents[3] / "sessions"
GREENHOUSE = SESSIONS / "greenhouse.jsonl"


def driven(name: str, **options: Any) -> ReplayResult:
    return drive(readers.read(readers.source(SESSIONS / f"{name}.jsonl")), ReplayOptions(**options))


@pytest.fixture
def nothing_spawns(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **named: object) -> None:
        raise AssertionError("a process was spawned")

    monkeypatch.setattr(subprocess, "Popen", refused)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ledger", {"preset": "balanced", "window": 64_000}),
        ("greenhouse", {"preset": "turns", "window": 64_000, "append": True}),
        ("allotment", {"preset": "balanced", "window": 64_000, "recorded_compactions": True}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_spawned_and_in_process_drives_give_the_same_figures(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    here = driven(name, **options, measure=True)
    there = driven(name, **options, measure=True, spawn=True, state_dir=tmp_path)
    assert here.fingerprint == there.fingerprint
    assert (here.failures, here.exit_code) == (there.failures, 0)
    assert here.observations == there.observations
    assert (here.marks, here.arithmetic, here.packet) == (there.marks, there.arithmetic, there.packet)


def test_the_command_shows_the_same_measures_with_and_without_a_spawned_sidecar(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["replay", str(SESSIONS / "ledger.jsonl"), "--preset", "balanced", "--window", "64000", "--json"]
    seen = []
    for more in ([], ["--spawn"]):
        assert main([*arguments, "--probes", *more]) == 0
        seen.append([without_times(one) for one in json.loads(capsys.readouterr().out)])
    assert seen[0] == seen[1]
    assert seen[0][0]["measures"]["closedLoop"]["closed"] > 0


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in ("p50", "p99")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


@pytest.mark.usefixtures("nothing_spawns")
def test_a_replay_spawns_nothing_by_itself() -> None:
    assert driven("greenhouse", preset="turns").failures == []


@pytest.mark.parametrize(
    "options",
    [
        {"spawn": True},
        {"record": Path("t.jsonl")},
        {"policy": {"compaction": {"endpoint": {"url": "http://localhost:1/v1", "model": "m"}}}},
        {"policy": {"relevance": "embeddings"}},
        {"policy": {"tokenizer": {"name": "estimate"}}},
    ],
    ids=lambda value: ", ".join(value),
)
def test_what_only_a_process_has_is_asked_of_a_spawned_sidecar(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class SpawnWanted(Exception):
        pass

    def spawned(*arguments: object, **named: object) -> None:
        raise SpawnWanted

    monkeypatch.setattr(sys.modules[drive.__module__], "Spawned", spawned)
    with pytest.raises(SpawnWanted):
        driven("greenhouse", **options)


def test_a_fault_of_a_drive_is_its_failure_and_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise OverflowError("planted")

    monkeypatch.setattr(session, "run", broken)
    outcome = driven("greenhouse", preset="off")
    assert outcome.failures == ["call 0: OverflowError: planted", "call 0: exit code -9"]
