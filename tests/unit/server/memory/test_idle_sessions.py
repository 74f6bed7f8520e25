"""A session that nobody asks for leaves memory, and comes back from its snapshot by itself."""

from typing import Any

from ctxmgr.server import effects as do
from ctxmgr.server.connection import ConnectionConfig
from tests.unit.server.host import Host, a, call, u

TURN: dict[str, Any] = {
    "message": a("Reading."),
    "usage": {"input": 9, "output": 9, "cacheRead": 0, "cacheWrite": 0},
}
POLICY = {"idleMinutes": 2}


def begun(host: Host | None = None) -> Host:
    host = (host or Host()).ready("s", "other")
    for session in ("s", "other"):
        assert "result" in host.call("p", "setPolicy", sessionId=session, policy=POLICY)
    host.call("t", "turn_end", sessionId="s", **TURN)
    host.call("c", "context", sessionId="s", messages=[u("Never touch the schema."), a("Reading.")])
    return host


def minutes(host: Host, count: int) -> None:
    for _ in range(count):
        host.carry_out(host.connection.minute())


def rested(host: Host) -> list[str]:
    return [effect.session_id for effect in host.log if isinstance(effect, do.Rest)]


def in_memory(host: Host, session: str = "s") -> bool:
    return host.connection.sessions.queues.by_session[session].session is not None


def test_it_leaves_after_its_minutes_and_not_before() -> None:
    host = begun()
    minutes(host, 1)
    assert "result" in host.call("q", "getStatus", sessionId="other")
    assert rested(host) == []
    minutes(host, 1)
    assert (rested(host), in_memory(host), in_memory(host, "other")) == (["s"], False, True)
    queue = host.connection.sessions.queues.by_session["s"]
    assert len(queue.raw_messages) == 0
    minutes(host, 1)
    assert rested(host) == ["s", "other"]


BACK: list[tuple[str, dict[str, Any]]] = [
    ("getStatus", {}),
    ("turn_end", TURN),
    ("context", {"messages": [u("Never touch the schema."), a("Reading."), u("Go on.")]}),
    ("session_shutdown", {}),
]


def test_it_comes_back_with_any_call_and_answers_as_one_that_stayed() -> None:
    for method, params in BACK:
        gone, stayed = begun(), begun()
        minutes(gone, 2)
        answers = [host.call("x", method, sessionId="s", **params) for host in (gone, stayed)]
        assert answers[0] == answers[1], method
        if method == "session_shutdown":
            assert gone.connection.sessions.queues.by_session.keys() == {"other"}
        else:
            assert in_memory(gone), method


def test_a_job_on_it_sees_what_it_knew() -> None:
    host = begun()
    minutes(host, 2)
    messages = [u("word " * 900), a("word " * 900)] * 6
    entries = [{"type": "message", "id": f"e{n}", "parentId": f"e{n - 1}" if n else None} for n in range(12)]
    entries = [{**entry, "message": message} for entry, message in zip(entries, messages, strict=True)]
    settings = {"keepRecentTokens": 200, "reserveTokens": 4_000}
    answer = host.call("j", "compact", sessionId="s", entries=entries, settings=settings)
    assert answer["result"]["compaction"] is not None
    assert in_memory(host)


def test_what_no_snapshot_holds_stays() -> None:
    host = begun()
    session = host.connection.sessions.queues.by_session["s"].session
    totals, latch, form = session.state.totals, session.state.latch, session.fmt
    session.warnings = ("something is to be known",)
    minutes(host, 2)
    assert "something is to be known" in host.call("q", "getStatus", sessionId="s")["result"]["notes"]
    back = host.connection.sessions.queues.by_session["s"].session
    assert back is not None
    assert back is not session
    assert (back.state.totals, back.state.latch, back.fmt) == (totals, latch, form)


def test_it_stays_where_its_snapshot_is_not_whole() -> None:
    host = begun()
    host.stuck = frozenset(("s", "other"))
    minutes(host, 5)
    assert in_memory(host)
    assert "result" in host.call("q", "getStatus", sessionId="s")


def test_it_stays_while_something_is_under_way() -> None:
    host = begun(Host(holds=True))
    host.write(call("long", "context", sessionId="s", messages=[u("word " * 5_000)]))
    assert host.waiting
    minutes(host, 9)
    assert "s" not in rested(host)
    host.release_all()
    minutes(host, 2)
    assert "s" in rested(host)


def test_without_minutes_and_in_a_transcript_it_stays() -> None:
    for host in (begun(), begun(Host(options=ConnectionConfig(record=True)))):
        if not host.connection.terms.record:
            for session in ("s", "other"):
                host.call("p", "setPolicy", sessionId=session, policy={"idleMinutes": 0})
        minutes(host, 200)
        assert rested(host) == []


SPARED = [  # sessions, which of them have no whole snapshot, free descriptors, those that leave
    (9, "", 8, ""),
    (9, "", 7, "0"),
    (9, "", 4, "01"),
    (9, "", 0, "012"),
    (9, "01", 4, "23"),
    (9, "012345678", 0, ""),
    (6, "", 4, ""),
    (6, "", 1, "01"),
    (3, "", 0, "01"),
    (1, "", 0, ""),
]


def test_as_many_leave_as_descriptors_are_missing_and_never_the_one_in_use() -> None:
    for count, stuck, free, leaving in SPARED:
        host = Host().ready(*map(str, range(count)))
        host.stuck = frozenset(stuck)
        host.carry_out(host.connection.spare(free))
        gone = [name for name in map(str, range(count)) if not in_memory(host, name)]
        assert gone == list(leaving), (count, stuck, free)


def test_those_that_are_to_stay_in_memory_stay_when_descriptors_run_out() -> None:
    host = Host().ready("s", "t", "other")
    host.call("p", "setPolicy", sessionId="s", policy={"idleMinutes": 0})
    host.call("q", "getStatus", sessionId="other")
    host.carry_out(host.connection.spare(0))
    assert rested(host) == ["t"]


def test_calls_that_come_while_it_comes_back_are_answered_in_their_order() -> None:
    host = begun()
    minutes(host, 2)
    host.holds = True
    turns = [call(number, "turn_end", sessionId="s", message=a(f"{number}")) for number in range(3)]
    assert host.write(*turns) == []
    host.release_all()
    assert [(one["id"], one["result"]["seq"]) for one in host.sent[-3:]] == [(0, 2), (1, 3), (2, 4)]


def test_a_snapshot_that_is_gone_is_said() -> None:
    host = begun()
    minutes(host, 2)
    host.saved.clear()
    status = host.call("x", "getStatus", sessionId="s")["result"]
    assert any("no longer exists" in note for note in status["notes"])
    saves = [effect for effect in host.log if isinstance(effect, do.Save)]
    assert b'"kind":"base"' in saves[-1].line


def test_one_that_another_process_holds_now_is_refused_and_asked_for_again() -> None:
    host = begun()
    minutes(host, 2)
    host.holds = True
    host.write(call("x", "getStatus", sessionId="s"))
    (ticket,) = host.waiting
    host.waiting.clear()
    host.carry_out(host.connection.resume(ticket, do.SnapshotLoaded(fault="it is open there", refused=True)))
    assert (host.sent[-1]["id"], host.sent[-1]["error"]["message"]) == ("x", "it is open there")
    host.holds = False
    assert "result" in host.call("y", "getStatus", sessionId="s")
