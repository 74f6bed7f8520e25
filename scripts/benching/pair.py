"""The two programs that a bench compares, spawned side by side, and the calls that set a session up."""

import os
import sys
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from scripts.benching.host import Host
from scripts.benching.prepared import Part, request

ROOT = Path(__file__).resolve().parents[2]
FLOOR = Path(__file__).with_name("floor.py")
MODEL = {"id": "bench-1", "provider": "bench", "contextWindow": 1_000_000}

_numbers = count(1)  # for session names of all pairs: a reused name would be restored from its snapshot


class Options(msgspec.Struct, frozen=True):
    """`rounds` of each figure; an odd number has a true median."""

    state_dir: str
    rounds: int = 3


def environment(options: Options) -> dict[str, str]:
    """The environment of spawned programs. Compiled modules are kept, as for an installed program, and this
    checkout is measured whatever the working directory.
    """
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    bytecode = f"{options.state_dir}/bytecode"
    return {**given, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1", "PYTHONPYCACHEPREFIX": bytecode}


def serve_command(state_dir: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", state_dir, *more]


def initialize(id: int = 0) -> list[Part]:
    capabilities = {"requestCompaction": "whenIdle", "edits": True}
    params = {"protocolVersion": "1.0", "clientInfo": {"name": "bench"}, "capabilities": capabilities}
    return request(id, "initialize", params)


class Pair:
    """ctxmgr with its vocabulary loaded, and the floor. Session names are unique. `each`: the floor decodes and
    encodes each message once.
    """

    def __init__(self, options: Options, each: bool = False) -> None:
        self.options = options
        self.ours = Host(serve_command(options.state_dir, "--preload"), environment(options))
        command = [sys.executable, str(FLOOR), *(["--each"] if each else [])]
        self.floor = Host(command, environment(options))
        checked(self.ours.ask(initialize()))
        self.floor.ask(initialize())

    def session(self, model: dict[str, Any] = MODEL, policy: dict[str, Any] | None = None) -> str:
        """The name of a new session of ctxmgr. The floor has no sessions."""
        name = f"bench-{next(_numbers)}"
        checked(self.ours.ask(request(1, "session_start", {"sessionId": name, "model": model})))
        if policy:
            checked(self.ours.ask(request(2, "setPolicy", {"sessionId": name, "policy": policy})))
        return name

    def end(self, session: str) -> None:
        checked(self.ours.ask(request(3, "session_shutdown", {"sessionId": session})))

    def __enter__(self) -> "Pair":
        return self

    def __exit__(self, *_: object) -> None:
        self.ours.close()
        self.floor.close()


def checked(answer: memoryview) -> memoryview:
    """Returns the answer. Raises if it is an error."""
    if b'"error":' in bytes(answer[:64]):
        raise RuntimeError(f"an error answer: {bytes(answer[:300]).decode('utf-8', 'replace')}")
    return answer


def spent(host: Host, parts: list[Part]) -> float:
    """CPU seconds of the server for one round trip, without waiting and other load on the machine."""
    start = host.cpu_seconds()
    host.ask(parts)
    return host.cpu_seconds() - start
