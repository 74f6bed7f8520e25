"""Figures and tables of outcomes; recorded text that a terminal would obey."""

import io
import json

from rich.console import Console

from ctxmgr.plain_text import safe
from ctxmgr.study.driving.outcomes import ReplayedCall, ReplayResult, TimelineMark
from ctxmgr.study.replay.tables import figures, percentile, tables


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
    out.print(tables([json.loads(json.dumps(figures(one))) for one in some]))
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_figures_by_zone_and_over_all() -> None:
    made = figures(outcome())
    assert list(made["zones"]) == ["green", "red"]
    green, whole = made["zones"]["green"], made["all"]
    assert (green["calls"], green["beforeMean"], green["beforeLargest"]) == (10, 550.0, 1_000)
    assert (green["afterMean"], green["afterLargest"]) == (275.0, 500)
    assert (whole["calls"], whole["beforeLargest"], whole["turnsDropped"]) == (11, 4_000, 2.0)
    assert (whole["p50"], whole["p99"]) == (1.0, 20.0)
    assert made["compactions"] == {"requested": 1, "made": 2, "own": 1, "nothingToCompact": 0}
    assert made["turnEnds"] == {"count": 2, "p50": 3.0, "p99": 3.0}
    assert len(made["growth"]) == 10
    assert sum(part["calls"] for part in made["growth"]) == 11


def test_an_outcome_without_a_call_has_figures_and_a_table() -> None:
    empty = ReplayResult("broken.jsonl", "turns", 20_000, failures=["call 0: Gone: the server ended"])
    assert figures(empty)["all"]["calls"] == 0
    text = drawn(empty)
    assert "FAILED" in text
    assert "the server ended" in text


def test_presets_stand_side_by_side() -> None:
    text = drawn(outcome("turns"), outcome("off"))
    rows = [line for line in text.splitlines() if "4,000" in line and "red" in line]
    assert [row.split("│")[1].strip() for row in rows] == ["turns", "off"]
    assert "red at 9000 tokens: threshold" in text


def test_percentiles() -> None:
    assert percentile([], 0.5) == 0
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(100)), 0.99) == 99


def test_recorded_text_can_not_drive_the_terminal() -> None:
    bad = outcome(name="a\x1b[31m\x9b2J\u202e[bold]b\r.jsonl")
    bad.failures = ["call 1: \x1b]0;title\x07 [/red]"]
    text = drawn(bad)
    assert not {"\x1b", "\x9b", "\u202e", "\r", "\x07"} & set(text)
    assert "[bold]b" in text
    assert "[/red]" in text
    assert safe("a\nb\tc é 👍") == "a\nb\tc é 👍"
    assert safe("\ud83d") == "\\ud83d"
