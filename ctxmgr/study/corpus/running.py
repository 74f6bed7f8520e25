"""Runs tasks on Dask's distributed scheduler, and passes on each result when it arrives.

1. At most `IN_FLIGHT` tasks for each worker thread are submitted at a time, so the scheduler's load does not depend
   on the number of tasks. Each finished task is followed by the next.
2. Exceptions in a worker are rows already (`evaluating`), so only a worker's death remains. Its tasks go to other
   workers. If `DEATHS` workers died while they had a task, it may be the cause: it is tried once more, alone, after
   all others, and becomes a row with status `lost` if the worker dies again.
3. If the scheduler disappears, the run ends with `SchedulerLost`. Results that have arrived are kept.
4. No two runs on one scheduler share a task's name.
"""

import logging
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import dask
from distributed import Client, KilledWorker, LocalCluster, as_completed
from distributed.utils import silence_logging_cmgr

from ctxmgr import isolation
from ctxmgr.study.corpus.evaluating import encode, evaluated, failed
from ctxmgr.study.corpus.tasks import CorpusTask, Evaluation

IN_FLIGHT = 4  # tasks for each worker thread: enough that no thread waits for the client
DEATHS = 2  # workers that may die with a task before it is given up
SILENT = logging.CRITICAL  # for Dask's log: a failure is already a row or an error message
GONE = "the scheduler has gone"
WAIT_SECONDS = 30  # for the scheduler to answer, and for the first worker

QUIET = {  # for a cluster of our own, whose dashboard nobody reads
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    "distributed.worker.profile.enabled": False,  # would sample each worker's stack every 10 ms
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.low-level-log-length": 10,  # messages kept for each connection: 1,000 by default, several MB
    "distributed.admin.tick.interval": "500ms",  # the heartbeat of each server, 20 ms by default
    "distributed.worker.memory.monitor-interval": "500ms",  # 100 ms by default
}

Took = Callable[[bytes], None]
Work = Callable[[CorpusTask], bytes]


class SchedulerLost(Exception):
    """The cluster can no longer be reached, or never could. The text says which."""


@contextmanager
def local_client(worker_count: int | None = None, processes: bool = True) -> Iterator[Client]:
    """A cluster on this machine with one thread for each worker, stopped at the end. `worker_count` None: one for
    each core.
    """
    with (
        isolation.environment_in_force(),  # multiprocessing starts the workers
        dask.config.set(QUIET),
        LocalCluster(
            n_workers=worker_count,
            threads_per_worker=1,
            processes=processes,
            protocol="tcp",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # any free port; None would mean port 8787 on all interfaces
            silence_logs=SILENT,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def remote_client(address: str) -> Iterator[Client]:
    """A client of a running cluster. Dask's own log is silenced, since the caller reports errors. Raises
    SchedulerLost.
    """
    with silence_logging_cmgr(SILENT):
        try:
            client = Client(address, timeout=WAIT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as fault:
            raise SchedulerLost(f"no scheduler answers at {address}: {fault}") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=WAIT_SECONDS)
            except TimeoutError:
                raise SchedulerLost(f"the scheduler at {address} has no workers") from None
            except OSError:
                raise SchedulerLost(GONE) from None
            yield client


def run(client: Client, tasks: Iterable[CorpusTask], took: Took, work: Work = evaluated) -> None:
    """Runs all tasks, in order as far as workers allow. Calls `took` once for each evaluation. Raises
    SchedulerLost, and what `took` raises.
    """
    suspects: list[CorpusTask] = []
    for task, future in _outcomes(client, tasks, work, IN_FLIGHT * max(1, thread_count(client))):
        if _is_killed(future):
            suspects.append(task)
        else:
            took(_evaluation(future, task))
    for task, future in _outcomes(client, suspects, work, 1):
        took(_evaluation(future, task))


def _outcomes(
    client: Client, tasks: Iterable[CorpusTask], work: Work, bound: int
) -> Iterator[tuple[CorpusTask, Any]]:
    """Each task with its finished future; at most `bound` are in progress."""
    waiting = iter(tasks)
    under_way: dict[str, CorpusTask] = {}
    run = secrets.token_hex(8)

    def sent(task: CorpusTask) -> Any:
        name = f"replay-{run}-{task.key}"  # Dask groups tasks by what precedes the digits
        under_way[name] = task
        return client.submit(work, task, key=name, pure=False)

    first = [sent(task) for task in islice(waiting, bound)]
    if not first:
        return
    done = as_completed(first, loop=client.loop)  # without a loop it would require a default client
    del first
    for future in done:
        yield under_way.pop(future.key), future
        future.release()
        for task in islice(waiting, 1):
            done.add(sent(task))


def thread_count(client: Client) -> int:
    """The threads of all workers together. Raises SchedulerLost."""
    try:
        return sum(client.nthreads().values())
    except OSError:
        raise SchedulerLost(GONE) from None


def _is_killed(future: Any) -> bool:
    return future.status == "error" and isinstance(future.exception(), KilledWorker)


def _evaluation(future: Any, task: CorpusTask) -> bytes:
    if _is_killed(future):
        return _lost(task, "its worker was killed, again and again: of memory, perhaps")
    try:
        return bytes(future.result())
    except Exception as fault:  # noqa: BLE001  the cluster's; errors of a task are rows already
        if future.status in ("cancelled", "lost"):
            raise SchedulerLost(GONE) from None
        return _lost(task, f"{type(fault).__name__}: {fault}")


def _lost(task: CorpusTask, reason: str) -> bytes:
    return encode(Evaluation(failed(task, "lost", reason)))
