"""What `balanced`, `turns` and summaries come to on the project's own recordings stays within margins of what was
written down.

`figures.json` has the figures of the last change that meant to move them; CTXMGR_GOLDENS=write writes them anew.
Nothing is left to chance: the same program comes to the same figures. The margins let a change in that no user
would see, and are measured by scatter: the same sessions at windows, and cut at sizes, up to 5 % smaller and
larger, where nothing about the policy is different (standard deviations of 7).

A run alone is held by about its worst scatter (cost, billed, closed .08, recall .016, far .08, place .045, ground
.05, of a kind of probe .25): it shows a kind of session that breaks. A mean is held by less than its own (cost
.015, closed .015, recall .002, far .013, place .006, ground .006, kinds up to .03): it shows a weight that has
changed. Better by more than a margin fails as well, so that it is seen and written down.
"""

import json
import os
from functools import cache
from pathlib import Path

import pytest

from ctxmgr.study.driving.drive import drive as drive_spawned
from ctxmgr.study.driving.outcomes import ReplayOptions
from ctxmgr.study.replay.command import RECORDED
from tests.outcome.measuring import (
    MODELS,
    NAMES,
    RUNS,
    SESSIONS,
    Figures,
    PriceSheet,
    Run,
    drive,
    figures,
    means,
    recording,
)
from tests.outcome.summaries import SUMMARY_RUNS, SummaryRun, summary_figures

WRITTEN_PATH = Path(__file__).with_name("figures.json")
WRITTEN: dict[str, Figures] = json.loads(WRITTEN_PATH.read_text(encoding="utf-8"))
PROBE = "probe"
OF_A_RUN = {
    "cost": 0.08,
    "billed": 0.08,
    "closed": 0.08,
    "recall": 0.016,
    "far": 0.08,
    "place": 0.04,
    "ground": 0.05,
    PROBE: 0.25,
}
OF_THE_MEAN = {
    "cost": 0.01,
    "billed": 0.01,
    "closed": 0.01,
    "recall": 0.003,
    "far": 0.008,
    "place": 0.005,
    "ground": 0.006,
    PROBE: 0.02,
}


@cache
def came_to(run: Run | SummaryRun) -> Figures:
    return figures(run) if isinstance(run, Run) else summary_figures(run)


def beyond(found: Figures, written: Figures, margins: Figures) -> dict[str, str]:
    """What is farther from what was written down than its margin."""
    assert found.keys() == written.keys()
    limits = {name: margins[PROBE if name.startswith(PROBE) else name] for name in found}
    return {
        name: f"{value:.4f}, was {written[name]:.4f}, margin {limits[name]}"
        for name, value in found.items()
        if abs(value - written[name]) > limits[name]
    }


def test_there_are_three_kinds_of_session() -> None:
    assert {path.stem for path in SESSIONS.glob("*.jsonl")} == set(NAMES)
    assert len(NAMES) >= 3


@pytest.fixture(scope="module", autouse=True)
def _written_anew() -> None:
    if os.environ.get("CTXMGR_GOLDENS") == "write":
        for run in (*RUNS, *SUMMARY_RUNS):
            WRITTEN[run.label] = {name: round(value, 5) for name, value in came_to(run).items()}
        WRITTEN_PATH.write_text(json.dumps(WRITTEN, indent=1) + "\n", encoding="utf-8")


@pytest.mark.parametrize("run", [*RUNS, *SUMMARY_RUNS], ids=lambda run: run.label.replace(" ", "-"))
def test_a_session(run: Run | SummaryRun) -> None:
    assert beyond(came_to(run), WRITTEN[run.label], OF_A_RUN) == {}


@pytest.mark.parametrize("preset", ["balanced", "turns"])
def test_all_sessions_together(preset: str) -> None:
    some = [run for run in RUNS if run.preset == preset]
    written = means([WRITTEN[run.label] for run in some])
    assert beyond(means([came_to(run) for run in some]), written, OF_THE_MEAN) == {}


def test_all_summaries_together() -> None:
    written = means([WRITTEN[run.label] for run in SUMMARY_RUNS])
    assert beyond(means([came_to(run) for run in SUMMARY_RUNS]), written, OF_THE_MEAN) == {}


def test_nothing_is_written_down_that_is_not_measured() -> None:
    assert WRITTEN.keys() == {run.label for run in (*RUNS, *SUMMARY_RUNS)}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_cheaper_than_the_host_alone_or_at_most_a_fiftieth_dearer(name: str) -> None:
    some = [came_to(run) for run in RUNS if run.session == name and run.preset == "balanced"]
    for measure in ("cost", "closed"):
        assert max(one[measure] for one in some) <= 1.02
        assert sum(one[measure] for one in some) < len(some)


def test_each_session_has_an_epoch() -> None:
    for name in NAMES:
        assert max(sight.epoch_number for sight in drive(Run(name, 64_000)).observations) > 0


def test_what_is_beyond_a_margin_is_told() -> None:
    written = {**dict.fromkeys((name for name in OF_A_RUN if name != PROBE), 0.5), "probe goal": 0.5}
    assert beyond(written, written, OF_A_RUN) == {}
    for name in written:
        margin = OF_A_RUN[name.partition(" ")[0]]
        assert list(beyond({**written, name: 0.5 + margin + 0.01}, written, OF_A_RUN)) == [name]
        assert list(beyond({**written, name: 0.5 - margin - 0.01}, written, OF_A_RUN)) == [name]


def test_it_is_what_a_spawned_process_comes_to(tmp_path: Path) -> None:
    """The measuring in this process is the one of `ctxmgr replay`: the same answers, byte for byte."""
    prices = MODELS[RECORDED].policy(PriceSheet().prices)
    record = tmp_path / "t.jsonl"
    options = ReplayOptions("balanced", 64_000, append=True, state_dir=tmp_path, record=record, policy=prices)
    spawned = drive_spawned(recording("ledger"), options)
    assert spawned.failures == []
    assert drive(Run("ledger", 64_000, host=RECORDED)).fingerprint == spawned.fingerprint
