"""The runtime: effects reach the devices in the order in which the connection wanted them."""

import json
from pathlib import Path
from typing import Any

from ctxmgr.server.config import Setup
from ctxmgr.server.runtime import Parts, Runtime

MESSAGE = {"role": "user", "content": "Port it to Rust.", "timestamp": 1}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("session_start", {"sessionId": "s", "model": {"id": "m", "contextWindow": 200_000}}),
    ("context", {"sessionId": "s", "messages": [MESSAGE]}),
    ("getStatus", {"sessionId": "s"}),
]


def request(id: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


async def test_calls_sent_at_once_are_recorded_before_their_answers(tmp_path: Path) -> None:
    """Opening a snapshot sets going what waits for it: that must not overtake what came with it."""
    record, sent = tmp_path / "talk.jsonl", []

    def send(parts: Parts) -> None:
        sent.append(b"".join(parts))

    runtime = Runtime(Setup(str(tmp_path / "state"), str(record)), send, lambda text: None)
    runtime.start()
    policy = {"tokenizer": "estimate"}
    runtime.receive(request(1, "initialize", {"protocolVersion": "1.0", "policy": policy}))
    runtime.receive(b"".join(request(2 + at, *call) for at, call in enumerate(CALLS)))
    runtime.end(0)
    await runtime.close()
    runtime.close_transcript()
    lines = [json.loads(line) for line in record.read_text().splitlines()][1:]
    order = [(line["from"], line["message"]["id"]) for line in lines]
    assert [one for one in order if one[0] == "host"] == [("host", id) for id in (1, 2, 3, 4)]
    assert len(sent) == 4
    for id in (1, 2, 3, 4):
        assert order.index(("host", id)) < order.index(("ctxmgr", id))
