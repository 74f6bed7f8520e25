"""Recorded sessions, driven: no check fails, and a spawned sidecar and one in this process give the same bytes."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.study.driving import ReplayOptions, ReplayResult, drive, drive_alone
from ctxmgr.study.recordings import Recording, readers
from ctxmgr.study.replay import modelled
from tests.legality.pi import JudgedHost

ROOT = Path(__file__).parents[4]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"
LIVE = sorted((ROOT / ".." / "shared" / "recordings" / "pi-events").glob("*.jsonl"))
WINDOW = 40_000
ENTRIES = 140  # enough for a compaction in that window


@cache
def recording() -> Recording:
    """The beginning of a session."""
    whole = readers.read(readers.source(GREENHOUSE))
    assert isinstance(whole, Recording)
    return msgspec.structs.replace(whole, entries=whole.entries[:ENTRIES])


def driven(**options: Any) -> ReplayResult:
    return drive(recording(), ReplayOptions(**{"window": WINDOW, **options}))


@pytest.fixture(scope="module")
def turns() -> ReplayResult:
    return driven(preset="turns", measure=True)


def test_a_spawned_sidecar_gives_the_same_bytes(turns: ReplayResult, tmp_path: Path) -> None:
    there = driven(preset="turns", measure=True, record=tmp_path / "t.jsonl", state_dir=tmp_path)
    assert turns.fingerprint == there.fingerprint
    assert (turns.failures, there.failures, turns.exit_code, there.exit_code) == ([], [], 0, 0)
    assert turns.observations == there.observations
    assert (turns.marks, turns.arithmetic, turns.packet) == (there.marks, there.arithmetic, there.packet)


IN_THIS_PROCESS = """
import sys
from tests.unit.study.driving.test_drive import driven
print(driven(preset="turns").fingerprint)
"""


def test_the_same_bytes_under_another_hash_seed(turns: ReplayResult) -> None:
    command = [sys.executable, "-c", IN_THIS_PROCESS]
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [turns.fingerprint]


def test_each_list_of_a_driven_session_is_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a judge that shares no code with ctxmgr's own checks, through compactions and with edits."""
    monkeypatch.setattr(sys.modules[drive.__module__], "ReplayHost", JudgedHost)
    for preset in ("turns", "balanced"):
        assert driven(preset=preset, append=True).failures == []


def test_a_compaction_is_asked_for_and_made(turns: ReplayResult) -> None:
    assert turns.requested > 0
    assert turns.compacted > 0
    assert turns.own == 0
    kinds = [mark.kind for mark in turns.marks]
    assert kinds.index("request") < kinds.index("compaction (requested)")
    assert turns.packet.startswith("[ctxmgr packet]")


def test_sending_only_what_is_new_gives_the_same_figures(turns: ReplayResult) -> None:
    part = driven(preset="turns", append=True)
    assert part.failures == []
    assert part.observations == []
    assert [(call.before_tokens, call.after_tokens) for call in part.calls] == [
        (call.before_tokens, call.after_tokens) for call in turns.calls
    ]


def test_without_projection_the_host_compacts_by_itself_and_ctxmgr_may_write_its_summaries() -> None:
    options = {"preset": "off", "measure": True, "policy": {"compaction": {"by": "ctxmgr", "model": "none"}}}
    outcome = driven(own_summaries=True, **options)
    assert outcome.failures == []
    assert outcome.requested == 0
    assert outcome.own > 0
    assert all(call.before_tokens == call.after_tokens for call in outcome.calls)
    items = (item for shown in outcome.observations for item in shown.items)
    summaries = {item.message["summary"] for item in items if item.role == "compactionSummary"}
    assert 0 < len(summaries) <= outcome.compacted  # the last may come after the last call
    assert all(text.startswith("## Goal") for text in summaries)
    assert driven(**options).fingerprint != outcome.fingerprint


@pytest.mark.parametrize("window", [200_000, 24_000])
def test_the_host_alone_shows_what_preset_off_shows(window: int) -> None:
    off, alone = (by(recording(), modelled("off", {}, window, PriceSheet())) for by in (drive, drive_alone))
    assert off.compacted == alone.compacted
    assert (off.compacted > 0) == (window < 100_000)
    shown = [
        [(sight.time_ms, [message.raw for message in sight.projected_messages], sight.reply.raw) for sight in seen]
        for seen in (off.observations, alone.observations)
    ]
    assert shown[0] == shown[1]


def test_a_recorded_compaction_is_made_where_it_was_recorded() -> None:
    entries = recording().entries
    at = next(index for index, entry in enumerate(entries) if index > 60 and entry.role == "user")
    summary = {"role": "compactionSummary", "summary": "## Goal\nMend it", "tokensBefore": 9, "timestamp": 5}
    compaction = msgspec.structs.replace(
        entries[at],
        kind="compaction",
        id="compaction",
        role="compactionSummary",
        message=json.dumps(summary).encode(),
        summary="## Goal\nMend it",
        first_kept=entries[at - 3].id,
    )
    changed = msgspec.structs.replace(recording(), entries=(*entries[:at], compaction, *entries[at:]))
    steps: list[None] = []
    options = ReplayOptions(preset="turns", recorded_compactions=True)
    made = drive(changed, options, lambda: steps.append(None))
    assert made.failures == []
    assert [mark.kind for mark in made.marks] == ["compaction (recorded)"]
    assert len(steps) == len(changed.entries)
    ignored = drive(changed, ReplayOptions(preset="turns"))
    assert ignored.compacted == 0
    assert max(call.before_tokens for call in made.calls) < max(call.before_tokens for call in ignored.calls)


def test_what_only_a_process_has_is_asked_of_a_spawned_sidecar(monkeypatch: pytest.MonkeyPatch) -> None:
    class SpawnWanted(Exception):
        pass

    def spawned(*arguments: object, **named: object) -> None:
        raise SpawnWanted

    monkeypatch.setattr(sys.modules[drive.__module__], "Spawned", spawned)
    for options in (
        {"spawn": True},
        {"record": Path("t.jsonl")},
        {"retrieves": True},
        {"policy": {"compaction": {"endpoint": {"url": "http://localhost:1/v1", "model": "m"}}}},
        {"policy": {"relevance": "embeddings"}},
        {"policy": {"tokenizer": {"name": "estimate"}}},
    ):
        with pytest.raises(SpawnWanted):
            driven(**options)
    assert drive(msgspec.structs.replace(recording(), entries=()), ReplayOptions(preset="turns")).failures == []


def test_the_sidecar_that_is_spawned_reads_the_file_of_models(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(sys.modules[drive.__module__], "Spawned", commands.append)
    for models in ("own.json", None):
        with pytest.raises(AttributeError):  # what was started is no process
            driven(retrieves=True, models=models)
    assert [command[-2:] == ["--models", "own.json"] for command in commands] == [True, False]


def test_faults_are_failures_of_the_drive_and_not_raised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file where the transcript's directory should be")
    outcome = driven(preset="off", state_dir=tmp_path, record=tmp_path / "blocked" / "t.jsonl")
    assert outcome.calls == []
    assert any("SidecarEnded" in text for text in outcome.failures)

    def broken(*arguments: object) -> None:
        raise OverflowError("planted")

    monkeypatch.setattr(sys.modules["ctxmgr.study.driving.drive"], "run", broken)
    assert driven(preset="off").failures == ["call 0: OverflowError: planted", "call 0: exit code -9"]


@pytest.mark.skipif(not LIVE, reason="the recordings of live hosts (../shared/recordings) are not here")
def test_live_events_pass_every_check() -> None:
    for path in LIVE:
        outcome = drive(readers.read(readers.source(path)), ReplayOptions(preset="turns", measure=True))
        assert outcome.failures == [], path.name
        assert 0 < len(outcome.observations) <= len(outcome.calls), path.name
