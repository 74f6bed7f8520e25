"""A sidecar that is a table of answers: what the client says to it is kept, what it says back is the test's."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from ctxmgr.client import AsyncClient, Host, Timing
from ctxmgr.client import client as client_module
from ctxmgr.client.session import AsyncClientSession
from ctxmgr.model.api import GivenTools
from ctxmgr.model.api.reports import Report
from ctxmgr.study.spawning import Driver
from ctxmgr.wire.framing import Framer, FramingFault, frame

START = ["initialize", "initialized", "session_start"]

MODEL = {"id": "m", "contextWindow": 200_000}
SILENCE, DEATH = object(), object()
REPORT = msgspec.to_builtins(Report(0, 0, "green", 0, -1, 0, 0, 0, 0, 0, (), ()))
FAILED_SECONDS = 20.0  # only a failing test waits so long


class Refusal:
    def __init__(self, code: int, message: str = "no") -> None:
        self.error = {"code": code, "message": message}


class Clock:
    """Milliseconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Scripted:
    """`answers` by method: a value, a function of the params, bytes to be written as they are, SILENCE, DEATH or a
    Refusal; what is not in it is answered by a real server. `asked`: (number of the link, method, params)."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[int, str, Any]] = []
        self.links: list[ScriptedLink] = []
        self.refuses_to_run: Exception | None = None
        self.clock = Clock()
        self.moved = asyncio.Event()  # the client has written something

    async def until(self, is_so: Callable[[], bool]) -> None:
        """What the client does by itself has come so far."""
        async with asyncio.timeout(FAILED_SECONDS):
            while not is_so():
                self.moved.clear()
                await self.moved.wait()

    def methods(self, link: int | None = None) -> list[str]:
        return [method for number, method, _ in self.asked if link is None or number == link]

    def last(self, method: str) -> Any:
        return next(params for _, name, params in reversed(self.asked) if name == method)

    def client(self, host: Host | None = None, tools: GivenTools | None = None, **timing: Any) -> AsyncClient:
        set_up = Timing(now_ms=self.clock, **timing)
        return AsyncClient({"preset": "turns"}, tools=tools, host=host, timing=set_up)


class ScriptedLink:
    """Bytes go to a table and, where that has nothing, to a real server without a process."""

    def __init__(self, script: Scripted, came: Callable[[bytes], None], ended: Callable[[str], None]) -> None:
        if script.refuses_to_run is not None:
            raise script.refuses_to_run
        self.script, self.came, self.ended = script, came, ended
        self.number = len(script.links)
        self.server = Driver()
        self.framer, self.alive = Framer(), True
        self.newest = 0  # the id of the last request
        self.heard: list[dict[str, Any]] = []  # the client's answers to our requests
        script.links.append(self)

    def send(self, chunk: bytes) -> None:
        for body in self.framer.feed(chunk):
            assert not isinstance(body, FramingFault)
            self._hear(msgspec.json.decode(body), body)

    def _hear(self, message: dict[str, Any], body: bytes) -> None:
        self.script.moved.set()
        method = message.get("method")
        if method is None:
            self.heard.append(message)
            return
        self.newest = message.get("id", self.newest)
        self.script.asked.append((self.number, method, message.get("params")))
        if not self.alive:
            return
        answer = self.script.answers.get(method)
        if callable(answer):
            answer = answer(message.get("params"))
        if answer is DEATH:
            self.die()
        elif isinstance(answer, bytes):
            self.came(answer)
        elif isinstance(answer, Refusal):
            self.say({"jsonrpc": "2.0", "id": message["id"], "error": answer.error})
        elif answer is None:
            for sent in self.server.receive(body):
                self.came(b"".join(frame("content-length", [sent])))
        elif answer is not SILENCE:
            self.say({"jsonrpc": "2.0", "id": message["id"], "result": answer})

    def say(self, message: dict[str, Any]) -> None:
        self.came(b"".join(frame("content-length", [msgspec.json.encode(message)])))

    def ask(self, method: str, params: Any, id: str = "q1") -> None:
        self.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def end_input(self) -> None:
        self.die("exited with code 0")

    def kill(self) -> None:
        self.die("was killed by SIGKILL")

    def die(self, how: str = "exited with code 1") -> None:
        if self.alive:
            self.alive = False
            self.ended(f"ctxmgr {how}")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    made = Scripted()
    monkeypatch.setattr(client_module, "SpawnedLink", lambda sidecar, came, ended: ScriptedLink(made, came, ended))
    return made


async def begun(client: AsyncClient, **more: Any) -> AsyncClientSession:
    return await client.session("s", MODEL, **more)


def user(number: int, text: str = "Go on.") -> dict[str, Any]:
    return {"role": "user", "content": f"{text} {number}", "timestamp": number}


def step(number: int, characters: int = 4_000) -> list[dict[str, Any]]:
    """A call and its result, in pi's format."""
    call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"a{number}.py"}}
    result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
    text = [{"type": "text", "text": "x = 1\n" * (characters // 6)}]
    return [{"role": "assistant", "content": [call]}, {**result, "content": text}]


def conversation(turns: int) -> list[dict[str, Any]]:
    return [message for number in range(turns) for message in (user(number), *step(number))]


def listed(**answer: Any) -> dict[str, Any]:
    """An answer to `context`."""
    return {"base": "b", "report": REPORT, "seq": 1, **answer}
