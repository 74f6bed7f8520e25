"""The front: presets, what stands beside them, and one preset along its knob."""

import json
import re
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.study.baselines import PEERS
from ctxmgr.study.replay.front import ALL, VALUES, Front, label
from tests.unit.study.replay.commands import GREENHOUSE


def test_each_value_of_the_knob_is_driven_once() -> None:
    whole = Front(ALL, True, (), {})
    assert whole.driven == [value for value in VALUES if value != 0.5]  # balanced itself has the middle
    assert whole.knobs == {"balanced": 0.5, **{label(value): value for value in whole.driven}}
    assert Front([None], True, (), {}).driven == list(VALUES)
    assert Front(["balanced"], False, (0.25, 0.25, 0.9), {"costVersusRecall": 0.9}).knobs == {
        "balanced": 0.9,
        "balanced 0.25": 0.25,
    }
    assert Front(["balanced"], False, (), {}).knobs == {}
    assert whole.figures("balanced 0.6") == {"knob": 0.6}
    assert whole.figures("off") == {}


# the page rounds to three decimals, the command to five, each by itself
ROUNDED = 0.0005 + 0.000005 + 1e-9


def test_the_picture_has_each_policy_at_the_figures_that_the_command_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main(["replay", str(GREENHOUSE), "--front", "--window", "64000", "--report", str(page), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    beside = rows[0]["beside"]
    assert [one["preset"] for one in rows] == [*ALL, *(label(value) for value in VALUES if value != 0.5)]
    assert [one["preset"] for one in beside] == [*PEERS, "clairvoyant"]
    assert {one["preset"]: one.get("knob") for one in rows}["balanced"] == 0.5
    text = page.read_text(encoding="utf-8")
    for one in (*rows, *beside):
        loop = one["measures"]["closedLoop"]
        says = rf"{re.escape(one['preset'])}: kept (-?\d\.\d{{3}}) at (\d\.\d{{3}}) of the bill of the host alone"
        kept, billed = zip(*re.findall(rf"<title>{says}</title>", text), strict=True)
        assert len(kept) == 2  # over all recordings, and of this one
        assert all(abs(float(shown) - one["measures"]["kept"]["share"]) <= ROUNDED for shown in kept)
        assert all(abs(float(shown) - loop["billedOfOff"]) <= ROUNDED for shown in billed)


@pytest.mark.parametrize("option", [["--front"], ["--knob", "0.3"]])
def test_a_knob_that_counts_for_nothing_is_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GREENHOUSE), "--policy", "oldTokens=500", *option]) == 2
    assert "oldTokens goes before the knob" in capsys.readouterr().err


def test_without_measures_there_is_no_front(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GREENHOUSE), "--no-measures", "--front"]) == 2
    assert "--front" in capsys.readouterr().err
