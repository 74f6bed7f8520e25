"""Spawns a command that serves on its standard streams, and moves bytes to and from it. Knows no message.

1. No wait is without a bound: what does not come in time is `TimedOut`.
2. Reading and writing have a thread each: a command that writes its second megabyte before it reads the first
   never makes the caller wait for it.
3. The command has a process group of its own, which is killed as a whole: a wrapper leaves nothing behind.
"""

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import IO

from ctxmgr import isolation
from ctxmgr.study.spawning.client import TimedOut

READ_BYTES = 1 << 20  # of one read: a pipe gives at most its capacity
STDERR_BYTES = 2_000  # of what the command said, shown with a failure
KILLED_SECONDS = 10.0  # for the system to take away what was killed


def this_ctxmgr(*arguments: str) -> list[str]:
    """The command that serves with the ctxmgr that is running."""
    return list(isolation.command("serve", *arguments))


class Spawned:
    """One process. A context manager: leaving it kills what is left. Raises OSError where it can not be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `kill`
        self._last_words = ""
        try:
            self.process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._output,
                bufsize=0,
                start_new_session=True,
            )
        except OSError:
            self._output.close()
            raise
        self._in: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Spawned":
        return self

    def __exit__(self, *fault: object) -> None:
        self.kill()

    def write(self, chunk: bytes) -> None:
        """Does not wait. What a process does not read any more is lost; its end is seen by `read`."""
        self._out.put(chunk)

    def end_input(self) -> None:
        self._out.put(None)

    def read(self, seconds: float) -> bytes:
        """The next bytes of its output, b"" at the end. Raises TimedOut."""
        try:
            chunk = self._in.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise TimedOut(f"nothing came in {seconds:.1f} s") from None
        if not chunk:
            self._in.put(b"")  # for the next who reads
        return chunk

    def wait(self, seconds: float) -> int:
        """The exit code. Raises TimedOut."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimedOut(f"the process did not end in {seconds:.1f} s") from None

    def kill(self) -> None:
        """Ends the process and its group at once, and closes what is open. A second call does nothing."""
        if self._output.closed:
            return
        with contextlib.suppress(OSError):  # it has ended, and nothing of its group is left
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait(KILLED_SECONDS)
        self._out.put(None)
        for thread in self._threads:
            thread.join(KILLED_SECONDS)
        if self.process.stdout:
            self.process.stdout.close()
        self._last_words = self._tail()
        self._output.close()

    def stderr(self) -> str:
        """The end of what it has written to stderr."""
        return self._last_words if self._output.closed else self._tail()

    def _tail(self) -> str:
        """Read by position: the process writes at the offset that both share."""
        size = os.fstat(self._output.fileno()).st_size
        tail = os.pread(self._output.fileno(), STDERR_BYTES, max(0, size - STDERR_BYTES))
        return tail.decode("utf-8", "replace").strip()

    # threads

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while chunk := stream.read(READ_BYTES):
                self._in.put(chunk)
        self._in.put(b"")

    def _write(self) -> None:
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while (chunk := self._out.get()) is not None:
                view = memoryview(chunk)
                while view:
                    view = view[stream.write(view) or 0 :]
        with contextlib.suppress(OSError, ValueError):
            stream.close()


class Clock:
    """A bound that several waits share, in seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())
