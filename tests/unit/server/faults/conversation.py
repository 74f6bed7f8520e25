"""A conversation that brings about effects of every kind, held with the real runtime and real devices."""

import asyncio
import json
import os
import socket
from pathlib import Path
from typing import Any

from ctxmgr.devices import stdio
from ctxmgr.server import effects as do
from ctxmgr.server.config import Setup
from ctxmgr.server.runtime import Parts, Runtime
from tests.unit.server.host import LONG, MODEL, a, u
from tests.unit.session.recovery import handle, leaving, row

BOUND = 20.0  # seconds; only what hangs waits so long
Fields = dict[str, Any]
CALLED = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "src/a.py"}}
TREE = [
    {"type": "message", "id": f"e{number}", "parentId": f"e{number - 1}" if number else None, "message": message}
    for number, message in enumerate([u(LONG), a(LONG)] * 4)
]


class Host:
    """One life of a sidecar in this process. `said`: its lines for people."""

    def __init__(self, state_dir: Path, record: Path | None = None, store: Path | None = None) -> None:
        near, self.far = socket.socketpair()
        self.far.setblocking(False)
        self.loop = asyncio.get_running_loop()
        self.said: list[str] = []
        self.near = near
        self.output = stdio.OutputWriter(near.fileno(), self._lost)
        setup = Setup(str(state_dir), str(record) if record else None, store=store.as_uri() if store else None)
        self.runtime = Runtime(setup, self._send, self.said.append)
        self.runtime.start()
        self.answers: dict[int, asyncio.Future[Fields]] = {}
        self._unread = b""
        self.loop.add_reader(self.far.fileno(), self._read)
        self.vocabulary: asyncio.Future[None] = self.loop.create_future()  # it is there, or not to be had
        self._loaded = self.runtime.connection.weigher_loaded
        self.runtime.connection.weigher_loaded = self._weigher_loaded  # type: ignore[method-assign]

    def _send(self, parts: Parts) -> None:
        self.output.write(parts)

    def _weigher_loaded(self, *given: Any) -> list[do.Effect]:
        if not self.vocabulary.done():
            self.vocabulary.set_result(None)
        return self._loaded(*given)

    def _lost(self) -> None:
        self.loop.call_soon_threadsafe(self.runtime.end, 1)

    def _read(self) -> None:
        *lines, self._unread = (self._unread + self.far.recv(1 << 20)).split(b"\n")
        for message in map(json.loads, lines):
            if "method" not in message:
                self.answers[message["id"]].set_result(message)

    def tell(self, method: str, **params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, **params: Any) -> int:
        id = len(self.answers) + 1
        self.answers[id] = self.loop.create_future()
        self._write({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def _write(self, message: Fields) -> None:
        self.runtime.receive(json.dumps(message).encode() + b"\n")

    async def answer(self, id: int) -> Fields:
        """Empty where the process has ended without one."""
        waited = {self.answers[id], self.runtime.ended}
        done, _ = await asyncio.wait(waited, timeout=BOUND, return_when=asyncio.FIRST_COMPLETED)
        assert done, f"request {id} is not answered; said: {self.said}"
        return self.answers[id].result() if self.answers[id].done() else {}

    async def ask(self, method: str, **params: Any) -> Fields:
        return await self.answer(self.begin(method, **params))

    async def ready(self, **params: Any) -> Fields:
        return await self.ask("initialize", protocolVersion="1.0", **params)

    async def end(self) -> int:
        """Lets go of all; the exit code."""
        code = await asyncio.wait_for(asyncio.shield(self.runtime.ended), BOUND)
        await self.runtime.close()
        self.output.close(BOUND)
        self.runtime.close_transcript()
        self.loop.remove_reader(self.far.fileno())
        self.near.close()
        self.far.close()
        return code


class Talk:
    """What was said in the conversation. `failed`: methods that were answered with an error, with their errors."""

    def __init__(self, host: Host, directory: Path) -> None:
        self.host, self.directory = host, directory
        self.failed: list[tuple[str, Fields]] = []
        self.seq = 0

    async def ask(self, method: str, **params: Any) -> None:
        answer = await self.host.ask(method, **params)
        self.heard(method, answer)
        if params.get("sessionId") == "s" and isinstance(answer.get("result"), dict):
            self.seq = answer["result"].get("seq", self.seq)

    def heard(self, method: str, answer: Fields) -> None:
        if "error" in answer:
            self.failed.append((method, answer["error"]))

    async def all(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent, leaving(row("left")):
            silent.setblocking(False)
            await self._all(silent)

    async def _all(self, silent: socket.socket) -> None:
        endpoint = {"baseUrl": f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "model": "m"}
        compaction = {"by": "ctxmgr", "model": "endpoint", "endpoint": endpoint, "keepRecentTokens": 200}
        policy = {"preset": "turns", "compaction": {**compaction, "reserveTokens": 4_000}}
        self.heard(
            "initialize",
            await self.host.ready(processId=os.getpid(), capabilities={"retrieve": True}, policy=policy),
        )
        self.host.tell("no such notification")
        await self.ask("session_start", sessionId="other", model=MODEL)
        await self.ask("session_start", sessionId="s", model=MODEL)
        await self.ask("turn_end", sessionId="s", message={**a("Reading."), "content": [CALLED]})
        await self._vocabulary_loaded()
        await self.ask("context", sessionId="s", messages=[u(LONG)])
        await self.ask("turn_end", sessionId="s", message=a("Read."))
        await self.ask("retrieve", sessionId="s", handle=handle("left"))
        await self.ask("search", sessionId="s", query="left")
        await self._compact(silent)
        entry = {
            "id": "e1",
            "summary": "## Notes\n" + f"- {'it is so, ' * 50}\n" * 140,
        }  # the snapshot grows: it is rewritten
        await self.ask("session_compact", sessionId="s", compactionEntry=entry)
        await self.ask("getStatus", sessionId="other")
        await self.ask("session_shutdown", sessionId="other")
        await self.ask("setPolicy", sessionId="s", policy={"idleMinutes": 1})
        self.host.runtime.minute()  # it leaves memory, where no transcript is written
        await self.ask("getStatus", sessionId="s")

    async def _vocabulary_loaded(self) -> None:
        """The first turn without usage asks for it."""
        waited = {self.host.vocabulary, self.host.runtime.ended}
        done, _ = await asyncio.wait(waited, timeout=BOUND, return_when=asyncio.FIRST_COMPLETED)
        assert done, "no vocabulary was looked for"

    async def _compact(self, silent: socket.socket) -> None:
        """Cancelled as soon as the model, which does not answer, is asked."""
        id = self.host.begin("compact", sessionId="s", entries=TREE, deadlineMs=600_000)
        asked = asyncio.ensure_future(self.host.loop.sock_accept(silent))
        waited = {self.host.answers[id], self.host.runtime.ended, asked}
        done, _ = await asyncio.wait(waited, timeout=BOUND, return_when=asyncio.FIRST_COMPLETED)
        assert done, "neither asked nor answered"
        self.host.tell("$/cancelRequest", id=id)
        self.heard("compact", await self.host.answer(id))
        if asked.cancel():
            await asyncio.wait({asked})
        else:
            asked.result()[0].close()

    async def leave(self) -> int:
        await self.ask("shutdown")
        self.host.tell("exit")
        return await self.host.end()
