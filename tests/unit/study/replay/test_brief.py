"""What a replay says first: a verdict, seven figures, eighty columns."""

import io
from typing import Any

import pytest
from rich.console import Console

from ctxmgr.cli import main
from ctxmgr.study.figures import Figures
from ctxmgr.study.replay.brief import brief, together, verdict
from tests.unit.study.replay.commands import GREENHOUSE


def row(preset: str, closed: float, part: float, failures: tuple[str, ...] = ()) -> Figures:
    loop = {"closed": closed, "closedOfOff": part, "billedOfOff": part + 0.1, "fetchesIn100": 10 * part}
    recall = {"overall": {"share": 1}, "inPlace": {"share": 0.5 + part / 10}}
    measures = {"closedLoop": loop, "kept": {"share": part}, "recall": recall, "unannouncedBreaks": 2}
    return {"preset": preset, "file": "a.jsonl", "window": 64_000, "measures": measures, "failures": list(failures)}


def drawn(some: Any) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=80, no_color=True).print(some)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_verdict_comes_first_then_seven_figures_a_policy() -> None:
    lines = drawn(brief([row("balanced", 0.92, 0.736), row("off", 1.25, 1.0)]))
    assert lines[:3] == [
        "a.jsonl, window 64,000 tokens",
        "balanced costs 26 % less than off, with what is fetched again; nothing failed.",
        "Kept 0.736 against 1.000, re-fetches in 100 calls 7.4 against 10.0.",
    ]
    (found,) = [line for line in lines if "balanced" in line and "│" in line]
    assert [cell.strip() for cell in found.strip("│").split("│")] == [
        *("balanced", "0.92", "0.736", "0.836", "0.736", "0.574", "7.4", "2"),
    ]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([row("turns", 1.5, 1.2), row("off", 1.25, 1.0)], "turns costs 20 % more than off"),
        ([row("off", 1.25, 1.0)], "off costs $1.25, nothing failed."),
        ([{**row("turns", 1.5, 1.2), "failures": ["one", "two"]}], "2 failures."),
    ],
)
def test_what_the_verdict_says(rows: list[Figures], says: str) -> None:
    assert says in verdict(rows)


def test_failures_are_all_there() -> None:
    lines = drawn(brief([row("balanced", 0.92, 0.736, ("call 3: broken checks",)), row("off", 1.25, 1.0)]))
    assert "balanced: call 3: broken checks" in lines
    assert "1 failures" in " ".join(lines)


def test_recordings_together_have_kept_pooled_its_mean_and_its_worst_and_no_row_of_the_floor() -> None:
    share = {"billed": 0.5, "closed": 0.6}
    mine = {"preset": "balanced", "recordings": 2, "together": share, "fetchesIn100": 4.0, "inPlace": 0.9}
    mine |= {"kept": 0.81, "mean": {"kept": 0.82}, "worstKept": 0.73}
    lines = drawn(together([mine, {"preset": "floor", "recordings": 2, "together": share}]))
    (found,) = [line for line in lines if "balanced" in line]
    assert [cell.strip() for cell in found.strip("│").split("│")] == [
        *("balanced", "2", "0.500", "0.600", "0.810", "0.820", "0.730", "0.900", "4.0"),
    ]
    assert not any("floor" in line for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("more", [[], ["--no-measures"], ["--probes"]])
def test_it_fits_eighty_columns(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GREENHOUSE), "--preset", "balanced", "--window", "64000", *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    assert any("failed" in line for line in lines[:3])
