"""Clients that others wrote hold a session with the spawned process, unmodified."""

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pylsp_jsonrpc import streams
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException

from tests import needs
from tests.stdio.sidecar import BOUND, MODEL, ROOT, a, u

TURNS = 12
TOKENS_A_TURN = 15_000  # so that red (128 500 of 200 000) is reached at the ninth
CLIENT = Path(__file__).parent / "vscode"
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
    needs.npm_packages(CLIENT)
    run = subprocess.run(
        [needs.node(), str(CLIENT / "session.cjs"), *COMMAND, str(tmp_path)],
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
