"""A host's calls to a sidecar, as a real process and in this one: large messages, errors, ends."""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ctxmgr.study.spawning import InProcessDriver, RpcClient, RpcFailure, Spawned, TimedOut, this_ctxmgr
from ctxmgr.study.spawning.client import SidecarEnded

INITIALIZE = {"protocolVersion": "1.0", "capabilities": {"requestCompaction": "whenIdle"}}
MODEL = {"id": "m", "contextWindow": 20_000_000}  # nothing that is sent here is cut


@pytest.fixture(params=["spawned", "in process"], scope="module")
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RpcClient]:
    state = str(tmp_path_factory.mktemp("state"))
    here = request.param == "in process"
    sidecar = InProcessDriver() if here else Spawned(this_ctxmgr("--state-dir", state))
    client = RpcClient(sidecar)
    client.request("initialize", INITIALIZE)
    client.request("session_start", {"sessionId": "s", "model": MODEL})
    yield client
    assert client.close() == sidecar.exit_code == 0
    with pytest.raises(SidecarEnded):
        client.request("getStatus", {"sessionId": "s"})


def test_messages_go_and_come_back_byte_for_byte(client: RpcClient) -> None:
    raw = b'{"role":"user" , "content":"\\u00e9 \xc3\xa9","odd":1.50,"timestamp":1}'
    answer = client.request_raw("context", b'{"sessionId":"s","answer":"messages","messages":[' + raw + b"]}")
    assert raw in answer
    params = {"sessionId": "s", "answer": "messages", "messages": [msgspec.Raw(raw)]}
    assert raw in client.request_raw("context", params)
    large = {"role": "user", "content": "word " * 400_000, "timestamp": 1}
    assert len(client.request_raw("context", {**params, "messages": [large]})) > 2_000_000


def test_an_error_answer_is_raised_with_code_and_data(client: RpcClient) -> None:
    with pytest.raises(RpcFailure) as caught:
        client.request("setPolicy", {"sessionId": "s", "policy": {"preset": "none"}})
    assert caught.value.code == -32602
    assert caught.value.data["path"] == "$.policy.preset"
    assert client.request("getStatus", {"sessionId": "s"})["mode"] == "on"


def test_requests_of_the_sidecar_are_refused_and_do_not_hang(client: RpcClient) -> None:
    client.request("session_start", {"sessionId": "small", "model": {"id": "m", "contextWindow": 40_000}})
    client.request("context", {"sessionId": "small", "messages": [{"role": "user", "content": "go"}]})
    reply = {"role": "assistant", "content": [], "stopReason": "stop", "timestamp": 2}
    client.notify("turn_end", {"sessionId": "small", "message": reply, "usage": {"tokens": 35_000}})
    client.request("getStatus", {"sessionId": "small"})
    assert client.request("getStatus", {"sessionId": "small"})["latch"]["state"] == "cooldown"


def test_a_process_that_ends_or_is_silent_is_told_with_what_it_said() -> None:
    with Spawned(this_ctxmgr("--no-such-option")) as ended, pytest.raises(SidecarEnded, match="no-such-option"):
        RpcClient(ended).request("initialize", INITIALIZE)
    assert "no-such-option" in ended.stderr()
    with Spawned([sys.executable, "-c", "import time; time.sleep(60)"]) as silent:
        for wait in (silent.read, silent.wait):
            with pytest.raises(TimedOut):
                wait(0.0)
    assert silent.exit_code == -9
    with pytest.raises(OSError, match="no-such-program"):
        Spawned([str(Path("no-such-program"))])


def test_what_needs_a_device_is_not_waited_for_in_this_process() -> None:
    sidecar = InProcessDriver()
    client = RpcClient(sidecar)
    client.request("initialize", INITIALIZE)
    client.request("session_start", {"sessionId": "s", "model": MODEL})
    with pytest.raises(TimedOut, match="the vocabulary o200k_base needs a spawned sidecar"):
        client.request("turn_end", {"sessionId": "s", "message": {"role": "assistant", "content": []}})
    sidecar.kill()
    assert sidecar.exit_code == -9
