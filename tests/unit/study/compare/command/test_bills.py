"""What a model's call for each summary costs, both ways, in what the command shows."""

from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from tests.unit.study.compare.command.running import KEEP, Compare, recorded


def bill(found: dict[str, Any]) -> dict[str, Any]:
    (row,) = found["rows"]
    billed: dict[str, Any] = row["bill"]
    return billed


def test_each_summary_has_the_bill_of_both_ways(tmp_path: Path, compare: Compare) -> None:
    found = compare(recorded(tmp_path, turns=30), *KEEP)
    billed = bill(found)
    assert billed["unit"] == "dollars"
    assert billed["compactions"] == 1
    assert billed["cheaper"] == min(billed["warm"], billed["cold"])
    assert billed["arithmetic"].startswith("warm: ")
    assert f" + {found['rows'][0]['summaryTokens']:,} put out x 5" in billed["arithmetic"]
    assert found["settings"]["prices"]["input"] == 3


def test_other_prices_and_another_overhead_are_another_bill(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path, turns=30)
    usual = bill(compare(path, *KEEP))
    twice = bill(compare(path, *KEEP, "--prices", "6,0.1,1.25,30"))
    assert twice["warm"] == pytest.approx(2 * usual["warm"], abs=2e-6)
    assert twice["cold"] == pytest.approx(2 * usual["cold"], abs=2e-6)
    bare = bill(compare(path, *KEEP, "--overhead", "0"))
    assert usual["warm"] - bare["warm"] == pytest.approx(5_000 * 0.3 / 1e6, abs=2e-6)
    assert usual["cold"] == bare["cold"]
    assert compare(path, *KEEP)["rows"][0]["reused"]


def test_the_bill_stands_in_the_file_and_among_all_figures(
    tmp_path: Path, compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded(tmp_path, turns=30)
    (row,) = compare(path, *KEEP)["rows"]
    cost = f"{row['bill']['cold']:.3f} $"
    assert cost in (tmp_path / "out" / row["file"]).read_text()
    assert cost in (tmp_path / "out" / "comparison.md").read_text()
    assert main(["compare", str(path), *KEEP, "--wide", "--out", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    assert "a model's call for it" in shown
    assert cost in shown
