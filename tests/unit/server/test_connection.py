"""The order of a connection from initialize to exit; its transcript, and the weigher of its sessions."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.model import of_all
from ctxmgr.server import effects as do
from ctxmgr.server.connection import ConnectionConfig
from ctxmgr.wire import errors
from tests.unit.server.host import LONG, MODEL, Host, a, call, code_of, long_context, tell, u

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "$.protocolVersion"),
    ({"protocolVersion": "2.0"}, "$.protocolVersion"),
    ({"protocolVersion": "1.0", "messageFormat": "nope"}, "$.messageFormat"),
    ({"protocolVersion": "1.0", "policy": {"nope": 1}}, "$.policy.nope"),
    ({"protocolVersion": "1.0", "policy": {"zones": {"red": "x"}}}, "$.policy.zones.red"),
]


def test_refused_initialize_may_be_tried_again(host: Host) -> None:
    for params, path in REFUSED:
        answer = host.call(1, "initialize", **params)
        assert code_of(answer) == errors.INVALID_PARAMS
        assert answer["error"]["data"] == {"path": path}
    assert host.call(2, "initialize", protocolVersion="1.7")["result"]["protocolVersion"] == "1.1"


@pytest.mark.parametrize("shutdown", [True, False])
def test_exit_waits_until_what_came_before_is_answered_and_saved(shutdown: bool) -> None:
    host = Host(holds=True).ready("s", "t")
    contexts = [long_context(number, "st"[number % 2], f"{LONG} {number}") for number in range(20)]
    end = [call("last", "shutdown")] if shutdown else []
    assert host.write(*contexts, *end, tell("exit"), call("late", "getStatus", sessionId="s")) == []
    host.release_all()
    answered = [one["id"] for one in host.sent[3:]]
    assert sorted(answered[:20]) == list(range(20))
    assert answered[20:] == [one["id"] for one in end]
    assert host.ended == (0 if shutdown else 1)
    assert [type(one) for one in host.log[-3:]].count(do.Send) == (1 if shutdown else 0)
    assert sorted(one.session_id for one in host.log if isinstance(one, do.Close)) == ["s", "t"]
    assert isinstance(host.log[-1], do.End)


def test_transcript_has_both_sides_and_is_json() -> None:
    host = Host(options=ConnectionConfig(record=True)).ready("s")
    host.write(b"{broken", b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":"\xff"}}', b'{"a":"\\ud83d"}')
    lines = [json.loads(one.line) for one in host.log if isinstance(one, do.Record)]
    assert lines[0]["ctxmgr"]["protocolVersion"] == "1.0"
    assert [one["from"] for one in lines[1:]] == ["host", "ctxmgr"] * 5
    assert [sorted(one) for one in lines[5::2]] == [["broken", "from"]] * 3


def test_weigher_changes_between_events_and_is_recorded() -> None:
    host = Host(options=ConnectionConfig(record=True), holds=True).ready("s")
    host.write(long_context(1, "s"))
    host.carry_out(host.connection.weigher_loaded("o200k_base", of_all(len), None))
    assert msgspec.json.decode(next(one.line for one in reversed(host.log) if isinstance(one, do.Record))) == {
        "from": "ctxmgr",
        "weigher": "o200k_base",
    }
    host.release_all()
    assert host.sent[-1]["result"]["report"]["rawTokens"] < len(LONG) / 2  # begun with the estimate
    assert host.write(call(2, "getStatus", sessionId="s"))[0]["result"]["weigher"] == "o200k_base"


def test_a_vocabulary_is_loaded_once_a_host_reports_no_usage(host: Host) -> None:
    """Not before: one takes a process."""

    def loaded() -> list[str]:
        return [one.name for one in host.log if isinstance(one, do.LoadWeigher)]

    host.ready("s", "t")
    host.call(1, "turn_end", sessionId="s", message=a("done"), usage={"totalTokens": 1_000})
    assert loaded() == []
    for number, session in enumerate(("t", "t", "s"), 2):
        host.call(number, "turn_end", sessionId=session, message=a("done"))
        assert loaded() == ["o200k_base"]
    host.carry_out(host.connection.weigher_loaded("o200k_base", of_all(len), None))
    host.call(5, "turn_end", sessionId="t", message=a("done"))
    host.call(6, "session_start", sessionId="u", model=MODEL)
    host.call(7, "turn_end", sessionId="u", message=a("done"))
    assert loaded() == ["o200k_base"]


def test_the_newest_messages_are_weighed_off_the_loop_and_in_the_turn_of_their_session(host: Host) -> None:
    host.ready("s", "t")
    host.call(1, "context", sessionId="s", messages=[u("Of a few words.")])
    host.call(2, "turn_end", sessionId="s", message=a("done"))
    before = host.call(3, "getStatus", sessionId="s")["result"]["pressure"]
    host.holds = True
    host.carry_out(host.connection.weigher_loaded("o200k_base", of_all(lambda text: 50 * len(text)), None))
    (work,) = host.waiting.values()
    assert isinstance(work, do.WeighTexts)
    assert host.write(call(4, "getStatus", sessionId="s")) == []
    assert host.write(call(5, "getStatus", sessionId="t"))[0]["id"] == 5
    host.release_all()
    (waited,) = [one["result"] for one in host.sent if one.get("id") == 4]
    assert waited["pressure"] > 20 * before
    host.call(6, "turn_end", sessionId="s", message=a("done again"))
    assert not host.waiting  # the list is as it was


def test_vocabulary_not_to_be_had_is_said_once_and_in_each_status(host: Host) -> None:
    host.ready("s")
    host.carry_out(host.connection.weigher_loaded("o200k_base", None, "token counts are estimated"))
    host.call(1, "session_start", sessionId="t", model=MODEL)
    host.call(2, "setPolicy", sessionId="t", policy={"packetTokens": 900})
    for session in ("s", "t"):
        status = host.call(3, "getStatus", sessionId=session)["result"]
        assert status["notes"] == ["token counts are estimated"]
        assert status["weigher"] == "estimate"
    assert host.said.count("token counts are estimated") == 1
