"""A scripted host: spawns ctxmgr and speaks JSON-RPC 2.0 with it, blocking. Knows nothing of ctxmgr's inside.

1. Each wait has a deadline and ends in `TimedOut`: a script never hangs.
2. Reading and writing have a thread each, so that neither side waits for the other to read.
3. What is given as bytes or `msgspec.Raw` is sent byte for byte; an answer can be had as the bytes it came in.
"""

import contextlib
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Literal

import msgspec

from ctxmgr import isolation

Framing = Literal["content-length", "ndjson"]
Handlers = Mapping[str, Callable[[Any], Any]]

DEADLINE_SECONDS = 60.0  # of one answer; the slowest seen, a first list of megabytes, takes under 2
END_SECONDS = 10.0  # for the process to end after `exit`; it drains for 5 at most
STDERR_BYTES = 4_000  # of what the process said, shown with a failure

_encode = msgspec.json.Encoder().encode


class RpcFailure(Exception):
    """An error answer."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.data = code, message, data


class TimedOut(Exception):
    """The answer did not come before the deadline."""


class ProcessEnded(Exception):
    """The process ended, or closed its output, while an answer was waited for."""


class _Incoming(msgspec.Struct):
    """One message of the server. A member that was not there is empty."""

    id: msgspec.Raw = msgspec.Raw(b"")
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"")


_decode = msgspec.json.Decoder(_Incoming).decode


class StdioClient:
    """One server process and a conversation with it. A context manager; leaving it ends the process.

    `handlers` answer the server's requests and hear its notifications by method, each taking the params; what
    has no handler is refused with -32601. They run while this client waits, in the caller's thread.
    """

    def __init__(
        self,
        arguments: Sequence[str] = (),
        *,
        framing: Framing = "content-length",
        handlers: Handlers | None = None,
        deadline: float = DEADLINE_SECONDS,
    ) -> None:
        self.framing, self.deadline = framing, deadline
        self.handlers = dict(handlers or {})
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `kill`
        self.process = subprocess.Popen(
            isolation.command("serve", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        self._bodies: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: dict[int, _Incoming] = {}
        self._next_id = 1
        self._last_words = ""
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._read, self._write)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "StdioClient":
        return self

    def __exit__(self, *fault: object) -> None:
        if fault[0] is None:
            self.close()
        else:
            self.kill()

    # what a script calls

    def request(self, method: str, params: Any = None) -> Any:
        """The decoded result. Raises RpcFailure, TimedOut, Gone."""
        return msgspec.json.decode(self.request_raw(method, params))

    def request_raw(self, method: str, params: Any = None) -> bytes:
        """The bytes of the result. Raises RpcFailure, TimedOut, Gone."""
        return self.answer(self.ask(method, params))

    def ask(self, method: str, params: Any = None) -> int:
        """Sends a request and does not wait; the id is for `answer`."""
        id, self._next_id = self._next_id, self._next_id + 1
        self.send_message(b'{"jsonrpc":"2.0","id":%d,"method":%b%b}' % (id, _encode(method), member(params)))
        return id

    def answer(self, id: int, deadline: float | None = None) -> bytes:
        """The bytes of the result of the request with this id; seconds to wait at most."""
        end = time.monotonic() + (self.deadline if deadline is None else deadline)
        while id not in self._answers:
            self._hear(end)
        came = self._answers.pop(id)
        if came.error:
            error = msgspec.json.decode(came.error)
            raise RpcFailure(error["code"], error["message"], error.get("data"))
        return bytes(came.result)

    def notify(self, method: str, params: Any = None) -> None:
        self.send_message(b'{"jsonrpc":"2.0","method":%b%b}' % (_encode(method), member(params)))

    def send_message(self, body: bytes) -> None:
        """One message in this client's framing, whatever it holds."""
        if self.framing == "ndjson":
            self.send_raw(body + b"\n")
        else:
            self.send_raw(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send_raw(self, chunk: bytes) -> None:
        """Bytes onto the wire as they are."""
        self._out.put(chunk)

    def close(self) -> int:
        """Says `shutdown` and `exit`; the process's exit code."""
        with contextlib.suppress(ProcessEnded, RpcFailure):
            self.request("shutdown")
            self.notify("exit")
        self._out.put(None)
        try:
            return self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            raise TimedOut("the process did not end after exit") from None
        finally:
            self.kill()

    def kill(self) -> None:
        """Ends the process at once, if it has not ended, and closes what is open."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(END_SECONDS)
        self._out.put(None)
        for thread in self._threads:
            thread.join(END_SECONDS)
        if self.process.stdout:
            self.process.stdout.close()
        if not self._stderr.closed:
            self._last_words = self._tail()
            self._stderr.close()

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self.process.poll()

    def stderr(self) -> str:
        """The end of what the process has written to stderr."""
        return self._last_words if self._stderr.closed else self._tail()

    # inbound

    def _hear(self, end: float) -> None:
        """Takes one message of the server; `end` in seconds of the monotonic clock."""
        try:
            body = self._bodies.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise TimedOut(f"no answer in time; stderr: {self.stderr()}") from None
        if body is None:
            self._bodies.put(None)  # for the next who waits
            raise ProcessEnded(f"the server ended (exit code {self.process.poll()}); stderr: {self.stderr()}")
        came = _decode(body)
        if came.method:
            self._serve(came)
        elif came.id and came.id != b"null":
            self._answers[msgspec.json.decode(came.id)] = came
        else:
            error = msgspec.json.decode(came.error or b"{}")
            raise RpcFailure(error.get("code", 0), error.get("message", "an answer to nothing"), error.get("data"))

    def _serve(self, came: _Incoming) -> None:
        """Answers a request of the server."""
        handler = self.handlers.get(came.method)
        value = handler(msgspec.json.decode(came.params)) if handler is not None else None
        if not came.id:
            return
        if handler is None:
            outcome = b'"error":{"code":-32601,"message":"this host has no such method"}'
        else:
            outcome = b'"result":' + _encode(value)
        self.send_message(b'{"jsonrpc":"2.0","id":%b,%b}' % (bytes(came.id), outcome))

    def _tail(self) -> str:
        """Read by position: the process writes at the offset that both share."""
        size = os.fstat(self._stderr.fileno()).st_size
        tail = os.pread(self._stderr.fileno(), STDERR_BYTES, max(0, size - STDERR_BYTES))
        return tail.decode("utf-8", "replace").strip()

    # threads

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while (body := self._next_body(stream)) is not None:
                self._bodies.put(body)
        self._bodies.put(None)

    def _next_body(self, stream: IO[bytes]) -> bytes | None:
        line = stream.readline()
        if self.framing == "ndjson":
            return line or None
        length = 0
        while line.strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.strip().lower() == b"content-length" else length
            line = stream.readline()
        if not line:
            return None
        body = stream.read(length)
        return body if len(body) == length else None

    def _write(self) -> None:
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            while (chunk := self._out.get()) is not None:
                stream.write(chunk)
                stream.flush()
        with contextlib.suppress(OSError, ValueError):
            stream.close()


def member(params: Any) -> bytes:
    """The `params` member with its comma; nothing where there are none. Bytes are JSON already."""
    if params is None:
        return b""
    return b',"params":' + (params if isinstance(params, bytes) else _encode(params))
