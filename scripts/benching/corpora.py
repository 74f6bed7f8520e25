"""Measures `ctxmgr corpus run` on synthetic sessions: the speed-up from a second worker, and the overhead beside
tasks.

The floors: twice the time of two workers against the time of one; the CPU of all processes against the CPU that the
tasks report. Starting and stopping a cluster counts, so few sessions look worse than many.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benching.pair import Options, environment
from benching.table import Figure, Goal, figure

SESSIONS = 200  # with two policies: 400 tasks of a third of a second
SEED = 7
SPEEDUP_FLOORS = 1 / 0.85
CPU_FLOORS = 1.05


def measure(options: Options) -> list[Figure]:
    """Measures nothing without the extra `corpus`."""
    if importlib.util.find_spec("distributed") is None:
        print("corpus: needs `pip install 'ctxmgr-sidecar[corpus]'`", file=sys.stderr)
        return []
    folder = Path(options.state_dir, "corpora")
    sessions = folder / "sessions"
    count = options.times(SESSIONS)
    _called(options, "generate", str(sessions), "--sessions", str(count), "--seed", str(SEED))
    twice: list[float] = []
    alone: list[float] = []
    spent: list[float] = []
    tasks: list[float] = []
    for number in range(options.rounds):
        out = folder / f"out-{number}"
        seconds, _ = _run(options, sessions, out / "one", 1)
        alone.append(seconds)
        seconds, cpu = _run(options, sessions, out / "two", 2)
        twice.append(2 * seconds)
        spent.append(cpu)
        tasks.append(_cpu_of_tasks(out / "two"))
    shutil.rmtree(folder)
    note = f"{count} sessions, 2 policies"
    milli = 1_000
    return [
        figure(
            "corpus run, two workers' time twice",
            "ms",
            [duration * milli for duration in twice],
            [duration * milli for duration in alone],
            Goal("ratio", "at most", SPEEDUP_FLOORS),
            f"floor: one worker's; {note}",
        ),
        figure(
            "corpus run, CPU of all processes",
            "ms",
            [duration * milli for duration in spent],
            [duration * milli for duration in tasks],
            Goal("ratio", "at most", CPU_FLOORS),
            f"floor: the tasks' own; {note}",
        ),
    ]


def _run(options: Options, sessions: Path, out: Path, workers: int) -> tuple[float, float]:
    """Seconds, and CPU seconds of the run with all processes it started."""
    began, before = time.perf_counter(), os.times()
    _called(options, "run", str(sessions), "--workers", str(workers), "--out", str(out))
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, cpu


def _called(options: Options, *arguments: str) -> None:
    command = [sys.executable, "-m", "ctxmgr", "corpus", *arguments]
    subprocess.run(command, env=environment(options), check=True, stderr=subprocess.DEVNULL)


def _cpu_of_tasks(out: Path) -> float:
    import pyarrow.parquet as pq

    parts = (out / "recordings").glob("*.parquet")
    return sum(sum(pq.read_table(part, columns=["cpu_seconds"])["cpu_seconds"].to_pylist()) for part in parts)
