"""The standard streams: a thread reads, a thread writes, and nothing else in the process can touch the wire.

Rules:
1. Descriptors 0 and 1 are moved to private ones, 0 is pointed at nothing and 1 at stderr: a stray print, in a
   library say, can not corrupt the framing.
2. Reading and writing never wait for each other: a host may write its second megabyte before it reads the first
   answer. asyncio's pipe transports would not do: they refuse regular files, and set O_NONBLOCK on what stderr
   may share.
3. A small answer is written at once where the pipe takes it whole (at most PIPE_BUF bytes when it is writable):
   a hop to the writer's thread costs more than the write.
4. What the host does not read is held up to a limit; then the host is taken for dead.
"""

import os
import select
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence

READ_BYTES = 1 << 20  # of one read; a pipe gives at most its capacity
PIPE_BYTES = 1 << 20  # capacity asked for, where the system lets us: fewer wake-ups for a long list
DIRECT_BYTES = 4_000  # below PIPE_BUF (4 096 on Linux): such a write is whole and does not block
HELD_BYTES = 256 << 20  # unread output at which the host is given up
WRITE_PARTS = 512  # parts of one writev; IOV_MAX is 1 024

Part = bytes | memoryview


def claim() -> tuple[int, int]:
    """Private descriptors for input and output; standard input is empty from now on, output is stderr."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for descriptor in (source, sink):
        _widen(descriptor)
    return source, sink


def _widen(descriptor: int) -> None:
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        import fcntl

        try:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            return  # over the user's quota of pipe buffers: it works with what there is


class Input:
    """Reads in a thread and calls `chunk` there with what came; with b"" once, at the end."""

    def __init__(self, descriptor: int, chunk: Callable[[bytes], None]) -> None:
        self._descriptor, self._chunk = descriptor, chunk
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._descriptor, READ_BYTES)
            except OSError:
                chunk = b""
            self._chunk(chunk)
            if not chunk:
                return


class Output:
    """Writes in a thread, in the order of `write`. `lost` once the host reads no more."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held: deque[Sequence[Part]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closing = False
        self.lost = False
        self._poll = _poller(descriptor)
        self._thread = threading.Thread(target=self._drain, name="stdout", daemon=True)
        self._thread.start()

    def write(self, parts: Sequence[Part]) -> None:
        size = sum(map(len, parts))
        with self._changed:
            if self.lost:
                return
            if not self._bytes and size <= DIRECT_BYTES and self._poll is not None and self._poll.poll(0):
                self._direct(b"".join(parts))
                return
            self._bytes += size
            if self._bytes > HELD_BYTES:
                self.lost = True
            else:
                self._held.append(parts)
            self._changed.notify()

    def close(self, seconds: float) -> None:
        """Waits so long for what is held to be read."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(seconds)

    def _direct(self, content: bytes) -> None:
        try:
            os.write(self._descriptor, content)
        except OSError:
            self.lost = True

    def _drain(self) -> None:
        while True:
            with self._changed:
                while not self._held and not self._closing and not self.lost:
                    self._changed.wait()
                if self.lost or not self._held:
                    return
                parts = self._held[0]
            size = sum(map(len, parts))
            try:
                _write_all(self._descriptor, parts)
            except OSError:
                self.lost = True
            with self._changed:
                self._held.popleft()
                self._bytes -= size


def _poller(descriptor: int) -> "select.poll | None":
    mode = os.fstat(descriptor).st_mode
    if not hasattr(select, "poll") or not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return None
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return poll


def _write_all(descriptor: int, parts: Sequence[Part]) -> None:
    left: list[Part] = [part for part in parts if len(part)]
    while left:
        written = os.writev(descriptor, left[:WRITE_PARTS])
        done = 0
        while done < len(left) and written >= len(left[done]):
            written -= len(left[done])
            done += 1
        del left[:done]
        if written:
            left[0] = memoryview(left[0])[written:]
