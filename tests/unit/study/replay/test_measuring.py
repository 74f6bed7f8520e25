"""What stands beside the presets: measured as they are, and reached by `ctxmgr replay`."""

from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.closed_loop import PriceSheet
from ctxmgr.study.driving import ReplayOptions, ReplayResult, peers
from ctxmgr.study.observations import Observation
from ctxmgr.study.probes.timeline import Timeline
from ctxmgr.study.probes.timeline import of as course_of
from ctxmgr.study.recordings import readers
from ctxmgr.study.recordings.recording import Recording, Stream
from ctxmgr.study.replay import tables
from ctxmgr.study.replay.tables import ReplayFigures
from tests.unit.study.replay.commands import GREENHOUSE, begun


@pytest.fixture(scope="module")
def recorded() -> Recording:
    recording = readers.read(readers.source(GREENHOUSE))
    assert isinstance(recording, Recording)
    return recording


def newest(course: Timeline, share: int) -> list[Observation]:
    """A preset that shows the newest part of the messages, without a packet."""
    return [
        Observation(
            call.time_ms,
            course.items[: call.end_index],
            course.wholes[call.end_index - call.end_index // share : call.end_index],
            course.items[call.end_index],
        )
        for call in course.calls
    ]


@pytest.fixture(scope="module")
def worked(recorded: Recording) -> ReplayFigures:
    course = course_of(recorded)
    outcomes = [
        ReplayResult("greenhouse", name, 60_000, observations=newest(course, share))
        for name, share in PRESETS.items()
    ]
    return tables.work(recorded, outcomes, PriceSheet(), [masked(recorded)])


PRESETS = {"turns": 2, "off": 1}


def masked(recorded: Recording) -> ReplayResult:
    return peers.driven(recorded, "masking-5", ReplayOptions(window=200_000))


def test_each_is_measured_beside_off(worked: ReplayFigures) -> None:
    assert [line.name for line in worked.sheet.lines] == ["turns", "off", "masking-5"]
    assert [row["preset"] for row in worked.beside] == ["masking-5"]
    assert worked.figures[1]["ofOff"] == 1
    assert worked.figures[0]["ofOff"] > 1  # its lists change at their start all the time
    for one in (one["measures"] for one in worked.beside):
        assert 0 < one["ofOff"] < 1
        assert 0 < one["recall"]["overall"]["share"] < 1
    assert worked.beside[0]["measures"]["unannouncedBreaks"] == 0


def test_lines_hold_what_was_measured(worked: ReplayFigures) -> None:
    peer = worked.sheet.lines[2]
    figures = worked.beside[0]["measures"]
    assert peer.simulated
    assert peer.figures is figures
    assert sum(peer.call_costs) == pytest.approx(figures["money"], abs=1e-4)
    assert len(peer.epochs) == figures["epochs"]
    assert max(peer.context) == figures["sentLargest"]


def test_a_stream_has_nothing_beside_it(recorded: Recording) -> None:
    course = course_of(recorded)
    stream = Stream("s", "s", "m", ())
    worked = tables.work(stream, [ReplayResult("s", "off", 1, observations=newest(course, 1))], PriceSheet(), [])
    assert worked.beside == ()
    assert worked.floor_figures["money"] > 0
    assert [line.name for line in worked.sheet.lines] == ["off"]


def test_a_file_that_can_not_be_written_is_refused_before_anything_is_driven(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in (
        ["--report", str(tmp_path)],
        ["--report", str(tmp_path / "none" / "x.html")],
        ["--probes", "--probes-failed", str(tmp_path / "none" / "x.jsonl")],
    ):
        assert main(["replay", str(begun(tmp_path, 2)), "--preset", "off", *options]) == 2, options
        shown = capsys.readouterr()
        assert ("cannot be written: " in shown.err, shown.out) == (True, ""), options


def test_a_full_disk_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(begun(tmp_path, 2)), "--preset", "off", "--report", "/dev/full"]) == 1
    assert "a file cannot be written: No space left" in capsys.readouterr().err


def test_nothing_is_shown_of_what_is_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--peers"], ["--report", "x.html"], ["--front"], ["--probes"]):
        assert main(["replay", str(GREENHOUSE), "--no-measures", *option]) == 2, option
        assert "need the measures" in capsys.readouterr().err
