"""A sidecar that writes compactions, trees to compact, and a model that answers well."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.model_server import Gate, ModelServer, Reply, Request
from tests.stdio.sidecar import MODEL, SECRET, Sidecar, a, u

WHOLE_TURNS = {"preset": "turns", "tokenizer": "estimate"}
KEY = "sk-a-key-that-nobody-may-see"
SMALL = {"keepRecentTokens": 200, "reserveTokens": 4_000}
LONG = "The parser reads one line at a time and keeps what it has not understood. " * 12  # about 200 tokens

Fields = dict[str, Any]
Handler = Callable[[Fields], Any]


class HostError(Exception):
    """A handler raises it to answer with an error."""


class Silent(Exception):
    """A handler raises it to give no answer."""


class Writer(Sidecar):
    """A sidecar whose requests the test answers, by method. `heard`: all it sent that was no answer."""

    def __init__(self, state_dir: Path, *arguments: str, **more: Any) -> None:
        self.handlers: dict[str, Handler] = {}
        self.heard: list[Fields] = []
        self.early: dict[Any, Fields] = {}
        more["environment"] = {"THE_KEY": KEY, **more.get("environment", {})}
        super().__init__(state_dir, *arguments, **more)

    def ready(self, *sessions: str, policy: Fields | None = None, **capabilities: Any) -> "Writer":
        super().ready(*sessions, policy=policy, **capabilities)
        return self

    def __enter__(self) -> "Writer":
        return self

    def answer(self, id: Any) -> Fields:
        """The answer with this id; what the process asks for meanwhile is answered by the handlers."""
        while id not in self.early:
            self.hear()
        return self.early.pop(id)

    def hear(self) -> Fields:
        """Takes the next message, and answers it if it is a request."""
        message = self.next()
        assert message is not None, f"the process has ended; said: {self.said}"
        if "method" not in message:
            self.early[message["id"]] = message
        else:
            self.heard.append(message)
            if "id" in message:
                self._serve(message)
        return message

    def _serve(self, message: Fields) -> None:
        handler = self.handlers.get(message["method"])
        answer: Fields = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            if handler is None:
                raise HostError
            answer["result"] = handler(message["params"])
        except HostError:
            answer["error"] = {"code": -32000, "message": f"no, said the host of {SECRET}"}
        except Silent:
            return
        self.send(answer)

    def begin(self, method: str, **params: Any) -> int:
        """Sends a request; its id is for `answer` or `result`."""
        id = next(self._numbers)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def result(self, id: int) -> Any:
        answer = self.answer(id)
        assert "result" in answer, answer
        return answer["result"]

    def started(self, session: str, /, **compaction: Any) -> str:
        """Starts a session in which ctxmgr writes compactions so; its id."""
        self.call("session_start", sessionId=session, model=MODEL)
        policy = {"by": "ctxmgr", **SMALL, **compaction}
        self.call("setPolicy", sessionId=session, policy={"compaction": policy})
        return session

    def __exit__(self, *fault: Any) -> None:
        super().__exit__(*fault)
        if fault[0] is None:
            assert KEY not in self.said

    def asked(self, method: str) -> list[Fields]:
        """Params of what the process sent by this method."""
        return [message["params"] for message in self.heard if message["method"] == method]


def turn(number: int, long: str = LONG) -> list[Fields]:
    """A turn of four messages, each with a mark of its own: about 500 tokens."""
    path = f"src/part{number}.py"
    called = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": path}}
    text = {"type": "text", "text": f"mark-{number}-result def part{number}(): ...\n{long}"}
    result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "isError": False}
    said = {"type": "text", "text": f"mark-{number}-call"}
    return [
        u(f"mark-{number}-user Mend {path} for {SECRET}."),
        {"role": "assistant", "content": [said, called], "stopReason": "toolUse"},
        {**result, "content": [text]},
        a(f"mark-{number}-done Part {number} is mended. {long}"),
    ]


def entries(messages: Sequence[Fields], first: int = 1, parent: str | None = None) -> list[Fields]:
    """One entry a message, a chain; ids count up from `first`."""
    made: list[Fields] = []
    for number, message in enumerate(messages, first):
        fields = {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": number}
        made.append({**fields, "message": message})
        parent = f"e{number}"
    return made


def turns(count: int, long: str = LONG) -> list[Fields]:
    return entries([message for number in range(1, count + 1) for message in turn(number, long)])


TURN_PART = (
    "## Original Request\nMend a part\n\n## Progress So Far\n- It was read, says {n}\n\n"
    "## Context Needed to Continue\n- (none)"
)
STRUCTURED = """
## Goal
Mend all parts

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] The parts are mended, says {n}

## Key Decisions
- (none)

## Next Steps
1. Go on after {n}

## Critical Context
- (none)
"""
NINE = """
<analysis>
They mend parts.
</analysis>

<summary>
1. Primary Request and Intent:
   Mend all parts

3. Files and Code Sections:
   - src/part1.py

6. All user messages:
   - Mend the parts

7. Pending Tasks:
   - (none)

8. Current Work:
   The parts are mended, says {n}
</summary>
"""


def kind(prompt: str) -> str:
    """What a prompt asks for: by its outline and its task, which are not in the conversations here."""
    if "## Context Needed to Continue" in prompt:
        return "turn"
    if "summaries of stretches of one conversation" in prompt:
        return "merge"
    return "slice" if re.search(r"It is part \d+ of \d+", prompt) else "history"


def good(prompt: str, name: str = "a good model") -> str:
    """What a good model answers: in the outline that the prompt ends with."""
    if kind(prompt) == "turn":
        return TURN_PART.replace("{n}", name)
    if "Primary Request and Intent" in prompt:
        return NINE.replace("{n}", name)
    short = "<short>\nThe parts are mended.\n</short>\n" if "<short>" in prompt else ""
    return short + STRUCTURED.replace("{n}", name)


def well(request: Request) -> Reply:
    return Reply(good(request.prompt))


class Holding:
    """A script that holds every answer until it is told to go on."""

    def __init__(self) -> None:
        self.gate = Gate()

    def __call__(self, request: Request) -> Reply:
        return Reply(good(request.prompt), hold=self.gate)


def endpoint(server: ModelServer, **more: Any) -> Fields:
    """The policy's keys that have this server write."""
    of = {"baseUrl": server.url, "model": "writer", "apiKeyEnv": "THE_KEY", **more}
    return {"model": "endpoint", "endpoint": of}


SLICES = {"tokens": 2_500, "overlap": 250}


BAD = "quite-wrong"


def held(writer: Writer, session: str, tree: Sequence[Fields], server: ModelServer) -> int:
    """Begins a compaction, and waits until both its calls are with the server."""
    id = writer.begin("compact", sessionId=session, entries=tree)
    server.wait_until(lambda server: server.in_flight == 2)
    return id


def finished(writer: Writer, id: int, server: ModelServer, gate: Gate) -> Fields:
    """Lets the server answer what it holds still; the compaction, which a model wrote."""
    assert server.in_flight == 2
    gate.open()
    compaction: Fields = writer.result(id)["compaction"]
    assert "fallback" not in compaction["details"]["ctxmgr"]
    return compaction


def answered(params: Fields) -> Fields:
    usage = {"input": 100, "output": 10, "cacheRead": 5, "cacheWrite": 0}
    return {"text": good(params["prompt"]), "stopReason": "stop", "usage": usage}


def hold(params: Fields) -> Any:
    raise Silent


def until_asked(writer: Writer, count: int, method: str = "complete") -> list[Fields]:
    """So many requests by this method, whole, none of them answered."""
    writer.handlers[method] = hold
    while len(writer.asked(method)) < count:
        writer.hear()
    return [message for message in writer.heard if message["method"] == method]


def reply(writer: Writer, request: Fields, result: Any) -> None:
    writer.send({"jsonrpc": "2.0", "id": request["id"], "result": result})
