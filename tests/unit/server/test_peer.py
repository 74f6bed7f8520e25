"""The peer: what it sends for each way a handler can end. Bodies and framing are the envelope's and framer's."""

import json
from concurrent.futures import Future
from typing import Any

from ctxmgr.server.peer import Peer
from ctxmgr.wire import errors


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


def test_value_without_json_is_still_answered() -> None:
    for value in (object(), "\ud83d"):
        answer = Line(lambda call, value=value: {"x": value}).ask()
        assert answer["error"]["code"] == errors.INTERNAL_ERROR


# answers that come later


def test_id_in_use_is_refused_and_the_first_still_answered() -> None:
    waiting: Future[Any] = Future()
    line = Line(lambda call: waiting)
    line.peer.receive_request(b"1", "do", None)
    assert line.ask()["error"]["code"] == errors.INVALID_REQUEST
    waiting.set_result(7)
    assert line.sent[-1] == {"jsonrpc": "2.0", "id": 1, "result": 7}


# requests of our own


def test_answers_nobody_waits_for() -> None:
    line = Line()
    future = line.peer.request("please")
    for id in ("ctxmgr-9", "", 1, None, 1.5, True, [], {}):
        assert not line.peer.receive_answer(id, 1, None), id
    assert not future.done()
