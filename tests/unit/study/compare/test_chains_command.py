"""The command compare over chains: each compaction, what is held, and failed checks."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.compare import chains
from tests.unit.engine.trees import raws
from tests.unit.study.compare.chains import turns
from tests.unit.study.compare.command.running import weigh_by_length


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    weigh_by_length(monkeypatch)
    path = tmp_path / "long.jsonl"
    lines = [b'{"type":"session","version":3,"id":"s"}', *raws(*turns(36))]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def run(session: Path, *arguments: str, code: int = 0) -> list[str]:
    out = session.parent / "out"
    window = ("--chain", "--window", "20000", "--keep", "1000")
    assert main(["compare", str(session), *window, "--out", str(out), *arguments]) == code
    return [str(out), *window]


def figures(session: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    run(session, "--json", *arguments)
    row: dict[str, Any] = json.loads(capsys.readouterr().out)["rows"][0]
    return row


def test_the_command_shows_each_compaction(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(session)
    shown = capsys.readouterr().out
    for text in ("Compacted above 3,616 tokens", "each compaction", "largest", "memory probes", "closed"):
        assert text in shown
    row = figures(session, capsys)
    assert row["reused"]
    chain = row["chain"]
    assert len(chain["passes"]) > 5
    assert row["replacedTokens"] == sum(compaction["removed"] for compaction in chain["passes"])
    loop = chain["loop"]
    assert loop["calls"] == 72
    assert 0 < loop["billed"] <= loop["closed"]
    table = (session.parent / "out" / "chains-20000.md").read_text()
    assert "| long.jsonl | extractive | structured | 1 |" in table


def test_closed_loop_cost_of_a_chain_is_at_any_price_sheet(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = figures(session, capsys)["chain"]["loop"]
    twice = figures(session, capsys, "--prices", "6,0.1,1.25,30")["chain"]["loop"]
    tiered = figures(session, capsys, "--prices", "3,0.1,1.25,15,0:2")["chain"]["loop"]
    for name in ("billed", "closed", "all"):
        assert twice[name] == pytest.approx(2 * usual[name], abs=0.001)
        assert tiered[name] == twice[name]
    assert twice["fetches"] == usual["fetches"]
    bare = figures(session, capsys, "--overhead", "0")["chain"]["loop"]
    assert usual["billed"] - bare["billed"] == pytest.approx(72 * 5_000 * 0.3 / 1e6, abs=0.001)
    assert figures(session, capsys)["reused"]


def test_the_floor_stands_below_the_bill_of_each_chain(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain = figures(session, capsys)["chain"]
    assert 0 < chain["floor"] < chain["loop"]["billed"]
    assert "floor $" in (session.parent / "out" / "chains-20000.md").read_text()


def test_a_failed_check_is_loud_and_is_not_taken_for_a_result(
    session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chains, "uncovered", lambda path, prepared: (3,))
    run(session, code=1)
    assert "FAILED: extractive, structured: compaction 1 leaves e4 to nobody" in capsys.readouterr().out
    monkeypatch.undo()
    weigh_by_length(monkeypatch)
    assert not figures(session, capsys)["reused"]


def test_a_session_that_never_fills_the_window_is_said(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(session), "--chain", "--out", str(session.parent / "out"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["chain"]["passes"] == []
    assert row["chain"]["window"] == 200_000
    assert row["probes"] is None
    assert row["chain"]["loop"] is None
