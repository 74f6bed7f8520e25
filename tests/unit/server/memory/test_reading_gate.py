"""The gate: how many bytes of lists are read at once."""

import json
from typing import Any

import pytest

from ctxmgr.server import effects as do
from ctxmgr.server import memory
from tests.unit.server.host import Host, call, tell, u

MEGABYTE = 1 << 20


def test_so_many_bytes_are_read_at_once_and_the_rest_in_the_order_of_their_coming() -> None:
    gate = memory.ReadingGate()
    assert (gate.enters(50 * MEGABYTE), gate.enters(1)) == (True, False), "one over the limit is read alone"
    gate.left(50 * MEGABYTE)
    assert (gate.enters(8 * MEGABYTE), gate.enters(4 * MEGABYTE), gate.enters(MEGABYTE)) == (True, True, False)
    gate.wait(1, MEGABYTE)
    assert not gate.enters(0), "nobody overtakes"
    gate.wait(2, 8 * MEGABYTE)
    gate.left(4 * MEGABYTE)
    assert (gate.next(), gate.next()) == (1, None)
    gate.left(8 * MEGABYTE)
    gate.left(MEGABYTE)
    assert (gate.next(), gate.next()) == (2, None)


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Three first lists, of which two fit the gate together."""
    messages = [u("word " * 2_000)]
    size = len(json.dumps(messages, separators=(",", ":")))
    monkeypatch.setattr("ctxmgr.server.sessions.FREE_BYTES", size // 2)
    monkeypatch.setattr(memory, "AT_ONCE_BYTES", size * 5 // 2)
    return [call(number, "context", sessionId=session, messages=messages) for number, session in enumerate("abc")]


def test_long_lists_wait_and_small_calls_of_others_do_not(lists: list[dict[str, Any]]) -> None:
    host = Host(holds=True).ready("a", "b", "c", "d")
    assert host.write(*lists) == []
    assert len(host.waiting) == 2
    assert "result" in host.call(9, "context", sessionId="d", messages=[u("short")])
    host.release(min(host.waiting))
    assert [one["id"] for one in host.sent[-1:]] == [0]
    assert len(host.waiting) == 2, "the third is read now"
    host.release_all()
    assert [one["id"] for one in host.sent[-3:]] == [0, 1, 2]


def test_a_cancelled_one_leaves_its_room(lists: list[dict[str, Any]]) -> None:
    host = Host(holds=True).ready("a", "b", "c")
    host.write(*lists)
    host.write(tell("$/cancelRequest", id=0), tell("$/cancelRequest", id=2))
    host.release_all()
    answered = {one["id"]: "result" in one for one in host.sent if one.get("id") in (0, 1, 2)}
    assert answered == {0: False, 1: True, 2: False}
    host.write(*lists[2:])
    assert len(host.waiting) == 1
    host.release_all()
    assert "result" in host.sent[-1]


def test_all_are_answered_before_the_end(lists: list[dict[str, Any]]) -> None:
    host = Host(holds=True).ready("a", "b", "c")
    host.write(*lists, call(7, "shutdown"))
    host.release_all()
    assert [one["id"] for one in host.sent[-4:]] == [0, 1, 2, 7]
    assert sum(isinstance(one, do.Close) for one in host.log) == 3
