"""What `ctxmgr demo` shows: once with the real sidecar, else with outcomes made up here."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ctxmgr.cli import main
from ctxmgr.study import demo as command
from ctxmgr.study.demo import Stretch
from ctxmgr.study.driving import ReplayedCall, ReplayResult
from ctxmgr.study.figures import Measures, figures
from ctxmgr.study.observations import MessageCache, PriceSheet, message_reader

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[4]
FIGURES = json.loads((ROOT / "tests" / "outcome" / "figures.json").read_text(encoding="utf-8"))
Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def shown_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str]:
    """The exit code and the text of the whole demo, with a real process."""
    patch = pytest.MonkeyPatch()
    told = tmp_path_factory.mktemp("demo") / "out.txt"
    with told.open("w", encoding="utf-8") as out, patch.context() as within:
        within.setattr("sys.stdout", out)
        code = main(["demo"])
    return code, told.read_text(encoding="utf-8")


def test_the_demo_ends_well_and_fits_a_terminal(shown_once: tuple[int, str]) -> None:
    code, text = shown_once
    assert code == 0
    assert [line for line in text.splitlines() if len(line) > command.WIDTH] == []


def test_it_shows_a_list_before_and_after_and_what_stands_there_now(shown_once: tuple[int, str]) -> None:
    text = shown_once[1]
    for part in (
        "  kept  ",
        "  removed  ",
        "  shortened  ",
        "  packet  ",
        "this is sent (its count, with ~, is a faster estimate):\n  [output pruned",
        "[ctxmgr packet]",
    ):
        assert part in text, part


def test_its_bill_is_the_one_that_the_proof_shows(shown_once: tuple[int, str]) -> None:
    held = FIGURES["greenhouse 64000 balanced modelled"]
    (billed,) = (line for line in shown_once[1].splitlines() if "input, dollars" in line)
    (closed,) = (line for line in shown_once[1].splitlines() if "has to read again" in line)
    assert billed.rstrip().endswith(f"({held['billed']:.0%})")
    assert closed.rstrip().endswith(f"({held['closed']:.0%})")


@pytest.mark.parametrize(
    ("found", "has_proxy", "installs"),
    [(None, True, True), ("/bin/ctxmgr", False, True), ("/bin/ctxmgr", True, False)],
)
def test_what_to_do_next_works_as_it_is_printed(
    found: str | None, has_proxy: bool, installs: bool, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    """It begins with README's lines that install ctxmgr if the commands would not work."""
    monkeypatch.setattr(command.shutil, "which", lambda name: found)
    monkeypatch.setattr(command, "is_installed", lambda name: has_proxy)
    monkeypatch.chdir(ROOT)
    command._next(Console(width=command.WIDTH, highlight=False))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    readme = [line.partition("  #")[0].strip() for line in (ROOT / "README.md").read_text().splitlines()]
    wanted = [line for line in lines if line.startswith(("python3 ", "~", "export "))]
    assert len(wanted) == (3 if installs else 0)
    assert set(wanted) <= set(readme)
    assert [line.split()[:2] for line in lines if line.startswith("ctxmgr ")] == [
        ["ctxmgr", "savings"],
        ["ctxmgr", "run"],
    ]


def call(after: int) -> ReplayedCall:
    return ReplayedCall("green", after, after, dropped=0, distilled=0, pruned=0, packet_tokens=0, seconds=0.001)


def made(name: str, sizes: Sequence[int], **more: Any) -> command.Run:
    outcome = ReplayResult("made-up.jsonl", name, 100_000, calls=[call(size) for size in sizes], **more)
    measures = Measures((), MessageCache(message_reader()), PriceSheet())
    return command.Run(outcome, figures(measures, measures))


def test_a_failed_check_is_shown_and_is_the_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    runs = made("off", [10, 20]), made("balanced", [10, 12], failures=["call 1: a pair was [parted]"])
    monkeypatch.setattr(command, "replayed", lambda *given: runs)
    assert main(["demo"]) == 1
    out = capsys.readouterr().out
    assert "failed: call 1: a pair was [parted]" in out
    assert "Nothing was removed" in out


def test_a_long_list_shows_its_start_its_end_and_the_packet() -> None:
    rows = [Stretch("kept", n, n, "", 1, 1) for n in range(1, 41)]
    rows.insert(20, Stretch("packet", 0, 0, "", 0, 1))
    shown = command.shown(rows, 6)
    assert [row if isinstance(row, str) else row.first for row in shown] == [
        1,
        2,
        "18 more: 18 kept",
        0,
        "16 more: 16 kept",
        37,
        38,
        39,
        40,
    ]
    assert command.shown(rows[:6], 6) == rows[:6]


def test_a_long_text_is_cut_and_says_by_how_much() -> None:
    assert command.excerpt("a\n\nb\nc", 3) == ["a", "b", "c"]
    assert command.excerpt("a\n\nb\nc\nd", 3) == ["a", "b", "... 2 more lines"]


def test_a_window_that_holds_no_step_of_the_session_is_refused(capsys: Said) -> None:
    assert main(["demo", "--window", "8k"]) == 2
    assert "this session needs at least 16,000 tokens" in capsys.readouterr().err
