"""The runtime: effects reach the devices in order; those of calls that were answered at once, in few writes."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.server.config import Setup
from ctxmgr.server.effects import SENT_TOGETHER_BYTES, Close, Effect, Log, Record, Save, Send, together
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


LONG = b"x" * (SENT_TOGETHER_BYTES // 2 + 1)


def save(session: str, *lines: str, anew: bool = False) -> Save:
    first, *more = (line.encode() for line in lines)
    return Save(session, first, lambda: [lines[-1].encode()], anew, tuple(more))


def send(*parts: bytes) -> Send:
    return Send(parts)


def told(effects: list[Effect]) -> list[Any]:
    """What they hold, and of what a save would write anew the text."""
    return [
        (one.session_id, one.line, *one.more, one.anew, one.whole()) if isinstance(one, Save) else one
        for one in effects
    ]


def test_only_what_was_saved_goes_before_answers_and_nothing_goes_by_anything_else() -> None:
    rows: list[tuple[list[Effect], list[Effect]]] = [
        ([save("a", "1"), send(b"1")], [save("a", "1"), send(b"1")]),
        (
            [save("a", "1"), send(b"1"), save("a", "2"), send(b"2"), send(b"3")],
            [save("a", "1", "2"), send(b"1", b"2", b"3")],
        ),
        (
            [save("a", "1", anew=True), send(b"1"), save("b", "1"), send(b"2"), save("a", "2"), save("b", "2")],
            [save("a", "1", "2", anew=True), send(b"1"), save("b", "1", "2"), send(b"2")],
        ),
        (
            [save("a", "1"), send(b"1"), Close("a"), save("a", "2"), send(b"2")],
            [save("a", "1"), send(b"1"), Close("a"), save("a", "2"), send(b"2")],
        ),
        (
            [save("a", "1"), Record(b"1"), send(b"1"), save("a", "2"), Record(b"2"), send(b"2")],
            [save("a", "1", "2"), Record(b"1"), send(b"1"), Record(b"2"), send(b"2")],
        ),
        ([send(b"1"), Log("a"), send(b"2")], [send(b"1"), Log("a"), send(b"2")]),
        ([send(LONG), send(LONG), send(b"3")], [send(LONG), send(LONG, b"3")]),
    ]
    for given, expected in rows:
        assert told(together(given)) == told(expected)


async def test_events_under_way_together_are_saved_by_one_write_before_the_first_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[bytes] = []
    runtime = Runtime(Setup(str(tmp_path)), lambda parts: log.append(b"".join(parts)), lambda text: None)
    runtime.start()

    def told(*calls: tuple[str, dict[str, Any]]) -> None:
        rows = (
            {"jsonrpc": "2.0", "id": id, "method": name, "params": params}
            for id, (name, params) in enumerate(calls)
        )
        runtime.receive(b"".join(json.dumps(row).encode() + b"\n" for row in rows))

    told(("initialize", {"protocolVersion": "1.0"}))
    told(("session_start", {"sessionId": "s", "model": {"id": "m", "contextWindow": 200_000}}))
    written = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: log.append(bytes(data)) or written(descriptor, data))
    log.clear()
    says = [{"role": "assistant", "content": f"Step {number} of it.", "timestamp": number} for number in range(30)]
    told(*(("turn_end", {"sessionId": "s", "message": message, "usage": {"tokens": 9}}) for message in says))
    runtime.end(0)
    await runtime.close()
    saved, *answers = [entry for entry in log if b'"event"' in entry or b'"result"' in entry]
    assert saved.count(b"\n") == len(says)
    assert b"".join(answers).count(b'"result"') == len(says)
    assert len(answers) < len(says) // 2
