"""A compaction is requested of the host, and its answer heard, whatever it is."""

from typing import Any

import pytest

from tests.unit.server.host import MODEL, SECRET, Host, a, tell


def pressed(host: Host, session: str = "s") -> list[dict[str, Any]]:
    """A turn_end as a notification that reaches the compact zone."""
    usage = {"input": 190_000, "output": 100, "cacheRead": 0, "cacheWrite": 0}
    return host.write(tell("turn_end", sessionId=session, message=a("much"), usage=usage))


def test_compaction_is_requested_once_and_its_answer_heard(host: Host) -> None:
    host.ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    assert asked["method"] == "requestCompaction"
    assert asked["params"]["sessionId"] == "s"
    assert pressed(host) == []
    host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": False}})
    assert host.call(1, "getStatus", sessionId="s")["result"]["latch"] == {"state": "cooldown", "failures": 1}


def test_answer_may_come_after_the_compaction(host: Host) -> None:
    host.ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    compacted = host.call(1, "session_compact", sessionId="s", compactionEntry={"summary": "## Goal\nwin"})
    assert compacted["result"]["status"]["latch"]["state"] == "idle"
    assert host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": True}}) == []
    assert host.call(2, "getStatus", sessionId="s")["result"]["latch"]["state"] == "idle"


ODD_ANSWERS: list[dict[str, Any]] = [
    {"result": None},
    {"result": 7},
    {"result": {"accepted": "yes"}},
    {"error": {"code": -32601, "message": SECRET}},
    {"error": {"code": "x"}},
    {"error": "text"},
    {"error": {"code": 1, "message": "m", "data": {}, "extra": 1}},
    {"error": [1]},
]


@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_odd_answers_count_as_a_refusal(host: Host, answer: dict[str, Any]) -> None:
    host.ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    assert host.write({"jsonrpc": "2.0", "id": asked["id"], **answer}) == []
    assert host.call(1, "getStatus", sessionId="s")["result"]["latch"]["state"] == "cooldown"


@pytest.mark.parametrize("id", [b'"ctxmgr-77"', b"1", b'"nope"', b"1.5", b"null"])
def test_answers_nobody_waits_for_are_never_answered(host: Host, id: bytes) -> None:
    host.ready("s")
    assert host.write(b'{"jsonrpc":"2.0","id":%b,"result":{"accepted":true}}' % id) == []
    assert host.write(b'{"jsonrpc":"2.0","id":%b,"error":{"code":1,"message":"x"}}' % id) == []
    assert "result" in host.call(1, "getStatus", sessionId="s")


def test_answer_for_a_session_that_began_anew_changes_nothing() -> None:
    host = Host().ready("s", requestCompaction="whenIdle")
    (asked,) = pressed(host)
    host.call(1, "session_shutdown", sessionId="s")
    host.call(2, "session_start", sessionId="s", model=MODEL)
    saved = len(host.saved["s"])
    host.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"accepted": False}})
    assert len(host.saved["s"]) == saved  # the old session's line would spoil the new one's snapshot
