"""Tasks on a cluster: bounded, each once, and whoever is killed loses what was under way."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

from ctxmgr.study.corpus import running
from ctxmgr.study.corpus.evaluating import decode, evaluated
from ctxmgr.study.corpus.running import DEATHS, IN_FLIGHT, SchedulerLost
from ctxmgr.study.corpus.tasks import CorpusTask, Row
from tests.unit.study.corpus.made import asked, corpus, invented, row

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def threads() -> Iterator[Client]:
    """A cluster in this process, of two workers."""
    with running.local_client(2, processes=False) as client:
        yield client


@pytest.fixture(scope="module")
def processes() -> Iterator[Client]:
    with running.local_client(2) as client:
        yield client


def came(client: Client, tasks: list[CorpusTask], work: Any = invented) -> list[Row]:
    rows: list[Row] = []
    running.run(client, tasks, lambda content: rows.append(decode(content).recording), work)
    return rows


class Watched:
    """A client that counts what it has sent and has not got back."""

    def __init__(self, client: Client) -> None:
        self.client, self.sent, self.most = client, 0, 0
        self.keys: list[str] = []
        self.loop = client.loop

    def submit(self, *given: Any, **named: Any) -> Any:
        self.sent += 1
        self.most = max(self.most, self.sent - len(self.keys))
        return self.client.submit(*given, **named)

    def nthreads(self) -> Any:
        return self.client.nthreads()

    def took(self, evaluation: bytes) -> None:
        self.keys.append(decode(evaluation).recording["key"])


def test_each_task_comes_once_and_no_more_than_the_bound_are_in_flight(threads: Client, tmp_path: Path) -> None:
    watched = Watched(threads)
    tasks = asked(corpus(tmp_path, 40))
    running.run(watched, tasks, watched.took, invented)  # type: ignore[arg-type]
    assert sorted(watched.keys) == sorted(task.key for task in tasks)
    assert watched.sent == len(tasks) == 80
    assert watched.most == IN_FLIGHT * 2
    assert came(threads, []) == []


def refusing(task: CorpusTask) -> bytes:
    raise ValueError("planted")


def test_what_a_cluster_makes_of_a_task_is_a_row(threads: Client, tmp_path: Path) -> None:
    rows = came(threads, asked(corpus(tmp_path, 1)), refusing)
    assert [(row["status"], row["reason"]) for row in rows] == [("lost", "ValueError: planted")] * 2


def test_a_worker_gives_what_this_process_gives(processes: Client, tmp_path: Path) -> None:
    tasks = asked(corpus(tmp_path, 3))
    both = {row["key"]: {**row, "cpu_seconds": 0.0, "peak_bytes": 0} for row in came(processes, tasks, evaluated)}
    assert both == {task.key: row(task) for task in tasks}
    assert {each["status"] for each in both.values()} == {"ok"}


class Deadly:
    """Kills the worker that it runs in, so often; a file remembers how often it did. Others are as invented."""

    def __init__(self, deaths: Path, times: int, victim: str) -> None:
        self.deaths, self.times, self.victim = deaths, times, victim

    def __call__(self, task: CorpusTask) -> bytes:
        seen = self.deaths.read_bytes() if self.deaths.exists() else b""
        if task.key == self.victim and len(seen) < self.times:
            self.deaths.write_bytes(seen + b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return invented(task)


@pytest.mark.kill
@pytest.mark.parametrize(("times", "status"), [(1, "ok"), (99, "lost")])
def test_a_killed_worker_loses_only_what_was_under_way(
    processes: Client, tmp_path: Path, times: int, status: str
) -> None:
    """Its tasks go to another worker; the one that kills each worker is given up, and those beside it are not."""
    tasks = asked(corpus(tmp_path / "some", 6))
    work = Deadly(tmp_path / "deaths", times, tasks[3].key)
    rows = came(processes, tasks, work)
    assert len((tmp_path / "deaths").read_bytes()) in ((1,) if times == 1 else (DEATHS, 2 * DEATHS))
    by_key = {row["key"]: row for row in rows}
    assert len(rows) == len(by_key) == len(tasks)
    assert by_key[tasks[3].key]["status"] == status
    assert by_key[tasks[3].key]["reason"].startswith("its worker was killed" if times > 1 else "")
    assert all(row["status"] == "ok" for row in rows if row["key"] != tasks[3].key)


def test_a_scheduler_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "WAIT_SECONDS", 1)
    with pytest.raises(SchedulerLost, match="no scheduler answers"), running.remote_client("tcp://127.0.0.1:1"):
        pass


def test_a_cluster_that_exists_is_used_and_left_alone(processes: Client, tmp_path: Path) -> None:
    processes.wait_for_workers(2)  # one may have been killed by another test
    address = processes.scheduler_info()["address"]
    tasks = asked(corpus(tmp_path, 2))
    with running.remote_client(address) as client:
        assert running.thread_count(client) == 2
        assert len(came(client, tasks)) == 4
    assert len(came(processes, tasks)) == 4
