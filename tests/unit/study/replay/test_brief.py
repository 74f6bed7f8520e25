"""What a replay says first: a verdict, six figures, eighty columns."""

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
    measures = {"closedLoop": loop, "recall": {"overall": {"share": 0.5 + part / 10}}, "unannouncedBreaks": 2}
    return {"preset": preset, "file": "a.jsonl", "window": 64_000, "measures": measures, "failures": list(failures)}


def drawn(some: Any) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=80, no_color=True).print(some)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_verdict_comes_first_then_six_figures_a_policy() -> None:
    lines = drawn(brief([row("balanced", 0.92, 0.736), row("off", 1.25, 1.0)]))
    assert lines[:3] == [
        "a.jsonl, window 64,000 tokens",
        "balanced costs 26 % less than off, with what is fetched again; nothing failed.",
        "Recall 0.574 against 0.600, re-fetches in 100 calls 7.4 against 10.0.",
    ]
    (found,) = [line for line in lines if "balanced" in line and "│" in line]
    assert [cell.strip() for cell in found.strip("│").split("│")] == [
        *("balanced", "0.92", "0.736", "0.836", "7.4", "0.574", "2"),
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


def test_means_leave_out_the_rows_of_long_recordings_alone() -> None:
    mean = {
        "preset": "balanced",
        "recordings": 2,
        "closedOfOff": 0.8,
        "billedOfOff": None,
        "fetchesIn100": 4.0,
        "recall": 0.9,
    }
    lines = drawn(together([{**mean, "fromTokens": 100_000}, {**mean, "fromTokens": 0}]))
    assert sum("balanced" in line for line in lines) == 1


@pytest.mark.parametrize("more", [[], ["--no-measures"], ["--probes"]])
def test_it_fits_eighty_columns(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GREENHOUSE), "--preset", "balanced", "--window", "64000", *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 80
    assert any("failed" in line for line in lines[:3])
