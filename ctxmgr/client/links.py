"""Two links to a sidecar: a process with pipes, or the server in this process. A link carries bytes both ways and
reports how the sidecar ended. It knows no messages.

1. One thread reads from the process and one writes to it, so the event loop never waits for it.
2. The process has its own process group. An interrupt at the user's terminal does not reach it, and everything
   that a wrapper has started ends with it.
3. The process ends when its input ends, so it never outlives the program.
4. The reported end names the program, its exit code or signal and, unless the host directs standard error, its
   last line.
5. A pipe holds a whole list if the system allows it. Otherwise the list passes in pieces of 64 KB.
6. The server's modules load when the first link in this process is made, in a thread. A program that spawns a
   sidecar never loads them.
"""

import asyncio
import contextlib
import importlib
import io
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from ctxmgr import isolation
from ctxmgr.client.host import InProcessSidecar, SpawnedSidecar

if TYPE_CHECKING:
    from ctxmgr.server import Parts

PIPE_BYTES = 1 << 20  # the most that Linux allows an unprivileged process (fs.pipe-max-size)
READ_BYTES = PIPE_BYTES  # of one read; a pipe returns at most its capacity
CLOSED_SECONDS = 1.0  # for a process to end after it has closed its output
LAST_LINE_CHARACTERS = 200
LINE_BYTES = 1 << 16  # a longer line is read in pieces
KILLED = 137  # the exit code of a process that was killed


class SpawnedLink:
    """Raises OSError if the program cannot be started. `on_bytes` gets what the process wrote. `on_end` gets,
    once, how it ended. Both are called on the loop."""

    def __init__(
        self, sidecar: SpawnedSidecar, on_bytes: Callable[[bytes], None], on_end: Callable[[str], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_bytes, self._on_end = on_bytes, on_end
        self._program = str(sidecar.command[0])
        self._last_line = ""  # the last non-blank line of standard error
        groups = hasattr(os, "killpg")
        self._process = subprocess.Popen(
            list(sidecar.command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if sidecar.stderr == subprocess.DEVNULL else sidecar.stderr,
            cwd=sidecar.cwd,
            env=isolation.environment(os.environ if sidecar.env is None else sidecar.env, sidecar.cwd),
            bufsize=0,
            process_group=0 if groups else None,
        )
        _widen(self._process.stdin)
        _widen(self._process.stdout)
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._listening = threading.Thread(target=self._listen, name="ctxmgr-stderr", daemon=True)
        self._listening.start()
        for name, run in (("ctxmgr-read", self._read), ("ctxmgr-write", self._write)):
            threading.Thread(target=run, name=name, daemon=True).start()

    @property
    def process_id(self) -> int:
        return self._process.pid

    def send(self, chunk: bytes) -> None:
        """Does not block. Bytes that the process does not read any more are lost. Its end is reported."""
        self._out.put(chunk)

    def end_input(self) -> None:
        self._out.put(None)

    def kill(self) -> None:
        """Kills the process and its group at once, even if it is stopped."""
        if self._process.poll() is not None:
            return
        with contextlib.suppress(OSError):  # the process has just ended
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    # threads

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while chunk := stream.read(READ_BYTES):
                self._tell(self._on_bytes, chunk)
        try:
            code = self._process.wait(CLOSED_SECONDS)
            self._listening.join(
                CLOSED_SECONDS
            )  # its output is complete; its child processes may still hold the pipe open
            how = f"was killed by {_signal(-code)}" if code < 0 else f"exited with code {code}"
            how += f": {self._last_line}" if self._last_line else ""
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
            how = "closed its output"
        stream.close()
        self._out.put(None)
        self._tell(self._on_end, f"{self._program} {how}")

    def _listen(self) -> None:
        """Keeps the last line of standard error. JSON is not kept: it is data, perhaps of the conversation."""
        if self._process.stderr is None:
            return
        begins = True  # a line, not the rest of a long one
        with io.BufferedReader(self._process.stderr) as stream:  # type: ignore[type-var]  # a FileIO: it is unbuffered
            while line := stream.readline(LINE_BYTES):
                text = line.decode("utf-8", "replace").strip()
                if text and begins:
                    self._last_line = "" if text.startswith(("{", "[")) else text[:LAST_LINE_CHARACTERS]
                begins = line.endswith(b"\n")

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while (chunk := self._out.get()) is not None:
                view = memoryview(chunk)
                while view:
                    view = view[stream.write(view) or 0 :]
        with contextlib.suppress(OSError, ValueError):
            stream.close()

    def _tell(self, whom: Callable[..., None], value: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits
            self._loop.call_soon_threadsafe(whom, value)


def cannot_start(sidecar: SpawnedSidecar | InProcessSidecar, fault: Exception) -> str:
    """Which program cannot be started, and why."""
    if isinstance(sidecar, InProcessSidecar):
        return f"the server in this process cannot be started: {type(fault).__name__}"
    program = next(iter(sidecar.command), "")
    if isinstance(fault, FileNotFoundError):
        there = sidecar.cwd is None or os.path.isdir(sidecar.cwd)
        return f"{program} cannot be started: {'no such program' if there else f'no folder {sidecar.cwd}'}"
    return f"{program} cannot be started: {getattr(fault, 'strerror', None) or type(fault).__name__}"


def _widen(pipe: IO[bytes] | None) -> None:
    """Enlarges a pipe (rule 5). It keeps its size if the system refuses."""
    if sys.platform == "linux" and pipe is not None:
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def load_server() -> None:
    """Loads the server in a thread. It takes about 100 ms, once."""
    await asyncio.to_thread(importlib.import_module, "ctxmgr.server.runtime")


class RuntimeLink:
    """Await `load_server` first. `on_bytes` and `on_end` are called on the loop, never from within a call of this
    link."""

    def __init__(
        self, sidecar: InProcessSidecar, on_bytes: Callable[[bytes], None], on_end: Callable[[str], None]
    ) -> None:
        from ctxmgr.server import Runtime, Setup

        self._loop = asyncio.get_running_loop()
        self._on_bytes, self._on_end = on_bytes, on_end
        self._runtime = Runtime(Setup(state_dir=sidecar.state_dir), self._send, sidecar.say)
        self._runtime.start()
        self._life = self._loop.create_task(self._until_the_end())

    def send(self, chunk: bytes) -> None:
        self._loop.call_soon(self._receive, chunk)

    def end_input(self) -> None:
        self._loop.call_soon(self._receive, b"")

    def kill(self) -> None:
        self._runtime.end(KILLED)

    def _receive(self, chunk: bytes) -> None:
        if self._runtime.ended.done():
            return
        try:
            self._runtime.receive(chunk)
        except Exception:  # noqa: BLE001  as a process would, it ends; the program goes on
            self._runtime.end(1)

    def _send(self, parts: "Parts") -> None:
        self._loop.call_soon(self._on_bytes, b"".join(parts))

    async def _until_the_end(self) -> None:
        code = await self._runtime.ended
        await self._runtime.close()
        self._runtime.close_transcript()
        self._on_end(f"the server in this process ended with {code}")
