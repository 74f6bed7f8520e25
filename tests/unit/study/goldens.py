"""The golden transcripts, and copies of them with something wrong: a ctxmgr, or a host, that is none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxmgr.study.conformance.golden import Golden, read
from ctxmgr.study.conformance.host_side import GoldenHost
from ctxmgr.study.conformance.server_side import GoldenServer
from ctxmgr.study.spawning import Framing, TimedOut

TRANSCRIPTS = Path(__file__).parents[3] / "protocol" / "transcripts"
NAMES = sorted(path.relative_to(TRANSCRIPTS).with_suffix("").as_posix() for path in TRANSCRIPTS.rglob("*.jsonl"))
COMPACTION = "compaction/with-the-hosts-model"
APPEND = "fidelity/append-and-edits"
SIX = "pruning/green-keeps-six-turns"
LATCH = "latch/a-notification-asks-by-request"


def path(name: str) -> Path:
    return TRANSCRIPTS / f"{name}.jsonl"


def golden(name: str) -> Golden:
    return read(name, path(name).read_bytes())


def doctored(name: str, doctor: Callable[[list[dict[str, Any]]], None]) -> Golden:
    """A golden transcript with something changed in it."""
    return read(name, text(name, doctor))


def text(name: str, doctor: Callable[[list[dict[str, Any]]], None]) -> bytes:
    lines = [json.loads(line) for line in path(name).read_bytes().splitlines()]
    doctor(lines)
    return b"".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for line in lines)


class Served:
    """A sidecar whose answers are those of a function from bytes to bytes, such as a golden server's."""

    exit_code = None

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._chunks: list[bytes] = []
        self._ended = False

    def write(self, chunk: bytes) -> None:
        self._chunks += [answer] if (answer := self._answer(chunk)) else []

    def end_input(self) -> None:
        self.write(b"")
        self._ended = True

    def read(self, seconds: float) -> bytes:
        if not self._chunks and not self._ended:
            raise TimedOut("nothing")
        return self._chunks.pop(0) if self._chunks else b""

    def wait(self, seconds: float) -> int:
        return 0

    def kill(self) -> None: ...

    def stderr(self) -> str:
        return ""


def both(theirs: Golden, ours: Golden, framing: Framing = "content-length") -> tuple[GoldenHost, GoldenServer]:
    """The host plays `theirs`, the server `ours`; what each found."""
    server = GoldenServer(ours)
    host = GoldenHost(theirs, Served(server.feed), "/state", framing)
    host.play()
    server.finish("the host ended")
    return host, server


def change(place: int, *steps: Any, to: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Sets a member of the message of a line, counted from 1."""

    def doctor(lines: list[dict[str, Any]]) -> None:
        value: Any = lines[place - 1]["message"]
        for step in steps[:-1]:
            value = value[step]
        value[steps[-1]] = to

    return doctor


def without(place: int) -> Callable[[list[dict[str, Any]]], None]:
    return lambda lines: lines.pop(place - 1) and None


def twice(place: int) -> Callable[[list[dict[str, Any]]], None]:
    return lambda lines: lines.insert(place, lines[place - 1])
