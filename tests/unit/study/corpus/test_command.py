"""`ctxmgr corpus`, as a user calls it. Tasks run here, one after the other, where a test is not of a cluster."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.study.corpus import command, running
from ctxmgr.study.corpus.reporting import Queries, report
from ctxmgr.study.corpus.running import SchedulerLost
from ctxmgr.study.corpus.tasks import CorpusTask
from tests.unit.study.corpus.made import corpus, invented


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


def counts(out: Path) -> list[int]:
    """Recordings that are reported, by policy."""
    with Queries(out) as queries:
        return [row["recordings"] for row in report(queries).all]


def test_a_second_run_computes_only_what_is_new(
    tmp_path: Path, computed: list[CorpusTask], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = corpus(tmp_path / "some", 2), str(tmp_path / "out")
    arguments = ["corpus", "run", str(folder), "--out", out, "--policies", "balanced"]
    assert main(arguments) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"2 recordings, 2 policies; results go to {out}",
        "4 tasks, 0 MB, on 2 threads",
        f"done: 4 of 4 tasks have figures; see ctxmgr corpus report {out}",
    ]
    assert len(computed) == 4  # with off
    assert main(arguments) == 0
    assert "all of it is done already" in capsys.readouterr().err
    assert len(computed) == 4
    assert main([*arguments, "turns"]) == 0
    assert {task.policy.name for task in computed[4:]} == {"turns"}
    (folder / "new.jsonl").write_bytes(b"{}")
    assert main([*arguments, "turns"]) == 0
    assert {task.recording.name for task in computed[6:]} == {"new.jsonl"}
    assert main([*arguments, "--window", "64000"]) == 0
    assert len(computed[9:]) == 6
    assert counts(Path(out)) == [3, 3]


def test_a_scheduler_that_is_named_gets_the_tasks(
    tmp_path: Path, computed: list[CorpusTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses: list[str] = []

    @contextlib.contextmanager
    def client(address: str) -> Iterator[None]:
        addresses.append(address)
        yield None

    monkeypatch.setattr(running, "remote_client", client)
    arguments = ["corpus", "run", str(corpus(tmp_path / "some", 1)), "--out", str(tmp_path / "out")]
    assert main([*arguments, "--scheduler", "tcp://there:1"]) == 0
    assert (addresses, len(computed)) == (["tcp://there:1"], 2)


def test_a_report_is_of_the_recordings_of_the_last_run(tmp_path: Path, computed: list[CorpusTask]) -> None:
    """A recording that has grown counts once, and one that was not drawn not at all."""
    folder, out = corpus(tmp_path / "some", 3), tmp_path / "out"
    arguments = ["corpus", "run", str(folder), "--out", str(out)]
    assert main(arguments) == 0
    (folder / "000.jsonl").write_bytes((folder / "000.jsonl").read_bytes() + b"\n")
    assert main(arguments) == 0
    assert counts(out) == [3, 3]
    assert main([*arguments, "--sample", "1"]) == 0
    assert counts(out) == [1, 1]


def lines(tasks: int, seconds: float, capsys: pytest.CaptureFixture[str], bad: tuple[int, ...] = ()) -> list[str]:
    """What is said of a run whose tasks come `seconds` after one another; those numbered `bad` have no figures."""
    times = count(1000.0, seconds)
    with command.progress(tasks, lambda: next(times)) as took:
        for number in range(tasks):
            took(number not in bad)
    return capsys.readouterr().err.splitlines()


def test_a_line_a_minute_says_what_is_done_and_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines(9_000, 20.0, capsys, bad=(0, 4))[:2] == [
        "3 of 9,000 tasks, 1 without figures, about 50.0 h left",
        "6 of 9,000 tasks, 2 without figures, about 50.0 h left",
    ]
    assert lines(10, 25.0, capsys)[-1] == "9 of 10 tasks, 0 without figures, about 1 min left"
    assert lines(3, 600.0, capsys) == [
        "1 of 3 tasks, 0 without figures, about 20 min left",
        "2 of 3 tasks, 0 without figures, about 10 min left",
    ]
    assert lines(50, 1.0, capsys) == []


def test_a_scheduler_that_goes_is_said_and_what_came_is_kept(
    tmp_path: Path, computed: list[CorpusTask], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(client: None, tasks: Iterable[CorpusTask], took: Callable[[bytes], None]) -> None:
        took(invented(next(iter(tasks))))
        raise SchedulerLost("the scheduler has gone")

    arguments = ["corpus", "run", str(corpus(tmp_path / "some", 2)), "--out", str(tmp_path / "out")]
    with monkeypatch.context() as planted:
        planted.setattr(running, "run", lost)
        assert main(arguments) == 1
    assert "the scheduler has gone; finished tasks are in" in capsys.readouterr().err
    (tmp_path / "out" / "journal").write_bytes(b"\x00" * 64)
    assert main(arguments) == 0
    assert "the last 64 bytes of the journal cannot be read" in capsys.readouterr().err
    assert len(computed) == 3


def test_wrong_usage_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, expected in (
        (["run", "no-such-folder", "--out", "out"], "no recordings: no-such-folder"),
        (["run", ".", "--policies", "swift", "--out", "out"], "there is no preset or peer 'swift'"),
        (["report", "no-such-folder"], "no-such-folder has no results"),
    ):
        assert main(["corpus", *arguments]) == 2
        assert capsys.readouterr().err.startswith(f"ctxmgr corpus: {expected}")


def test_a_worker_loads_nothing_that_a_client_alone_needs() -> None:
    code = (
        "import sys, ctxmgr.study.corpus.evaluating; "
        "print(sorted({'dask', 'distributed', 'duckdb', 'obstore', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ctrl_c_says_that_the_same_command_goes_on(
    tmp_path: Path, computed: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run", interrupted)
    folder, out = corpus(tmp_path / "some", 1), str(tmp_path / "out")
    assert main(["corpus", "run", str(folder), "--out", out]) == 130
    goes_on = f"ctxmgr corpus: interrupted; finished tasks are in {out}, and the same command goes on from there"
    assert capsys.readouterr().err.splitlines()[-1] == goes_on
