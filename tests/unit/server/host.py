"""A host that talks to a connection in the same process: it sends bytes and carries out effects."""

import json
from typing import Any

from ctxmgr.model import estimate, of_all
from ctxmgr.server import effects as do
from ctxmgr.server.connection import Connection, ConnectionConfig

SECRET = "the-owl-flies-at-nine"
LONG = SECRET + " lorem ipsum" * 1_000  # over what is weighed without a thread


class Host:
    """Frames messages, carries out effects in order. What needs a device waits in `waiting` while `holds`."""

    def __init__(self, ndjson: bool = False, options: ConnectionConfig | None = None, holds: bool = False) -> None:
        self.connection = Connection(options or ConnectionConfig(), {"estimate": of_all(estimate)})
        self.ndjson, self.holds = ndjson, holds
        self.sent: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.log: list[do.Effect] = []
        self.waiting: dict[int, do.Open | do.RunInThread] = {}
        self.saved: dict[str, list[bytes]] = {}
        self.stuck = frozenset[str]()  # sessions whose snapshot is not whole: they cannot leave memory
        self.ended: int | None = None
        self.carry_out(self.connection.receive(b""))

    def framed(self, message: Any) -> bytes:
        body = message if isinstance(message, bytes) else json.dumps(message, separators=(",", ":")).encode()
        return body + b"\n" if self.ndjson else b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def write(self, *messages: Any) -> list[dict[str, Any]]:
        """All in one chunk. What was sent because of it."""
        return self.write_bytes(b"".join(map(self.framed, messages)))

    def write_bytes(self, chunk: bytes) -> list[dict[str, Any]]:
        before = len(self.sent)
        self.carry_out(self.connection.receive(chunk))
        return self.sent[before:]

    def call(self, id: Any, method: str, **params: Any) -> dict[str, Any]:
        """The one answer to this request, which must come at once."""
        answers = [one for one in self.write(call(id, method, **params)) if one.get("id") == id]
        assert len(answers) == 1, answers
        return answers[0]

    def release(self, ticket: int) -> None:
        wanted = self.waiting.pop(ticket)
        if self.ended is not None:
            return  # the process has ended: nothing comes back any more
        value = (
            do.SnapshotLoaded(tuple(self.saved.get(wanted.session_id, ())))
            if isinstance(wanted, do.Open)
            else wanted.work()
        )
        self.carry_out(self.connection.resume(ticket, value))

    def release_all(self) -> None:
        while self.waiting:
            self.release(min(self.waiting))

    def carry_out(self, effects: list[do.Effect]) -> None:
        for effect in effects:
            self.log.append(effect)
            if isinstance(effect, do.Send):
                self.sent.append(unframed(b"".join(effect.parts), self.ndjson))
            elif isinstance(effect, do.Save):
                self.saved.setdefault(effect.session_id, []).append(effect.line)
            elif isinstance(effect, do.Log):
                self.said.append(effect.text)
            elif isinstance(effect, do.End):
                assert self.ended is None
                self.ended = effect.code
            elif isinstance(effect, do.Rest):
                self.carry_out(self.connection.resume(effect.ticket, effect.session_id not in self.stuck))
            elif isinstance(effect, do.Open | do.RunInThread):
                self.waiting[effect.ticket] = effect
                if not self.holds:
                    self.release(effect.ticket)

    def ready(self, *sessions: str, **capabilities: Any) -> "Host":
        """Initialized, with these sessions started."""
        holds, self.holds = self.holds, False
        policy = {"preset": "turns"}
        self.call("init", "initialize", protocolVersion="1.0", capabilities=capabilities, policy=policy)
        for session in sessions:
            assert "result" in self.call(f"start-{session}", "session_start", sessionId=session, model=MODEL)
        self.holds = holds
        return self


MODEL = {"id": "m", "contextWindow": 200_000}


def call(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def tell(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def u(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text, "timestamp": 1}


def a(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": "stop", **more}


def unframed(frame: bytes, ndjson: bool) -> dict[str, Any]:
    if ndjson:
        body, newline, rest = frame.partition(b"\n")
        assert (newline, rest) == (b"\n", b"")
    else:
        header, _, body = frame.partition(b"\r\n\r\n")
        assert header == b"Content-Length: %d" % len(body)
    message: dict[str, Any] = json.loads(body)
    return message


def code_of(answer: dict[str, Any]) -> int | None:
    code: int | None = answer.get("error", {}).get("code")
    return code


def long_context(id: Any, session: str, text: str = LONG, **more: Any) -> dict[str, Any]:
    return call(id, "context", sessionId=session, messages=[u(text)], **more)
