"""The scripted client against the real process: both framings, large messages, deadlines, what goes wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ctxmgr.study.spawning.client import Framing, ProcessEnded, RpcFailure, StdioClient, TimedOut

INITIALIZE = {"protocolVersion": "1.0", "capabilities": {"requestCompaction": "whenIdle"}}
MODEL = {"id": "m", "contextWindow": 200_000}
ROOMY = {"id": "m", "contextWindow": 20_000_000}  # nothing that is sent here is cut


@pytest.fixture(params=["content-length", "ndjson"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StdioClient]:
    framing: Framing = request.param
    with StdioClient(["--state-dir", str(tmp_path)], framing=framing) as client:
        client.request("initialize", INITIALIZE)
        client.request("session_start", {"sessionId": "s", "model": MODEL})
        yield client


def test_a_message_goes_and_comes_back_byte_for_byte(client: StdioClient) -> None:
    raw = b'{"role":"user" , "content":"\\u00e9 \xc3\xa9","odd":1.50,"timestamp":1}'
    answer = client.request_raw("context", b'{"sessionId":"s","answer":"messages","messages":[' + raw + b"]}")
    assert raw in answer
    assert client.request("getStatus", {"sessionId": "s"})["seq"] == 0


def test_raw_members_are_spliced_into_params(client: StdioClient) -> None:
    raw = msgspec.Raw(b'{"role":"user","content":"x","n":2.0,"timestamp":1}')
    answer = client.request_raw("context", {"sessionId": "s", "answer": "messages", "messages": [raw]})
    assert bytes(raw) in answer


def test_megabytes_both_ways_before_an_answer_is_read(client: StdioClient) -> None:
    message = {"role": "user", "content": "word " * 400_000, "timestamp": 1}
    client.request("session_start", {"sessionId": "roomy", "model": ROOMY})
    params = {"sessionId": "roomy", "answer": "messages", "messages": [message]}
    asked = [client.ask("context", params) for _ in range(3)]
    assert all(len(client.answer(id)) > 2_000_000 for id in asked)


def test_an_error_answer_is_raised_with_code_and_data(client: StdioClient) -> None:
    with pytest.raises(RpcFailure) as caught:
        client.request("setPolicy", {"sessionId": "s", "policy": {"preset": "none"}})
    assert caught.value.code == -32602
    assert caught.value.data["path"] == "$.policy.preset"
    assert client.request("getStatus", {"sessionId": "s"})["mode"] == "on"


def test_requests_of_the_server_are_answered_by_handlers(tmp_path: Path) -> None:
    heard: list[Any] = []

    def compact(params: Any) -> Any:
        heard.append(params)
        return {"accepted": True}

    with StdioClient(["--state-dir", str(tmp_path)], handlers={"requestCompaction": compact}) as client:
        client.request("initialize", INITIALIZE)
        client.request("session_start", {"sessionId": "s", "model": {"id": "m", "contextWindow": 40_000}})
        client.request("context", {"sessionId": "s", "messages": [{"role": "user", "content": "go"}]})
        reply = {"role": "assistant", "content": [], "stopReason": "stop", "timestamp": 2}
        client.notify("turn_end", {"sessionId": "s", "message": reply, "usage": {"tokens": 35_000}})
        client.request("getStatus", {"sessionId": "s"})
    assert [one["reason"] for one in heard] == ["threshold"]


def test_close_gives_the_exit_code_and_the_end_is_no_secret(tmp_path: Path) -> None:
    client = StdioClient(["--state-dir", str(tmp_path)])
    client.request("initialize", INITIALIZE)
    assert client.close() == 0
    with pytest.raises(ProcessEnded):
        client.request("getStatus", {"sessionId": "s"})


def test_stderr_is_kept_and_stays_readable_after_the_end(tmp_path: Path) -> None:
    with StdioClient(["--state-dir", str(tmp_path)]) as client:
        client.request("initialize", INITIALIZE)
        client.notify("no_such_event")
        client.request("rpc.discover")
        assert "no_such_event" in client.stderr()
    assert "no_such_event" in client.stderr()


def test_wrong_usage_ends_the_process_and_the_client_says_so() -> None:
    with pytest.raises(ProcessEnded) as caught, StdioClient(["--no-such-option"]) as client:
        client.request("initialize", INITIALIZE)
    assert "no-such-option" in str(caught.value)


def test_a_deadline_ends_a_wait(tmp_path: Path) -> None:
    client = StdioClient(["--state-dir", str(tmp_path)])
    try:
        with pytest.raises(TimedOut):
            client.answer(12_345, deadline=0.0)  # nobody asked this
    finally:
        client.kill()
