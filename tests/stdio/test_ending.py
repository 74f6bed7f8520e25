"""However the host goes while a model is asked: the process ends soon, and the model's server sees it go.

"Soon" is the bound of every wait here, 20 seconds: the calls themselves would be held for two minutes.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.stdio.compacting_sidecar import KEY, SMALL, Holding, Writer, endpoint, held, turns, until_asked
from tests.stdio.sidecar import BOUND, ROOT

# A host of its own that can be killed: hands on what it is given, and leaves its stderr to the sidecar.
HOST = """
import subprocess, sys
arguments = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir", sys.argv[1]]
sidecar = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    sidecar.stdin.write(line)
    sidecar.stdin.flush()
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer.threaded(Holding()) as server:
        yield server


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with Writer(tmp_path).ready(policy={"preset": "turns", "tokenizer": "estimate"}) as writer:
        yield writer


def gone(server: ModelServer) -> None:
    server.wait_until(lambda server: all(request.cancelled for request in server.requests))
    assert len(server.requests) == 2


@pytest.mark.parametrize("how", ["shutdown", "exit", "end of input"])
def test_a_host_that_goes(writer: Writer, server: ModelServer, how: str) -> None:
    id = held(writer, writer.started("s", **endpoint(server)), turns(6), server)
    if how == "shutdown":
        assert writer.ask("shutdown")["result"] is None
    if how == "end of input":
        writer.end_input()
    else:
        writer.tell("exit")
    assert writer.wait() == (1 if how == "exit" else 0)
    assert writer.answer(id)["error"]["code"] == -32803
    gone(server)


def test_end_of_input_while_the_host_is_asked(tmp_path: Path) -> None:
    with Writer(tmp_path).ready(policy={"preset": "turns", "tokenizer": "estimate"}, complete=True) as writer:
        id = writer.begin("compact", sessionId=writer.started("s"), entries=turns(6))
        until_asked(writer, 2)
        writer.end_input()
        assert writer.wait() == 0
        assert writer.answer(id)["error"]["code"] == -32803


@pytest.mark.kill
def test_killed_process(writer: Writer, server: ModelServer) -> None:
    held(writer, writer.started("s", **endpoint(server)), turns(6), server)
    writer.kill()
    gone(server)


@pytest.mark.kill
def test_killed_host(tmp_path: Path, server: ModelServer) -> None:
    """The end of stderr, which both have, is the end of both."""
    policy = {"tokenizer": "estimate", "compaction": {"by": "ctxmgr", **SMALL, **endpoint(server, apiKeyEnv=None)}}
    calls = [
        ("initialize", {"protocolVersion": "1.0", "capabilities": {}, "policy": policy}),
        ("compact", {"entries": turns(6)}),
    ]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(calls)
    ]
    with subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        bufsize=0,
    ) as host:
        host.stdin.write("".join(line + "\n" for line in lines).encode())
        server.wait_until(lambda server: server.in_flight == 2)
        host.kill()
        _, said = host.communicate(timeout=BOUND)
    gone(server)
    assert b"Traceback" not in said
    assert KEY.encode() not in said
