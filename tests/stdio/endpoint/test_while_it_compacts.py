"""A compaction has its limit, and holds nothing up while it is written."""

import json

from tests.model_server import ModelServer
from tests.stdio.compacting_sidecar import (
    SLICES,
    SMALL,
    Holding,
    Writer,
    endpoint,
    entries,
    finished,
    held,
    turn,
    turns,
    well,
)
from tests.stdio.sidecar import SECRET, a


def test_call_that_takes_longer_than_its_limit_has_failed(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("timed out", retries=0, **endpoint(server, timeoutMs=50))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
        server.wait_until(lambda server: server.in_flight == 0)
    assert compaction["details"]["ctxmgr"]["fallback"]["said"] == "timed out after 50 ms"


def test_after_its_deadline_compact_is_written_without_a_model(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("late", **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6), deadlineMs=50)["compaction"]
        server.wait_until(lambda server: server.in_flight == 0)
    details = compaction["details"]["ctxmgr"]
    assert (details["strategy"], details["fallback"]["reason"]) == ("extractive", "cancelled")
    assert "mark-1-user" in compaction["summary"]


def test_at_its_deadline_before_compact_gives_the_host_its_turn(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("host's turn", **endpoint(server))
        tree = turns(6)
        preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
        params = {"sessionId": session, "preparation": preparation, "branchEntries": tree}
        assert writer.call("session_before_compact", **params, deadlineMs=50) == {}
        server.wait_until(lambda server: server.in_flight == 0)
        assert all(request.cancelled for request in server.requests)


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


def test_contexts_of_other_sessions_are_answered_while_one_compacts(writer: Writer) -> None:
    script = Holding()
    with ModelServer.threaded(script) as server:
        session = writer.started("busy", **endpoint(server))
        compaction = held(writer, session, turns(6), server)
        others = [writer.started(f"other {number}") for number in range(20)]
        messages = [message for number in range(10) for message in turn(number)]
        ids = [writer.begin("context", sessionId=other, messages=messages) for other in others]
        assert all("report" in writer.result(id) for id in ids)
        finished(writer, compaction, server, script.gate)


def test_two_compactions_at_once(writer: Writer) -> None:
    """Of one branch the second is refused; of another branch, and of another session, it is not."""
    script = Holding()
    with ModelServer.threaded(script) as server:
        tree = turns(6)
        fork = [*tree, *entries(turn(7), 25, "e8")]
        first, second = (writer.started(name, **endpoint(server)) for name in ("first", "second"))
        preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
        begun = held(writer, first, tree, server)
        refused = writer.ask("compact", sessionId=first, entries=tree)["error"]
        assert (refused["code"], "being written" in refused["message"]) == (-32803, True)
        params = {"sessionId": first, "preparation": preparation}
        assert writer.call("session_before_compact", **params, branchEntries=tree) == {"cancel": True}
        others = [
            writer.begin("compact", sessionId=first, entries=fork, leafId="e28"),
            writer.begin("compact", sessionId=second, entries=tree),
        ]
        server.wait_until(lambda server: server.in_flight == 6)
        script.gate.open()
        kept = [writer.result(id)["compaction"]["firstKeptEntryId"] for id in (begun, *others)]
        assert kept == ["e24", "e28", "e24"]
        assert writer.call("compact", sessionId=first, entries=tree)["compaction"]["firstKeptEntryId"] == "e24"


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


def test_session_that_ends_ends_its_calls(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("ended", **endpoint(server))
        id = held(writer, session, turns(6), server)
        assert writer.call("session_shutdown", sessionId=session) is None
        assert writer.answer(id)["error"]["code"] == -32803
        server.wait_until(lambda server: all(request.cancelled for request in server.requests))
        assert writer.started(session) == session


def test_progress_is_told_from_begin_to_end(writer: Writer) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started("progress", slices=SLICES, concurrency=1, **endpoint(server))
        params = {"sessionId": session, "entries": turns(24), "strategy": "sequential-rolling"}
        writer.call("compact", **params, progressToken="p")
        count = len(server.requests)
    told = writer.asked("$/progress")
    assert {one["token"] for one in told} == {"p"}
    assert [one["value"]["kind"] for one in told] == ["begin", *["report"] * count, "end"]
    labels = [one["value"].get("message") for one in told][1:-1]
    assert f"slice {count - 1} of {count - 1}" in labels
    assert SECRET not in json.dumps(told)
