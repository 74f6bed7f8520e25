"""A compaction is requested of the host, and its answer heard, whatever it is."""

from typing import Any

from tests.unit.server.host import MODEL, SECRET, Host, a, tell


def pressed(host: Host, session: str = "s") -> list[dict[str, Any]]:
    """A turn_end as a notification that reaches the compact zone."""
    usage = {"input": 190_000, "output": 100, "cacheRead": 0, "cacheWrite": 0}
    return host.write(tell("turn_end", sessionId=session, message=a("much"), usage=usage))


ODD_ANSWERS: list[dict[str, Any]] = [
    {"result": None},
    {"result": {"accepted": "yes"}},
    {"error": {"code": -32601, "message": SECRET}},
    {"error": "text"},
]


def test_odd_answers_count_as_a_refusal() -> None:
    for answer in ODD_ANSWERS:
        host = Host().ready("s", requestCompaction="whenIdle")
        (asked,) = pressed(host)
        assert host.write({"jsonrpc": "2.0", "id": asked["id"], **answer}) == []
        assert host.call(1, "getStatus", sessionId="s")["result"]["latch"]["state"] == "cooldown", answer
        assert SECRET not in "".join(host.said)


def test_answer_for_a_session_that_began_anew_changes_nothing() -> None:
    host = Host().ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    host.call(1, "session_shutdown", sessionId="s")
    host.call(2, "session_start", sessionId="s", model=MODEL)
    saved = len(host.saved["s"])
    host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": False}})
    assert len(host.saved["s"]) == saved  # the old session's line would spoil the new one's snapshot
