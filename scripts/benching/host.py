"""A lean host: writes prepared bytes and counts the bytes of the answers, without decoding them.

Rules:
1. The host's own work is part of every measurement, for ctxmgr and the floor alike. So it uses no JSON and no
   copies, and one buffer whose memory was touched before.
2. It reads while it writes, since a server may begin to answer before it has read everything.
"""

import os
import select
import subprocess
import time
from collections.abc import Sequence

Part = bytes | memoryview

BUFFER_BYTES = 48 << 20  # holds the largest answer (40 MB) and what was read after it
WRITE_PARTS = 512  # parts of one writev; IOV_MAX is 1,024
HEADER_END = b"\r\n\r\n"


class Ended(Exception):
    """The server closed its output."""


class Host:
    """One spawned server. `ask` is a complete round trip."""

    def __init__(self, command: Sequence[str], environment: dict[str, str] | None = None) -> None:
        self._buffer = bytearray(b"\1") * BUFFER_BYTES
        self._view = memoryview(self._buffer)
        self._start = self._end = 0  # the range of bytes read but not yet taken
        self.last = self._view[:0]  # the last body
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._stdin, self._stdout = self.process.stdin, self.process.stdout
        self._in, self._out = self._stdout.fileno(), self._stdin.fileno()
        os.set_blocking(self._out, False)  # the host's end has its own file description
        self._poll = select.poll()
        self._poll.register(self._in, select.POLLIN)
        self._poll.register(self._out, select.POLLOUT)

    def ask(self, parts: Sequence[Part]) -> memoryview:
        """Writes one frame and reads one. The returned view is valid until the next call."""
        self.write(parts)
        return self.read()

    def write(self, parts: Sequence[Part]) -> None:
        left = [memoryview(part) for part in parts]
        while left:
            written = self._send(left[:WRITE_PARTS])
            done = 0
            while done < len(left) and written >= len(left[done]):
                written -= len(left[done])
                done += 1
            del left[:done]
            if written:
                left[0] = left[0][written:]

    def read(self) -> memoryview:
        """The body of the next frame."""
        while (offset := self._buffer.find(HEADER_END, self._start, self._end)) < 0:
            self._fill()
        size = int(self._view[self._start + len("Content-Length:") : offset])
        offset += len(HEADER_END)
        if offset + size > BUFFER_BYTES:
            held = self._end - offset
            self._view[:held] = bytes(self._view[offset : self._end])
            offset, self._end = 0, held
        while self._end < offset + size:
            self._fill()
        self._start = offset + size
        if self._start == self._end:
            self._start = self._end = 0
        self.last = self._view[offset : offset + size]
        return self.last

    def memory(self, kind: str = "VmRSS") -> int:
        """Resident memory of the server in bytes (Linux). `VmHWM`: its maximum so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            line = next(line for line in status if line.startswith(f"{kind}:"))
        return int(line.split()[1]) << 10

    def cpu_seconds(self) -> float:
        """CPU seconds of all the server's threads since it was spawned (Linux)."""
        return time.clock_gettime(~self.process.pid << 3 | 2)  # the clock of another process

    def close(self) -> None:
        self._stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._stdout.close()

    def _send(self, parts: list[memoryview]) -> int:
        """The number of bytes that the server took. After 0, something may have been read."""
        try:
            return os.writev(self._out, parts)
        except BlockingIOError:
            for descriptor, event in self._poll.poll():
                if descriptor == self._in and event & select.POLLIN:
                    self._fill()
            return 0

    def _fill(self) -> None:
        if self._end == BUFFER_BYTES:
            held = self._end - self._start
            self._view[:held] = bytes(self._view[self._start : self._end])
            self._start, self._end = 0, held
        count = os.readv(self._in, [self._view[self._end :]])
        if not count:
            raise Ended("the server closed its output")
        self._end += count
