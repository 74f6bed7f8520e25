"""Compare as a user calls it, weighing by length: no vocabulary is loaded."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from tests.unit.study.compare.command.running import Compare, weigh_by_length


@pytest.fixture(autouse=True)
def _weighed_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    weigh_by_length(monkeypatch)


@pytest.fixture
def compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Compare:
    """Runs the command with --json; its figures and its exit code."""

    def run(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        assert main(["compare", *map(str, arguments), "--out", str(tmp_path / "out"), "--json"]) == code
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    return run
