"""Measures sessions on all cores, as many as there is time for.

1. They come in an order drawn by chance with a fixed seed: those that there was time for are a sample. The same
   sessions have the same order in every run.
2. When the time is up no session is begun; what has begun is ended. At least one is begun.
3. A worker that is killed (of memory, perhaps) costs what was under way, and others go on.
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
    """Each as it is done. One worker alone is this process. `measure` goes to workers, so it is pickled."""
    waiting = iter(drawn(sessions))
    begun = (session for number, session in enumerate(waiting) if not number or has_time())
    if min(workers, len(sessions)) <= 1:
        yield from map(measure, begun)
        return
    with isolation.environment_in_force():  # workers are started by multiprocessing
        yield from _in_workers(begun, measure, workers, pool or _processes)


def _processes(count: int) -> Executor:
    """An interrupt is for this process: the workers end with it."""
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
    except BaseException:  # who interrupts waits for no session that is under way
        for worker in active_children():
            worker.terminate()
        raise
    finally:
        running.shutdown(cancel_futures=True)
