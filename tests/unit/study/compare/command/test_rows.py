"""Rows that are finished are not made again, and what fails costs only itself."""

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.compare import command as comparing
from ctxmgr.study.compare import rows as comparing_rows
from ctxmgr.study.compare import sessions as comparing_sessions
from tests.model_server import Gate, ModelServer, Reply, Request
from tests.unit.study.compare.command.running import KEEP, Compare, answer, endpoint, recorded

GREENHOUSE = Path(__file__).parents[5] / "tests" / "sessions" / "greenhouse.jsonl"
REPLIES = 99  # of that session
COMMAND = [sys.executable, "-m", "ctxmgr", "compare"]
END_SECONDS = 60.0  # for a process to end; it takes under 2


@pytest.mark.parametrize("harm", ["changed", "empty", "no file", "another's"])
def test_a_file_that_is_not_whole_does_not_count(tmp_path: Path, compare: Compare, harm: str) -> None:
    path = recorded(tmp_path)
    formats = ("--format", "structured", "--format", "continue")
    rows = compare(path, *KEEP, *formats)["rows"]
    file, other = (tmp_path / "out" / row["file"] for row in rows)
    whole = file.read_bytes()
    harmed = {
        "changed": whole.replace(b"## Goal", b"## Gaol"),
        "empty": b"",
        "another's": other.read_bytes(),
    }
    if harm == "no file":
        file.rename(file.with_suffix(".half"))
    else:
        file.write_bytes(harmed[harm])
    again = compare(path, *KEEP, *formats)["rows"]
    assert [row["reused"] for row in again] == [False, True]
    assert file.read_bytes().partition(b"\n---\n")[2] == whole.partition(b"\n---\n")[2]  # the summary


def test_other_settings_are_another_row(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path)
    (first,) = compare(path, *KEEP)["rows"]
    (second,) = compare(path, "--keep", "900")["rows"]
    assert second["file"] != first["file"]
    assert not second["reused"]
    assert compare(path, *KEEP)["rows"][0]["reused"]
    recorded(tmp_path, turns=7)
    assert not compare(path, *KEEP)["rows"][0]["reused"]


def test_a_change_of_the_code_makes_free_rows_anew_and_paid_ones_not(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path)
    strategies = ("--strategy", "single-shot", "--strategy", "extractive")
    with ModelServer.threaded(lambda request: Reply(answer(request))) as server:
        compare(path, *endpoint(server), *strategies)
        monkeypatch.setattr("ctxmgr.study.compare.settings._code", lambda: "other")
        rows = compare(path, *endpoint(server), *strategies)["rows"]
    assert [row["reused"] for row in rows] == [True, False]


def test_the_newest_tokens_are_asked_beside_a_summary(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path, "one.jsonl", turns=30)
    (row,) = compare(path, *KEEP)["rows"]
    assert row["newest"]["kinds"].keys() == row["probes"]["kinds"].keys()
    assert 0 < row["newest"]["kinds"]["files.read"]["every"]["share"] < 1
    assert "newest 10k" in (tmp_path / "out" / "comparison.md").read_text()


def test_each_failed_probe_has_call_question_evidence_and_where_it_was_lost(
    tmp_path: Path, compare: Compare
) -> None:
    file = tmp_path / "failed.jsonl"
    arguments = (GREENHOUSE, "--keep", "3000", "--probes-failed", str(file))
    (row,) = compare(*arguments)["rows"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    failed = [json.loads(line) for line in file.read_text().splitlines()]
    assert failed
    assert "probesFailed" not in row
    for probe in failed:
        assert {"recording", "policy", "call", "kind", "used", "grade", "question", "evidence", "lost"} == set(
            probe
        )
        assert (probe["recording"], probe["policy"]) == ("greenhouse.jsonl", "extractive, structured")
        assert probe["lost"]["call"] == probe["call"] == REPLIES
        assert probe["lost"]["left"]
        assert probe["lost"]["compacted"]
    file.unlink()
    assert compare(*arguments)["rows"][0]["reused"]
    assert [json.loads(line) for line in file.read_text().splitlines()] == failed


def heeding() -> None:
    """In the child: Ctrl-C is heeded, also where this run was started in the background, and so heeds none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.long
def test_ctrl_c_leaves_what_is_finished_and_the_next_run_goes_on(tmp_path: Path) -> None:
    path, out, gate = recorded(tmp_path), tmp_path / "out", Gate()
    strategies = ("--strategy", "extractive", "--strategy", "single-shot")

    def reply(request: Request) -> Reply:
        return Reply(answer(request), hold=gate)

    with ModelServer.threaded(reply) as server:
        command = [*COMMAND, str(path), *endpoint(server), *strategies, "--out", str(out), "--json"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, preexec_fn=heeding) as process:
            server.wait_until(lambda server: len(server.requests) > 0)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=END_SECONDS)
        assert process.returncode == 130
        assert b"interrupted" in said
        assert b"Traceback" not in said
        assert [file.name.split(".")[1] for file in out.iterdir()] == ["extractive"]
        gate.open()
        done = subprocess.run(command, capture_output=True, timeout=END_SECONDS, check=True)
    rows = json.loads(done.stdout)["rows"]
    assert [row["reused"] for row in rows] == [True, False]


def test_what_can_not_be_read_is_said_and_the_others_go_on(
    tmp_path: Path, compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, transcript, other = (tmp_path / name for name in ("broken.jsonl", "talk.jsonl", "other.json"))
    broken.write_text('{"type":"session"}\n{"type":"mess\n{}\n')
    transcript.write_text('{"ctxmgr":{"protocolVersion":"1.0"}}\n')
    other.write_text('{"something":"else"}')
    document = compare(broken, transcript, other, recorded(tmp_path), *KEEP, code=1)
    assert len(document["rows"]) == 1
    assert [remark["recording"] for remark in document["unreadable"]] == [
        "broken.jsonl",
        "talk.jsonl",
        "other.json",
    ]
    assert "broken.jsonl, line 2" in document["unreadable"][0]["reason"]
    assert main(["compare", str(broken), "--out", str(tmp_path / "out")]) == 1
    assert "broken.jsonl, line 2" in capsys.readouterr().out


def test_a_session_with_nothing_to_compact_is_said_and_is_no_failure(tmp_path: Path, compare: Compare) -> None:
    small = recorded(tmp_path, "small.jsonl", turns=1)
    document = compare(small, recorded(tmp_path))
    assert document["rows"] == []
    assert "small" in document["nothing"][0]["reason"]
    assert "small.jsonl: Nothing to compact" in (tmp_path / "out" / "comparison.md").read_text()


def test_a_recording_that_no_one_foresaw_costs_only_itself(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(session: Any, *rest: Any) -> Any:
        if session.name == "bad.jsonl":
            raise ZeroDivisionError("planted")
        return comparing_sessions.Material(session, *rest)

    monkeypatch.setattr(comparing, "Material", faulty)
    document = compare(recorded(tmp_path, "bad.jsonl"), recorded(tmp_path), *KEEP, code=1)
    assert [row["recording"] for row in document["rows"]] == ["one.jsonl"]
    (bad,) = document["unreadable"]
    assert bad["recording"] == "bad.jsonl"
    assert bad["reason"].startswith("bad.jsonl: ZeroDivisionError: planted (")


def test_a_row_that_fails_costs_only_itself(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = comparing_rows.row

    async def faulty(material: Any, strategy: Any, format: Any, model: Any) -> Any:
        if format == "handoff":
            raise ZeroDivisionError("planted")
        return await real(material, strategy, format, model)

    monkeypatch.setattr(comparing, "row", faulty)
    document = compare(recorded(tmp_path), *KEEP, "--format", "handoff", "--format", "structured", code=1)
    assert [row["format"] for row in document["rows"]] == ["structured"]
    assert "planted" in document["failed"][0]["reason"]


def test_a_cut_that_would_lose_an_entry_is_a_failure(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing_sessions, "uncovered", lambda path, prepared: (2,))
    document = compare(recorded(tmp_path), *KEEP, code=1)
    assert document["rows"] == []
    assert "leaves e3 to nobody" in document["failed"][0]["reason"]
