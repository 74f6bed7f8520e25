"""The standard streams. The loop reads, a thread writes what is long, and nothing else can write to the protocol's
stream.

Rules:
1. Descriptors 0 and 1 are moved to private ones; 0 then reads from nothing and 1 goes to stderr. A stray print, say
   in a library, cannot corrupt the framing.
2. Reading and writing never wait for each other: a host may write its second megabyte before it reads the first
   answer. asyncio's pipe transports cannot be used: they refuse regular files, and set O_NONBLOCK on what stderr
   may share. No descriptor is changed here; the loop reads only when data is reported.
3. An answer is written at once if that cannot block: at most PIPE_BUF bytes when there is room, or the pipe's
   capacity when it is empty. Handing it to the writer's thread costs more than the write.
4. Output that the host does not read is held up to a limit; then the host counts as dead.
"""

import asyncio
import os
import select
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence

if sys.platform == "linux":  # imported here, since a process without a free descriptor cannot import anything
    import fcntl
    import termios

READ_BYTES = 64 << 10  # of the first reads; below 128 kB the allocator does not map new memory
READ_MORE_BYTES = 1 << 20  # of all reads after a full one; a pipe returns at most its capacity, and that at once
PIPE_BYTES = 1 << 20  # requested capacity, where the system allows it: fewer wake-ups for a long list
DIRECT_BYTES = 4_000  # below PIPE_BUF (4 096 on Linux): such a write is atomic and does not block
HELD_BYTES = 256 << 20  # of unread output before the host counts as dead
PAGE_BYTES = 4_096  # of a pipe's buffer
WRITE_PARTS = 512  # parts of one writev; IOV_MAX is 1 024

Part = bytes | memoryview
Heard = Callable[[bytes], None]


def claim() -> tuple[int, int]:
    """Private descriptors for input and output. Standard input is empty from now on, and output is stderr."""
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
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            return  # over the user's quota of pipe buffers; the default size works too


def writable(descriptor: int) -> bool:
    """Whether a write of at most DIRECT_BYTES does not block. True if that cannot be determined."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))


class InputReader:
    """Calls `heard` on the loop with each input, and once with b"" at the end."""

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int, heard: Heard) -> None:
        self._loop, self._descriptor, self._on_data = loop, descriptor, heard
        self._size = READ_BYTES
        try:
            loop.add_reader(descriptor, self._ready)
        except (OSError, NotImplementedError):  # a regular file, /dev/null; Windows
            threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _ready(self) -> None:
        """Input is available, so reading does not block."""
        try:
            chunk = os.read(self._descriptor, self._size)
        except (BlockingIOError, InterruptedError):  # the host set the flag on the descriptor
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._loop.remove_reader(self._descriptor)
        if len(chunk) == READ_BYTES:
            self._size = READ_MORE_BYTES
        self._on_data(chunk)

    def _read(self) -> None:
        while True:
            try:
                chunk = os.read(self._descriptor, READ_MORE_BYTES)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._on_data, chunk)
            except RuntimeError:
                return  # the loop has ended, and so will the process
            if not chunk:
                return


class OutputWriter:
    """Writes in the order of `write` calls; what may block goes through a thread. Calls `on_lost`, in any thread,
    once the host stops reading.
    """

    def __init__(self, descriptor: int, on_lost: Callable[[], object]) -> None:
        self._descriptor, self._on_lost = descriptor, on_lost
        self._pending: deque[Sequence[Part]] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._closing = False
        self._lost = False
        self._room = _Room(descriptor)
        self._thread = threading.Thread(target=self._drain, name="stdout", daemon=True)
        self._thread.start()

    def write(self, parts: Sequence[Part]) -> None:
        size = sum(map(len, parts))
        with self._changed:
            if self._lost:
                return
            if not self._bytes and self._room.takes(size, len(parts)):
                self._direct(parts)
                return
            self._bytes += size
            if self._bytes > HELD_BYTES:
                self._lose()
            else:
                self._pending.append(parts)
            self._changed.notify()

    def close(self, seconds: float) -> None:
        """Waits this long for the host to read what is held."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(seconds)

    def _direct(self, parts: Sequence[Part]) -> None:
        try:
            if len(parts) > 1 and sum(map(len, parts)) <= DIRECT_BYTES:
                os.write(self._descriptor, b"".join(parts))
            else:
                _write_all(self._descriptor, parts)
        except Exception:  # noqa: BLE001  a part may be written: nothing can follow it
            self._lose()

    def _lose(self) -> None:
        self._lost = True
        self._on_lost()

    def _drain(self) -> None:
        while True:
            with self._changed:
                while not self._pending and not self._closing and not self._lost:
                    self._changed.wait()
                if self._lost or not self._pending:
                    return
                parts = self._pending[0]
            size = sum(map(len, parts))
            try:
                _write_all(self._descriptor, parts)
            except Exception:  # noqa: BLE001  as above
                self._lose()
            with self._changed:
                self._pending.popleft()
                self._bytes -= size


class _Room:
    """Determines what a descriptor takes at once. Only this process fills it, so a yes stays true."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        mode = os.fstat(descriptor).st_mode
        self._poll: select.poll | None = None
        self._capacity = 0  # of a pipe whose content can be measured
        if hasattr(select, "poll") and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            self._poll = select.poll()
            self._poll.register(descriptor, select.POLLOUT)
        if sys.platform == "linux" and stat.S_ISFIFO(mode):
            self._capacity = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)

    def takes(self, size: int, parts: int) -> bool:
        """`parts`: each write starts a new page of the pipe, and so leaves one partly filled."""
        if size <= DIRECT_BYTES:
            return self._poll is not None and bool(self._poll.poll(0))
        pages = 2 + parts // WRITE_PARTS
        return size + pages * PAGE_BYTES <= self._capacity and self._is_empty()

    def _is_empty(self) -> bool:
        held = bytearray(4)  # a C int
        fcntl.ioctl(self._descriptor, termios.FIONREAD, held)
        return not any(held)


def _write_all(descriptor: int, parts: Sequence[Part]) -> None:
    left: list[Part] = [part for part in parts if len(part)]
    while left:
        try:
            written = os.writev(descriptor, left[:WRITE_PARTS])
        except BlockingIOError:  # the host set the flag on the descriptor
            select.select((), (descriptor,), ())
            continue
        done = 0
        while done < len(left) and written >= len(left[done]):
            written -= len(left[done])
            done += 1
        del left[:done]
        if written:
            left[0] = memoryview(left[0])[written:]
