"""The command compare, as a user calls it: small sessions, a server on loopback."""

import json
import stat
from pathlib import Path
from typing import get_args

import pytest

from ctxmgr.cli import main
from ctxmgr.model.compaction import Format, Strategy
from tests.model_server import ModelServer, Reply
from tests.unit.study.compare.command.running import (
    KEEP,
    Compare,
    answer,
    bill,
    endpoint,
    recorded,
    shares,
    weigh_by_length,
)


def test_without_a_model_the_extractive_summary_is_measured(tmp_path: Path, compare: Compare) -> None:
    (row,) = compare(recorded(tmp_path), *KEEP)["rows"]
    assert (row["strategy"], row["format"], row["model"], row["calls"]) == ("extractive", "structured", "none", 0)
    assert 0 < row["summaryTokens"] < row["replacedTokens"]
    assert shares(row)["files.read"][0] > 0
    assert all(0 <= share <= 1 for share, _ in shares(row).values())
    assert row["fallbacks"] == row["failures"] == []


def test_each_summary_is_a_file_for_its_owner_alone_and_one_table_has_them_all(
    tmp_path: Path, compare: Compare
) -> None:
    paths = [recorded(tmp_path, "one.jsonl"), recorded(tmp_path, "two.jsonl", turns=9)]
    rows = compare(*paths, *KEEP, "--format", "structured", "--format", "handoff")["rows"]
    table = (tmp_path / "out" / "comparison.md").read_text()
    assert [(row["recording"], row["format"]) for row in rows] == [
        ("one.jsonl", "structured"),
        ("one.jsonl", "handoff"),
        ("two.jsonl", "structured"),
        ("two.jsonl", "handoff"),
    ]
    for row in rows:
        path = tmp_path / "out" / row["file"]
        text = path.read_text()
        assert "## Goal" in text
        assert f"| {row['summaryTokens']:,} | {row['replacedTokens']:,} |" in text
        assert f"| {row['recording']} | extractive | {row['format']} | 0 |" in table
    files = list((tmp_path / "out").iterdir())
    assert len(files) == 5
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert not any(str(tmp_path) in path.read_text() for path in files)


def test_the_table_on_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(tmp_path)
    arguments = ["compare", str(path), *KEEP, "--out", str(tmp_path / "out")]
    assert main([*arguments, "--format", "handoff", "--format", "structured"]) == 0
    shown = capsys.readouterr()
    for text in ("one.jsonl", "extractive, handoff", "extractive, structured", "replaces", "answers"):
        assert text in shown.out
    said = f"ctxmgr compare: writing summaries and a table to {tmp_path / 'out'}\n"
    assert shown.err == said  # and no bar where it is no terminal
    assert main([*arguments, "--format", "handoff"]) == 0
    assert "1 of 1 summaries with these settings were there already" in capsys.readouterr().out


def test_on_a_terminal_there_is_a_progress_bar_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["compare", str(recorded(tmp_path)), *KEEP, "--out", str(tmp_path / "out"), "--json"]) == 0
    shown = capsys.readouterr()
    assert "1/1" in shown.err
    assert json.loads(shown.out)["rows"]


def test_a_vocabulary_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    weigh_by_length(monkeypatch, "no usable file")
    assert main(["compare", str(recorded(tmp_path)), *KEEP, "--out", str(tmp_path / "out")]) == 0
    assert "no usable file" in capsys.readouterr().err


def test_every_strategy_runs_on_the_same_cut_in_every_format(tmp_path: Path, compare: Compare) -> None:
    """A long session in one format, so that some calls have to slice; a short one in all."""
    long, short = recorded(tmp_path, turns=90), recorded(tmp_path, "short.jsonl")
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=None)) as server:
        runs = [compare(long, *endpoint(server), "--keep", "2000")["rows"]]
        assert max(row["calls"] for row in runs[0]) > 2
        runs += [compare(short, *endpoint(server), "--format", format)["rows"] for format in get_args(Format)]
    for rows in runs:
        assert [row["strategy"] for row in rows] == list(get_args(Strategy))
        assert len({row["replacedTokens"] for row in rows}) == 1
        for row in rows:
            assert row["fallbacks"] == []
            assert row["weighedCalls"] == row["calls"]
            assert (row["calls"] > 0) == (row["inputTokens"] > 0) == (row["strategy"] != "extractive")


def test_each_summary_has_the_bill_of_both_ways_in_its_file_and_table(tmp_path: Path, compare: Compare) -> None:
    document = compare(recorded(tmp_path, turns=30), *KEEP)
    billed, (row,) = bill(document), document["rows"]
    assert (billed["unit"], billed["compactions"]) == ("dollars", 1)
    assert billed["cheaper"] == min(billed["warm"], billed["cold"])
    assert billed["arithmetic"].startswith("warm: ")
    assert f" + {row['summaryTokens']:,} put out x 5" in billed["arithmetic"]
    for name in (row["file"], "comparison.md"):
        assert f"{billed['cold']:.3f}" in (tmp_path / "out" / name).read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-file"],
        ["FILE", "--strategy", "none"],
        ["FILE", "--strategy", "single-shot"],
        ["FILE", "--keep", "0"],
        ["FILE", "--endpoint", "http://localhost:1/v1"],
        ["FILE", "--model", "m"],
        ["FILE", "--api", "anthropic"],
        ["FILE", "--endpoint", "http://localhost:1/v1", "--model", "m", "--api", "other"],
        ["FILE", "--endpoint", "localhost", "--model", "m"],
        ["FILE", "--endpoint", "http://localhost:1/v1", "--model", "m", "--api-key-env", "NOT_SET_HERE"],
        ["FILE", "--window", "64000"],
        ["FILE", "--prices", "much"],
        ["FILE", "--chain", "--window", "30000"],
        ["FILE", "--out", "FILE"],
        ["FILE", "--probes-failed", "none/x.jsonl"],
    ],
)
def test_wrong_usage_is_2_and_nothing_is_written(
    tmp_path: Path,
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = recorded(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        code: object = main(["compare", *(str(path) if argument == "FILE" else argument for argument in arguments)])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


def test_by_default_it_writes_to_a_folder_below_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", str(recorded(tmp_path)), *KEEP]) == 0
    assert (tmp_path / "ctxmgr-compare" / "comparison.md").is_file()


def test_where_nothing_could_be_read_no_summary_is_promised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "g.txt"
    file.write_text("no session")
    assert main(["compare", str(file), "--out", str(tmp_path / "out")]) == 1
    assert "summaries and" not in capsys.readouterr().out
