"""Plays scripts against a ctxmgr in this process: no process, no wait."""

import json
from typing import Any

from ctxmgr.model import RULES
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.study.hostscript.conversation import OnMessage
from ctxmgr.study.hostscript.player import PlayedScript, Player, PlayerSettings
from ctxmgr.study.hostscript.script import parse
from ctxmgr.study.spawning import Driver
from ctxmgr.study.spawning.client import Framing, TimedOut
from ctxmgr.wire.framing import frame

STATE_DIR = "/nowhere"


class InProcess:
    """A command whose process is this one. A wait for what is not there ends at once. `saved` outlives it."""

    def __init__(self, saved: dict[str, list[bytes]], framing: Framing, answers_in: Framing, tail: bytes) -> None:
        self.driver = Driver(
            framing=framing, found={name: SnapshotLoaded(tuple(lines)) for name, lines in saved.items()}
        )
        self.saved, self.framing, self.tail = saved, answers_in, tail
        self.out: list[bytes] = []
        self.ended = False

    def write(self, chunk: bytes) -> None:
        self._answer(self.driver.feed(chunk))

    def end_input(self) -> None:
        self._answer(self.driver.eof())
        self.ended = True

    def read(self, seconds: float) -> bytes:
        if self.out:
            return self.out.pop(0)
        if self.ended or self.driver.exit_code is not None:
            tail, self.tail = self.tail, b""
            return tail
        raise TimedOut("nothing")

    def wait(self, seconds: float) -> int:
        return self.driver.exit_code or 0

    def kill(self) -> None:
        self.saved |= self.driver.saved

    def stderr(self) -> str:
        return ""

    def _answer(self, bodies: list[bytes]) -> None:
        self.out += [b"".join(frame(self.framing, [body])) for body in bodies]


def play(
    content: bytes,
    framing: Framing = "content-length",
    tail: bytes = b"",
    on_message: OnMessage = lambda sender, body: None,
    answers_in: Framing | None = None,
) -> PlayedScript:
    """`tail`: what stands on the output after all else. `answers_in` another framing than the host's."""
    saved: dict[str, list[bytes]] = {}

    def start(number: int) -> InProcess:
        return InProcess(saved, framing, answers_in or framing, tail)

    script = parse(content)
    settings = PlayerSettings(start, framing, 1.0, STATE_DIR, on_message)  # type: ignore[arg-type]
    return Player(settings, script.mode).play(script)


def script(*lines: Any, match: str | None = "subset") -> bytes:
    """The text of a script: its header, and these lines."""
    header = {"ctxmgr": {"protocolVersion": "1.0"} | ({"match": match} if match else {"rules": RULES})}
    return "".join(json.dumps(line) + "\n" for line in (header, *lines)).encode()


def ask(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"from": "host", "message": {"jsonrpc": "2.0", "id": id, "method": method, "params": params}}


def note(method: str, **params: Any) -> dict[str, Any]:
    return {"from": "host", "message": {"jsonrpc": "2.0", "method": method, "params": params}}


def reply(id: Any, result: Any) -> dict[str, Any]:
    return {"from": "host", "message": {"jsonrpc": "2.0", "id": id, "result": result}}


def answer(id: Any, result: Any) -> dict[str, Any]:
    return {"from": "ctxmgr", "message": {"id": id, "result": result}}


def error(id: Any, pattern: Any) -> dict[str, Any]:
    return {"from": "ctxmgr", "message": {"id": id, "error": pattern}}


def asked(id: Any, method: str, params: Any) -> dict[str, Any]:
    return {"from": "ctxmgr", "message": {"id": id, "method": method, "params": params}}


def process(word: str) -> dict[str, Any]:
    return {"from": "host", "process": word}


def exits(code: Any) -> dict[str, Any]:
    return {"from": "ctxmgr", "exit": code}


POLICY = {"tokenizer": "estimate", "compaction": {"keepRecentTokens": 50}}
CAPABILITIES = {"requestCompaction": "whenIdle", "complete": True}
START = (
    ask(1, "initialize", protocolVersion="1.0", capabilities=CAPABILITIES, policy=POLICY),
    ask(2, "session_start", sessionId="s", model={"id": "m", "contextWindow": 40_000}),
)
