"""Measures sessions on all cores, as many as time allows.

1. Sessions are taken in a random order with a fixed seed, so those measured in time are a sample. The same sessions
   have the same order in every run.
2. When the time is up, no new session starts, and running ones are finished. At least one is measured.
3. If a worker is killed (perhaps out of memory), the sessions in progress are lost, and others continue.
"""

import random
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context

from ctxmgr import isolation
from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.measuring import MeasuredSession

SEED = 7
KILLED = "its worker was killed: of memory, perhaps"

Measure = Callable[[KeptSession], MeasuredSession]


def drawn(sessions: Sequence[KeptSession]) -> list[KeptSession]:
    """Rule 1."""
    ordered = list(sessions)
    random.Random(SEED).shuffle(ordered)
    return ordered


def measured_in_time(
    sessions: Sequence[KeptSession],
    measure: Measure,
    workers: int,
    has_time: Callable[[], bool],
    pool: Callable[[int], Executor] | None = None,
) -> Iterator[MeasuredSession]:
    """Yields each session when it is done. A single worker is this process. `measure` is pickled for other
    workers.
    """
    waiting = iter(drawn(sessions))
    begun = (session for number, session in enumerate(waiting) if not number or has_time())
    if min(workers, len(sessions)) <= 1:
        yield from map(measure, begun)
        return
    with isolation.environment_in_force():  # multiprocessing starts the workers
        yield from _in_workers(begun, measure, workers, pool or _processes)


def _processes(count: int) -> Executor:
    """Workers ignore interrupts, and end with this process."""
    ignoring = (signal.SIGINT, signal.SIG_IGN)
    return ProcessPoolExecutor(count, get_context("spawn"), initializer=signal.signal, initargs=ignoring)


def _in_workers(
    begun: Iterator[KeptSession], measure: Measure, workers: int, pool: Callable[[int], Executor]
) -> Iterator[MeasuredSession]:
    under_way: dict[Future[MeasuredSession], KeptSession] = {}
    running = pool(workers)
    try:
        while True:
            while len(under_way) < workers and (session := next(begun, None)) is not None:
                under_way[running.submit(measure, session)] = session
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            is_broken = any(isinstance(future.exception(), BrokenProcessPool) for future in done)
            if is_broken:
                done, _ = wait(under_way)
                running = pool(workers)
            for future in done:
                session = under_way.pop(future)
                yield MeasuredSession(session, KILLED) if future.exception() else future.result()
    except BaseException:  # an interrupt does not wait for sessions in progress
        for worker in active_children():
            worker.terminate()
        raise
    finally:
        running.shutdown(cancel_futures=True)
