"""A host's calls to a sidecar, spawned or in this process: JSON-RPC 2.0, blocking, with answers as raw bytes.

Unlike `ctxmgr.client` it hides nothing: an error answer, a timeout and the end of the sidecar are all raised, and
nothing is restarted.

Bytes go to and from a process on its standard streams (`Streams`, `Spawned`):

1. Every wait has a limit, and raises `TimedOut` after it.
2. Reading and writing each have a thread, so a process that writes its second megabyte before it reads the first
   never blocks the caller.
3. A spawned command has its own process group, which is killed as a whole, so a wrapper leaves nothing behind.
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
from typing import IO, Any, Literal, Protocol

import msgspec

from ctxmgr import isolation
from ctxmgr.wire import Framer, FramingFault, frame

READ_BYTES = 1 << 20  # of one read: a pipe returns at most its capacity
STDERR_BYTES = 4_000  # of the command's stderr, shown with a failure
KILLED_SECONDS = 10.0  # for the system to remove a killed process


class TimedOut(Exception):
    """Something did not arrive in time."""


class Streams:
    """Two unbuffered byte streams; both are closed at the end."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self._reading, self._writing = reading, writing
        self._in: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader.start()
        self._writer.start()

    def write(self, chunk: bytes) -> None:
        """Does not block. Bytes that the other side no longer reads are lost; `read` reports its end."""
        self._out.put(chunk)

    def end_input(self) -> None:
        self._out.put(None)

    def drain(self, seconds: float) -> None:
        """Ends the other side's input, and waits up to `seconds` until it has read the rest."""
        self.end_input()
        self._writer.join(seconds)

    def read(self, seconds: float) -> bytes:
        """The next bytes, b"" at the end. Raises TimedOut."""
        try:
            chunk = self._in.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise TimedOut(f"nothing came in {seconds:.1f} s") from None
        if not chunk:
            self._in.put(b"")  # for the next reader
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
    """One process. A context manager: leaving it kills what still runs. Raises OSError if it cannot be started."""

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
        """None while it runs; negative if a signal ended it."""
        return self.process.poll()

    def wait(self, seconds: float) -> int:
        """The exit code. Raises TimedOut."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimedOut(f"the process did not end in {seconds:.1f} s") from None

    def kill(self) -> None:
        """Kills the process and its group, and closes the streams. A second call does nothing."""
        if self._stderr.closed:
            return
        with contextlib.suppress(OSError):  # it has ended, and nothing of its group remains
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
    """The command that serves with the running ctxmgr."""
    return list(isolation.command("serve", *arguments))


Framing = Literal["content-length", "ndjson"]

DEADLINE_SECONDS = 60.0  # for one answer; the slowest seen, for a first list of megabytes, takes less than 2
END_SECONDS = 10.0  # for the process to end after `exit`; it drains for at most 5
REFUSAL = b'{"code":-32601,"message":"this host has no such method"}'

_encode = msgspec.json.Encoder().encode


class SidecarProcess(Protocol):
    """The byte streams of a sidecar: a process, or a stand-in for one. `kill` may be called twice."""

    def write(self, chunk: bytes) -> None: ...
    def read(self, seconds: float) -> bytes: ...
    def end_input(self) -> None: ...
    def wait(self, seconds: float) -> int: ...
    def kill(self) -> None: ...
    def stderr(self) -> str: ...
    @property
    def exit_code(self) -> int | None: ...


class RpcFailure(Exception):
    """An error answer."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.data = code, message, data


class SidecarEnded(Exception):
    """The sidecar ended, or wrote something that is no message, while a call waited for an answer."""


class _Incoming(msgspec.Struct):
    """One message of the server. A missing member is empty."""

    id: msgspec.Raw = msgspec.Raw(b"")
    method: str = ""
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: msgspec.Raw = msgspec.Raw(b"")


_decode = msgspec.json.Decoder(_Incoming).decode


class RpcClient:
    """One conversation. Refuses requests of the sidecar, and ignores its notifications."""

    def __init__(self, sidecar: SidecarProcess) -> None:
        self.sidecar = sidecar
        self._framer = Framer()
        self._next_id = 1

    def request(self, method: str, params: Any = None) -> Any:
        """The decoded result. Raises like `request_raw`."""
        return msgspec.json.decode(self.request_raw(method, params))

    def request_raw(self, method: str, params: Any = None) -> bytes:
        """The bytes of the result. `params` as bytes are JSON. Raises RpcFailure, TimedOut and SidecarEnded."""
        id, self._next_id = self._next_id, self._next_id + 1
        self._send(b'{"jsonrpc":"2.0","id":%d,"method":%b%b}' % (id, _encode(method), _member(params)))
        end = time.monotonic() + DEADLINE_SECONDS
        answer: _Incoming | None = None
        while answer is None:
            for message in self._receive(end):
                if not message.method:
                    answer = message
                elif message.id:
                    self._send(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (bytes(message.id), REFUSAL))
        if answer.error:
            error = msgspec.json.decode(answer.error)
            raise RpcFailure(error["code"], error["message"], error.get("data"))
        return bytes(answer.result)

    def notify(self, method: str, params: Any = None) -> None:
        self._send(b'{"jsonrpc":"2.0","method":%b%b}' % (_encode(method), _member(params)))

    def close(self) -> int:
        """Sends `shutdown` and `exit`; returns the exit code. Raises TimedOut."""
        try:
            with contextlib.suppress(SidecarEnded, RpcFailure):
                self.request("shutdown")
                self.notify("exit")
            self.sidecar.end_input()
            return self.sidecar.wait(END_SECONDS)
        finally:
            self.sidecar.kill()

    def _send(self, body: bytes) -> None:
        self.sidecar.write(b"".join(frame("content-length", [body])))

    def _receive(self, end: float) -> list[_Incoming]:
        """The messages of the next chunk. `end`: in seconds of the monotonic clock."""
        try:
            chunk = self.sidecar.read(end - time.monotonic())
        except TimedOut as late:
            raise TimedOut(f"no answer in time: {late}; stderr: {self.sidecar.stderr()}") from None
        items = list(self._framer.feed(chunk))
        if not chunk or any(isinstance(item, FramingFault) for item in items):
            code = self.sidecar.exit_code
            raise SidecarEnded(f"the server ended (exit code {code}); stderr: {self.sidecar.stderr()}")
        return [_decode(item) for item in items if isinstance(item, bytes)]


def _member(params: Any) -> bytes:
    """The `params` member with its comma; empty without params."""
    if params is None:
        return b""
    return b',"params":' + (params if isinstance(params, bytes) else _encode(params))
