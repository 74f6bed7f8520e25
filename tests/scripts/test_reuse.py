"""The command that measures how often replies repeat what stands in a list."""

from pathlib import Path

import pytest

from scripts import reuse

SESSIONS = Path(__file__).parents[1] / "sessions"


def test_it_prints_a_row_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert reuse.main([str(next(SESSIONS.glob("*.jsonl")))]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["age", "arguments", "call", "read", "command", "search"]
