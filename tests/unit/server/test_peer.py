"""The peer: what it sends for each way a handler can end. Bodies and framing are the envelope's and framer's."""

import json
from concurrent.futures import Future
from typing import Any

from ctxmgr.server.peer import Peer, SplicedResult, internal, raised
from ctxmgr.wire import errors
from ctxmgr.wire.errors import RpcError


class Line:
    """A peer with one handler, and what it sent."""

    def __init__(self, handler: Any = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self.heard: list[Any] = []
        self.peer = Peer({"do": handler or self.heard.append}, self._send)

    def _send(self, parts: Any) -> None:
        self.sent.append(json.loads(b"".join(parts)))

    def ask(self, id: bytes = b"1", method: str = "do", call: Any = "call") -> dict[str, Any]:
        before = len(self.sent)
        self.peer.receive_request(id, method, call)
        (answer,) = self.sent[before:]
        assert answer.pop("jsonrpc") == "2.0"
        return answer


def failing(fault: BaseException) -> Any:
    def handle(call: Any) -> Any:
        raise fault

    return handle


VALUES: list[tuple[Any, Any]] = [
    (None, None),
    (0, 0),
    ({"result": 1}, {"result": 1}),
    ({"error": {"code": 1}, "other": 2}, {"error": {"code": 1}, "other": 2}),
    ({"id": 9, "jsonrpc": "9", "method": "m"}, {"id": 9, "jsonrpc": "9", "method": "m"}),
    (SplicedResult([b'{"a":', memoryview(b"[1,2]"), b"}"]), {"a": [1, 2]}),
]


def test_value_is_the_result_whatever_its_keys() -> None:
    for value, result in VALUES:
        assert Line(lambda call, value=value: value).ask() == {"id": 1, "result": result}


FAULTS: list[tuple[BaseException, dict[str, Any]]] = [
    (raised(RpcError(-32602, "no", {"path": "$.a"})), {"code": -32602, "message": "no", "data": {"path": "$.a"}}),
    (raised(RpcError(-32001, "no")), {"code": -32001, "message": "no"}),
    (raised(internal(ValueError("secret"))), {"code": -32603, "message": "internal fault: ValueError"}),
]


def test_fault_is_the_error() -> None:
    for fault, error in FAULTS:
        answer = Line(failing(fault)).ask()
        assert {name: value for name, value in answer["error"].items() if value is not None} == error


def test_value_without_json_is_still_answered() -> None:
    for value in (object(), "\ud83d"):
        answer = Line(lambda call, value=value: {"x": value}).ask()
        assert answer["error"]["code"] == errors.INTERNAL_ERROR


def test_notification_is_heard_and_never_answered() -> None:
    line = Line()
    line.peer.receive_notification("do", "told")
    line.peer.receive_notification("nope", "told")
    loud = Line(failing(raised(RpcError(1, "no"))))
    loud.peer.receive_notification("do", "told")
    assert (line.heard, line.sent, loud.sent) == (["told"], [], [])


# answers that come later


def test_future_is_answered_when_it_is_done() -> None:
    waiting: Future[Any] = Future()
    line = Line(lambda call: waiting)
    line.peer.receive_request(b'"x"', "do", None)
    assert line.sent == []
    waiting.set_result({"result": 5})
    assert line.sent == [{"jsonrpc": "2.0", "id": "x", "result": {"result": 5}}]
    line.peer.receive_request(b'"x"', "do", None)  # an id that is free again
    assert line.sent[1] == line.sent[0]


def test_future_that_failed() -> None:
    for fault, code in ((RpcError(-32801, "stale"), -32801), (ValueError("secret"), -32603)):
        waiting: Future[Any] = Future()
        line = Line(lambda call, waiting=waiting: waiting)
        line.peer.receive_request(b"1", "do", None)
        waiting.set_exception(fault)
        assert line.sent[0]["error"]["code"] == code
        assert "secret" not in str(line.sent)


def test_id_in_use_is_refused_and_the_first_still_answered() -> None:
    waiting: Future[Any] = Future()
    line = Line(lambda call: waiting)
    line.peer.receive_request(b"1", "do", None)
    assert line.ask()["error"]["code"] == errors.INVALID_REQUEST
    waiting.set_result(7)
    assert line.sent[-1] == {"jsonrpc": "2.0", "id": 1, "result": 7}


# requests of our own


def test_own_request_and_its_answer() -> None:
    line = Line()
    first, second = line.peer.request("please", {"a": 1}), line.peer.request("please")
    assert [one["id"] for one in line.sent] == ["ctxmgr-1", "ctxmgr-2"]
    assert line.sent[0] == {"jsonrpc": "2.0", "id": "ctxmgr-1", "method": "please", "params": {"a": 1}}
    assert line.peer.receive_answer("ctxmgr-2", {"error": 1}, None)
    assert line.peer.receive_answer("ctxmgr-1", None, None)
    assert (first.result(0), second.result(0)) == (None, {"error": 1})


def test_odd_error_fails_the_request_and_nothing_else() -> None:
    for error in ({}, {"code": 5}, {"code": "x", "message": 7}, "text", [], 0):
        line = Line()
        future = line.peer.request("please")
        assert line.peer.receive_answer("ctxmgr-1", None, error)
        assert future.exception(0) is not None, error
        assert not line.peer.receive_answer("ctxmgr-1", None, error)


def test_answers_nobody_waits_for() -> None:
    line = Line()
    future = line.peer.request("please")
    for id in ("ctxmgr-9", "", 1, None, 1.5, True, [], {}):
        assert not line.peer.receive_answer(id, 1, None), id
    assert not future.done()


def test_own_request_may_be_cancelled_and_answered_late() -> None:
    line = Line()
    future = line.peer.request("please")
    assert future.cancel()
    assert line.sent[-1] == {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "ctxmgr-1"}}
    assert not line.peer.receive_answer("ctxmgr-1", 1, None)
