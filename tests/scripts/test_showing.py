"""What `scripts/demo` shows: once with the real sidecar, else with outcomes made up here."""

import importlib.util
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult
from ctxmgr.study.figures import Measures, figures

ROOT = Path(__file__).parents[2]


def _loaded() -> ModuleType:
    found = importlib.util.spec_from_file_location("showing", ROOT / "scripts" / "showing.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["showing"] = module
    found.loader.exec_module(module)
    return module


showing = _loaded()


def call(after: int, zone: str = "green") -> ReplayedCall:
    return ReplayedCall(
        zone=zone,
        before_tokens=after,
        after_tokens=after,
        dropped=0,
        distilled=0,
        pruned=0,
        packet_tokens=0,
        seconds=0.001,
    )


def run(name: str, sizes: Sequence[int], **more: Any) -> Any:
    outcome = ReplayResult("made-up.jsonl", name, 100_000, calls=[call(size) for size in sizes], **more)
    return showing.Run(
        outcome,
        figures(Measures((), showing.MessageCache(showing.message_reader()), showing.PriceSheet()), None),
    )


@pytest.fixture(scope="module")
def shown_once() -> tuple[int, str]:
    """The exit code and the text of the whole demo, with a real process."""
    told = io.StringIO()
    old, sys.stdout = sys.stdout, told
    try:
        return showing.main([]), told.getvalue()
    finally:
        sys.stdout = old


def test_the_demo_ends_well_and_fits_a_terminal(shown_once: tuple[int, str]) -> None:
    code, text = shown_once
    assert code == 0
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_the_demo_shows(shown_once: tuple[int, str]) -> None:
    for part in [
        "an agent's session of 267 entries",
        "5 price",  # an epoch is marked in the table of growth
        "so changing costs",  # and its sum is told
        "compaction (own)",  # what the host was forced to without ctxmgr
        "billed input, dollars",
        "lines an edit replaced that it saw",
        "the user's messages, word for word",
        "ctxmgr replay tests/sessions/greenhouse.jsonl",
        "--report page.html",
    ]:
        assert part in shown_once[1], part


def test_a_failed_check_is_said_and_is_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = run("off", [10, 20]), run("balanced", [10, 12], failures=["call 1: a pair was [parted]"])
    monkeypatch.setattr(showing, "gone_through", lambda *given: runs)
    assert showing.main([]) == 1
    assert "failed: call 1: a pair was [parted]" in capsys.readouterr().out


def test_a_server_that_never_answered_is_a_failure_and_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = run("off", [], failures=["call 0: it did not start"]), run("balanced", [])
    monkeypatch.setattr(showing, "gone_through", lambda *given: runs)
    assert showing.main([]) == 1
    assert "it did not start" in capsys.readouterr().out
