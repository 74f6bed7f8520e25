"""What an endpoint, the host's model and deadlines did is in the transcript: it replays without any of them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.model_server import Gate, ModelServer, Reply, Request
from tests.stdio.compacting_sidecar import (
    BAD,
    SLICES,
    SMALL,
    Fields,
    Holding,
    Writer,
    endpoint,
    good,
    turn,
    turns,
)
from tests.stdio.sidecar import BOUND, MODEL, ROOT, a

# What a replay must not do: look for anybody. Imported by Python itself when it starts.
NO_NETWORK = """
import socket

def refuse(*_):
    raise AssertionError("a replay looks for the network")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
"""


def replayed(directory: Path, record: Path) -> Fields:
    """What `ctxmgr replay` says of this transcript, without network and without the key."""
    (directory / "sitecustomize.py").write_text(NO_NETWORK)
    done = subprocess.run(
        [sys.executable, "-m", "ctxmgr", "replay", "--json", str(record)],
        env={**os.environ, "PYTHONPATH": f"{directory}:{ROOT}"},
        capture_output=True,
        timeout=BOUND,
        check=False,
    )
    assert done.stdout, done.stderr
    (said,) = json.loads(done.stdout)
    found: Fields = said
    assert found["failures"] == []
    assert (done.returncode, done.stderr) == (0, b"")
    assert found["compared"] > 0
    return found


def lines(record: Path, name: str) -> list[Fields]:
    """The lines of a transcript that hold this member."""
    return [line for line in map(json.loads, record.read_text().splitlines()) if name in line]


def recording(directory: Path, record: Path, **capabilities: object) -> Writer:
    policy = {"preset": "turns", "tokenizer": "estimate"}
    return Writer(directory / "state", "--record", str(record)).ready(policy=policy, **capabilities)


def test_compactions_by_an_endpoint_replay(tmp_path: Path) -> None:
    """Retries, a fallback, slices side by side; a context, a turn and a cancelled compaction in the middle."""
    record, gate, bad = tmp_path / "t.jsonl", Gate(), [2]

    def answer(request: Request) -> Reply:
        if BAD in request.prompt:
            return Reply(BAD)
        if bad[0]:
            bad[0] -= 1
            return Reply(BAD, way="breaks-off")
        return Reply(good(request.prompt), hold=gate)

    tree = turns(24)
    messages = [entry["message"] for entry in tree]
    with ModelServer.threaded(answer) as server, recording(tmp_path, record) as writer:
        session = writer.started("s", **endpoint(server), slices=SLICES)
        params = {"sessionId": session, "entries": tree}
        failing = writer.call("compact", **params, customInstructions=BAD)["compaction"]
        assert failing["details"]["ctxmgr"]["strategy"] == "extractive"
        ids = [writer.begin("compact", **params, strategy="parallel-stitch")]
        server.wait_until(lambda server: server.in_flight == 3)
        writer.call("context", sessionId=session, messages=messages)
        other = writer.started("other", **endpoint(server))
        ids.append(writer.begin("compact", sessionId=other, entries=turns(4)))
        server.wait_until(lambda server: server.in_flight == 5)
        cancelled = writer.begin("compact", entries=tree, settings=SMALL)
        writer.tell("$/cancelRequest", id=cancelled)
        writer.call("turn_end", sessionId=session, message=a("done", 5_000))
        writer.call("context", sessionId=session, messages=[*messages, *turn(40, "new words " * 2_000)])
        gate.open()
        written = [writer.result(id)["compaction"] for id in ids]
        assert writer.answer(cancelled)["error"]["code"] == -32800
        assert all("fallback" not in one["details"]["ctxmgr"] for one in written)
        assert writer.leave() == 0
        requests = len(server.requests)
    assert len(lines(record, "completed")) == requests
    replayed(tmp_path, record)


def test_deadlines_replay(tmp_path: Path) -> None:
    record = tmp_path / "t.jsonl"
    tree = turns(6)
    with ModelServer.threaded(Holding()) as server, recording(tmp_path, record) as writer:
        session = writer.started("s", **endpoint(server))
        preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
        params = {"sessionId": session, "preparation": preparation, "branchEntries": tree}
        assert writer.call("session_before_compact", **params, deadlineMs=50) == {}
        late = writer.call("compact", sessionId=session, entries=tree, deadlineMs=50)["compaction"]
        assert late["details"]["ctxmgr"]["fallback"]["reason"] == "cancelled"
        assert writer.leave() == 0
    assert len(lines(record, "woke")) == 2
    assert len(lines(record, "completed")) == 0
    replayed(tmp_path, record)


def until_recorded(writer: Writer, session: str, record: Path, name: str) -> None:
    """Until the transcript has such a line; each look is a call that gives the process time."""
    for _ in range(20_000):
        if lines(record, name):
            return
        writer.call("getStatus", sessionId=session)
    raise AssertionError(f"nothing {name}")


def _ahead(directory: Path, begin: Callable[[Writer, str, Path], None], **capabilities: object) -> Path:
    """A session whose compaction was written ahead comes to its red zone; the transcript."""
    record, tree = directory / "t.jsonl", turns(6)
    with recording(directory, record, **capabilities) as writer:
        session = writer.started("s", prepareAhead=True)
        writer.call("session_start", sessionId=session, model=MODEL, entries=tree)
        writer.call("context", sessionId=session, messages=[entry["message"] for entry in tree])
        begin(writer, session, record)
        until_recorded(writer, session, record, "prepared")
        (command,) = writer.call("turn_end", sessionId=session, message=a("more", 130_000))["commands"]
        assert "says a good model" in command["params"]["compaction"]["summary"]
        assert writer.leave() == 0
    return record


def test_compaction_written_ahead_by_an_endpoint_replays(tmp_path: Path) -> None:
    script = Holding()
    with ModelServer.threaded(script) as server:

        def begin(writer: Writer, session: str, record: Path) -> None:
            writer.call("setPolicy", sessionId=session, policy={"compaction": endpoint(server)})
            writer.call("turn_end", sessionId=session, message=a("noted", 100_000))
            server.wait_until(lambda server: server.in_flight == 2)
            writer.call("context", sessionId=session, messages=[entry["message"] for entry in turns(6)])
            script.gate.open()

        record = _ahead(tmp_path, begin, requestCompaction="whenIdle")
    assert len(lines(record, "completed")) == 2
    replayed(tmp_path, record)


def test_two_compactions_of_an_endpoint_at_once_replay(tmp_path: Path) -> None:
    """Of two sessions, one long and one short: which is asked for first does not depend on threads."""
    record, script = tmp_path / "t.jsonl", Holding()
    with ModelServer.threaded(script) as server, recording(tmp_path, record) as writer:
        sessions = [writer.started(name, **endpoint(server)) for name in ("long", "short")]
        ids = [
            writer.begin("compact", sessionId=session, entries=turns(many))
            for session, many in zip(sessions, (60, 4), strict=True)
        ]
        server.wait_until(lambda server: server.in_flight == 4)
        script.gate.open()
        for id in ids:
            writer.result(id)
        assert writer.leave() == 0
    replayed(tmp_path, record)
