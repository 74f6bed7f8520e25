"""Shows how far a run is: a bar where stderr is a terminal, a plain line every minute where it is none."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ctxmgr.study.console import console

LINE_SECONDS = 60  # between two lines, where results come as fast
MINUTE, HOUR = 60, 3600  # seconds
LONG_MINUTES = 90  # from here on hours are said

Done = Callable[[bool], None]  # told of each task: has it figures?
Clock = Callable[[], float]  # seconds


@contextmanager
def reported(count: int, clock: Clock = time.monotonic) -> Iterator[Done]:
    """Of `count` tasks."""
    error = console(sys.stderr)
    if not error.is_terminal:
        yield _Lines(count, clock).took
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=error, transient=True) as progress:
        task = progress.add_task("tasks", total=count)
        yield lambda is_ok: progress.advance(task)


class _Lines:
    """The time left goes by what has come since the start; the longest come first, so it rather says too much."""

    def __init__(self, count: int, clock: Clock) -> None:
        self._count, self._clock = count, clock
        self._began = self._last_line = clock()
        self._done = self._bad = 0

    def took(self, is_ok: bool) -> None:
        self._done += 1
        self._bad += not is_ok
        now = self._clock()
        if now - self._last_line >= LINE_SECONDS and self._done < self._count:
            self._last_line = now
            left = (now - self._began) / self._done * (self._count - self._done)
            told = f"{self._done:,} of {self._count:,} tasks, {self._bad:,} without figures"
            print(f"{told}, about {_time(left)} left", file=sys.stderr, flush=True)


def _time(seconds: float) -> str:
    minutes = round(seconds / MINUTE)
    return f"{max(1, minutes)} min" if minutes < LONG_MINUTES else f"{seconds / HOUR:.1f} h"
