"""Each error code, and that the next message is served."""

from typing import Any
from unittest import mock

from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session.methods import ROUTES
from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk


def _error(sent: list[dict[str, Any]]) -> dict[str, Any]:
    error: dict[str, Any] = sent[0]["error"]
    return error


def _request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": "x", "method": method, "params": params}


@behaviour(
    "errors/parse-error", "Invalid JSON is answered with -32700. The next message is served.", "design 2, errors"
)
def parse() -> Talk:
    talk = Talk()
    talk.raw(b'{"jsonrpc":"2.0","id":7,"method":\n')
    assert (talk.sent[-1]["id"], talk.sent[-1]["error"]["code"]) == (7, -32700)
    assert talk.status()["seq"] == 0
    return talk


@behaviour("errors/invalid-request", "Batches and invalid envelopes are answered with -32600.", "design 2, errors")
def invalid() -> Talk:
    talk = Talk()
    assert _error(talk.send([_request("getStatus", sessionId="s")]))["code"] == -32600
    assert _error(talk.send({"jsonrpc": "1.0", "id": 1, "method": "getStatus"}))["code"] == -32600
    assert _error(talk.send({"jsonrpc": "2.0", "id": 1}))["code"] == -32600
    assert _error(talk.send(_request("initialize", protocolVersion="1.0")))["code"] == -32600
    assert _error(talk.send(_request("initialized")))["code"] == -32600
    assert talk.status()["seq"] == 0
    return talk


@behaviour("errors/method-not-found", "An unknown method is answered with -32601.", "design 2, errors")
def unknown_method() -> Talk:
    talk = Talk()
    assert _error(talk.send(_request("doMagic")))["code"] == -32601
    return talk


@behaviour(
    "errors/invalid-params",
    "Invalid params are answered with -32602 and the path of the error.",
    "design 2, errors",
)
def params() -> Talk:
    talk = Talk()
    error = _error(talk.send(_request("session_start", sessionId="t", model={"id": "m", "contextWindow": "big"})))
    assert (error["code"], error["data"]["path"]) == (-32602, "$.model.contextWindow")
    error = _error(talk.send(_request("setPolicy", sessionId="s", policy={"zones": {"red": 7}})))
    assert (error["code"], error["data"]["path"]) == (-32602, "$.policy.zones.red")
    error = _error(talk.send(_request("setPolicy", sessionId="s", policy={"colour": "red"})))
    assert (error["code"], error["data"]["path"]) == (-32602, "$.policy.colour")
    assert _error(talk.send(_request("context", sessionId="s")))["code"] == -32602
    return talk


@behaviour("errors/unknown-session", "A session that was not started is answered with -32001.", "design 2, errors")
def session() -> Talk:
    talk = Talk()
    assert _error(talk.send(_request("getStatus", sessionId="another")))["code"] == -32001
    talk.call("session_shutdown", sessionId="s")
    assert _error(talk.send(_request("getStatus", sessionId="s")))["code"] == -32001
    return talk


@behaviour(
    "errors/not-initialized", "Before initialize, everything else is answered with -32002.", "design 2, errors"
)
def not_initialized() -> Talk:
    talk = Talk(start=False)
    assert _error(talk.send(_request("getStatus", sessionId="s")))["code"] == -32002
    assert "result" in talk.send(_request("initialize", protocolVersion="1.0"))[0]
    return talk


@behaviour("errors/after-shutdown", "After shutdown, only exit is accepted.", "design 2, protocol")
def after_shutdown() -> Talk:
    talk = Talk()
    assert talk.call("shutdown") is None
    assert _error(talk.send(_request("getStatus", sessionId="s")))["code"] == -32600
    return talk


@behaviour(
    "errors/request-failed",
    "A session that is open in another process is refused with -32803. Other sessions are served.",
    "design 9",
)
def refused() -> Talk:
    talk = Talk()
    talk.driver.snapshots["t"] = SnapshotLoaded(fault="the session is held by process 12", refused=True)
    model = {"id": "m", "contextWindow": 1000}
    error = _error(talk.send(_request("session_start", sessionId="t", model=model)))
    assert (error["code"], error["message"]) == (-32803, "the session is held by process 12")
    assert talk.status()["seq"] == 0
    return talk


@behaviour(
    "errors/cancelled",
    "A cancelled request is answered with -32800, once, whether it was running or queued. The next one is served.",
    "design 2, $/cancelRequest",
)
def cancelled() -> Talk:
    talk, make = Talk(), Messages()
    long = [make.user("word " * 5_000)]
    talk.driver.hold = True
    running = {"jsonrpc": "2.0", "id": "a", "method": "context", "params": {"sessionId": "s", "messages": long}}
    queued = {"jsonrpc": "2.0", "id": "b", "method": "getStatus", "params": {"sessionId": "s"}}
    third = {**queued, "id": "c"}
    assert talk.send(running) == talk.send(queued) == talk.send(third) == []
    for id in ("a", "b"):
        answer = talk.tell("$/cancelRequest", id=id)[0]
        assert (answer["id"], answer["error"]["code"]) == (id, -32800)
    (served,) = talk.release()
    assert served["id"] == "c"
    assert served["result"]["stats"]["contexts"] == 0
    assert talk.tell("$/cancelRequest", id="c") == []
    return talk


@behaviour(
    "errors/internal-error",
    "A fault inside ctxmgr is answered with -32603 and the kind of the fault, without its text. The next request "
    "is served.",
    "design 2, errors",
    planted=True,
)
def internal() -> Talk:
    talk = Talk()
    with mock.patch.dict(ROUTES, getLedger=mock.Mock(side_effect=KeyError("the user's secret"))):
        error = _error(talk.send(_request("getLedger", sessionId="s")))
    assert error == {"code": -32603, "message": "internal fault: KeyError"}
    assert "secret" not in "".join(talk.said)
    assert talk.call("getLedger", sessionId="s")["facts"] == []
    return talk
