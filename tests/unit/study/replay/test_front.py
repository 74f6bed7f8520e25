"""The front: presets, what stands beside them, and one preset along its knob."""

import json
import re
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.study.baselines import PEERS
from ctxmgr.study.replay.asked import ALL, VALUES, Front, label
from tests.unit.study.replay.commands import GREENHOUSE


def test_each_value_of_the_knob_is_driven_once() -> None:
    whole = Front(ALL, True, (), {})
    assert whole.driven == ["lean", "careful"]  # balanced itself has the middle
    assert whole.knobs == {"balanced": 1700, "balanced lean": 330, "balanced careful": 3400}
    assert Front([None], True, (), {}).driven == list(VALUES)
    assert Front(["balanced"], False, (600, 600, 3400, "lean", 330), {"keep": "careful"}).knobs == {
        "balanced": 3400,
        "balanced lean": 330,
        "balanced 600": 600,
    }
    assert Front(["balanced"], False, (), {}).knobs == {}
    assert whole.figures("balanced lean") == {"knob": 330}
    assert whole.figures("off") == {}


# the page rounds to three decimals, the command to five, each by itself
ROUNDED = 0.0005 + 0.000005 + 1e-9


@pytest.mark.long
def test_the_picture_has_each_policy_at_the_figures_that_the_command_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    arguments = ["--front", "--window", "64000", "--report", str(page), "--json"]
    assert main(["replay", str(GREENHOUSE), *arguments]) == 0
    rows = json.loads(capsys.readouterr().out)
    beside = rows[0]["beside"]
    assert [row["preset"] for row in rows] == [*ALL, *(label(value) for value in VALUES if value != "balanced")]
    assert [row["preset"] for row in beside] == [*PEERS]
    assert {row["preset"]: row.get("knob") for row in rows}["balanced"] == 1700
    text = page.read_text(encoding="utf-8")
    for row in (*rows, *beside):
        loop = row["measures"]["closedLoop"]
        says = rf"{re.escape(row['preset'])}: kept (-?\d\.\d{{3}}) at (\d\.\d{{3}}) of the bill of the host alone"
        kept, billed = zip(*re.findall(rf"<title>{says}</title>", text), strict=True)
        assert len(kept) == 2  # over all recordings, and of this one
        assert all(abs(float(shown) - row["measures"]["kept"]["share"]) <= ROUNDED for shown in kept)
        assert all(abs(float(shown) - loop["billedOfOff"]) <= ROUNDED for shown in billed)


def test_without_measures_there_is_no_front(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GREENHOUSE), "--no-measures", "--front"]) == 2
    assert "--front" in capsys.readouterr().err
