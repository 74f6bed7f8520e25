"""What `scripts/demo` shows: once with the real sidecar, else with outcomes made up here."""

import importlib.util
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult, TimelineMark
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
        figures(Measures((), showing.MessageCache(showing.message_cache.reader()), showing.PriceSheet()), None),
    )


def told(off: Any, ours: Any) -> str:
    console = Console(width=showing.WIDTH, file=io.StringIO(), highlight=False)
    showing.show(console, off, ours)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


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


@pytest.mark.parametrize(
    "part",
    [
        "an agent's session of 267 entries",
        "1 price",  # an epoch is marked in the table of growth
        "so changing costs",  # and its sum is told
        "compaction (own)",  # what the host was forced to without ctxmgr
        "billed input, dollars",
        "lines an edit replaced that it saw",
        "the user's messages, word for word",
        "ctxmgr replay tests/sessions/greenhouse.jsonl",
        "--report page.html",
    ],
)
def test_the_demo_shows(shown_once: tuple[int, str], part: str) -> None:
    assert part in shown_once[1]


def test_a_failed_check_is_said_and_is_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = run("off", [10, 20]), run("balanced", [10, 12], failures=["call 1: a pair was [parted]"])
    monkeypatch.setattr(showing, "gone_through", lambda *given: runs)
    assert showing.main([]) == 1
    assert "failed: call 1: a pair was [parted]" in capsys.readouterr().out


def test_each_epoch_is_found_in_what_was_told_of_it() -> None:
    outcome = run("balanced", [1], arithmetic=["call 2, epoch 1: cold: 9 tokens: so", "call 30, epoch 2: price: x"])
    assert [(one.call, one.epoch, one.why, one.sum) for one in showing.opened(outcome.outcome)] == [
        (2, 1, "cold", "9 tokens: so"),
        (30, 2, "price", "x"),
    ]


@pytest.mark.parametrize(
    ("count", "changes", "expected"),
    [
        (0, [], []),
        (1, [0], [0]),
        (5, [], [0, 1, 2, 3, 4]),
        (40, [], [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 39]),
        (40, [10, 40], [0, 4, 8, 9, 10, 12, 16, 20, 24, 28, 32, 36, 39]),
    ],
)
def test_the_calls_shown_are_a_few_and_those_that_change(
    count: int, changes: list[int], expected: list[int]
) -> None:
    assert showing.shown(count, changes) == expected


def test_the_first_sum_of_each_kind_is_shown() -> None:
    sums = ["call 2, epoch 1: price: first", "call 3, epoch 2: price: second", "call 4, epoch 3: red: third"]
    text = told(run("off", [9] * 5), run("balanced", [9] * 5, arithmetic=sums))
    assert "price, 2 x" in text
    assert "call 2: first" in text
    assert "call 3: second" not in text
    assert "call 4: third" in text


def test_a_session_without_epochs_says_so() -> None:
    text = told(run("off", [9]), run("balanced", [9], marks=[TimelineMark("request", 1, "red at 9 tokens")]))
    assert "No epoch was opened" in text
    assert "after call   1  request  red at 9 tokens" in text


def test_a_long_packet_is_cut_in_lines_and_in_width() -> None:
    packet = "\n".join(f"line {number} {'x' * 100}" for number in range(40))
    text = told(run("off", [9]), run("balanced", [9], packet=packet))
    assert f"{showing.PACKET_LINES} of 40 lines" in text
    assert f"line {showing.PACKET_LINES - 1} " in text
    assert f"line {showing.PACKET_LINES} " not in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_server_that_never_answered_is_a_failure_and_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = run("off", [], failures=["call 0: it did not start"]), run("balanced", [])
    monkeypatch.setattr(showing, "gone_through", lambda *given: runs)
    assert showing.main([]) == 1
    assert "it did not start" in capsys.readouterr().out
