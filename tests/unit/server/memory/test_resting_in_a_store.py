"""A session that left memory and is kept in a store: the call that brings it back waits for nothing there."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.server import state_files
from ctxmgr.server.config import Setup
from ctxmgr.server.runtime import Parts, Runtime
from ctxmgr.store import store as stores
from ctxmgr.store.head import SessionHead, from_bytes, head_key
from tests.unit.store.memory import MemoryObjects

MESSAGES = [{"role": "user", "content": f"Port part {number} to Rust.", "timestamp": 1} for number in range(3)]
MODEL = {"id": "m", "contextWindow": 200_000}


class Sidecar:
    """A runtime in this loop; `call` answers with the result of a call that is answered in time."""

    def __init__(self, state_dir: Path) -> None:
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self.said: list[str] = []
        setup = Setup(str(state_dir), None, store="file:///nowhere", store_delay_ms=0)
        self.runtime = Runtime(setup, self._sent, self.said.append)
        self.runtime.start()

    def _sent(self, parts: Parts) -> None:
        for line in b"".join(parts).splitlines():
            answer = json.loads(line)
            if answer.get("id") in self._answers:
                self._answers[answer["id"]].set_result(answer)

    async def call(self, method: str, **params: Any) -> Any:
        id = len(self._answers) + 1
        self._answers[id] = asyncio.get_running_loop().create_future()
        body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        self.runtime.receive(json.dumps(body).encode() + b"\n")
        async with asyncio.timeout(2):  # less than a start waits for a store
            answer = await self._answers[id]
        assert "result" in answer, answer
        return answer["result"]

    async def context(self, count: int) -> Any:
        return await self.call("context", sessionId="s", messages=MESSAGES[:count])


@pytest.fixture
def objects(monkeypatch: pytest.MonkeyPatch) -> MemoryObjects:
    kept = MemoryObjects()
    monkeypatch.setattr(stores, "opened", lambda url: kept)
    monkeypatch.setattr(state_files, "STORE_SECONDS", 0.5)
    return kept


@asynccontextmanager
async def rested(state_dir: Path) -> AsyncIterator[Sidecar]:
    """With a session that has left memory."""
    sidecar = Sidecar(state_dir)
    try:
        await sidecar.call("initialize", protocolVersion="1.1", policy={"tokenizer": "estimate", "idleMinutes": 1})
        await sidecar.call("session_start", sessionId="s", model=MODEL)
        await sidecar.context(1)
        await sidecar.call("pin", sessionId="s", path="a.py")
        await sidecar.call("getStatus", sessionId="s", flush=True)
        sidecar.runtime.minute()
        assert "s" not in sidecar.runtime.state_files.sessions
        yield sidecar
    finally:
        sidecar.runtime.end(0)
        await sidecar.runtime.close()


def head(objects: MemoryObjects) -> SessionHead:
    return from_bytes(objects.kept[head_key("s")])


async def test_a_call_that_brings_it_back_waits_for_nothing_there(tmp_path: Path, objects: MemoryObjects) -> None:
    async with rested(tmp_path) as sidecar:
        objects.held = asyncio.Event()  # no request is answered any more
        assert (await sidecar.context(2))["report"]["epoch"] == 0
        assert (await sidecar.call("getStatus", sessionId="s"))["pins"] == 1


async def test_it_lets_go_in_the_store_and_takes_hold_again_when_it_changes(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    async with rested(tmp_path) as sidecar:
        store = sidecar.runtime.state_files.store
        await asyncio.wrap_future(store.flush("s"))
        before = head(objects)
        assert not before.is_open
        await sidecar.call("pin", sessionId="s", path="b.py")
        status = await sidecar.call("getStatus", sessionId="s", flush=True)
        assert (status["pins"], status.get("notes", [])) == (2, [])
        assert head(objects).is_open
        assert head(objects).contents.size_bytes > before.contents.size_bytes
        assert head(objects).epoch_number == before.epoch_number


async def test_another_machine_may_have_it_meanwhile_and_a_start_goes_on_from_there(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    async with rested(tmp_path / "here") as sidecar:
        async with rested(tmp_path / "elsewhere") as other:
            await sidecar.context(2)
            status = await sidecar.call("getStatus", sessionId="s", flush=True)
            assert [note for note in status["notes"] if "another machine has gone on" in note]
            await other.call("pin", sessionId="s", path="b.py")
            await other.call("session_shutdown", sessionId="s")
        sidecar.runtime.minute()
        started = await sidecar.call("session_start", sessionId="s", model=MODEL)
        assert started["status"]["pins"] == 2


async def test_one_that_another_process_wrote_meanwhile_is_asked_for_anew(
    tmp_path: Path, objects: MemoryObjects
) -> None:
    async with rested(tmp_path) as sidecar:
        async with rested(tmp_path) as other:
            await other.call("pin", sessionId="s", path="b.py")
            await other.call("session_shutdown", sessionId="s")
        status = await sidecar.call("getStatus", sessionId="s", flush=True)
        assert (status["pins"], status.get("notes", [])) == (2, [])
        assert head(objects).is_open


async def test_at_the_end_it_is_let_go_of(tmp_path: Path, objects: MemoryObjects) -> None:
    async with rested(tmp_path) as sidecar:
        await sidecar.context(2)
        sidecar.runtime.minute()
    assert not head(objects).is_open
    assert sidecar.said == []
