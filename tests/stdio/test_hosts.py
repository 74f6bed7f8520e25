"""Clients that others wrote hold a session with the spawned process, unmodified."""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import pytest
from pylsp_jsonrpc import streams
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException

from tests.stdio.sidecar import BOUND, MODEL, ROOT, a, u

TURNS = 12
TOKENS_A_TURN = 15_000  # so that red (128 500 of 200 000) is reached at the ninth
CLIENT = Path(__file__).parent / "vscode"
INSTALL_SECONDS = 120.0
COMMAND = [sys.executable, "-m", "ctxmgr", "serve", "--state-dir"]


def test_python_lsp_jsonrpc_peer(tmp_path: Path) -> None:
    assert streams.json.__name__ == "ujson"  # the encoder that this package uses where it is there
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, str(tmp_path)], stdin=pipe, stdout=pipe, cwd=ROOT) as process:
        asked: queue.Queue[dict[str, Any]] = queue.Queue()

        def request_compaction(params: dict[str, Any]) -> dict[str, bool]:
            asked.put(params)
            return {"accepted": True}

        writer = streams.JsonRpcStreamWriter(process.stdin)
        endpoint = Endpoint({"requestCompaction": request_compaction}, writer.write)
        reader = streams.JsonRpcStreamReader(process.stdout)
        listening = threading.Thread(target=reader.listen, args=(endpoint.consume,), daemon=True)
        listening.start()
        try:
            _session(endpoint, asked)
            endpoint.notify("exit")
            assert process.wait(BOUND) == 0
        finally:
            process.kill()
            listening.join(BOUND)
            endpoint.shutdown()


def _session(endpoint: Any, asked: "queue.Queue[dict[str, Any]]") -> None:
    def ask(method: str, **params: Any) -> Any:
        return endpoint.request(method, params).result(BOUND)

    capabilities = {"requestCompaction": "whenIdle"}
    assert ask("initialize", protocolVersion="1.0", capabilities=capabilities)["protocolVersion"] == "1.0"
    endpoint.notify("initialized", {})
    assert ask("session_start", sessionId="s/1", model=MODEL)["restored"] is False
    messages: list[dict[str, Any]] = []
    for turn in range(1, TURNS + 1):
        messages.append(u(f"question {turn} </b> \N{OWL}"))
        answer = ask("context", sessionId="s/1", messages=messages, answer="messages")
        assert answer["messages"][-1] == messages[-1]
        messages.append(a(f"answer {turn}", turn * TOKENS_A_TURN))
        endpoint.notify("turn_end", {"sessionId": "s/1", "message": messages[-1], "toolResults": []})
    request = asked.get(timeout=BOUND)
    assert (request["sessionId"], request["reason"], request["deliver"]) == ("s/1", "threshold", "whenIdle")
    status = ask("getStatus", sessionId="s/1")
    assert (status["seq"], status["latch"]["state"]) == (TURNS, "asked")
    compacted = ask("session_compact", sessionId="s/1", compactionEntry={"summary": "## Goal\nAnswer."})
    assert compacted["status"]["latch"]["state"] == "idle"
    assert asked.empty()
    with pytest.raises(JsonRpcException) as fault:
        ask("nope")
    assert fault.value.code == -32601
    assert ask("shutdown") is None


@pytest.mark.real
def test_vscode_jsonrpc_client(tmp_path: Path) -> None:
    node = _installed()
    run = subprocess.run(
        [node, str(CLIENT / "session.cjs"), *COMMAND, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        timeout=BOUND * 2,
        check=True,
    )
    seen = json.loads(run.stdout)
    assert [(one["sessionId"], one["deliver"]) for one in seen.pop("asked")] == [("stock \N{OWL}", "whenIdle")]
    assert seen.pop("sizes")[:6] == [1, 3, 5, 7, 9, 11]
    assert seen.pop("cancelled") in (-32800, "answered")
    assert seen == {
        "errors": [],
        "version": "1.0",
        "mended": TURNS,
        "seq": TURNS,
        "latch": "asked",
        "latchAfter": "idle",
        "unknown": -32601,
        "shutdown": None,
        "code": 0,
    }


def _installed() -> str:
    """Node's path, with the client's package beside its script. Skips, or fails where skips are not allowed."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        _without("node and npm are not both installed")
    lock, there = CLIENT / "package-lock.json", CLIENT / "node_modules" / ".package-lock.json"
    if there.exists() and there.stat().st_mtime >= lock.stat().st_mtime:
        return node
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    if done.returncode:
        _without(f"npm ci failed: {done.stderr.strip()[-300:]}")
    return node


def _without(reason: str) -> NoReturn:
    if os.environ.get("CTXMGR_NO_SKIPS") == "1":
        pytest.fail(f"the vscode-jsonrpc client could not be tested: {reason}")
    pytest.skip(f"the vscode-jsonrpc client is not tested: {reason}")
