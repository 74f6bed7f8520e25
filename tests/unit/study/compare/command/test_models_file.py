"""`ctxmgr compare --models FILE`: what a user says of his models holds, and what is given goes before it."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.study.compare.sessions import read
from tests.unit.study.compare.command.running import KEEP, Compare, bill, recorded

TWICE = {"input": 6, "output": 30, "cacheRead": 0.6, "cacheWrite": 7.5}


def own(folder: Path, **row: Any) -> Path:
    path = folder / "own.json"
    path.write_text(json.dumps({"models": [row]}))
    return path


def test_a_session_is_billed_by_the_prices_of_its_model(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path, turns=30)
    file = own(tmp_path, id=read(path).model, prices=TWICE)
    usual, twice = bill(compare(path, *KEEP)), bill(compare(path, *KEEP, "--models", file))
    assert twice["cold"] == pytest.approx(2 * usual["cold"], abs=2e-6)
    given = bill(compare(path, *KEEP, "--models", file, "--prices", "3,0.1,1.25,15"))
    assert given["cold"] == usual["cold"]


def test_the_summarising_models_window_is_that_of_the_file(tmp_path: Path, compare: Compare) -> None:
    path, file = recorded(tmp_path), own(tmp_path, id="acme-1", window=50_000)
    model = (
        "--endpoint",
        "http://127.0.0.1:9/v1",
        "--model",
        "acme-1",
        "--models",
        file,
        "--strategy",
        "extractive",
    )
    assert compare(path, *KEEP, *model)["settings"]["contextWindow"] == 50_000
    assert compare(path, *KEEP, *model, "--context-window", "9000")["settings"]["contextWindow"] == 9_000
