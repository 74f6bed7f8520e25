"""What sessions hold of their lists is bounded by bytes; who was not asked for longest gives way."""

import json
from typing import Any

import pytest

from ctxmgr.server import memory
from ctxmgr.server.session_queue import SessionQueue
from tests.unit.server.host import Host, a, u

LIST = [u("Please look. " + "word " * 400), a("I have."), u("Go on.")]
SIZE = len(json.dumps(LIST, separators=(",", ":"))) - 4  # without brackets and commas between


def asked(host: Host, session: str, messages: list[dict[str, Any]] = LIST, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = host.call("c", "context", sessionId=session, messages=messages, **more)["result"]
    return answer


def queue_of(host: Host, session: str) -> SessionQueue:
    return host.connection.sessions.queues.by_session[session]


def test_lists_beyond_the_bytes_that_lie_joined_are_held_once_and_answered_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "JOINED_BYTES", 2 * SIZE + 300)
    host, other = Host().ready("a", "b", "c"), Host().ready("a")
    firsts = [asked(host, session) for session in "abc"]
    assert [len(queue_of(host, session).raw_messages._segments) for session in "abc"] == [0, 1, 1]
    expected = asked(other, "a"), asked(other, "a", [*LIST, a("More.")])
    assert (firsts[0], asked(host, "a", [*LIST, a("More.")])) == expected
    assert [len(queue_of(host, session).raw_messages._segments) for session in "abc"] == [2, 0, 1]


def test_lists_beyond_the_bytes_that_are_held_leave_and_come_back_as_after_a_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "READ_BYTES", 2 * SIZE + 10)
    host = Host().ready("a", "b", "c", edits=True)
    first = {session: asked(host, session) for session in "abc"}["a"]
    held = queue_of(host, "a")
    assert (len(held.session.projection.messages), len(held.raw_messages), held.session.memo) == (0, 0, {})
    appended = {"base": first["base"], "after": len(LIST), "messages": []}
    stale = host.call("x", "context", sessionId="a", append=appended)
    assert stale["error"]["code"] == -32801
    again = asked(host, "a")
    assert again["report"]["firstChangedIndex"] == -1
    assert again.get("messages") == first.get("messages")
    assert queue_of(host, "b").session is not None
    assert len(queue_of(host, "b").raw_messages) == 0


def test_one_list_over_the_limit_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "READ_BYTES", 10)
    monkeypatch.setattr(memory, "JOINED_BYTES", 10)
    host = Host().ready("a")
    asked(host, "a")
    assert len(queue_of(host, "a").raw_messages) == len(LIST)


def test_what_turn_end_heard_before_a_list_shows_it_is_bounded_by_bytes() -> None:
    host = Host().ready("s")
    for number in range(40):
        host.call(number, "turn_end", sessionId="s", message=a(f"{number} " + "word " * 300))
    session = queue_of(host, "s").session
    assert 14_000 < sum(map(len, session.pending_messages)) <= (16 << 10) + 1_600
    long = a("word " * 20_000)
    host.call("long", "turn_end", sessionId="s", message=long)
    assert json.dumps(long, separators=(",", ":")).encode() in session.pending_messages
