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
    weigh_by_length,
)


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


def test_the_best_is_named_and_each_has_five_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", str(recorded(tmp_path)), *KEEP, "--out", str(tmp_path / "out")]
    assert main([*arguments, "--format", "handoff", "--format", "structured"]) == 0
    shown = capsys.readouterr()
    assert shown.err == f"ctxmgr compare: writing summaries and a table to {tmp_path / 'out'}\n"
    lines = [line for line in shown.out.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("A model's call: ") and line.endswith(" at the end of the list.") for line in lines)
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    assert [cells[0] for cells in rows] == ["extractive, handoff", "extractive, structured"]
    best = max(cells[3] for cells in rows)
    assert any(line.endswith(f" answers most: {best} of the probes; nothing failed.") for line in lines)
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
    """A small window, so that some calls have to slice."""
    path, formats = recorded(tmp_path, turns=20), [f"--format={format}" for format in get_args(Format)]
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=None)) as server:
        given = (path, *endpoint(server), "--context-window", "6000")
        runs = [compare(*given)["rows"]]
        assert max(row["calls"] for row in runs[0]) > 2
        once = compare(*given, *formats, "--strategy", "single-shot")["rows"]
    assert [row["format"] for row in once] == list(get_args(Format))
    assert all(row["fallbacks"] == [] for row in once)
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
    assert billed["unit"] == "dollars"
    assert billed["way"] == ("warm" if billed["warm"] < billed["cold"] else "cold")
    assert billed["arithmetic"].startswith("warm: ")
    assert f" + {row['summaryTokens']:,} put out x 5" in billed["arithmetic"]
    for name in (row["file"], "comparison.md"):
        assert f"{billed['cold']:.3f}" in (tmp_path / "out" / name).read_text()


def test_wrong_usage_is_2_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path)
    monkeypatch.chdir(tmp_path)
    for arguments in (
        "no-such-file",
        "one.jsonl --strategy single-shot",
        "one.jsonl --endpoint http://localhost:1/v1",
        "one.jsonl --model m",
        "one.jsonl --api anthropic",
        "one.jsonl --endpoint localhost --model m",
        "one.jsonl --endpoint http://localhost:1/v1 --model m --api-key-env NOT_SET_HERE",
        "one.jsonl --out one.jsonl",
        "one.jsonl --probes-failed none/x.jsonl",
    ):
        assert main(["compare", *arguments.split()]) == 2, arguments
        assert capsys.readouterr().err
        assert list(tmp_path.iterdir()) == [path]


def test_by_default_it_writes_to_a_folder_below_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", str(recorded(tmp_path)), *KEEP]) == 0
    assert (tmp_path / "ctxmgr-compare" / "comparison.md").is_file()
