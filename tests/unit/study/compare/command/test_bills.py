"""What a model's call for each summary costs, both ways, in what the command shows."""

from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from tests.unit.study.compare.command.running import KEEP, Compare, recorded


def bill(document: dict[str, Any]) -> dict[str, Any]:
    (row,) = document["rows"]
    billed: dict[str, Any] = row["bill"]
    return billed


def test_each_summary_has_the_bill_of_both_ways(tmp_path: Path, compare: Compare) -> None:
    document = compare(recorded(tmp_path, turns=30), *KEEP)
    billed = bill(document)
    assert billed["unit"] == "dollars"
    assert billed["compactions"] == 1
    assert billed["cheaper"] == min(billed["warm"], billed["cold"])
    assert billed["arithmetic"].startswith("warm: ")
    assert f" + {document['rows'][0]['summaryTokens']:,} put out x 5" in billed["arithmetic"]
    assert document["settings"]["prices"]["input"] == 3


def test_the_bill_stands_in_the_file_and_among_all_figures(
    tmp_path: Path, compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(tmp_path, turns=30)
    (row,) = compare(path, *KEEP)["rows"]
    cost = f"{row['bill']['cold']:.3f}"
    assert cost in (tmp_path / "out" / row["file"]).read_text()
    assert cost in (tmp_path / "out" / "comparison.md").read_text()
    assert main(["compare", str(path), *KEEP, "--wide", "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "a model's call for it" in shown
    assert cost in shown
