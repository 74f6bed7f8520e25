"""Runs tasks on Dask's distributed scheduler, and hands on what comes, as it comes.

1. At most `IN_FLIGHT` tasks a thread of a worker are under way: the scheduler never knows more of them, however
   many there are. The next is sent when one is done.
2. What a worker raises is a row already (`evaluating`). What is left: a worker that dies. What was under way there
   is given to others. Of tasks that were there at `DEATHS` deaths it is not known which killed: each is tried once
   more, alone, when all others are done, and is a row with the status `lost` where it kills again.
3. Where the scheduler goes, the run ends with `SchedulerLost`: what has come is kept.
4. No two runs on one scheduler have a task's name in common.
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

IN_FLIGHT = 4  # tasks a thread of a worker: enough that none waits for the client
DEATHS = 2  # workers that a task may cost before it is given up
SILENT = logging.CRITICAL  # of what Dask logs: what fails is a row, or a sentence
GONE = "the scheduler has gone"
WAIT_SECONDS = 30  # for a scheduler to answer, and for a first worker

QUIET = {  # of a cluster of our own: nobody looks at its dashboard
    "distributed.scheduler.allowed-failures": DEATHS - 1,
    "distributed.worker.profile.enabled": False,  # samples each worker's stack every 10 ms
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.low-level-log-length": 10,  # messages that each connection keeps: 1,000 otherwise, some MB
    "distributed.admin.tick.interval": "500ms",  # every server's own pulse, 20 ms otherwise
    "distributed.worker.memory.monitor-interval": "500ms",  # 100 ms otherwise
}

Took = Callable[[bytes], None]
Work = Callable[[CorpusTask], bytes]


class SchedulerLost(Exception):
    """The cluster cannot be reached any more, or never could; the text says which."""


@contextmanager
def local_client(worker_count: int | None = None, processes: bool = True) -> Iterator[Client]:
    """A cluster on this machine, a thread a worker, gone at the end. None: a worker a core."""
    with (
        isolation.environment_in_force(),  # its workers are started by multiprocessing
        dask.config.set(QUIET),
        LocalCluster(
            n_workers=worker_count,
            threads_per_worker=1,
            processes=processes,
            protocol="tcp",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # any free port: None would be 8787 of all interfaces
            silence_logs=SILENT,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def remote_client(address: str) -> Iterator[Client]:
    """Of a cluster that is there. What Dask logs of it is not shown: who calls says it. Raises SchedulerLost."""
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
    """All tasks, in their order as far as workers allow; `took` has each evaluation once. Raises SchedulerLost,
    and what `took` raises."""
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
    """Each task with its future, which is done; at most `bound` under way."""
    waiting = iter(tasks)
    under_way: dict[str, CorpusTask] = {}
    run = secrets.token_hex(8)

    def sent(task: CorpusTask) -> Any:
        name = f"replay-{run}-{task.key}"  # Dask counts what comes before the digits as one group
        under_way[name] = task
        return client.submit(work, task, key=name, pure=False)

    first = [sent(task) for task in islice(waiting, bound)]
    if not first:
        return
    done = as_completed(first, loop=client.loop)  # without a loop it asks for a default client
    del first
    for future in done:
        yield under_way.pop(future.key), future
        future.release()
        for task in islice(waiting, 1):
            done.add(sent(task))


def thread_count(client: Client) -> int:
    """Of all workers together. Raises SchedulerLost."""
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
    except Exception as fault:  # noqa: BLE001  of the cluster: what a task raises is a row already
        if future.status in ("cancelled", "lost"):
            raise SchedulerLost(GONE) from None
        return _lost(task, f"{type(fault).__name__}: {fault}")


def _lost(task: CorpusTask, reason: str) -> bytes:
    return encode(Evaluation(failed(task, "lost", reason)))
