"""Plays scripts against a ctxmgr in this process: no process, no wait."""

import json
from typing import Any

from ctxmgr.server.effects import Save, SnapshotLoaded
from ctxmgr.study.conformance.conversation import Conversation, OnMessage
from ctxmgr.study.conformance.script import Player, key_of, parse
from ctxmgr.study.spawning import Driver, Framing, InProcessDriver
from ctxmgr.wire.transcript import RULES

STATE_DIR = "/nowhere"


class Restarted(InProcessDriver):
    """A sidecar of which only `saved` outlives the process. `tail`: what stands on its output after all else."""

    def __init__(self, saved: dict[str, list[bytes]], tail: bytes = b"") -> None:
        super().__init__()
        self.snapshots = {name: SnapshotLoaded(tuple(lines)) for name, lines in saved.items()}
        self.outliving, self.tail = saved, tail

    def read(self, seconds: float) -> bytes:
        chunk = super().read(seconds)
        if not chunk:
            chunk, self.tail = self.tail, b""
        return chunk

    def kill(self) -> None:
        super().kill()
        self.outliving |= self.saved

    def _save(self, effect: Save) -> None:
        Driver._save(self, effect)


def play(
    content: bytes,
    framing: Framing = "content-length",
    tail: bytes = b"",
    on_message: OnMessage = lambda sender, body: None,
) -> Player:
    saved: dict[str, list[bytes]] = {}
    script = parse(content)
    player = Player(
        lambda: Conversation(Restarted(saved, tail), framing, 1.0, key_of, on_message), STATE_DIR, script.mode
    )
    player.play(script)
    return player


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
