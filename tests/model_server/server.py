"""A scripted model server on loopback: turns requests into the replies a test wrote down.

    async with ModelServer([Reply("a summary"), Reply(status=429)]) as server:
        ... server.url ...                      # and in a test without a loop:
    with ModelServer.threaded(lambda request: Reply(request.prompt.upper())) as server:
        ...

1. No clock decides: what is slow waits for a `Gate` that the test opens, and a test waits by `until` for what
   it wants to see. Every wait ends after LIMIT_SECONDS all the same, with a fault.
2. A request that the API would refuse, or that the script has no reply for, or a reply that could not be given, is
   a fault of the test: it is raised when the server ends.
3. It notices at once when a client goes away, also while it holds an answer back.

Speaks HTTP/1.1 with connections that stay open, as real servers do; chat completions or Anthropic's messages, by
the path that is asked (`dialects`). Standard library alone; knows nothing of ctxmgr. What can be replied, and how
badly, is in `replies`.
"""

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.model_server.dialects import DIALECTS
from tests.model_server.replies import Answering, Gate, Reply, Request, Way
from tests.serving import closed_to_others, served_in_thread

__all__ = ["Gate", "ModelServer", "Reply", "Request", "Script", "Way"]

LIMIT_SECONDS = 20.0  # of any wait: a test that reaches it has failed
READ_BYTES = 1 << 16

Script = Sequence[Reply] | Callable[[Request], Reply]


class ModelServer:
    """The server. `requests` in the order they came; `url` is what a base_url is set to."""

    def __init__(self, script: Script) -> None:
        self._replies = script if callable(script) else _one_by_one(script)
        self.requests: list[Request] = []
        self.faults: list[str] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._connections = 0
        self._serving: dict[asyncio.Task[None], _Peer] = {}

    async def __aenter__(self) -> "ModelServer":
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=READ_BYTES)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await closed_to_others(self._server.sockets[0].fileno())
        self._server.close()
        serving = dict(self._serving)
        for task, peer in serving.items():
            task.cancel()
            peer.abort()
        if serving:
            await asyncio.wait(serving, timeout=LIMIT_SECONDS)
        await self._server.wait_closed()
        if self.faults and kind is None:
            raise AssertionError("; ".join(self.faults))

    @classmethod
    @contextlib.contextmanager
    def threaded(cls, script: Script) -> Iterator["ModelServer"]:
        """The server on a loop in a thread of its own, for a test that has none."""
        server = cls(script)
        with served_in_thread(server, "model server") as loop:
            server._loop = loop
            yield server

    # what a test waits for

    async def until(self, condition: Callable[["ModelServer"], bool]) -> None:
        """Until this is so; it is looked at when a request comes or ends. TimeoutError."""
        async with asyncio.timeout(LIMIT_SECONDS):
            while not condition(self):
                self._changed.clear()
                await self._changed.wait()

    def wait_until(self, condition: Callable[["ModelServer"], bool]) -> None:
        """The same for a test in another thread."""
        asyncio.run_coroutine_threadsafe(self.until(condition), self._loop).result(LIMIT_SECONDS * 2)

    # connections

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """No coroutine: a task that is cancelled before it began would leave the connection open."""
        peer = _Peer(reader, writer, self._connections)
        self._connections += 1
        task = asyncio.ensure_future(self._attend(peer))
        self._serving[task] = peer
        task.add_done_callback(self._serving.pop)

    async def _attend(self, peer: "_Peer") -> None:
        try:
            await self._serve(peer)
        except ConnectionError:
            pass  # the client went away
        except asyncio.CancelledError:
            peer.abort()  # the server ends
        except TimeoutError:
            self.faults.append(f"a wait took longer than {LIMIT_SECONDS:g} s")
        finally:
            await peer.close()

    async def _serve(self, peer: "_Peer") -> None:
        while (came := await peer.request()) is not None:
            path, headers, content = came
            request = Request(path, headers, _json(content), self.in_flight, peer.number)
            self.requests.append(request)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            self._changed.set()
            try:
                open_still = await self._answer(peer, request)
            finally:
                self.in_flight -= 1
                request.ended = request.ended or "cancelled"
                self._changed.set()
            if not open_still:
                return

    async def _answer(self, peer: "_Peer", request: Request) -> bool:
        """Answers, unless the client goes away meanwhile. Whether the connection can take another request."""
        try:
            reply = self._reply(request)
        except Exception as fault:  # noqa: BLE001  # the script is the test's
            self.faults.append(f"no reply to request {len(self.requests)}: {fault!r}")
            reply = Reply("no reply is scripted", status=500)
        answering = asyncio.ensure_future(Answering(peer.write, reply, request).run())
        leaving = asyncio.ensure_future(peer.gone.wait())
        try:
            first = asyncio.FIRST_COMPLETED
            done, _ = await asyncio.wait({answering, leaving}, timeout=LIMIT_SECONDS, return_when=first)
            if not done:
                request.ended = "broken"
                raise TimeoutError
            if not answering.done():
                return False
            open_still = answering.result()
            request.ended = "answered" if open_still else "broken"
            return open_still
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)

    def _reply(self, request: Request) -> Reply:
        if request.path not in DIALECTS:
            return Reply("no such path", status=404)
        if refusal := request.dialect.refusal(request):
            raise ValueError(refusal)
        return self._replies(request)


def _one_by_one(replies: Sequence[Reply]) -> Callable[[Request], Reply]:
    left = list(reversed(replies))

    def reply(_: Request) -> Reply:
        if not left:
            raise LookupError(f"the script has {len(replies)} replies")
        return left.pop()

    return reply


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


class _Peer:
    """One connection. A task of its own reads: the client's going away is seen in the middle of an answer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        self.number = number
        self.gone = asyncio.Event()
        self.writer = writer
        self._reader = reader
        self._came = bytearray()
        self._arrived = asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        try:
            while chunk := await self._reader.read(READ_BYTES):
                self._came += chunk
                self._arrived.set()
        except ConnectionError:
            pass
        finally:
            self.gone.set()
            self._arrived.set()

    async def request(self) -> tuple[str, dict[str, str], bytes] | None:
        """Path, headers (lower case) and body of the next request; None when the client has gone."""
        if not await self._until(lambda: b"\r\n\r\n" in self._came or self._speaks_another_protocol()):
            return None
        if self._speaks_another_protocol():
            await self.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return None
        head, _, _ = bytes(self._came).partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        start = len(head) + 4
        end = start + int(headers.get("content-length", "0"))
        if not await self._until(lambda: len(self._came) >= end):
            return None
        content = bytes(self._came[start:end])
        del self._came[:end]
        return first.split(" ")[1], headers, content

    def _speaks_another_protocol(self) -> bool:
        return not self._came[:1].isupper() and bool(self._came)  # TLS begins with 0x16

    async def _until(self, condition: Callable[[], bool]) -> bool:
        """False when the client went away first. An idle connection has no limit: the server's end is its own."""
        while not condition():
            if self.gone.is_set():
                return False
            self._arrived.clear()
            await self._arrived.wait()
        return True

    async def write(self, content: bytes) -> None:
        self.writer.write(content)
        await self.writer.drain()

    async def close(self) -> None:
        """Ends the connection after what is written; at once where the client has gone or the server ends."""
        try:
            self.writer.close()
            if not self.gone.is_set():
                await self.writer.wait_closed()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.abort()

    def abort(self) -> None:
        self._reading.cancel()
        self.writer.transport.abort()
