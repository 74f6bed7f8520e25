"""A conversation with a connection, in process, that is also a transcript: what scenarios are written in.

Messages are written small: `user("...")`, `reply("...", call("read", path="x"))`, `result("...")`. Ids count up
and times are milliseconds that count up, so that the same scenario is the same bytes.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.model.estimate import ESTIMATE
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.study.spawning import Driver

Fields = dict[str, Any]
HOST = {"requestCompaction": "whenIdle"}
SMALL: Fields = {"results": 0, "tokens": 0}  # a working set of the newest step: the lists of scenarios are short


class Failed(Exception):
    """The request was answered with an error."""

    def __init__(self, error: Fields) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.error = error


class Messages:
    """Makes pi messages; a `result` answers the oldest call that has none."""

    def __init__(self) -> None:
        self._times = itertools.count(1_000, 1_000)
        self._calls = itertools.count(1)
        self._open: list[tuple[str, str]] = []

    def user(self, text: str) -> Fields:
        return {"role": "user", "content": text, "timestamp": next(self._times)}

    def call(self, name: str, **arguments: Any) -> Fields:
        return {"type": "toolCall", "id": f"c{next(self._calls)}", "name": name, "arguments": arguments}

    def reply(self, text: str = "", *calls: Fields, **fields: Any) -> Fields:
        content: list[Fields] = [{"type": "text", "text": text}] if text else []
        self._open += [(one["id"], one["name"]) for one in calls]
        stop = "toolUse" if calls else "stop"
        at = next(self._times)
        return {"role": "assistant", "content": [*content, *calls], "stopReason": stop, "timestamp": at} | fields

    def result(self, text: str, is_error: bool = False) -> Fields:
        id, name = self._open.pop(0)
        return {
            "role": "toolResult",
            "toolCallId": id,
            "toolName": name,
            "content": [{"type": "text", "text": text}],
            "isError": is_error,
            "timestamp": next(self._times),
        }

    def summary(self, text: str, role: str = "compactionSummary") -> Fields:
        return {"role": role, "summary": text, "tokensBefore": 100_000, "timestamp": next(self._times)}

    def turn(self, text: str, output: str = "done", tool: str = "read", **arguments: Any) -> list[Fields]:
        """A whole turn of one step and a closing reply."""
        question = self.user(text)
        step = self.reply("", self.call(tool, **(arguments or {"path": "a.py"})))
        return [question, step, self.result(output), self.reply("That is done.")]


class Talk:
    """One host, one session. Every line of it is in `lines`."""

    def __init__(
        self,
        policy: Fields | None = None,
        window: int = 200_000,
        capabilities: Fields | None = None,
        found: SnapshotLoaded = SnapshotLoaded(),  # noqa: B008  frozen
        archived: Sequence[ArchiveRow] = (),
        start: bool = True,
        format: str = "",
        version: str = "1.0",
    ) -> None:
        archive = {"s": {row.key: row for row in archived}}
        self.driver = Driver(framing="ndjson", snapshots={"s": found}, archived=archive)
        self.connection = self.driver.connection
        self.sent: list[Fields] = []
        self._replied: set[str] = set()
        self._ids = itertools.count(1)
        if start:
            policy = {"preset": "turns", "tokenizer": ESTIMATE, "workingSet": SMALL, **(policy or {})}
            capabilities = HOST if capabilities is None else capabilities
            said = {"messageFormat": format} if format else {}
            self.call("initialize", protocolVersion=version, capabilities=capabilities, policy=policy, **said)
            model = {"id": "model-1", "contextWindow": window}
            self.started = self.call("session_start", sessionId="s", model=model)

    # the wire

    def call(self, method: str, **params: Any) -> Any:
        """A request; its result. Raises Failed."""
        return self.result(self.ask(method, **params))

    def refused(self, method: str, **params: Any) -> tuple[int, str | None]:
        """A request that must fail: its error code, and the path of what was wrong."""
        return self.failed(self.ask(method, **params))

    def failed(self, id: int) -> tuple[int, str | None]:
        """Code and path of the error that the request with this id was answered with."""
        try:
            self.result(id)
        except Failed as failed:
            return failed.code, (failed.error.get("data") or {}).get("path")
        raise AssertionError("it was answered")

    def ask(self, method: str, **params: Any) -> int:
        """A request that may wait for something; its id is for `result`."""
        id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def result(self, id: int) -> Any:
        """The result of the request with this id. Raises Failed."""
        answer = next(message for message in self.sent if message.get("id") == id and "method" not in message)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["result"]

    def answered(self, id: int) -> bool:
        return any(message.get("id") == id and "method" not in message for message in self.sent)

    def asked(self, method: str) -> list[Fields]:
        """The requests of ctxmgr by this method that have not been answered or taken back."""
        taken = {message["params"]["id"] for message in self.sent if message.get("method") == "$/cancelRequest"}
        done = taken | self._replied
        return [one for one in self.sent if one.get("method") == method and one.get("id") not in done]

    def reply(self, request: Fields, result: Any) -> list[Fields]:
        """The host's answer to a request of ctxmgr; what was sent because of it."""
        self._replied.add(request["id"])
        return self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def model(self, write: Callable[[Fields], Fields | str]) -> None:
        """The host's model answers every `complete` there is, and each that follows from the answers."""
        while requests := self.asked("complete"):
            answer = write(requests[0]["params"])
            text = {"text": answer, "stopReason": "stop"} if isinstance(answer, str) else answer
            self.reply(requests[0], text)

    def tell(self, method: str, **params: Any) -> list[Fields]:
        """A notification; what ctxmgr sent because of it."""
        return self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Any) -> list[Fields]:
        """Any message, as one line; what was sent because of it."""
        before = len(self.sent)
        self.raw(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        return self.sent[before:]

    def wake(self, ticket: int) -> list[Fields]:
        """A deadline passes; what was sent because of it."""
        return self._read(self.driver.wake(ticket))

    def release(self) -> list[Fields]:
        """Does the work that was held, in order; what was sent because of it."""
        self.driver.hold = False
        before = len(self.driver.sent)
        while self.driver.work():
            pass
        return self._read(self.driver.sent[before:])

    def raw(self, content: bytes) -> None:
        self._read(self.driver.feed(content))

    def _read(self, bodies: Sequence[bytes]) -> list[Fields]:
        messages = [json.loads(body) for body in bodies]
        self.sent += messages
        return messages

    @property
    def lines(self) -> list[bytes]:
        """The transcript so far."""
        return self.driver.recorded

    @property
    def saved(self) -> list[bytes]:
        """The lines of the session's snapshot."""
        return self.driver.saved["s"]

    @property
    def said(self) -> list[str]:
        return self.driver.logged

    # what a host does

    def context(self, messages: Sequence[Fields], **params: Any) -> Fields:
        """The answer, with `list` added: what the host would send."""
        answer: Fields = self.call("context", sessionId="s", messages=messages, **params)
        answer["list"] = list(messages) if answer.get("unchanged") else answer.get("messages")
        return answer

    def turn_end(self, reply: Fields, *results: Fields, tokens: int | None = None, **params: Any) -> Fields:
        usage = {"usage": {"tokens": tokens}} if tokens is not None else {}
        answer: Fields = self.call(
            "turn_end", sessionId="s", message=reply, toolResults=list(results), **usage, **params
        )
        return answer

    def status(self) -> Fields:
        status: Fields = self.call("getStatus", sessionId="s")
        return status

    def play(self, messages: Sequence[Fields], tokens: int = 5_000) -> Fields:
        """Lives through these messages as a host would; the last `context` answer."""
        answer: Fields = {}
        for at, message in enumerate(messages):
            if message["role"] == "assistant":
                answer = self.context(messages[:at])
                results = list(_results(messages[at + 1 :]))
                self.turn_end(message, *results, tokens=tokens)
        return answer


def _results(messages: Sequence[Fields]) -> Iterator[Fields]:
    for message in messages:
        if message["role"] != "toolResult":
            return
        yield message


def texts(messages: Sequence[Fields]) -> str:
    """All of a list as one string, to look for words in."""
    return json.dumps(messages, ensure_ascii=False)


def roles(messages: Sequence[Fields]) -> str:
    """The roles of a list, a letter each: U user, A assistant, R result, P packet, S summary, B bash, C custom."""
    letters = {"user": "U", "assistant": "A", "toolResult": "R", "bashExecution": "B"}
    letters |= {"compactionSummary": "S", "branchSummary": "S"}
    return "".join(
        "P" if message.get("customType") == "ctxmgr.packet" else letters.get(message["role"], "C")
        for message in messages
    )


def packet(messages: Sequence[Fields]) -> str:
    """The text of the one packet in a list, "" where there is none."""
    found = [str(message["content"]) for message in messages if message.get("customType") == "ctxmgr.packet"]
    assert len(found) <= 1
    return found[0] if found else ""
