"""Turns tasks that are to run into how long they will take and how much memory, before they start.

1. By what this folder's results took where there are some, else by what was measured: ten thousand made-up sessions
   of 1.6 kB, twenty of 24 to 800 kB, fourteen real ones of nine hosts of 0.1 to 3 MB (two workers on two cores).
2. What takes long is a call, and its list. Files of up to `DENSE_BYTES` are conversation all through; of what a
   larger one has beyond that most is what no list shows: pictures, states, copies.
3. Beside the tasks: the start and end of a cluster, what a worker loads before its first task, what Dask takes.
4. Nothing else runs: where it does, all takes longer by its share.
"""

from pathlib import Path

import msgspec
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ctxmgr.study.corpus.listing import DENSE_BYTES, TaskTotals
from ctxmgr.study.corpus.results import RECORDINGS, parts

CLUSTER_SECONDS = 4.0  # until a cluster of our own is there, and until it has ended
LOAD_SECONDS = 2.0  # of a worker, before its first task: the engine, the vocabulary
DASK_SECONDS = 0.01  # CPU of client, scheduler and worker a task, beside it
TASK_SECONDS = 0.005  # CPU of a task, whatever its size
MEGABYTE_SECONDS = 2.5  # of each megabyte of its recording up to `DENSE_BYTES`
REST_SECONDS = 0.5  # of each megabyte beyond
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


def estimate(todo: TaskTotals, folder: Path, threads: int, starts: bool = True) -> Estimate:
    """Of what is to run, by `folder`'s results. `starts`: on a cluster that is started for it."""
    factor = _factor(folder)
    threads = max(1, min(threads, todo.task_count))
    cpu = factor * _predicted(todo.task_count, todo.dense_bytes, todo.total_bytes) + DASK_SECONDS * todo.task_count
    longest = factor * _predicted(1, min(todo.largest_bytes, DENSE_BYTES), todo.largest_bytes)
    before = LOAD_SECONDS + (CLUSTER_SECONDS if starts else 0)
    memory = WORKER_BYTES + CONTENT_TIMES * todo.largest_bytes
    return Estimate(todo.task_count, todo.total_bytes, before + max(cpu / threads, longest), memory)


def _predicted(count: int, dense: int, total: int) -> float:
    """Seconds of CPU of so many tasks (rule 2)."""
    return TASK_SECONDS * count + (MEGABYTE_SECONDS * dense + REST_SECONDS * (total - dense)) / MB


def _factor(folder: Path) -> float:
    """What `folder`'s results took, of what is predicted for them."""
    took = predicted = 0.0
    count = 0
    for path in parts(folder, RECORDINGS):
        rows = pq.read_table(path, columns=["cpu_seconds", "size_bytes", "status"], partitioning=None)
        rows = rows.filter(pc.equal(rows["status"], "ok"))
        sizes = rows["size_bytes"].to_pylist()
        took += sum(rows["cpu_seconds"].to_pylist())
        predicted += _predicted(len(sizes), sum(min(size, DENSE_BYTES) for size in sizes), sum(sizes))
        count += len(sizes)
    return took / predicted if count >= ENOUGH and predicted else 1.0
