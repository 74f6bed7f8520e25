"""The driver without a process: calls, requests of the server, snapshots, held work, weighers."""

from typing import Any

import msgspec
import pytest

from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.study.spawning import Driver, RpcFailure
from tests.inprocess import InProcess

USER = {"role": "user", "content": "Goal: mend the report", "timestamp": 1}
REPLY = {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "stopReason": "stop", "timestamp": 2}


def test_a_session_is_started_and_answers() -> None:
    host = InProcess(policy={"preset": "off"}, window=50_000)
    assert host.started["status"]["contextWindow"] == 50_000
    assert host.initialized["policy"]["preset"] == "off"
    answer = host.request("context", sessionId="s", messages=[USER], answer="messages")
    assert answer["messages"] == [USER]
    assert host.exit_code is None


def test_an_error_answer_is_raised() -> None:
    with pytest.raises(RpcFailure) as caught:
        InProcess().request("getStatus", sessionId="other")
    assert caught.value.code == -32001


def test_raw_messages_go_byte_for_byte() -> None:
    host = InProcess()
    raw = b'{"role":"user",  "content":"x","n":1.50}'
    host.request("context", sessionId="s", messages=[msgspec.Raw(raw)], answer="messages")
    assert raw in host.sent[-1]


def test_requests_of_the_server_are_listed_and_answered() -> None:
    host = InProcess(window=40_000)
    host.request("context", sessionId="s", messages=[USER])
    host.notify("turn_end", sessionId="s", message=REPLY, usage={"tokens": 36_000})
    (asked,) = host.requests
    assert asked["method"] == "requestCompaction"
    host.answer(asked, {"accepted": False, "reason": "busy"})
    assert host.request("getStatus", sessionId="s")["latch"]["state"] == "cooldown"


def test_saved_lines_restore_another_host() -> None:
    first = InProcess()
    first.request("context", sessionId="s", messages=[USER])
    first.notify("turn_end", sessionId="s", message=REPLY, entryIds={"message": "e2"})
    second = InProcess(found={"s": SnapshotLoaded(tuple(first.saved["s"]))})
    assert second.started["restored"] is True
    assert second.started["seq"] == 1
    texts = [fact["text"] for fact in second.request("getLedger", sessionId="s")["facts"]]
    assert any("mend the report" in text for text in texts)


def test_a_session_that_another_process_holds_is_refused() -> None:
    host = InProcess(session=None, found={"s": SnapshotLoaded(fault="held by pid 7", refused=True)})
    with pytest.raises(RpcFailure) as caught:
        host.request("session_start", sessionId="s", model={"id": "m", "contextWindow": 1_000})
    assert caught.value.code == -32803


def test_held_work_waits_and_a_cancel_meets_it() -> None:
    host = InProcess(hold=True)
    big = {"role": "user", "content": "word " * 200_000, "timestamp": 1}
    id = host.ask("context", sessionId="s", messages=[big])
    assert host.answer_to(id) is None
    host.notify("$/cancelRequest", id=id)
    answer: Any = host.answer_to(id)
    assert answer["error"]["code"] == -32800
    assert host.work()
    assert not host.work()


def test_a_vocabulary_comes_when_it_is_given() -> None:
    host = InProcess()
    host.request("turn_end", sessionId="s", message={"role": "assistant", "content": []})  # no usage
    assert [one.name for one in host.vocabularies] == ["o200k_base"]
    assert host.request("getStatus", sessionId="s")["weigher"] == "estimate"
    host.use_weigher("o200k_base", len)
    assert host.request("getStatus", sessionId="s")["weigher"] == "o200k_base"


@pytest.mark.parametrize("framing", ["content-length", "ndjson"])
def test_bytes_end_with_an_exit_code(framing: Any) -> None:
    driver = Driver(framing=framing)
    params = b'{"protocolVersion":"1.0"}'
    (answer,) = driver.receive(b'{"jsonrpc":"2.0","id":"a","method":"initialize","params":%b}' % params)
    assert answer.startswith(b'{"jsonrpc":"2.0","id":"a","result":')
    driver.receive(b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}')
    driver.receive(b'{"jsonrpc":"2.0","method":"exit"}')
    assert driver.exit_code == 0
    assert Driver().eof() == []
