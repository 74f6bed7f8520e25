"""A host of the tests: a connection in this process, which has said `initialize` and started a session.

host = InProcess(policy={"preset": "turns"}, window=100_000)
report = host.request("context", sessionId="s", messages=[...])["report"]
host.notify("turn_end", sessionId="s", message={...})
host.requests            # what the server asked of the host
host.saved["s"]          # the snapshot's lines, from which InProcess(snapshots=...) restores
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ctxmgr.study.spawning import Driver, RpcFailure

ALL_CAPABILITIES = {"requestCompaction": "whenIdle", "edits": True}

_encode = msgspec.json.Encoder().encode


class InProcess(Driver):
    """A driver that has said `initialize`, and `session_start` for the session named by `session` (None: not).

    `requests`: requests of the server, decoded, in order; `answer` answers one.
    """

    def __init__(
        self,
        *,
        policy: Mapping[str, Any] | None = None,
        window: int = 200_000,
        session: str | None = "s",
        model: str = "m",
        capabilities: Mapping[str, Any] | None = None,
        message_format: str = "pi",
        **driver: Any,
    ) -> None:
        super().__init__(**driver)
        self.requests: list[dict[str, Any]] = []
        self.notices: list[dict[str, Any]] = []
        self._answers: dict[Any, dict[str, Any]] = {}
        self._read = 0
        self._next_id = 1
        self.initialized = self.request(
            "initialize",
            protocolVersion="1.0",
            capabilities=dict(ALL_CAPABILITIES if capabilities is None else capabilities),
            policy=dict(policy or {}),
            messageFormat=message_format,
        )
        if session is not None:
            self.started = self.request(
                "session_start", sessionId=session, model={"id": model, "contextWindow": window}
            )

    def request(self, method: str, /, **params: Any) -> Any:
        """The decoded result. Raises RpcFailure; AssertionError where nothing answered."""
        id = self.ask(method, **params)
        answer = self.answer_to(id)
        assert answer is not None, f"{method} was not answered"
        if "error" in answer:
            error = answer["error"]
            raise RpcFailure(error["code"], error["message"], error.get("data"))
        return answer["result"]

    def ask(self, method: str, /, **params: Any) -> int:
        """Sends a request; its id. The answer, if there is one already, is kept for `answer_to`."""
        id, self._next_id = self._next_id, self._next_id + 1
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def answer_to(self, id: int) -> dict[str, Any] | None:
        """The whole answer to a request, once; None while there is none."""
        self._sort()
        return self._answers.pop(id, None)

    def notify(self, method: str, /, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, request: Mapping[str, Any], result: Any) -> None:
        """The host's answer to a request of the server."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def send(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Any message; what was written because of it, decoded. Raw members go byte for byte."""
        bodies = self.receive(_encode(message))
        self._sort()
        return [msgspec.json.decode(body) for body in bodies]

    def _sort(self) -> None:
        """What was written since: answers, requests and notifications apart."""
        for body in self.sent[self._read :]:
            message = msgspec.json.decode(body)
            if "method" not in message:
                self._answers[message.get("id")] = message
            elif "id" in message:
                self.requests.append(message)
            else:
                self.notices.append(message)
        self._read = len(self.sent)
