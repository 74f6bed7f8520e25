"""Calls over a link, as JSON-RPC 2.0. Each call has a time-out, and the end of the link ends all of them.

1. Every call ends with the answer or with a `SidecarFault`. A late call is cancelled. A request made with `ask`,
   which has no time-out, is not.
2. Anything that is not JSON-RPC ends the link, because the meaning of the bytes after it is unknown.
3. The program's callbacks answer ctxmgr's requests, each in a task. A request without a callback is refused.

It also encodes params as JSON, and decodes answers to structs. Both raise a `SidecarFault` if that fails.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

import msgspec

from ctxmgr.client.trouble import SidecarFault
from ctxmgr.model import InvalidParams
from ctxmgr.model.api import NoList, raw_json
from ctxmgr.wire import Framer, FramingFault, envelope, errors, frame

Value = TypeVar("Value")
Answering = Mapping[str, Callable[[bytes], Awaitable[bytes]]]  # params and result as JSON
Hearing = Mapping[str, Callable[[bytes], None]]  # params of notifications as JSON
LATE_CALLS = 5  # in a row; for `context`, these are ten seconds without ctxmgr


class SignsOfLife:
    """Distinguishes a process that hangs from one that is slow. It reads no clock: callers pass the time in
    milliseconds.

    1. One late call says little, because on a busy machine everything is late. It is cancelled, which asks for the
       cheapest possible answer. That answer, or any other byte, is a sign of life.
    2. A process hangs if it gives no sign of life for `hang_ms` after a late call.
    3. A process that is alive but leaves `LATE_CALLS` calls in a row unanswered counts as hanging, too.
    4. From a late call to the next sign of life, a process is in doubt: no call should wait for it.
    """

    def __init__(self, hang_ms: float) -> None:
        self._hang_ms = hang_ms
        self._late_calls = 0
        self._since: float | None = None  # when the doubt began

    @property
    def doubted(self) -> bool:
        return self._since is not None

    def wrote(self) -> None:
        """The process wrote something."""
        self._since = None

    def answered(self) -> None:
        """A call was answered, with a result or an error."""
        self._late_calls = 0

    def late(self, now: float) -> None:
        """A short call was not answered in time."""
        self._late_calls += 1
        if self._since is None:
            self._since = now

    def hangs(self, now: float) -> bool:
        silent = self._since is not None and now - self._since >= self._hang_ms
        return silent or self._late_calls >= LATE_CALLS


class Link(Protocol):
    """Carries bytes to a server. None of the methods blocks."""

    def send(self, chunk: bytes) -> None: ...
    def end_input(self) -> None: ...
    def kill(self) -> None: ...


class Channel:
    """`broken` is called once, with the reason why no call is possible any more. `finished` is done when the
    process has ended too."""

    def __init__(
        self,
        answering: Answering,
        life: SignsOfLife,
        broken: Callable[[SidecarFault], None],
        hearing: Hearing = MappingProxyType({}),
    ) -> None:
        self.life = life
        self.fault: SidecarFault | None = None
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._answering, self._broken, self._hearing = answering, broken, hearing
        self._framer = Framer()
        self._numbers = itertools.count(1)
        self._open: dict[int, tuple[str, asyncio.Future[bytes]]] = {}
        self._serving: dict[bytes, asyncio.Task[None]] = {}
        self._link: Link | None = None

    def attach(self, link: Link) -> None:
        self._link = link

    # what the link calls

    def receive(self, chunk: bytes) -> None:
        self.life.wrote()
        for body in self._framer.feed(chunk):
            if self.fault is not None:
                return
            message = envelope.decode(body) if not isinstance(body, FramingFault) else body
            if isinstance(message, envelope.Response):
                self._answered(message)
            elif isinstance(message, envelope.Request):
                self._serve(message)
            elif isinstance(message, envelope.Notification):
                self._dispatch(message)
            else:
                self.kill(SidecarFault("garbage", "the process wrote something that is not the protocol"))

    def closed(self, how: str) -> None:
        self._break(SidecarFault("exited", how))
        if not self.finished.done():
            self.finished.set_result(None)

    # what the client calls

    async def call(self, method: str, params: Any, end: float) -> bytes:
        """The result as JSON. `end`: when to stop waiting, in the loop's time. Raises SidecarFault."""
        number, future = self.ask(method, params)
        try:
            async with asyncio.timeout_at(end):
                return await future
        except TimeoutError:
            self.notify("$/cancelRequest", {"id": number})
            raise SidecarFault("timeout", f"no answer to {method} in time", method) from None
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": number})
            raise

    def ask(self, method: str, params: Any) -> tuple[int, "asyncio.Future[bytes]"]:
        """Sends a request at once. Returns its id, and a future with its answer or a SidecarFault, however late it
        comes.
        """
        number = next(self._numbers)
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        if self.fault is not None:
            future.set_exception(self.fault.again())
            return number, future
        parts = envelope.encode_request(number, method, params)
        self._open[number] = method, future
        future.add_done_callback(lambda _: self._open.pop(number, None))
        self._write(parts)
        return number, future

    def notify(self, method: str, params: Any = None) -> None:
        if self.fault is None:
            self._write(envelope.encode_notification(method, params))

    def end_input(self) -> None:
        if self._link is not None:
            self._link.end_input()

    def kill(self, why: SidecarFault) -> None:
        self._break(why)
        if self._link is not None:
            self._link.kill()

    # internal

    def _write(self, parts: Any) -> None:
        if self._link is not None:
            self._link.send(b"".join(frame("content-length", parts)))

    def _break(self, fault: SidecarFault) -> None:
        if self.fault is not None:
            return
        self.fault = fault
        for _, future in [*self._open.values()]:
            if not future.done():
                future.set_exception(fault.again())
        for task in self._serving.values():
            task.cancel()
        self._broken(fault)

    def _answered(self, message: envelope.Response) -> None:
        number = msgspec.json.decode(message.id)
        if number not in self._open:
            return  # it came too late
        method, future = self._open[number]
        if future.done():
            return
        if message.error is None:
            future.set_result(bytes(message.result or b"null"))
            return
        error = msgspec.json.decode(message.error)
        fields = error if isinstance(error, dict) else {}
        code, text = fields.get("code"), fields.get("message")
        code = code if isinstance(code, int) else errors.REQUEST_FAILED
        future.set_exception(SidecarFault("error", f"{method}: {text}", method, code))

    def _dispatch(self, message: envelope.Notification) -> None:
        heard = self._hearing.get(message.method)
        if heard is not None:
            heard(bytes(message.params or b"{}"))
        if message.method != "$/cancelRequest" or message.params is None:
            return
        try:
            named = msgspec.json.decode(message.params, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        task = self._serving.get(bytes(named.get("id", b"")))
        if task is not None:
            task.cancel()

    def _serve(self, request: envelope.Request) -> None:
        task = asyncio.get_running_loop().create_task(self._serving_one(request))
        self._serving[request.id] = task
        task.add_done_callback(lambda done: self._serving.pop(request.id, None))

    async def _serving_one(self, request: envelope.Request) -> None:
        answer = self._answering.get(request.method)
        try:
            if answer is None:
                parts = envelope.encode_error(request.id, errors.METHOD_NOT_FOUND, "this host has no such method")
            else:
                parts = envelope.encode_result(request.id, [await answer(bytes(request.params or b"{}"))])
        except asyncio.CancelledError:
            parts = envelope.encode_error(request.id, errors.CANCELLED, "ctxmgr took it back")
        except Exception as fault:  # noqa: BLE001  the program's callback; ctxmgr does without
            text = f"the host's callback failed: {type(fault).__name__}"
            parts = envelope.encode_error(request.id, errors.REQUEST_FAILED, text)
        if self.fault is None:
            self._write(parts)


def encoded(method: str, params: Any) -> msgspec.Raw:
    """Params as JSON. Raises SidecarFault."""
    try:
        return msgspec.Raw(raw_json(params or {}, "$"))
    except InvalidParams as fault:
        raise SidecarFault("error", f"{method} cannot be sent: {fault.message}", method) from None


def decoded(method: str, answer: bytes, kind: type[Value]) -> Value:
    """The answer as `kind`. Raises SidecarFault."""
    try:
        return msgspec.json.decode(answer, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise SidecarFault("garbage", f"the answer to {method} is invalid", method) from None


def fault_of(thrown: Exception, method: str) -> SidecarFault:
    """What a call raised, converted to a SidecarFault."""
    if isinstance(thrown, SidecarFault):
        return thrown
    if isinstance(thrown, NoList):
        return SidecarFault("garbage", f"the answer to {method} is not a valid list: {thrown}", method)
    return SidecarFault("error", f"the arguments of {method} cannot be read: {type(thrown).__name__}", method)
