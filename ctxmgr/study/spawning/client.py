"""A host's calls to a sidecar, spawned or in this process: JSON-RPC 2.0, blocking, answers as the bytes they are.

Unlike `ctxmgr.client` it hides nothing: an error answer, a wait that is too long and the end of the sidecar are all
raised, and nothing is started again.
"""

import contextlib
import time
from typing import Any, Literal, Protocol

import msgspec

from ctxmgr.study.spawning.streams import TimedOut
from ctxmgr.wire import Framer, FramingFault, frame

Framing = Literal["content-length", "ndjson"]

DEADLINE_SECONDS = 60.0  # of one answer; the slowest seen, a first list of megabytes, takes under 2
END_SECONDS = 10.0  # for the process to end after `exit`; it drains for 5 at most
REFUSAL = b'{"code":-32601,"message":"this host has no such method"}'

_encode = msgspec.json.Encoder().encode


class SidecarProcess(Protocol):
    """Bytes to and from a sidecar: a process, or what stands in the place of one. `kill` may be called twice."""

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
    """The sidecar ended, or wrote what is no message, while an answer was waited for."""


class _Incoming(msgspec.Struct):
    """One message of the server. A member that was not there is empty."""

    id: msgspec.Raw = msgspec.Raw(b"")
    method: str = ""
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: msgspec.Raw = msgspec.Raw(b"")


_decode = msgspec.json.Decoder(_Incoming).decode


class RpcClient:
    """One conversation. A context manager: leaving it lets the sidecar end, or kills it after a fault. Requests of
    the sidecar are refused, and its notifications passed over."""

    def __init__(self, sidecar: SidecarProcess, framing: Framing = "content-length") -> None:
        self.sidecar, self.framing = sidecar, framing
        self._framer = Framer()
        self._next_id = 1

    def __enter__(self) -> "RpcClient":
        return self

    def __exit__(self, *fault: object) -> None:
        if fault[0] is None:
            self.close()
        else:
            self.sidecar.kill()

    def request(self, method: str, params: Any = None) -> Any:
        """The decoded result. Raises as `request_raw`."""
        return msgspec.json.decode(self.request_raw(method, params))

    def request_raw(self, method: str, params: Any = None) -> bytes:
        """The bytes of the result; `params` as bytes are JSON. Raises RpcFailure, TimedOut and SidecarEnded."""
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
        """Says `shutdown` and `exit`; the exit code. Raises TimedOut."""
        try:
            with contextlib.suppress(SidecarEnded, RpcFailure):
                self.request("shutdown")
                self.notify("exit")
            self.sidecar.end_input()
            return self.sidecar.wait(END_SECONDS)
        finally:
            self.sidecar.kill()

    def _send(self, body: bytes) -> None:
        self.sidecar.write(b"".join(frame(self.framing, [body])))

    def _receive(self, end: float) -> list[_Incoming]:
        """The messages of the next chunk; `end` in seconds of the monotonic clock."""
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
    """The `params` member with its comma; nothing where there are none."""
    if params is None:
        return b""
    return b',"params":' + (params if isinstance(params, bytes) else _encode(params))
