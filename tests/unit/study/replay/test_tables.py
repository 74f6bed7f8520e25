"""Figures of outcomes, the verdict, and tables; recorded text that a terminal would obey."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from ctxmgr.cli import main
from ctxmgr.plain_text import safe
from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult, TimelineMark
from ctxmgr.study.figures import Figures
from ctxmgr.study.replay.tables import brief, of_drive, verdict
from tests.unit.study.replay.commands import begun


def call(zone: str, before: int, after: int, seconds: float = 0.001) -> ReplayedCall:
    return ReplayedCall(zone, before, after, dropped=2, distilled=1, pruned=0, packet_tokens=500, seconds=seconds)


def outcome(preset: str = "turns", name: str = "session.jsonl") -> ReplayResult:
    calls = [call("green", 100 * number, 50 * number) for number in range(1, 11)]
    calls += [call("red", 4_000, 1_000, seconds=0.020)]
    marks = [
        TimelineMark("request", 10, "red at 9000 tokens: threshold"),
        TimelineMark("compaction (requested)", 11),
    ]
    done = ReplayResult(name, preset, 20_000, calls=calls, marks=marks, requested=1, compacted=2, own=1)
    done.turn_end_seconds = [0.001, 0.003]
    done.turn_ends = 2
    return done


def drawn(*some: ReplayResult) -> str:
    out = Console(file=io.StringIO(), width=160, no_color=True)
    out.print(brief([json.loads(json.dumps(of_drive(outcome))) for outcome in some]))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_figures_by_zone_and_over_all() -> None:
    made = of_drive(outcome())
    assert list(made["zones"]) == ["green", "red"]
    green, whole = made["zones"]["green"], made["all"]
    assert (green["calls"], green["beforeMean"], green["beforeLargest"]) == (10, 550.0, 1_000)
    assert (green["afterMean"], green["afterLargest"]) == (275.0, 500)
    assert (whole["calls"], whole["beforeLargest"], whole["turnsDropped"]) == (11, 4_000, 2.0)
    assert (whole["p50"], whole["p99"]) == (1.0, 20.0)
    assert made["compactions"] == {"requested": 1, "made": 2, "own": 1, "nothingToCompact": 0}
    assert made["turnEnds"] == {"count": 2, "p50": 3.0, "p99": 3.0}


def test_recorded_text_can_not_drive_the_terminal() -> None:
    bad = outcome(name="a\x1b[31m\x9b2J\u202e[bold]b\r.jsonl")
    bad.failures = ["call 1: \x1b]0;title\x07 [/red]"]
    text = drawn(bad)
    assert not {"\x1b", "\x9b", "\u202e", "\r", "\x07"} & set(text)
    assert "[bold]b" in text
    assert "[/red]" in text
    assert safe("a\nb\tc é 👍") == "a\nb\tc é 👍"
    assert safe("\ud83d") == "\\ud83d"


def row(preset: str, closed: float, part: float, failures: tuple[str, ...] = ()) -> Figures:
    loop = {"closed": closed, "closedOfOff": part, "billedOfOff": part + 0.1, "fetchesIn100": 10 * part}
    recall = {"overall": {"share": 1}, "inPlace": {"share": 0.5 + part / 10}}
    measures = {"closedLoop": loop, "kept": {"share": part}, "recall": recall, "unannouncedBreaks": 2}
    return {"preset": preset, "file": "a.jsonl", "window": 64_000, "measures": measures, "failures": list(failures)}


def test_the_verdict_comes_first_then_a_few_figures_a_policy_and_all_failures() -> None:
    out = io.StringIO()
    drives = [row("balanced", 0.92, 0.736, ("call 3: broken checks",)), row("off", 1.25, 1.0)]
    Console(file=out, width=80, no_color=True).print(brief(drives))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines[:3] == [
        "a.jsonl, window 64,000 tokens",
        "balanced costs 26 % less than off, re-fetches included; 1 failure.",
        "Kept 0.736 (off 1.000), re-fetches in 100 calls 7.4 (off 10.0).",
    ]
    (table_row,) = [line for line in lines if "balanced" in line and "│" in line]
    assert [cell.strip() for cell in table_row.strip("│").split("│")] == [
        *("balanced", "0.92", "0.736", "0.836", "7.4", "2", "0.736", "0.574")
    ]
    assert "balanced: call 3: broken checks" in lines


def test_what_the_verdict_says() -> None:
    for rows, says in (
        ([row("turns", 1.5, 1.2), row("off", 1.25, 1.0)], "turns costs 20 % more than off"),
        ([row("off", 1.25, 1.0)], "off costs $1.25, no failures."),
        ([{**row("turns", 1.5, 1.2), "failures": ["one", "two"]}], "2 failures."),
    ):
        assert says in verdict(rows), rows


@pytest.mark.parametrize("more", [["--no-measures"], ["--probes"]])
def test_it_fits_eighty_columns(more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(begun(tmp_path, 60)), "--preset", "balanced", "--window", "20000", *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    assert any("failure" in line for line in lines[:3])
