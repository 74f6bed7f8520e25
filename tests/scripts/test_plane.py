"""Policies over recordings in one table, by the figures of `ctxmgr replay`; what `off` comes to is kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main as command
from scripts import plane
from tests.unit.study.corpus.made import begun

WINDOW = "20000"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two sessions, left early."""
    folder = tmp_path_factory.mktemp("begun")
    return [str(begun(name, folder, 70)) for name in ("ledger", "allotment")]


def rows(*arguments: str, to: Path) -> dict[str, Any]:
    assert plane.main([*arguments, "--window", WINDOW, "--json", str(to)]) == 0
    return {one["policy"]: one for one in json.loads(to.read_text())["rows"]}


def test_a_row_has_the_figures_of_replay(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = rows(*files, "--policy", "turns", "--policy", "masking-5", "--least", "0", to=tmp_path / "rows.json")
    table = capsys.readouterr().out
    assert command(["replay", *files, "--preset", "turns", "--peers", "--window", WINDOW, "--json"]) == 0
    over = json.loads(capsys.readouterr().out)[-1]["totals"]
    for name in ("turns", "masking-5", "off"):
        (theirs,) = [one for one in over if one["preset"] == name]
        mine = made[name]
        assert (mine["recordings"], mine["failures"], mine["window"]) == (2, 0, int(WINDOW))
        pairs = {"kept": "kept", "place": "inPlace", "ground": "grounding", "fetchesIn100": "fetchesIn100"}
        assert all(mine[one] == theirs[other] for one, other in pairs.items())
        for kind in ("billed", "closed"):
            assert mine[kind] == pytest.approx(theirs["together"][kind], abs=1e-4)
        assert mine["meanKept"] == pytest.approx(theirs["mean"]["kept"], abs=1e-4)
        assert mine["worstKept"] == pytest.approx(theirs["worstKept"], abs=1e-4)
        assert f"{mine['kept']:.3f}" in table


def test_what_off_and_peers_come_to_is_kept_and_not_driven_again(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (files[0], "--policy", "masking-5", "--least", "0", "--base", str(tmp_path / "base"))
    first = rows(*arguments, to=tmp_path / "first.json")
    monkeypatch.delattr(plane, "drive")
    monkeypatch.delattr(plane, "peers")
    assert rows(*arguments, to=tmp_path / "again.json") == first
