"""A task becomes rows wherever it runs: the figures of `ctxmgr replay`, and a reason where there are none."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.corpus import evaluating
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.corpus.tasks import CorpusSettings
from ctxmgr.study.driving import legality
from ctxmgr.study.driving.host_side import ReplayHost
from ctxmgr.study.spawning import InProcessClient, RpcFailure
from tests.unit.study.corpus.made import asked, plain

SESSIONS = Path(__file__).parents[3] / "sessions"


def test_the_figures_are_those_of_replay(capsys: pytest.CaptureFixture[str]) -> None:
    path = SESSIONS / "greenhouse.jsonl"
    arguments = ["--policy", "keep=500", "--preset", "balanced", "--window", "64000", "--probes", "--json"]
    assert main(["replay", str(path), *arguments]) == 0
    ours, _ = json.loads(capsys.readouterr().out)
    tasks = asked(path, ["balanced:keep=500"], settings=CorpusSettings(64_000))
    task = next(one for one in tasks if one.policy.name != "off")
    found = decode(evaluated(task))
    row, measures = found.recording, ours["measures"]
    assert (row.status, row.fingerprint, row.fault_count) == ("ok", ours["fingerprint"], 0)
    assert round(row.closed_dollars, 4) == measures["closedLoop"]["closed"]
    assert round(row.billed_dollars, 4) == measures["closedLoop"]["billed"]
    assert row.fetch_count == measures["closedLoop"]["fetches"]
    kept = measures["kept"]
    assert (row.kept_bytes, row.repeated_bytes) == (kept["held"], kept["of"])
    assert round(row.kept_share or 0, 5) == kept["share"]
    assert round(row.recall_share or 0, 5) == measures["recall"]["overall"]["share"]
    assert (row.epoch_count, row.break_count) == (measures["epochs"], measures["breaks"])
    series = [(one["sent"], one["cached"], one["names"], one["recalled"]) for one in measures["series"]]
    calls = found.calls
    assert series == [(one.sent_tokens, one.cached_tokens, one.name_count, one.recalled_count) for one in calls]
    scores = ours["probes"]["policies"]["balanced"]
    assert row.probes
    for kind in row.probes:
        used = scores["kinds"][kind.kind]["used"]
        assert (kind.used_count, kind.used_share and round(kind.used_share, 5)) == (used["probes"], used["share"])
    said = scores["packets"]
    assert (row.packet_count, row.packet_line_count) == (said["packets"], said["lines"])
    assert (row.judged_line_count, row.untrue_line_count) == (said["judged"], said["untrue"])


def test_a_peer_has_the_figures_of_replay(capsys: pytest.CaptureFixture[str]) -> None:
    path = SESSIONS / "greenhouse.jsonl"
    assert main(["replay", str(path), "--preset", "off", "--peers", "--window", "64000", "--json"]) == 0
    (ours,) = json.loads(capsys.readouterr().out)
    task = next(
        one for one in asked(path, ["masking-5"], settings=CorpusSettings(64_000)) if one.policy.name != "off"
    )
    row = decode(evaluated(task)).recording
    beside = next(one["measures"] for one in ours["beside"] if one["preset"] == "masking-5")
    assert round(row.closed_dollars, 4) == beside["closedLoop"]["closed"]
    assert (row.kept_bytes, row.repeated_bytes) == (beside["kept"]["held"], beside["kept"]["of"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it should be"),
        (b"# a page\n", "no JSON"),
        (b'{"ctxmgr": "the ow', "bad.jsonl, line 1: no JSON from character 12 on"),
        (b'{"nothing": "known"}\n', "is neither"),
        (b'{"ctxmgr": 1}\n', "and no recording"),
        (b"PAR1 and no more", "bad.jsonl is a Parquet file that is broken, or has no column content"),
        (
            b'{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n',
            "no entries",
        ),
    ],
)
def test_a_bad_recording_is_a_row_with_a_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    for task in asked(tmp_path):
        row = decode(evaluated(task)).recording
        assert (row.status, row.name, row.call_count) == ("bad", "bad.jsonl", 0)
        assert reason in row.reason
        assert "the ow" not in row.reason


def test_a_reason_quotes_no_value_of_a_recording(tmp_path: Path) -> None:
    meta = b'{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/"}}\n'
    (tmp_path / "bad.jsonl").write_bytes(meta + b'{"timestamp":"x","type":"the owl"}\n')
    row = decode(evaluated(asked(tmp_path)[0])).recording
    assert (row.status, row.reason) == ("bad", "bad.jsonl, line 2: a line without a payload")


def test_what_breaks_while_it_is_driven_is_a_row_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise ValueError("no number: 'the owl'")

    monkeypatch.setattr(evaluating, "_probed", broken)
    row = decode(evaluated(asked(SESSIONS / "greenhouse.jsonl")[0])).recording
    assert row.status == "bad"
    assert re.fullmatch(r"ValueError \(test_evaluating.py, line \d+\); `ctxmgr replay` says more", row.reason)


OWL = "the owl's name is Athena"


def _raises(*given: object) -> None:
    raise ValueError(OWL)


def _refuses(*given: object) -> None:
    raise RpcFailure(-32602, f"invalid params: {OWL}", {"text": OWL})


def _illegal(*given: object) -> None:
    raise legality.IllegalAnswer(OWL)


@pytest.mark.parametrize(
    ("where", "broken", "fault"),
    [
        ((ReplayHost, "context"), _raises, r"call 0: (ValueError \(test_evaluating.py, line \d+\)|exit code -9)"),
        ((ReplayHost, "context"), _refuses, r"call 0: (error answer -32602|exit code -9)"),
        ((legality, "answered"), _illegal, r"call 0: illegal answer"),
        ((legality, "faults"), lambda *given: [OWL], r"call 0: illegal list"),
        ((InProcessClient, "stderr"), lambda self: OWL, r"call \d+: stderr"),
    ],
    ids=["raised", "refused", "answer", "list", "stderr"],
)
def test_a_fault_of_an_ok_row_is_a_code_and_quotes_nothing(
    monkeypatch: pytest.MonkeyPatch, where: tuple[Any, str], broken: Any, fault: str
) -> None:
    monkeypatch.setattr(*where, broken)
    found = evaluated(asked(SESSIONS / "greenhouse.jsonl")[0])
    row = decode(found).recording
    assert row.status == "ok"
    assert row.fault_count >= len(row.faults) > 0
    assert all(re.fullmatch(fault.replace("call 0", r"call \d+"), one) for one in row.faults), row.faults
    assert b"owl" not in found


def test_what_can_not_be_fetched_is_tried_again_by_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"x")
    (task, _) = asked(tmp_path)
    (tmp_path / "a.jsonl").unlink()
    row = decode(evaluated(task)).recording
    assert (row.status, row.reason) == ("lost", "can not be fetched: No such file or directory")


def test_a_recording_that_changes_after_it_was_listed_is_not_taken_for_another(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"x")
    (task, _) = asked(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(b"y")
    row = decode(evaluated(task)).recording
    assert (row.status, row.reason) == ("bad", "a.jsonl is not what was listed: its content has changed")


def test_the_same_task_gives_the_same_rows(tmp_path: Path) -> None:
    task = asked(SESSIONS / "greenhouse.jsonl")[0]
    first, second = decode(evaluated(task)), decode(evaluated(task))
    assert plain(first.recording) == plain(second.recording)
    assert first.calls == second.calls


def test_a_name_that_is_no_text_is_told_as_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    path.write_bytes((SESSIONS / "allotment.jsonl").read_bytes())
    (task,) = asked(path, ["off"])
    row = decode(evaluated(task)).recording
    assert (row.status, row.name) == ("ok", "caf\ufffd.jsonl")
    assert row.address.endswith("caf\ufffd.jsonl")
    path.write_bytes(b"# a page\n")
    (broken,) = asked(path, ["off"])
    row = decode(evaluated(broken)).recording
    assert (row.status, row.name) == ("bad", "caf\ufffd.jsonl")
