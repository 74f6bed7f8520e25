"""The commands replay, inspect and describe, as a user calls them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.devices.snapshots import SnapshotStore
from ctxmgr.session import journal
from ctxmgr.study.spawning.inprocess import InProcess

ROOT = Path(__file__).parents[4]
GREENHOUSE = ROOT / "tests" / "sessions" / "greenhouse.jsonl"
USER = {"role": "user", "content": "Goal: mend the \x1b[31mreport", "timestamp": 1_772_442_000_000}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "stopReason": "stop", "timestamp": 2}
SUMMARY = "## Goal\nMend it\n\n" + "word " * 500


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    host = InProcess()
    host.request("context", sessionId="s", messages=[USER])
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in host.recorded))
    return path


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    host = InProcess()
    host.request("context", sessionId="s", messages=[USER])
    host.notify("turn_end", sessionId="s", message=REPLY, usage={"tokens": 1_000})
    host.notify("session_compact", sessionId="s", compactionEntry={"summary": SUMMARY, "id": "c"})
    opened = SnapshotStore(tmp_path).open("s")
    assert opened.file is not None
    for line in host.saved["s"]:
        opened.file.append(line)
    opened.file.close()
    (path,) = tmp_path.glob("*.jsonl")
    return path


def test_a_session_is_driven_and_recorded_and_its_transcript_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["replay", str(GREENHOUSE), "--preset", "turns", "--append", "--window", "90000"]
    assert main([*arguments, "--record", str(tmp_path)]) == 0
    table = capsys.readouterr().out
    assert "greenhouse.jsonl, window 90,000 tokens" in table
    (path,) = tmp_path.iterdir()
    assert main(["replay", str(path), "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)
    assert figures["compared"] > 200
    assert figures["failures"] == []


def test_what_a_session_costs_and_still_knows_beside_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["replay", str(GREENHOUSE), "--preset", "turns", "--window", "64000", "--json"]
    assert main([*arguments, "--record", str(tmp_path), "--cache-ttl", "80000"]) == 0
    turns, off = json.loads(capsys.readouterr().out)
    assert [one["preset"] for one in (turns, off)] == ["turns", "off"]
    assert [path.stem for path in tmp_path.iterdir()] == ["greenhouse-turns"]
    mine, base = turns["measures"], off["measures"]
    assert mine["rawTokens"] == base["rawTokens"] > 60_000
    assert len(mine["series"]) == turns["all"]["calls"]
    for one in (turns, off):
        sent = [call["sent"] for call in one["measures"]["series"]]
        assert max(sent) == one["all"]["afterLargest"]
        assert round(sum(sent) / len(sent), 1) == one["all"]["afterMean"]
    assert base["ofOff"] == 1
    assert mine["ofOff"] == pytest.approx(mine["money"] / base["money"], abs=1e-3)
    assert base["money"] == base["warmMoney"]
    assert base["breaks"] == off["compactions"]["own"] > 0
    assert mine["breaks"] > base["breaks"]
    recall = mine["recall"]
    assert 0 < recall["inPlace"]["share"] <= recall["unpacked"]["share"] <= recall["overall"]["share"] < 1
    assert recall["far"]["share"] < recall["overall"]["share"]
    assert mine["said"]["mean"]["share"] >= mine["said"]["inPlaceMean"]["share"]


def test_prices_and_the_caches_life_are_as_told(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["replay", str(GREENHOUSE), "--preset", "off", "--json"]
    assert main([*arguments, "--prices", "10,0.5,1", "--cache-ttl", "0.001"]) == 0
    (off,) = json.loads(capsys.readouterr().out)
    made = off["measures"]
    prices = {"input": 10, "read": 0.5, "write": 1, "ttl_ms": 1}
    assert made["prices"] == {**prices, "output": 50, "overheadTokens": 5_000, "tiers": []}
    assert made["coldCalls"] > 90
    sent = sum(call["sent"] for call in made["series"])
    assert made["money"] == pytest.approx(10 * sent / 1e6, rel=1e-3)
    assert made["warmMoney"] < made["money"]


def test_a_price_sheet_has_output_and_tiers(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["replay", str(GREENHOUSE), "--preset", "off", "--json", "--overhead", "0"]
    made = []
    for prices in ("10,0.5,1,7", "10,0.5,1,7,0:2:1", "10,0.5,1,14"):
        assert main([*arguments, "--prices", prices]) == 0
        (off,) = json.loads(capsys.readouterr().out)
        made.append(off["measures"])
    assert made[1]["prices"]["tiers"] == [
        {"aboveTokens": 0, "input": 20, "output": 7, "cacheRead": 10, "cacheWrite": 20}
    ]
    plain, doubled, dearer = (one["closedLoop"] for one in made)
    assert doubled["billed"] == pytest.approx(2 * plain["billed"], rel=1e-4)  # input costs double, output the same
    output = dearer["all"] - plain["all"]  # at 7 dollars a million
    assert output > 0
    assert doubled["all"] - output == pytest.approx(2 * (plain["all"] - output), rel=1e-4)


def test_totals_over_several_recordings_have_policies_and_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(GREENHOUSE.read_bytes())
    assert main(["replay", str(GREENHOUSE), str(other), "--preset", "off", "--control", "--json"]) == 0
    first, _, over = json.loads(capsys.readouterr().out)
    assert [row["preset"] for row in over["totals"]] == ["off", "control", "floor"]
    off, control, floor = over["totals"]
    assert off["together"] == off["mean"] == {"billed": 1, "closed": 1, "all": 1}
    alone = first["beside"][0]["measures"]["closedLoop"]
    for figure in (control["together"], control["mean"]):
        assert figure["closed"] == pytest.approx(alone["closedOfOff"], abs=1e-4)
    assert control["money"]["closed"] == pytest.approx(2 * alone["closed"], abs=1e-3)
    assert floor["together"]["billed"] == pytest.approx(first["floor"]["billedOfOff"], abs=1e-4)
    assert floor["together"]["billed"] < control["together"]["billed"]


def test_how_the_host_counts_and_keeps_decides_when_and_to_what_it_compacts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its usage is its list with the overhead: with more of it, it compacts earlier; who keeps more, sends more."""
    arguments = ["replay", str(GREENHOUSE), "--preset", "off", "--window", "64000", "--json", "--weighed-usage"]
    largest, mean = [], []
    for more in (["--overhead", "0"], ["--overhead", "20000"], ["--overhead", "0", "--host-keep", "30000"]):
        assert main([*arguments, *more]) == 0
        (off,) = json.loads(capsys.readouterr().out)
        largest.append(off["measures"]["sentLargest"])
        mean.append(off["measures"]["sentMean"])
    assert largest[1] < largest[0] - 5_000
    assert mean[2] > mean[0]


def test_a_warm_cache_opens_no_epoch_for_cold(capsys: pytest.CaptureFixture[str]) -> None:
    """Between some replies an hour passed."""
    opened = []
    for more in ([], ["--warm"]):
        recorded = ["--host", "recorded", *more]
        assert main(["replay", str(GREENHOUSE), "--preset", "balanced", "--json", *recorded]) == 0
        balanced, off = json.loads(capsys.readouterr().out)
        assert off["measures"]["coldCalls"] > 0
        opened.append(balanced["measures"]["epochs"])
    assert opened[1] < opened[0]


def test_means_over_several_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(GREENHOUSE.read_bytes())
    assert main(["replay", str(GREENHOUSE), str(other), "--preset", "off", "--json"]) == 0
    *shown, means = json.loads(capsys.readouterr().out)
    assert len(shown) == 2
    *_, row = means["means"]
    assert (row["preset"], row["recordings"], row["fromTokens"]) == ("off", 2, 0)
    assert row["money"] == pytest.approx(shown[0]["measures"]["money"], abs=1e-4)


def test_measures_are_shown_unless_they_are_not_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["replay", str(GREENHOUSE), "--preset", "tools"]
    assert main([*arguments, "--no-measures"]) == 0
    assert "what it costs" not in capsys.readouterr().out
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "what it costs and what it still knows" in text
    assert "off" in text


def test_a_difference_is_shown_and_the_exit_code_is_1(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = transcript.read_bytes()
    transcript.write_bytes(content.replace(b'"zone":"green"', b'"zone":"red"'))
    assert main(["replay", str(transcript)]) == 1
    assert "$.result.status.zone" in capsys.readouterr().out
    assert main(["replay", str(transcript), "--update"]) == 0
    assert transcript.read_bytes() == content
    assert main(["replay", str(transcript)]) == 0
    assert "the same" in capsys.readouterr().out


def test_a_file_that_can_not_be_read_is_said_and_the_others_go_on(
    transcript: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"type":"session"}\n{"type":"mess')
    assert main(["replay", str(broken), str(transcript)]) == 1
    out = capsys.readouterr().out
    assert "broken.jsonl, line 2" in out
    assert "the same" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay"],
        ["replay", "no-such-file"],
        ["replay", "--preset", "none", str(GREENHOUSE)],
        ["replay", "--window", "0", str(GREENHOUSE)],
        ["replay", "--prices", "3,0.1", str(GREENHOUSE)],
        ["replay", "--prices", "3,nan,1", str(GREENHOUSE)],
        ["replay", "--prices", "3,-1,1", str(GREENHOUSE)],
        ["replay", "--cache-ttl", "0", str(GREENHOUSE)],
        ["inspect", "no-such-file"],
        ["inspect"],
        ["nothing"],
        [],
    ],
)
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(arguments)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert capsys.readouterr().err


def test_a_recording_is_no_golden(capsys: pytest.CaptureFixture[str]) -> None:
    before = GREENHOUSE.read_bytes()
    assert main(["replay", str(GREENHOUSE), "--update"]) == 1
    assert GREENHOUSE.read_bytes() == before
    assert "--update is for transcripts" in capsys.readouterr().out


def test_inspect_shows_what_a_snapshot_holds(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(snapshot)]) == 0
    out = capsys.readouterr().out
    for text in ("session s", "window 200,000", "Mend it", "characters more"):
        assert text in out
    assert main(["inspect", str(snapshot), "--full"]) == 0
    out = capsys.readouterr().out
    assert out.count("word ") > 400
    assert "\\u001b[31mreport" in out
    assert "\x1b" not in out


def test_inspect_says_what_is_broken(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = snapshot.read_bytes()
    snapshot.write_bytes(whole + b"torn")
    assert main(["inspect", str(snapshot)]) == 1
    out = capsys.readouterr().out
    assert "4 bytes after the last whole line" in out
    assert "session s" in out
    for content in (b"", b"rubbish", whole[10:]):
        snapshot.write_bytes(content)
        assert main(["inspect", str(snapshot)]) == 1
    assert snapshot.read_bytes() == whole[10:]
    assert journal.VERSION == 1


def test_describe_is_openrpc(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["openrpc"]
    assert "context" in [method["name"] for method in document["methods"]]


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    command = [sys.executable, "-m", "ctxmgr", "describe"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


WITHOUT_RICH = "import sys; sys.modules['rich'] = None; from ctxmgr.cli import main; sys.exit(main(sys.argv[1:]))"


def without_rich(*arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A command in a process where `rich` can not be imported."""
    command = [sys.executable, "-c", WITHOUT_RICH, *arguments]
    return subprocess.run(command, input=input, capture_output=True, timeout=60)


def test_what_a_host_needs_works_without_rich(snapshot: Path, tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    greeting = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1.0"}}\n'
    served = without_rich("serve", "--state-dir", state, input=greeting + b'{"jsonrpc":"2.0","method":"exit"}\n')
    assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "ctxmgr"
    described, inspected = without_rich("describe"), without_rich("inspect", str(snapshot))
    assert (described.returncode, inspected.returncode, served.stderr) == (0, 0, b"")
    assert json.loads(described.stdout)["openrpc"]
    assert b"session s" in inspected.stdout
    forgotten = without_rich("forget", "nobody", "--state-dir", state)
    assert forgotten.returncode == 2
    assert b"nothing is kept of nobody" in forgotten.stderr


@pytest.mark.parametrize(
    "arguments",
    [["replay", str(GREENHOUSE)], ["compare", str(GREENHOUSE)], ["conform", "host-side"]],
    ids=["replay", "compare", "conform"],
)
def test_what_people_run_says_what_to_install(arguments: list[str]) -> None:
    done = without_rich(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"ctxmgr: this command needs the study extra: pip install 'ctxmgr[study]'\n"


def test_another_missing_module_is_no_word_of_the_study_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ctxmgr.cli.replay", raising=False)
    monkeypatch.setitem(sys.modules, "ctxmgr.study.driving.drive", None)
    for name in [name for name in sys.modules if name == "ctxmgr.study.replay.command"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("ctxmgr.study.replay.command", raising=False)
    with pytest.raises(ModuleNotFoundError):
        main(["replay", str(GREENHOUSE)])


def test_starting_the_server_imports_nothing_of_the_views() -> None:
    looked_for = "[name for name in sys.modules if 'rich' in name or 'study' in name]"
    parser = "from ctxmgr.cli.commands import parser; parser('serve')"
    code = f"import sys; from ctxmgr.server import stdio_server; {parser}; print({looked_for})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert out.stdout.strip() == b"[]"
