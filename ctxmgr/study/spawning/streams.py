"""Moves bytes to and from a process that serves on its standard streams. Knows no message.

1. Every wait is bounded: what does not come in time raises `TimedOut`.
2. Reading and writing have a thread each: a process that writes its second megabyte before it reads the first never
   blocks the caller.
3. A spawned command has a process group of its own, which is killed as a whole: a wrapper leaves nothing behind.
"""

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO

from ctxmgr import isolation

READ_BYTES = 1 << 20  # of one read: a pipe gives at most its capacity
STDERR_BYTES = 4_000  # of what the command wrote there, shown with a failure
KILLED_SECONDS = 10.0  # for the system to take away what was killed


class TimedOut(Exception):
    """What was waited for did not come in time."""


class Streams:
    """Two unbuffered byte streams; both are closed in the end."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self._reading, self._writing = reading, writing
        self._in: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader.start()
        self._writer.start()

    def write(self, chunk: bytes) -> None:
        """Does not wait. What the other side does not read any more is lost; its end is seen by `read`."""
        self._out.put(chunk)

    def end_input(self) -> None:
        self._out.put(None)

    def drain(self, seconds: float) -> None:
        """Ends the other side's input and waits so long for it to read what is left."""
        self.end_input()
        self._writer.join(seconds)

    def read(self, seconds: float) -> bytes:
        """The next bytes, b"" at the end. Raises TimedOut."""
        try:
            chunk = self._in.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise TimedOut(f"nothing came in {seconds:.1f} s") from None
        if not chunk:
            self._in.put(b"")  # for the next who reads
        return chunk

    # threads

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._reading.read(READ_BYTES):
                self._in.put(chunk)
        self._in.put(b"")

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (chunk := self._out.get()) is not None:
                view = memoryview(chunk)
                while view:
                    view = view[self._writing.write(view) or 0 :]
        with contextlib.suppress(OSError, ValueError):
            self._writing.close()


class Spawned(Streams):
    """One process. A context manager: leaving it kills what is left. Raises OSError where it can not be started."""

    def __init__(self, command: Sequence[str]) -> None:
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `kill`
        self._last_words = ""
        try:
            self.process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                start_new_session=True,
            )
        except OSError:
            self._stderr.close()
            raise
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(self.process.stdout, self.process.stdin)

    def __enter__(self) -> "Spawned":
        return self

    def __exit__(self, *fault: object) -> None:
        self.kill()

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self.process.poll()

    def wait(self, seconds: float) -> int:
        """The exit code. Raises TimedOut."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimedOut(f"the process did not end in {seconds:.1f} s") from None

    def kill(self) -> None:
        """Ends the process and its group at once, and closes what is open. A second call does nothing."""
        if self._stderr.closed:
            return
        with contextlib.suppress(OSError):  # it has ended, and nothing of its group is left
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait(KILLED_SECONDS)
        self.drain(KILLED_SECONDS)
        self._reader.join(KILLED_SECONDS)
        self._reading.close()
        self._last_words = self.stderr()
        self._stderr.close()

    def stderr(self) -> str:
        """The end of what it has written to stderr."""
        if self._stderr.closed:
            return self._last_words
        descriptor = self._stderr.fileno()
        start = max(0, os.fstat(descriptor).st_size - STDERR_BYTES)
        # by position: the process writes at the offset that both share
        return os.pread(descriptor, STDERR_BYTES, start).decode("utf-8", "replace").strip()


def this_ctxmgr(*arguments: str) -> list[str]:
    """The command that serves with the ctxmgr that is running."""
    return list(isolation.command("serve", *arguments))
