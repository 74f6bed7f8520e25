"""Whole sessions through a spawned process: no check fails, the same bytes come whatever the hash seed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxmgr.study.driving.drive import drive
from ctxmgr.study.driving.outcomes import ReplayOptions, ReplayResult
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording, Stream

ROOT = Path(__file__).parents[4]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"
RECORDINGS = ROOT / ".." / "shared" / "recordings"
LIVE = sorted((RECORDINGS / "pi-events").glob("*.jsonl"))


def load(path: Path) -> Recording | Stream:
    return readers.read(readers.source(path))


def driven(path: Path, tmp_path: Path, state: str = "0", **options: Any) -> ReplayResult:
    return drive(load(path), ReplayOptions(state_dir=tmp_path / state, spawn=True, **options))


IN_THIS_PROCESS = """
import sys
from pathlib import Path
from ctxmgr.study.driving.drive import drive
from ctxmgr.study.driving.outcomes import ReplayOptions
from ctxmgr.study.recordings import readers
came = drive(readers.read(readers.source(Path(sys.argv[1]))), ReplayOptions(preset="turns", window=64_000))
print(came.failures, len(came.calls), came.fingerprint)
"""


def test_the_same_bytes_under_another_hash_seed(tmp_path: Path) -> None:
    """A spawned sidecar heeds no variable of Python's: one in the process that drives it has its seed."""
    spawned = driven(GREENHOUSE, tmp_path, preset="turns", window=64_000)
    for seed in ("1", "2"):
        command = [sys.executable, "-c", IN_THIS_PROCESS, str(GREENHOUSE)]
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["[]", "99", spawned.fingerprint]


def test_a_compaction_is_asked_for_and_made(tmp_path: Path) -> None:
    outcome = driven(GREENHOUSE, tmp_path, preset="turns", window=64_000)
    assert outcome.requested > 0
    assert outcome.compacted > 0
    assert outcome.own == 0
    kinds = [mark.kind for mark in outcome.marks]
    assert kinds.index("request") < kinds.index("compaction (requested)")
    assert outcome.packet.startswith("[ctxmgr packet]")


@pytest.mark.parametrize("preset", ["off", "balanced"])
def test_summaries_of_the_host_s_compactions_may_be_ctxmgr_s_own(tmp_path: Path, preset: str) -> None:
    writing = {"compaction": {"by": "ctxmgr", "model": "none"}}
    options = {"preset": preset, "window": 64_000, "measure": True, "policy": writing}
    outcome = driven(GREENHOUSE, tmp_path, own_summaries=True, **options)
    assert outcome.failures == []
    assert outcome.compacted > 0
    summaries = {
        one.message["summary"]
        for sight in outcome.observations
        for one in sight.items
        if one.role == "compactionSummary"
    }
    assert 0 < len(summaries) <= outcome.compacted  # the last may come after the last call
    assert all(one.startswith("## Goal") for one in summaries)
    assert driven(GREENHOUSE, tmp_path, "1", **options).fingerprint != outcome.fingerprint


def test_without_projection_the_host_compacts_by_itself(tmp_path: Path) -> None:
    outcome = driven(GREENHOUSE, tmp_path, preset="off", window=64_000)
    assert outcome.failures == []
    assert outcome.requested == 0
    assert outcome.own > 0
    assert all(call.before_tokens == call.after_tokens for call in outcome.calls)


def test_sending_only_what_is_new_gives_the_same_figures(tmp_path: Path) -> None:
    whole = driven(GREENHOUSE, tmp_path, "1", preset="turns")
    part = driven(GREENHOUSE, tmp_path, "2", preset="turns", append=True)
    assert part.failures == []
    assert [(call.before_tokens, call.after_tokens) for call in part.calls] == [
        (call.before_tokens, call.after_tokens) for call in whole.calls
    ]


def test_what_was_shown_is_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    outcome = driven(GREENHOUSE, tmp_path, preset="turns", window=64_000, measure=True)
    recording = load(GREENHOUSE)
    assert isinstance(recording, Recording)
    replies = [one.id for one in recording.entries if one.role == "assistant"]
    assert [sight.reply.id for sight in outcome.observations] == replies
    assert all(
        call.index == len(sight.items) for call, sight in zip(outcome.calls, outcome.observations, strict=True)
    )
    newest = outcome.observations[-1]
    kept = [one for one in newest.projected_messages if one.same]
    assert 0 < len(kept) < len(newest.items)
    assert all(newest.items[one.index].raw == one.raw for one in kept)
    assert any(sight.projected_messages[0].index == -1 for sight in outcome.observations)
    assert driven(GREENHOUSE, tmp_path, preset="turns", window=64_000).observations == []


def test_progress_is_told_for_each_entry(tmp_path: Path) -> None:
    recording = load(GREENHOUSE)
    assert isinstance(recording, Recording)
    steps: list[None] = []
    drive(recording, ReplayOptions(preset="off", state_dir=tmp_path), lambda: steps.append(None))
    assert len(steps) == len(recording.entries)


def test_a_recorded_compaction_is_made_where_it_was_recorded(tmp_path: Path) -> None:
    recording = load(GREENHOUSE)
    assert isinstance(recording, Recording)
    at = next(place for place, one in enumerate(recording.entries) if place > 60 and one.role == "user")
    summary = {"role": "compactionSummary", "summary": "## Goal\nMend it", "tokensBefore": 9, "timestamp": 5}
    compaction = msgspec.structs.replace(
        recording.entries[at],
        kind="compaction",
        id="compaction",
        role="compactionSummary",
        message=json.dumps(summary).encode(),
        summary="## Goal\nMend it",
        first_kept=recording.entries[at - 3].id,
    )
    entries = (*recording.entries[:at], compaction, *recording.entries[at:])
    changed = msgspec.structs.replace(recording, entries=entries)
    made = drive(changed, ReplayOptions(preset="turns", recorded_compactions=True, state_dir=tmp_path / "a"))
    assert made.failures == []
    assert [mark.kind for mark in made.marks] == ["compaction (recorded)"]
    ignored = drive(changed, ReplayOptions(preset="turns", state_dir=tmp_path / "b"))
    assert ignored.compacted == 0
    assert max(call.before_tokens for call in made.calls) < max(call.before_tokens for call in ignored.calls)


def test_a_server_that_can_not_start_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the transcript's directory should be")
    outcome = drive(load(GREENHOUSE), ReplayOptions(preset="off", state_dir=tmp_path, record=blocked / "t.jsonl"))
    assert outcome.calls == []
    assert any("SidecarEnded" in text for text in outcome.failures)


@pytest.mark.skipif(not LIVE, reason="the recordings of live hosts (../shared/recordings) are not here")
@pytest.mark.parametrize("path", LIVE, ids=lambda path: path.stem)
def test_live_events_pass_every_check(path: Path, tmp_path: Path) -> None:
    outcome = driven(path, tmp_path, preset="turns", measure=True)
    assert outcome.failures == []
    assert outcome.calls
    assert len(outcome.observations) <= len(outcome.calls)
    assert outcome.observations
