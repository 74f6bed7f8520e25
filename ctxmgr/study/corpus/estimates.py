"""Turns tasks that are to run into how long they will take and how much memory, before they start.

By what this folder's results took where there are some, else by what was measured on eight recordings of seven
hosts (0.1 to 1.6 MB, with probes; a busy machine, one thread).
"""

from pathlib import Path

import msgspec
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ctxmgr.study.corpus.listing import TaskTotals
from ctxmgr.study.corpus.results import RECORDINGS, parts

TASK_SECONDS = 0.3  # CPU of a task, whatever its size
MEGABYTE_SECONDS = 0.4  # and of each megabyte of its recording
WORKER_BYTES = 250_000_000  # of a worker with the vocabulary and the engine loaded
CONTENT_TIMES = 12  # bytes of memory a byte of the largest recording
ENOUGH = 20  # results of this folder, from which on it goes by them
MB = 1_000_000


class Estimate(msgspec.Struct, frozen=True):
    """`seconds` on so many threads; `worker_bytes` of one worker at its largest recording."""

    task_count: int
    total_bytes: int
    seconds: float
    worker_bytes: int

    @property
    def text(self) -> str:
        minutes = self.seconds / 60
        how_long = f"{minutes:.0f} min" if minutes >= 2 else f"{self.seconds:.0f} s"
        memory = f"{self.worker_bytes / MB:,.0f} MB a worker"
        return f"{self.task_count:,} tasks, {self.total_bytes / MB:,.0f} MB: about {how_long}, {memory}"


def estimate(todo: TaskTotals, folder: Path, threads: int) -> Estimate:
    """Of what is to run, by `folder`'s results."""
    fixed, by_megabyte = _rates(folder)
    cpu = fixed * todo.task_count + by_megabyte * todo.total_bytes / MB
    longest = fixed + by_megabyte * todo.largest_bytes / MB if todo.task_count else 0.0
    memory = WORKER_BYTES + CONTENT_TIMES * todo.largest_bytes
    return Estimate(todo.task_count, todo.total_bytes, max(cpu / max(1, threads), longest), memory)


def _rates(folder: Path) -> tuple[float, float]:
    """Seconds a task and a megabyte. Measured rates keep the proportion of the two."""
    seconds = predicted = count = 0.0
    for path in parts(folder, RECORDINGS):
        rows = pq.read_table(path, columns=["cpu_seconds", "size_bytes", "status"], partitioning=None)
        rows = rows.filter(pc.equal(rows["status"], "ok"))
        sizes = rows["size_bytes"].to_pylist()
        seconds += sum(rows["cpu_seconds"].to_pylist())
        predicted += TASK_SECONDS * len(sizes) + MEGABYTE_SECONDS * sum(sizes) / MB
        count += len(sizes)
    factor = seconds / predicted if count >= ENOUGH and predicted else 1.0
    return factor * TASK_SECONDS, factor * MEGABYTE_SECONDS
