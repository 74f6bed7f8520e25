"""`ctxmgr corpus`, as a user calls it. Tasks run here, one after the other, where a test is not of a cluster."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.corpus import estimates, progress, running
from ctxmgr.study.corpus.listing import DENSE_BYTES, TaskTotals
from ctxmgr.study.corpus.reports.reporting import report
from ctxmgr.study.corpus.running import SchedulerLost
from ctxmgr.study.corpus.tasks import CorpusTask
from tests.unit.study.corpus.made import asked, corpus, invented


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[CorpusTask]:
    """What was computed, in a cluster of this thread."""
    some: list[CorpusTask] = []

    @contextlib.contextmanager
    def client(*given: Any) -> Iterator[None]:
        yield None

    def run(client: None, tasks: Iterable[CorpusTask], took: Callable[[bytes], None]) -> None:
        for task in tasks:
            some.append(task)
            took(invented(task, closed_dollars=1.0, call_count=5))

    monkeypatch.setattr(running, "local_client", client)
    monkeypatch.setattr(running, "run", run)
    monkeypatch.setattr(running, "thread_count", lambda client: 2)
    return some


def test_a_second_run_computes_only_what_is_new(
    tmp_path: Path, computed: list[CorpusTask], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = corpus(tmp_path / "some", 2), str(tmp_path / "out")
    command = ["corpus", "run", str(folder), "--out", out, "--policies", "balanced"]
    assert main(command) == 0
    assert len(computed) == 4  # with off
    assert main(command) == 0
    assert "nothing is new" in capsys.readouterr().err
    assert len(computed) == 4
    assert main([*command, "turns"]) == 0
    assert {task.policy.name for task in computed[4:]} == {"turns"}
    assert len(computed) == 6
    (folder / "new.jsonl").write_bytes(b"{}")
    assert main([*command, "turns"]) == 0
    assert {task.recording.name for task in computed[6:]} == {"new.jsonl"}
    assert main([*command, "--window", "64000"]) == 0
    assert len(computed[9:]) == 6
    assert [row["recordings"] for row in report(Path(out)).all] == [3, 3]


def test_results_within_the_source_are_no_recordings(
    tmp_path: Path, computed: list[CorpusTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus(tmp_path / "some", 2))
    command = ["corpus", "run", ".", "--out", "results"]
    assert [main(command), len(computed)] == [0, 4]
    assert [main(command), len(computed)] == [0, 4]


def test_what_is_broken_in_the_results_is_said_and_stops_nothing(
    tmp_path: Path, computed: list[CorpusTask], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["corpus", "run", str(corpus(tmp_path / "some", 2)), "--out", str(out), "--policies", "off"]
    assert main([*command, "--sample", "1"]) == main(command) == 0
    part, _ = (out / "recordings").iterdir()
    part.write_bytes(b"PAR1")
    (out / "journal").write_bytes(b"\x00" * 64)
    capsys.readouterr()
    assert main(["corpus", "report", str(out)]) == 0
    assert capsys.readouterr().err.splitlines() == [f"ctxmgr corpus: {part} can not be read: left out"]
    assert main(command) == 0
    assert "can not be read: set aside" in capsys.readouterr().err
    assert len(computed) == 3
    assert [row["recordings"] for row in report(out).all] == [2]


def test_a_sample_is_a_part_of_the_whole(tmp_path: Path, computed: list[CorpusTask]) -> None:
    folder = corpus(tmp_path / "some", 9)
    command = ["corpus", "run", str(folder), "--out", str(tmp_path / "out"), "--policies", "off"]
    assert main([*command, "--sample", "3"]) == 0
    assert len(computed) == 3
    assert main(command) == 0
    assert len(computed) == 9


def test_a_long_run_without_a_terminal_says_how_far_it_is(
    tmp_path: Path,
    computed: list[CorpusTask],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0)
    assert main(["corpus", "run", str(corpus(tmp_path / "some", 2)), "--out", str(tmp_path / "out")]) == 0
    assert "3 of 4 tasks, 0 without figures, about 1 min left" in capsys.readouterr().err


@pytest.mark.parametrize(("change", "count"), [("grown", 3), ("gone", 2), ("sample", 1)])
def test_a_report_is_of_the_recordings_of_the_last_run(
    tmp_path: Path, computed: list[CorpusTask], change: str, count: int
) -> None:
    """A recording that has grown counts once, one that is gone does not, nor one that was not drawn."""
    folder, out = corpus(tmp_path / "some", 3), tmp_path / "out"
    command = ["corpus", "run", str(folder), "--out", str(out)]
    assert main(command) == 0
    first = min(one for one in folder.rglob("*") if one.is_file())
    if change == "grown":
        first.write_bytes(first.read_bytes() + b"\n")
    elif change == "gone":
        first.unlink()
    assert main([*command, "--sample", "1"] if change == "sample" else command) == 0
    assert [row["recordings"] for row in report(out).all] == [count, count]


def test_it_says_before_it_starts_how_long_it_takes(
    tmp_path: Path, computed: list[CorpusTask], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = corpus(tmp_path / "some", 2)
    assert main(["corpus", "run", str(folder), "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().err
    assert "2 recordings, 2 policies" in said
    assert "4 tasks" in said
    assert "MB a worker on 2 threads" in said


def test_an_estimate_goes_by_what_the_results_took(tmp_path: Path) -> None:
    from ctxmgr.study.corpus.results import Results

    tasks = asked(corpus(tmp_path / "some", 12))
    sizes = [task.recording.size_bytes for task in tasks]
    todo = TaskTotals(len(tasks), sum(sizes), max(sizes), sum(sizes))
    start = estimates.CLUSTER_SECONDS + estimates.LOAD_SECONDS
    with Results(tmp_path / "out") as results:
        for task in tasks:
            results.add(invented(task, cpu_seconds=10.0))
    for threads in (2, 4):
        found = estimates.estimate(todo, tmp_path / "out", threads).seconds
        assert found == pytest.approx(start + (10.0 + estimates.DASK_SECONDS) * len(tasks) / threads)
    with_them = estimates.estimate(todo, tmp_path / "out", 4, starts=False).seconds
    assert with_them == pytest.approx(found - estimates.CLUSTER_SECONDS)


# What tasks took on two workers, in seconds of CPU or until all was done, and the sizes of their recordings.
TINY = ([1_600] * 10_000, (10_000 * 0.0074 + 10_000 * 0.0095) / 2)
README = ([319_715, 434_637, 494_783] * 2, 16.3)
MADE_UP = ([164_000] * 300, 300 * 0.36 / 2 + 5)
REAL = (
    [109_540, 216_523, 397_277, 933_408, 1_012_721, 1_262_424, 2_449_339, 3_030_122] * 2,
    5 + 26.3 / 2,
)


@pytest.mark.parametrize(
    ("sizes", "took"), [TINY, README, MADE_UP, REAL], ids=["tiny", "readme", "made up", "real"]
)
def test_an_estimate_is_within_a_factor_of_two_of_what_was_measured(
    tmp_path: Path, sizes: list[int], took: float
) -> None:
    dense = sum(min(size, DENSE_BYTES) for size in sizes)
    found = estimates.estimate(TaskTotals(len(sizes), sum(sizes), max(sizes), dense), tmp_path, 2)
    assert took / 2 < found.seconds < took * 2


def test_a_scheduler_that_goes_is_said_and_what_came_is_kept(
    tmp_path: Path,
    computed: list[CorpusTask],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost(client: None, tasks: Iterator[CorpusTask], took: Callable[[bytes], None]) -> None:
        took(invented(next(tasks)))
        raise SchedulerLost("the scheduler has gone")

    command = ["corpus", "run", str(corpus(tmp_path / "some", 2)), "--out", str(tmp_path / "out")]
    with monkeypatch.context() as planted:
        planted.setattr(running, "run", lost)
        assert main(command) == 1
    assert "the scheduler has gone; what was done is in" in capsys.readouterr().err
    assert main(command) == 0
    assert len(computed) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "no-such-folder", "--out", "out"], "no recordings: no-such-folder"),
        (["run", ".", "--policies", "swift", "--out", "out"], "no preset or peer is called 'swift'"),
        (["report", "no-such-folder"], "no-such-folder has no results"),
    ],
)
def test_wrong_usage_is_said_in_one_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"ctxmgr corpus: {said}")


def test_a_worker_loads_nothing_that_a_client_alone_needs() -> None:
    code = (
        "import sys, ctxmgr.study.corpus.evaluating; "
        "print(sorted({'dask', 'distributed', 'duckdb', 'obstore', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
