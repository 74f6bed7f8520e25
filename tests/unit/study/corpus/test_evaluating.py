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
from ctxmgr.study.driving import host
from ctxmgr.study.driving.host import ReplayHost
from ctxmgr.study.driving.matching import IllegalAnswer
from ctxmgr.study.spawning import InProcessDriver, RpcFailure
from tests.unit.study.corpus.made import WINDOW, asked, begun, row


def test_the_figures_are_those_of_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = begun("greenhouse", tmp_path, 70)
    options = "--policy keep=500 --preset balanced --probes --peers --json --window"
    assert main(["replay", str(path), *options.split(), str(WINDOW)]) == 0
    ours = json.loads(capsys.readouterr().out)[0]
    tasks = {task.policy.name: task for task in asked(path, ["balanced:keep=500", "masking-5"])}
    evaluation = decode(evaluated(tasks["balanced:keep=500"]))
    found, measures = evaluation.recording, ours["measures"]
    assert (found["status"], found["fingerprint"], found["fault_count"]) == ("ok", ours["fingerprint"], 0)
    assert round(found["closed_dollars"] or 0, 4) == measures["closedLoop"]["closed"]
    assert round(found["billed_dollars"] or 0, 4) == measures["closedLoop"]["billed"]
    assert found["fetch_count"] == measures["closedLoop"]["fetches"]
    kept = measures["kept"]
    assert (found["kept_bytes"], found["repeated_bytes"]) == (kept["held"], kept["of"])
    assert round(found["kept_share"] or 0, 5) == kept["share"]
    assert round(found["recall_share"] or 0, 5) == measures["recall"]["overall"]["share"]
    assert (found["epoch_count"], found["break_count"]) == (measures["epochs"], measures["breaks"])
    series = [(call["sent"], call["cached"], call["names"], call["recalled"]) for call in measures["series"]]
    assert series == [
        tuple(call[name] for name in ("sent_tokens", "cached_tokens", "name_count", "recalled_count"))
        for call in evaluation.calls
    ]
    scores = ours["probes"]["policies"]["balanced"]
    assert found["probes"]
    for kind in found["probes"]:
        used = scores["kinds"][kind["kind"]]["used"]
        share = kind["used_share"] and round(kind["used_share"], 5)
        assert (kind["used_count"], share) == (used["probes"], used["share"])
    packets = scores["packets"]
    assert (found["packet_count"], found["packet_line_count"]) == (packets["packets"], packets["lines"])
    assert (found["judged_line_count"], found["untrue_line_count"]) == (packets["judged"], packets["untrue"])
    peer = row(tasks["masking-5"])
    beside = next(each["measures"] for each in ours["beside"] if each["preset"] == "masking-5")
    assert round(peer["closed_dollars"] or 0, 4) == beside["closedLoop"]["closed"]
    assert (peer["kept_bytes"], peer["repeated_bytes"]) == (
        beside["kept"]["held"],
        beside["kept"]["of"],
    )


META = b'{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/"}}\n'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it should be"),
        (b'{"ctxmgr": "the ow', "bad.jsonl, line 1: not JSON at character 12"),
        (META + b'{"timestamp":"x","type":"the owl"}\n', "bad.jsonl, line 2: a line without a payload"),
    ],
)
def test_a_bad_recording_is_a_row_with_a_reason_that_quotes_nothing(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "bad.jsonl").write_bytes(content)
    found = row(asked(tmp_path)[0])
    assert (found["status"], found["name"]) == ("bad", "bad.jsonl")
    assert "call_count" not in found
    assert reason in found["reason"]
    assert "the ow" not in found["reason"]


def test_what_breaks_while_it_is_driven_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> None:
        raise ValueError("no number: 'the owl'")

    monkeypatch.setattr(evaluating, "_probed", broken)
    found = row(asked(begun("allotment", tmp_path, 20))[0])
    assert found["status"] == "bad"
    assert re.fullmatch(r"ValueError \(test_evaluating.py, line \d+\); `ctxmgr replay` says more", found["reason"])


OWL = "the owl's name is Athena"


def _raises(*given: object) -> None:
    raise ValueError(OWL)


def _refuses(*given: object) -> None:
    raise RpcFailure(-32602, f"invalid params: {OWL}", {"text": OWL})


def _illegal(*given: object) -> None:
    raise IllegalAnswer(OWL)


@pytest.mark.parametrize(
    ("where", "broken", "fault"),
    [
        ((ReplayHost, "context"), _raises, r"call 0: (ValueError \(test_evaluating.py, line \d+\)|exit code -9)"),
        ((ReplayHost, "context"), _refuses, r"call 0: (error answer -32602|exit code -9)"),
        ((host, "answered"), _illegal, r"call 0: illegal answer"),
        ((InProcessDriver, "stderr"), lambda self: OWL, r"call \d+: stderr"),
    ],
    ids=["raised", "refused", "answer", "stderr"],
)
def test_a_fault_of_an_ok_row_is_a_code_and_quotes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[Any, str], broken: Any, fault: str
) -> None:
    monkeypatch.setattr(*where, broken)
    content = evaluated(asked(begun("allotment", tmp_path, 20), ["off"])[0])
    found = decode(content).recording
    assert found["status"] == "ok"
    assert found["fault_count"] >= len(found["faults"]) > 0
    said = fault.replace("call 0", r"call \d+")
    assert all(re.fullmatch(said, each) for each in found["faults"]), found["faults"]
    assert b"owl" not in content


def test_what_is_gone_or_changed_after_it_was_listed_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"x")
    (task, _) = asked(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(b"y")
    changed = row(task)
    assert changed["status"] == "bad"
    assert changed["reason"] == "a.jsonl has changed since it was listed"
    (tmp_path / "a.jsonl").unlink()
    gone = row(task)
    assert (gone["status"], gone["reason"]) == ("lost", "cannot be fetched: No such file or directory")


def test_the_same_task_gives_the_same_rows_whatever_the_file_is_called(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    begun("allotment", tmp_path, 20).rename(path)
    (task,) = asked(path, ["off"])
    first, second = decode(evaluated(task)), decode(evaluated(task))
    assert row(task) == row(task)
    assert first.calls == second.calls
    assert (first.recording["status"], first.recording["name"]) == ("ok", "caf\ufffd.jsonl")
    assert first.recording["address"].endswith("caf\ufffd.jsonl")
