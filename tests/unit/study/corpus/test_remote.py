"""`ctxmgr corpus run --scheduler`, as a user calls it: client, scheduler and worker are processes of their own."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.unit.study.corpus.made import corpus

BOUND = 120  # seconds: of a machine that is busy
CLUSTER = ("--host", "127.0.0.1", "--no-dashboard")
# What a worker is told before it starts: whatever it is asked for, the scheduler is killed.
DEADLY = """
import os, signal
from ctxmgr.study.corpus import evaluating
def evaluated(task):
    os.kill({process}, signal.SIGKILL)
evaluating.evaluated = evaluated
"""

Started = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def started() -> Iterator[Started]:
    """Starts a program of Dask's, which is killed at the end."""
    with ExitStack() as last:

        def start(module: str, *arguments: str) -> "subprocess.Popen[str]":
            command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
            process = last.enter_context(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
            last.callback(process.kill)
            return process

        yield start


def address(scheduler: "subprocess.Popen[str]") -> str:
    assert scheduler.stderr
    return next(line for line in scheduler.stderr if "Scheduler at:" in line).split()[-1]


def ran(folder: Path, scheduler: str, out: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ctxmgr", "corpus", "run", str(folder), "--out", str(out)]
    return subprocess.run(
        [*command, "--scheduler", scheduler], capture_output=True, text=True, timeout=BOUND, check=False
    )


@pytest.mark.kill
def test_a_killed_scheduler_is_a_sentence(started: Started, tmp_path: Path) -> None:
    scheduler = started("dask_scheduler", *CLUSTER, "--port", "0")
    at = address(scheduler)
    before = tmp_path / "before.py"
    before.write_text(DEADLY.format(process=scheduler.pid))
    started("dask_worker", at, *CLUSTER, "--no-nanny", "--nthreads", "1", "--preload", str(before))
    done = ran(corpus(tmp_path / "some", 2), at, tmp_path / "out")
    assert done.returncode == 1
    *_, last = said = done.stderr.splitlines()
    assert last.startswith("ctxmgr corpus: the scheduler has gone; finished tasks are in")
    assert len(said) == 3, done.stderr
