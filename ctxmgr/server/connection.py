"""One connection: bytes in, effects out. No IO, no clock, no thread.

`receive` gets what the host wrote and returns the effects to carry out, in order. A change of a session is saved
before the answer that reports it is sent. Work that is slow or needs a device is an effect with a ticket, and
`resume` delivers its value. A worker, a test or a replay drives it.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from ctxmgr import __version__, wire
from ctxmgr.model import ESTIMATE, WeighAll, faults
from ctxmgr.model.api import lifecycle, since
from ctxmgr.model.saved import Stored
from ctxmgr.server.config import ConnectionConfig, IncomingCall, SessionRequest, settled
from ctxmgr.server.effects import Effect, End, Log, Record, Send, WatchProcess
from ctxmgr.server.peer import Parts, Peer, internal, raised
from ctxmgr.wire import (
    METHODS,
    Framer,
    FramingFault,
    Method,
    ParamsReader,
    RpcError,
    Slice,
    envelope,
    errors,
    frame,
    no_method,
    strip_prefix,
    transcript,
)

if TYPE_CHECKING:
    from ctxmgr.server.sessions import Sessions  # avoids an import cycle; loaded late on purpose
    from ctxmgr.session import Embedding

MALFORMED = msgspec.Raw(b'{"code":-32600,"message":"malformed answer"}')


class Connection:
    def __init__(
        self,
        terms: ConnectionConfig,
        weighers: Mapping[str, WeighAll] = MappingProxyType({}),
        embed: "Embedding | None" = None,
    ) -> None:
        """`weighers`: the vocabularies that are loaded, by name. `weigher_loaded` adds others. `embed` returns
        vectors of texts if the policy asks for them. It may be slow and runs in a thread."""
        self.terms = msgspec.structs.replace(terms, weighers=weighers, embed=embed)
        self.framer = Framer(terms.max_message_bytes)
        self._effects: list[Effect] = []
        self.peer = Peer({name: self._handler(row) for name, row in METHODS.items()}, self._send)
        self._sessions: Sessions | None = None
        self._noise = False  # a line that is not a message was reported
        self.phase = "new"  # new, ready, closing, leaving (input is ignored), ended
        self._params = ParamsReader()
        if terms.record:
            there = next(iter(weighers), ESTIMATE)
            self._effects.append(
                Record(transcript.header(since.FIRST_VERSION, __version__, there, transcript.RULES))
            )

    @property
    def sessions(self) -> "Sessions":
        """Created, with the engine, when the first session needs it, so that a start does not wait."""
        if self._sessions is None:
            from ctxmgr.server.sessions import Sessions

            self._sessions = Sessions(self.terms, self._effects.append, self.peer)
        return self._sessions

    def prepare(self) -> None:
        """Loads what the first session will need."""
        _ = self.sessions

    def receive(self, chunk: bytes) -> list[Effect]:
        """Gets bytes of the host, cut anywhere."""
        for item in self.framer.in_place(chunk):
            self._arrived(item)
        return self._take()

    def eof(self) -> list[Effect]:
        """The host closed its output. The connection ends when everything that arrived is done."""
        for item in self.framer.eof():
            self._arrived(item)
        return self.leave(0)

    def leave(self, code: int) -> list[Effect]:
        """Ignores further input, and ends when everything that arrived is answered and saved. The first code
        counts."""
        self._leave(code)
        return self._take()

    def resume(self, ticket: int, value: Any) -> list[Effect]:
        """Delivers the value of an effect with a ticket."""
        self.sessions.resume(ticket, value)
        return self._take()

    def minute(self) -> list[Effect]:
        """Call this once per minute."""
        if self.phase == "ready":
            self.sessions.minute()
        return self._take()

    def spare(self, free: int) -> list[Effect]:
        """Call this when only `free` file descriptors are left. Each session holds two."""
        if self._sessions is not None:
            self._sessions.spare(free)
        return self._take()

    def weigher_loaded(self, name: str, weigh: WeighAll | None, note: str | None) -> list[Effect]:
        """Reports that a vocabulary is loaded. If `weigh` is None it is unavailable or lost, and `note` says
        why.
        """
        if weigh is not None and self.terms.record:
            self._effects.append(Record(transcript.weigher(name)))
        self.sessions.weigher_loaded(name, weigh, note)
        return self._take()

    def not_saved(self, session_id: str, text: str) -> None:
        """Records for the status that a snapshot could not be written."""
        if self._sessions is not None:
            self._sessions.note(session_id, text)

    def stored(self, session_id: str, stored: Stored) -> list[Effect]:
        """Records how far a session is saved in the store."""
        if self._sessions is not None:
            self._sessions.stored(session_id, stored)
        return self._take()

    def _take(self) -> list[Effect]:
        if self._sessions is not None:
            self._sessions.telling.tell()
        effects, self._effects[:] = list(self._effects), []
        return effects

    def _send(self, parts: Parts) -> None:
        if self.terms.record:
            self._effects.append(Record(transcript.line("ctxmgr", b"".join(parts))))
        self._effects.append(Send(tuple(frame(self.framer.mode, parts))))

    def _say(self, text: str) -> None:
        self._effects.append(Log(text))

    def _leave(self, code: int) -> None:
        if self.phase not in ("leaving", "ended"):
            self.phase = "leaving"
            self._when_idle(lambda: self._finish(code))

    def _finish(self, code: int) -> None:
        """Ends the process once, with every session saved."""
        if self.phase != "ended":
            self.phase = "ended"
            self._close_all()
            self._effects.append(End(code))

    def _when_idle(self, action: Callable[[], None]) -> None:
        """Runs the action when everything that arrived is done."""
        if self._sessions is None:
            action()
        else:
            self._sessions.when_idle(action)

    def _close_all(self) -> None:
        if self._sessions is not None:
            self._sessions.close_all()

    # inbound

    def _arrived(self, item: bytes | Slice | FramingFault) -> None:
        if isinstance(item, FramingFault):
            self._framing_fault(item)
        elif self.phase not in ("leaving", "ended"):
            self._body(item)

    def _framing_fault(self, fault: FramingFault) -> None:
        self._say(f"cannot read the host's input: {fault.message}")
        if fault.kind == "call":
            self._send(envelope.encode_error(fault.id, fault.code, fault.message))
        if fault.fatal:
            self._leave(1)

    def _body(self, body: bytes | Slice) -> None:
        if self.terms.record:
            body = body.taken() if isinstance(body, Slice) else body
            self._effects.append(Record(transcript.line("host", body)))
        reduced, stripped = strip_prefix(body, self._prefix_end)
        message = envelope.decode(reduced, self.framer.mode)
        if isinstance(message, envelope.Fault):
            self._say_unreadable(message)
            if message.kind == "call":
                self._send(envelope.encode_error(message.id, message.code, message.message))
            elif message.kind == "response" and message.id is not None:  # a response that is malformed is an error
                self._response(envelope.Response(message.id, None, MALFORMED))
        elif isinstance(message, envelope.Response):
            self._response(message)
        elif isinstance(message, envelope.Notification):
            if message.method == "$/cancelRequest":
                self._cancel(message.params)
            elif message.method in METHODS:
                self.peer.receive_notification(message.method, IncomingCall(message.params, False))
            elif not message.method.startswith("$/"):
                self._say(no_method(message.method))
        elif message.method not in METHODS:
            self._send(envelope.encode_error(message.id, errors.METHOD_NOT_FOUND, no_method(message.method)))
        else:
            call = IncomingCall(message.params, True, stripped, message.surrogate_count)
            self.peer.receive_request(message.id, message.method, call)

    def _say_unreadable(self, fault: envelope.Fault) -> None:
        """Reports only the first line that is not a message: a program that logs to our input writes many."""
        if fault.message != envelope.NO_MESSAGE:
            self._say(f"cannot read a message of the host: {fault.message}")
        elif not self._noise:
            self._noise = True
            self._say(
                f"{fault.message}. Does a print or a log write to the same pipe? Each such line is answered with"
                f" error {fault.code}; this is reported once"
            )

    def _prefix_end(self, id: str, body: bytes, start: int) -> tuple[int, int]:
        return (start, 0) if self._sessions is None else self._sessions.prefix_end(id, body, start)

    def _response(self, message: envelope.Response) -> None:
        try:
            id = msgspec.json.decode(message.id)
            result = msgspec.json.decode(message.result) if message.result is not None else None
            error = msgspec.json.decode(message.error) if message.error is not None else None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            id, result, error = None, None, None
        if not self.peer.receive_answer(id, result, error):
            self._say("the host answered a request that is not open")

    def _cancel(self, params: msgspec.Raw | None) -> None:
        try:
            target = msgspec.json.decode(params or b"{}", type=lifecycle.CancelParams)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            self._say(f"$/cancelRequest: {type(fault).__name__}: it needs an id")
            return
        self.peer.cancel(bytes(target.id))

    # handlers

    def _handler(self, row: Method) -> Callable[[IncomingCall], Any]:
        """The function that the peer calls for a method. It raises only the package's exceptions."""

        def handle(call: IncomingCall) -> Any:
            try:
                value = self._handle(row, call)
            except Exception as fault:  # noqa: BLE001  no fault inside may reach the package
                self._say_fault(row, call, fault)
                raise raised(errors.rpc_error(fault) or internal(fault)) from None
            if isinstance(value, Future):
                value.add_done_callback(partial(self._ended, row, call))
            return value

        return handle

    def _ended(self, row: Method, call: IncomingCall, future: "Future[Any]") -> None:
        """Handles the end of a call that had to wait."""
        fault = None if future.cancelled() else future.exception()
        if fault is not None:
            self._say_fault(row, call, fault)

    def _say_fault(self, row: Method, call: IncomingCall, fault: BaseException) -> None:
        """Reports a fault that no answer reports to the host."""
        answered = errors.rpc_error(fault)
        if answered is None:
            self._say(f"{row.name}: {faults.where(fault)}")
        elif not call.request:
            self._say(f"notification {row.name}: {answered.message}")

    def _handle(self, row: Method, call: IncomingCall) -> Any:
        self._admit(row, call)
        params = self._params.read(row, call.params)
        value = self._routed(row, call, params)
        for typo in self._params.typos(row, params, call.params):
            self._say(typo)
        return value

    def _routed(self, row: Method, call: IncomingCall, params: Any) -> Any:
        if row.name in self._GLOBAL:
            return self._GLOBAL[row.name](self, params)
        stripped = call.stripped
        if stripped.count and stripped.session_id != params.session_id:
            raise RpcError(errors.INVALID_REQUEST, "the params name two sessions")
        return self.sessions.submit(
            SessionRequest(row.name, params, call.request, stripped.count, call.surrogate_count)
        )

    def _admit(self, row: Method, call: IncomingCall) -> None:
        """Enforces the order of a connection: `initialize` first, nothing but `exit` after `shutdown`."""
        if row.kind == "request" and not call.request:
            raise RpcError(errors.INVALID_REQUEST, f"{row.name} is a request: it needs an id")
        if row.kind == "notification" and call.request:
            raise RpcError(errors.INVALID_REQUEST, f"{row.name} is a notification: it must not have an id")
        if row.name == "exit":
            return
        if row.name == "initialize":
            if self.phase != "new":
                raise RpcError(errors.INVALID_REQUEST, "initialize was already answered")
        elif self.phase == "new":
            raise RpcError(errors.NOT_INITIALIZED, "initialize has not been answered yet")
        elif self.phase == "closing":
            raise RpcError(errors.INVALID_REQUEST, "after shutdown, only exit is allowed")

    def _initialize(self, params: lifecycle.InitializeParams) -> lifecycle.InitializeResult:
        self.terms, result = settled(params, self.terms)
        self.phase, self.peer.version = "ready", self.terms.version
        if params.process_id is not None:
            self._effects.append(WatchProcess(params.process_id))
        return result

    def _shutdown(self, params: lifecycle.NoParams) -> Future[None]:
        """Answers when everything before it is answered."""
        self.phase = "closing"
        done: Future[None] = Future()

        def close() -> None:
            self._close_all()
            if not done.cancelled():
                done.set_result(None)

        self._when_idle(close)
        return done

    def _exit(self, params: lifecycle.NoParams) -> None:
        self._leave(0 if self.phase == "closing" else 1)

    _GLOBAL: dict[str, Callable[["Connection", Any], Any]] = {
        "initialize": _initialize,
        "initialized": lambda self, params: None,
        "shutdown": _shutdown,
        "exit": _exit,
        "rpc.discover": lambda self, params: wire.openrpc_document(),
    }
