"""A device layer that fails on purpose: counts the system calls that effects of one kind make, and lets one fail.

Counted is what devices ask of the system: files, locks, SQLite, threads, processes, imports; and, as the first call
of each effect, that it is carried out at all. Work in a thread or a task counts for the effect that began it.
"""

import builtins
import errno
import fcntl
import importlib
import io
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest

import ctxmgr
from ctxmgr.server import effects as do
from ctxmgr.server.connection import Connection
from ctxmgr.server.runtime import EffectRow, Runtime

CALLS = {
    os: "open read write writev pread fsync fdatasync ftruncate truncate rename replace unlink mkdir rmdir lstat "
    "stat fstat fchmod chmod listdir kill dup dup2 pipe",
    io: "open",
    builtins: "open __import__",
    importlib: "import_module",
    threading.Thread: "start",
    subprocess.Popen: "_execute_child",
}
AFTERWARDS = {"close"}  # what fails has been done all the same: the system takes the descriptor back

PACKAGE = f"{ctxmgr.__path__[0]}/"

_kind: ContextVar[type | None] = ContextVar("kind", default=None)


class Fault:
    """What the failing call raises. `lasting`: so does each call after it, until the layer is mended."""

    def __init__(self, name: str, make: Callable[[], BaseException], lasting: bool) -> None:
        self.name, self.make, self.lasting = name, make, lasting


def _os(code: int) -> Callable[[], BaseException]:
    return lambda: OSError(code, os.strerror(code))


CODES = ["EIO", "EMFILE", "ENOENT", "EROFS", "EACCES", "ENOSPC", "EDQUOT"]
OF_THE_SYSTEM = [_os(getattr(errno, name)) for name in CODES]
OTHERS: list[Callable[[], BaseException]] = [
    MemoryError,
    lambda: ValueError("embedded null byte"),
    lambda: ImportError("no descriptor left for it"),
    lambda: UnicodeEncodeError("ascii", "\N{OWL}", 0, 1, "ordinal not in range"),
    lambda: RuntimeError("can't start new thread"),
    RecursionError,
]


def faults(number: int) -> Iterator[Fault]:
    """Two for the n-th call: one of the system and one of the interpreter, of which one lasts; which, changes with
    n."""
    for place, makes in enumerate((OF_THE_SYSTEM, OTHERS)):
        make, lasting = makes[number % len(makes)], number % 2 == place
        yield Fault(f"{type(make()).__name__}{' lasting' if lasting else ''}", make, lasting)


class System:
    """`target`: effects of this kind are counted. The `at`-th call fails, by `fault`. `made`: each call with the
    line of ctxmgr that made it."""

    def __init__(self, target: type, at: int = 0, fault: Fault | None = None) -> None:
        self.target: type | None = target
        self.at, self.fault = at, fault
        self.made: list[str] = []
        self.seen: set[type] = set()  # kinds that were carried out
        self._lock = threading.Lock()

    def mend(self) -> None:
        """From now on all is well."""
        self.target = None

    def carried(self, kind: type) -> None:
        self.seen.add(kind)

    @property
    def failed(self) -> bool:
        return 0 < self.at <= len(self.made)

    def call(self, name: str) -> BaseException | None:
        """Counts a call; what it raises."""
        if self.target is None or _kind.get() is not self.target:
            return None
        with self._lock:
            self.made.append(f"{name} at {_place()}")
            count = len(self.made)
        if self.fault is None or not (count == self.at or (self.fault.lasting and count > self.at > 0)):
            return None
        return self.fault.make()

    def under(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **more: Any) -> Any:
            fault = self.call(name)
            if fault is None:
                return real(*given, **more)
            if name in AFTERWARDS:
                real(*given, **more)
            raise fault

        return called


def _place() -> str:
    """The innermost line of ctxmgr that runs."""
    frame = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename.removeprefix(PACKAGE)}:{frame.f_lineno}"


def ends(made: Sequence[str]) -> set[int]:
    """The first and the last call of each place, counted from 1."""
    last = {call: number for number, call in enumerate(made, 1)}
    return {*last.values(), *(made.index(call) + 1 for call in last)}


def of_kind(kind: type | None, real: Callable[..., Any]) -> Callable[..., Any]:
    """`real`, with what it calls counted for this kind of effect."""

    def called(*given: Any, **more: Any) -> Any:
        token = _kind.set(kind)
        try:
            return real(*given, **more)
        finally:
            _kind.reset(token)

    return called


def install(system: System, patch: pytest.MonkeyPatch) -> None:
    for owner, names in CALLS.items():
        for name in names.split():
            patch.setattr(owner, name, _wrapped(system, owner, name))
    patch.setattr(os, "close", system.under("close", os.close))
    patch.setattr(fcntl, "flock", system.under("flock", fcntl.flock))
    _install_sqlite(system, patch)
    rows = {
        kind: EffectRow(_carried(system, kind, row.carry), row.failed) for kind, row in Runtime._EFFECTS.items()
    }
    patch.setattr(Runtime, "_EFFECTS", rows)
    for name in ("receive", "eof", "resume", "weigher_loaded", "not_saved"):  # to decide is no effect
        patch.setattr(Connection, name, of_kind(None, getattr(Connection, name)))
    submit = ThreadPoolExecutor.submit

    def submitted(self: ThreadPoolExecutor, work: Callable[..., Any], /, *given: Any, **more: Any) -> Any:
        self._idle_semaphore = threading.Semaphore(0)  # no thread waits for work: which one does is up to the clock
        return submit(self, of_kind(_kind.get(), work), *given, **more)

    patch.setattr(ThreadPoolExecutor, "submit", submitted)


def _carried(system: System, kind: type, carry: Callable[..., None]) -> Callable[..., None]:
    def carried(runtime: Runtime, effect: do.Effect) -> None:
        system.carried(kind)
        if (fault := system.call("carry out")) is not None:
            raise fault
        carry(runtime, effect)

    return of_kind(kind, carried)


def _wrapped(system: System, owner: Any, name: str) -> Callable[..., Any]:
    real = getattr(owner, name)
    called = system.under(name, real)
    if name != "start":
        return called

    def start(thread: threading.Thread) -> None:
        called(thread)

    return start


def _install_sqlite(system: System, patch: pytest.MonkeyPatch) -> None:
    def told(name: str) -> None:
        fault = system.call(f"sqlite {name}")
        if isinstance(fault, OSError):
            raise sqlite3.OperationalError("disk I/O error")
        if fault is not None:
            raise fault

    class Counted(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            told("execute")
            return super().execute(*given)

        def executemany(self, *given: Any) -> sqlite3.Cursor:
            told("executemany")
            return super().executemany(*given)

        def executescript(self, *given: Any) -> sqlite3.Cursor:
            told("executescript")
            return super().executescript(*given)

        def close(self) -> None:
            super().close()
            told("close")

    real = sqlite3.connect

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        told("connect")
        return real(*given, **more, factory=Counted)

    patch.setattr(sqlite3, "connect", connect)
