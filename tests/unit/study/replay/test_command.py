"""The commands replay, inspect and describe, as a user calls them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.driving import PEERS
from ctxmgr.study.probes import Probing
from tests.inprocess import InProcess
from tests.unit.study.replay.commands import GREENHOUSE, USER, begun


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    host = InProcess()
    host.request("context", sessionId="s", messages=[USER])
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in host.recorded))
    return path


def test_a_session_is_driven_and_recorded_and_its_transcript_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["replay", str(begun(tmp_path, 80)), "--preset", "turns", "--append", "--window", "30000"]
    assert main([*arguments, "--record", str(tmp_path / "recorded")]) == 0
    table = capsys.readouterr().out
    assert "begun-80.jsonl, window 30,000 tokens" in table
    (path,) = (tmp_path / "recorded").iterdir()
    assert main(["replay", str(path), "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    assert figures["compared"] > 60
    assert figures["failures"] == []


def test_what_a_session_costs_and_still_knows_beside_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, kept = begun(tmp_path, 240), tmp_path / "kept"
    arguments = ["replay", str(path), "--preset", "turns", "--window", "32000", "--json"]
    assert main([*arguments, "--record", str(kept), "--cache-ttl", "80000"]) == 0
    turns, off = json.loads(capsys.readouterr().out)
    assert [drive["preset"] for drive in (turns, off)] == ["turns", "off"]
    assert [path.stem for path in kept.iterdir()] == ["begun-240-turns"]
    mine, base = turns["measures"], off["measures"]
    assert mine["rawTokens"] == base["rawTokens"] > 30_000
    assert len(mine["series"]) == turns["all"]["calls"]
    for drive in (turns, off):
        sent = [call["sent"] for call in drive["measures"]["series"]]
        assert max(sent) == pytest.approx(drive["all"]["afterLargest"], rel=0.1)  # reports estimate
        assert sum(sent) / len(sent) == pytest.approx(drive["all"]["afterMean"], rel=0.1)
    assert base["ofOff"] == 1
    assert mine["ofOff"] == pytest.approx(mine["money"] / base["money"], abs=1e-3)
    assert base["money"] == base["warmMoney"]
    assert base["breaks"] == off["compactions"]["own"] > 0
    assert mine["breaks"] > base["breaks"]
    recall = mine["recall"]
    assert 0 < recall["inPlace"]["share"] <= recall["unpacked"]["share"] <= recall["overall"]["share"] < 1
    assert recall["far"]["share"] < recall["overall"]["share"]
    assert mine["said"]["mean"]["share"] >= mine["said"]["inPlaceMean"]["share"]


def test_how_the_provider_caches_is_as_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bills, path = {}, begun(tmp_path, 60)
    for name in ("ideal", "host-marks", "none"):
        assert main(["replay", str(path), "--preset", "off", "--json", "--cache", name]) == 0
        (off,) = json.loads(capsys.readouterr().out)
        bills[name] = off["measures"]["closedLoop"]["billed"]
        assert off["measures"]["prices"].get("cache") == (name if name == "host-marks" else None)
    assert bills["ideal"] <= bills["host-marks"] < bills["none"]


def test_a_price_sheet_has_output_and_tiers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["replay", str(begun(tmp_path, 60)), "--preset", "off", "--json", "--overhead", "0"]
    made = []
    for prices in ("10,0.5,1,7", "10,0.5,1,7,0:2:1", "10,0.5,1,14"):
        assert main([*arguments, "--prices", prices]) == 0
        (off,) = json.loads(capsys.readouterr().out)
        made.append(off["measures"])
    assert made[1]["prices"]["tiers"] == [
        {"aboveTokens": 0, "input": 20, "output": 7, "cacheRead": 10, "cacheWrite": 20}
    ]
    plain, doubled, dearer = (measures["closedLoop"] for measures in made)
    assert doubled["billed"] == pytest.approx(2 * plain["billed"], rel=1e-4)  # input costs double, output the same
    output = dearer["all"] - plain["all"]  # at 7 dollars a million
    assert output > 0
    assert doubled["all"] - output == pytest.approx(2 * (plain["all"] - output), rel=1e-4)


def test_totals_over_several_recordings_have_policies_and_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = begun(tmp_path, 40), tmp_path / "other.jsonl"
    other.write_bytes(path.read_bytes())
    assert main(["replay", str(path), str(other), "--preset", "off", "--peers", "--json"]) == 0
    first, _, over = json.loads(capsys.readouterr().out)
    assert [row["preset"] for row in over["totals"]] == ["off", *PEERS, "floor"]
    off, peer, *_, floor = over["totals"]
    assert off["together"] == {"billed": 1, "closed": 1, "all": 1}
    assert off["mean"] == {**off["together"], "kept": off["kept"]}
    assert off["kept"] == off["worstKept"] == first["measures"]["kept"]["share"]
    alone = first["beside"][0]["measures"]["closedLoop"]
    for figure in (peer["together"], peer["mean"]):
        assert figure["closed"] == pytest.approx(alone["closedOfOff"], abs=1e-4)
    assert peer["money"]["closed"] == pytest.approx(2 * alone["closed"], abs=1e-3)
    assert floor["together"]["billed"] == pytest.approx(first["floor"]["billedOfOff"], abs=1e-4)
    assert floor["together"]["billed"] < peer["together"]["billed"]


def test_how_the_host_counts_and_keeps_decides_when_and_to_what_it_compacts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its usage is its list with the overhead: with more of it, it compacts earlier; who keeps more, sends more."""
    arguments = ["replay", str(begun(tmp_path, 300)), "--preset", "off", "--window", "48000", "--json"]
    largest, mean = [], []
    for more in (["--overhead", "0"], ["--overhead", "10000"], ["--overhead", "0", "--host-keep", "16000"]):
        assert main([*arguments, *more]) == 0
        (off,) = json.loads(capsys.readouterr().out)
        largest.append(off["measures"]["sentLargest"])
        mean.append(off["measures"]["sentMean"])
    assert largest[1] < largest[0] - 2_000
    assert mean[1] < mean[0] - 1_000
    assert mean[2] > mean[0]


def test_a_difference_is_shown_and_the_exit_code_is_1(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = transcript.read_bytes()
    transcript.write_bytes(content.replace(b'"zone":"green"', b'"zone":"red"'))
    assert main(["replay", str(transcript)]) == 1
    assert "$.result.status.zone" in capsys.readouterr().out
    assert main(["replay", str(transcript), "--update"]) == 0
    assert transcript.read_bytes() == content
    assert main(["replay", str(transcript)]) == 0
    assert "no difference" in capsys.readouterr().out


def test_a_file_that_can_not_be_read_is_said_and_the_others_go_on(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"type":"session"}\n{"type":"mess\n{}\n')
    assert main(["replay", str(broken), str(transcript)]) == 1
    out = capsys.readouterr().out
    assert "broken.jsonl, line 2" in out
    assert "no difference" in out


def test_sessions_left_at_once_have_every_measure_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(begun(tmp_path, messages)) for messages in (0, 1, 2)]
    everything = ["--preset", "off", "--probes", "--peers", "--host", "recorded"]
    report = tmp_path / "report.html"
    assert main(["replay", *paths, *everything, "--report", str(report), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [drive["all"]["calls"] for drive in shown[:3]] == [0, 0, 1]
    assert [[row["preset"] for row in drive["beside"]] for drive in shown[:3]] == [[*PEERS]] * 3
    assert all(Path(path).name in report.read_text() for path in paths)


def test_a_fault_of_one_recording_costs_the_others_neither_rows_nor_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Probing.figures_of

    def faulty(*given: Any) -> Any:
        if any(getattr(argument, "name", "") == "begun-1.jsonl" for argument in given):
            raise ZeroDivisionError("planted")
        return real(*given)

    monkeypatch.setattr(Probing, "figures_of", faulty)
    paths = [str(begun(tmp_path, messages)) for messages in (1, 2)]
    report = tmp_path / "report.html"
    assert main(["replay", *paths, "--preset", "off", "--probes", "--report", str(report), "--json"]) == 1
    bad, well = json.loads(capsys.readouterr().out)
    assert re.fullmatch(
        r"begun-1\.jsonl: ZeroDivisionError: planted \(test_command\.py, line \d+\)", *bad["failures"]
    )
    assert (well["file"], well["all"]["calls"]) == ("begun-2.jsonl", 1)
    page = report.read_text()
    assert "begun-2.jsonl" in page
    assert "begun-1.jsonl" not in page


def test_a_transcript_that_can_not_be_written_is_said(
    transcript: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(["replay", str(transcript), "--update"]) == 1
    assert "talk.jsonl: No space left on device" in capsys.readouterr().out


def test_wrong_usage_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        *("", "nothing", "inspect", "inspect no-such-file", "replay", "replay no-such-file"),
        *("replay --preset none FILE", "replay --window 0 FILE", "replay --cache-ttl 0 FILE"),
        *("replay --prices 3,0.1 FILE", "replay --prices 3,nan,1 FILE", "replay --prices 3,-1,1 FILE"),
    ):
        try:
            code: object = main(arguments.replace("FILE", str(GREENHOUSE)).split())
        except SystemExit as end:
            code = end.code
        assert code == 2, arguments
        assert capsys.readouterr().err, arguments


def test_a_recording_is_no_golden(capsys: pytest.CaptureFixture[str]) -> None:
    before = GREENHOUSE.read_bytes()
    assert main(["replay", str(GREENHOUSE), "--update"]) == 1
    assert GREENHOUSE.read_bytes() == before
    assert "--update is for transcripts" in capsys.readouterr().out
