"""What a comparison says first: which summary answers most, five figures each, eighty columns."""

from pathlib import Path

import pytest

from ctxmgr.cli import main
from tests.unit.study.replay.commands import GREENHOUSE


def test_the_best_is_named_and_each_has_five_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    formats = ["--format", "structured", "--format", "continue"]
    assert main(["compare", str(GREENHOUSE), *formats, "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 80
    (verdict,) = [line for line in lines if " answers most: " in line]
    assert verdict.endswith("of the probes; nothing failed.")
    (both,) = [line for line in lines if line.startswith("A model's call: ")]
    assert both.endswith(" at the end of the list.")
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    assert [cells[0] for cells in rows] == ["extractive, structured", "extractive, continue"]
    best = max(rows, key=lambda cells: float(cells[3]))
    assert verdict.startswith(f"{best[0]} answers most: {best[3]}")
    assert all(0 < float(cells[3]) <= 1 for cells in rows)
