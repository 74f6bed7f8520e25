"""Compactions that a model server writes: no bad answer becomes a summary, and nothing waits for one."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.model_server import ModelServer, Reply
from tests.stdio.compacting_sidecar import (
    BAD,
    KEY,
    WHOLE_TURNS,
    Holding,
    Writer,
    endpoint,
    finished,
    good,
    held,
    turns,
)
from tests.stdio.sidecar import SECRET, a


@pytest.fixture(scope="module")
def writer() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=WHOLE_TURNS) as writer:
        yield writer


TOLD = {"retry-after": "0"}  # without it there are pauses
BAD_ANSWERS: list[tuple[str, str, Callable[[str], Reply]]] = [
    # name, reason given, reply with what a good text would be
    ("500", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=500, headers=TOLD)),
    ("breaks off", "failed", lambda text: Reply(text, way="breaks-off")),
    ("empty", "empty", lambda text: Reply("")),
    ("cut at its limit", "truncated", lambda text: Reply(text, stop="length")),
    ("tool call", "called a tool", lambda text: Reply(text, stop="tool")),
    ("far too long", "too long", lambda text: Reply(text + f"\n- {BAD} and more of it" * 600)),
]


@pytest.mark.parametrize(("name", "reason", "reply"), BAD_ANSWERS, ids=[name for name, _, _ in BAD_ANSWERS])
def test_bad_answer_never_becomes_a_summary(
    writer: Writer, name: str, reason: str, reply: Callable[[str], Reply]
) -> None:
    with ModelServer.threaded(lambda request: reply(good(request.prompt, BAD))) as server:
        session = writer.started(f"bad {name}", **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert details["strategy"] == "extractive"
    assert (details["fallback"]["from"], details["fallback"]["reason"]) == ("single-shot", reason)
    tries = (2, 0) if name == "500" else (4, 2)  # before an answer began the device has tried already
    assert (details["calls"], details["retries"]) == tries
    text = json.dumps(compaction)
    assert BAD not in text
    assert KEY not in text
    assert SECRET not in json.dumps(details)
    assert "mark-1-user" in compaction["summary"]
    assert writer.call("getStatus", sessionId=session)["mode"] == "on"


def test_key_that_is_not_set_is_said_by_its_name(writer: Writer) -> None:
    with ModelServer.threaded([]) as server:
        session = writer.started("no key", **endpoint(server, apiKeyEnv="NO_SUCH_KEY"))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    assert "NO_SUCH_KEY" in compaction["details"]["ctxmgr"]["fallback"]["said"]


def test_events_of_the_session_are_answered_while_it_compacts(writer: Writer) -> None:
    script = Holding()
    with ModelServer.threaded(script) as server:
        tree = turns(6)
        session = writer.started("lane", **endpoint(server))
        id = held(writer, session, tree, server)
        messages = [entry["message"] for entry in tree]
        assert "report" in writer.call("context", sessionId=session, messages=messages)
        assert writer.call("turn_end", sessionId=session, message=a("done", 5_000))["seq"] == 1
        assert writer.call("planCompaction", sessionId=session, entries=tree)["preparation"]
        assert finished(writer, id, server, script.gate)["firstKeptEntryId"] == "e24"


def test_cancelled_compaction_is_answered_and_its_calls_end(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        tree = turns(6)
        session = writer.started("cancelled", **endpoint(server))
        for _ in range(2):  # the claim of the first is gone
            id = held(writer, session, tree, server)
            writer.tell("$/cancelRequest", id=id)
            assert writer.answer(id)["error"]["code"] == -32800
            server.wait_until(lambda server: all(request.cancelled for request in server.requests))
        assert len(server.requests) == 4
        assert writer.call("getStatus", sessionId=session)["seq"] == 0
