"""A scripted host over a connection in this process: what `StdioClient` is to a spawned one, without the process.

1. Work that would go to a thread runs when it is asked for, and no deadline passes: the answers are those of a
   spawned sidecar, byte for byte.
2. Nothing is kept: a snapshot begins empty and is not written. What needs a device (an archive, a model's server,
   another vocabulary) is refused by `NotInProcess`.
3. Requests of the server's own are refused with -32601, as by a host that has no such method.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ctxmgr.known_models import Registry
from ctxmgr.model import Weigh, of_all
from ctxmgr.server import Connection, ConnectionOptions, SnapshotLoaded
from ctxmgr.server import effects as do
from ctxmgr.study.spawning.client import RpcFailure, member
from ctxmgr.wire import Framer, FramingFault, frame

KILLED = -9  # the exit code of a process that was killed, as `subprocess` has it

_encode = msgspec.json.Encoder().encode


class NotInProcess(Exception):
    """The connection wants what only a spawned sidecar has."""


class _Incoming(msgspec.Struct):
    id: Any = None
    method: str = ""
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Incoming).decode


class InProcessClient:
    """One connection and a conversation with it. A context manager, as `StdioClient` is one. `weighers`: the
    vocabularies that are there, by name; `models`: what is known of them, where that is not what is shipped."""

    def __init__(self, weighers: Mapping[str, Weigh], models: Registry | None = None) -> None:
        by_name = {name: of_all(weigh) for name, weigh in weighers.items()}
        self._connection = Connection(ConnectionOptions(models=models), by_name)
        self._framer = Framer()
        self._bodies: list[bytes] = []
        self._log_lines: list[str] = []
        self._next_id = 1
        self.exit_code: int | None = None
        self._carry_out(self._connection.receive(b""))

    def __enter__(self) -> "InProcessClient":
        return self

    def __exit__(self, *fault: object) -> None:
        if fault[0] is None:
            self.close()
        else:
            self.kill()

    def request(self, method: str, params: Any = None) -> Any:
        """The decoded result. Raises RpcFailure, NotInProcess."""
        return msgspec.json.decode(self.request_raw(method, params))

    def request_raw(self, method: str, params: Any = None) -> bytes:
        """The bytes of the result. Raises RpcFailure, NotInProcess."""
        id, self._next_id = self._next_id, self._next_id + 1
        self._tell(b'{"jsonrpc":"2.0","id":%d,"method":%b%b}' % (id, _encode(method), member(params)))
        found: _Incoming | None = None
        while self._bodies:
            came = _decode(self._bodies.pop(0))
            if came.method:
                self._refuse(came)
            elif came.id == id:
                found = came
        if found is None:
            raise NotInProcess(f"{method} waits for a device")
        if found.error is not None:
            raise RpcFailure(found.error["code"], found.error["message"], found.error.get("data"))
        return bytes(found.result)

    def notify(self, method: str, params: Any = None) -> None:
        self._tell(b'{"jsonrpc":"2.0","method":%b%b}' % (_encode(method), member(params)))

    def close(self) -> int:
        """Says `shutdown` and `exit`; the exit code."""
        if self.exit_code is None:
            self.request("shutdown")
            self.notify("exit")
        return KILLED if self.exit_code is None else self.exit_code

    def kill(self) -> None:
        """Nothing is asked of it any more."""
        self.exit_code = KILLED if self.exit_code is None else self.exit_code

    def stderr(self) -> str:
        """What a spawned one would have written to stderr."""
        return "\n".join(f"ctxmgr: {text}" for text in self._log_lines)

    def _refuse(self, came: _Incoming) -> None:
        if came.id is not None:
            refused = b'{"code":-32601,"message":"this host has no such method"}'
            self._tell(b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (_encode(came.id), refused))

    def _tell(self, body: bytes) -> None:
        self._carry_out(self._connection.receive(b"".join(frame("content-length", [body]))))

    # effects

    def _carry_out(self, effects: list[do.Effect]) -> None:
        """In their order: what one brings about comes after those that wait."""
        waiting = list(effects)
        while waiting:
            effect = waiting.pop(0)
            if isinstance(effect, do.Send):
                self._write(effect)
            elif isinstance(effect, do.Open):
                waiting += self._connection.resume(effect.ticket, SnapshotLoaded())
            elif isinstance(effect, do.RunInThread):
                waiting += self._connection.resume(effect.ticket, _value(effect.work))
            elif isinstance(effect, do.Log):
                self._log_lines.append(effect.text)
            elif isinstance(effect, do.End):
                self.exit_code = effect.code
            elif isinstance(effect, do.PutRows | do.GetRow | do.Complete | do.LoadWeigher):
                raise NotInProcess(f"{type(effect).__name__} needs a spawned sidecar")

    def _write(self, effect: do.Send) -> None:
        for item in self._framer.feed(b"".join(effect.parts)):
            assert not isinstance(item, FramingFault), item.message
            self._bodies.append(item)


def _value(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as fault:  # noqa: BLE001  as the worker: the session hears of it
        return fault
