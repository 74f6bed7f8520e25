"""The spawned process writes compactions with a model server on loopback: every strategy, format and bad answer."""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

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


# conversations


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


def marks(text: str) -> set[str]:
    return set(re.findall(r"mark-\d+-[a-z]+", text))


def removed(tree: Sequence[Fields], compaction: Fields) -> set[str]:
    """The marks of what is before the kept part."""
    ids = [entry["id"] for entry in tree]
    return marks(json.dumps(tree[: ids.index(compaction["firstKeptEntryId"])]))


# what a model answers

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


@pytest.fixture(scope="module")
def process() -> Iterator[Writer]:
    """One process for the tests of this file; a session each. What it said is looked through at its end."""
    with tempfile.TemporaryDirectory() as state, Writer(Path(state)).ready(policy=WHOLE_TURNS) as one:
        yield one


@pytest.fixture
def writer(process: Writer) -> Writer:
    process.handlers.clear()
    process.heard.clear()
    return process


# strategies and formats

SLICES = {"tokens": 2_500, "overlap": 250}
STRATEGIES = [
    # strategy, calls by kind (s: the number of slices), most calls at once, most slices at once
    ("single-shot", {"history": "1", "turn": "1"}, 2, 0),
    ("parallel-stitch", {"slice": "s", "turn": "1", "merge": "1"}, 3, 2),
    ("sequential-accumulated", {"slice": "s", "turn": "1"}, 2, 1),
    ("sequential-rolling", {"slice": "s", "turn": "1"}, 2, 1),
    ("incremental", {"history": "1", "turn": "1"}, 2, 0),
]


@pytest.mark.parametrize(("strategy", "calls", "at_once", "slices_at_once"), STRATEGIES)
def test_strategy_asks_as_it_should(
    writer: Writer, strategy: str, calls: dict[str, str], at_once: int, slices_at_once: int
) -> None:
    """The server holds the first answers until as many calls are under way as the strategy makes at once."""
    script, most_slices = Holding(), 0

    def reply(request: Request) -> Reply:
        nonlocal most_slices
        open_slices = [one for one in server.requests if not one.ended and kind(one.prompt) == "slice"]
        most_slices = max(most_slices, len(open_slices))
        return script(request)

    tree = turns(24)
    with ModelServer.threaded(reply) as server:
        more = {"reserveTokens": 10_000, "slices": SLICES, "concurrency": 3}
        session = writer.started(strategy, **endpoint(server), **more)
        id = writer.begin("compact", sessionId=session, entries=tree, strategy=strategy)
        server.wait_until(lambda server: server.in_flight == at_once)
        script.gate.open()
        compaction = writer.result(id)["compaction"]
        requests = server.requests
    kinds = [kind(request.prompt) for request in requests]
    slices = kinds.count("slice")
    assert slices == 0 or slices >= 3
    assert {name: kinds.count(name) for name in kinds} == {
        name: slices if many == "s" else int(many) for name, many in calls.items()
    }
    assert server.most_in_flight == at_once
    assert most_slices >= slices_at_once if strategy == "parallel-stitch" else most_slices == slices_at_once
    details = compaction["details"]["ctxmgr"]
    assert (details["strategy"], details["calls"], details["retries"]) == (strategy, len(requests), 0)
    assert "fallback" not in details
    shown = marks(" ".join(request.prompt for request in requests))
    told = marks(compaction["summary"]) if strategy == "incremental" else set()
    users = {mark for mark in removed(tree, compaction) if mark.endswith("user")}
    assert users
    assert users <= shown | told
    if strategy != "incremental":
        assert removed(tree, compaction) <= shown
    for request, of in zip(requests, kinds, strict=True):
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.body["model"] == "writer"
        assert "tools" not in request.body
        limit = {"turn": 5_000, "history": 8_000, "merge": 8_000}.get(of, 8_000)
        assert request.body["max_tokens"] <= limit
        if of in ("turn", "merge") or strategy == "single-shot":
            assert request.body["max_tokens"] == limit
        assert re.search(r"says a good model", compaction["summary"])


def test_extractive_asks_nobody(writer: Writer) -> None:
    tree = turns(6)
    with ModelServer.threaded([]) as server:
        session = writer.started("extractive", **endpoint(server))
        answer = writer.call("compact", sessionId=session, entries=tree, strategy="extractive")
        assert server.requests == []
    assert answer["compaction"]["details"]["ctxmgr"]["calls"] == 0
    assert "mark-1-user" in answer["compaction"]["summary"]


FORMATS = [
    ("structured", "## Goal"),
    ("nine-section", "1. Primary Request and Intent"),
    ("handoff", "Notes from a model that worked on this before you."),
    ("continue", "## Goal"),
]


@pytest.mark.parametrize(("form", "heading"), FORMATS)
@pytest.mark.parametrize("strategy", ["single-shot", "extractive"])
def test_format(writer: Writer, form: str, heading: str, strategy: str) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started(f"{form} {strategy}", **endpoint(server))
        params = {"sessionId": session, "entries": turns(6), "format": form, "strategy": strategy}
        compaction = writer.call("compact", **params)["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert (details["format"], details["strategy"]) == (form, strategy)
    assert compaction["summary"].count(heading) == 1
    assert "<analysis>" not in compaction["summary"]
    assert bool(details.get("short")) is (form == "continue")
    assert compaction["summary"].count("<read-files>") == 1


def test_instructions_of_policy_and_call_are_in_every_prompt(writer: Writer) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started("instructed", instructions="Keep the commas.", **endpoint(server))
        writer.call("compact", sessionId=session, entries=turns(6), customInstructions="Keep the dots.")
        assert len(server.requests) == 2
        assert all("Keep the commas.\n\nKeep the dots." in request.prompt for request in server.requests)


def test_branch_that_was_left_is_summarised(writer: Writer) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started("branch", **endpoint(server))
        params = {"sessionId": session, "entries": turns(6), "oldLeafId": "e24", "targetId": "e8"}
        answer = writer.call("summarizeBranch", **params)
        (request,) = server.requests
    assert answer["commonAncestorId"] == "e8"
    assert answer["entriesSummarized"] == 16
    assert marks(request.prompt) == marks(json.dumps(turns(6)[8:]))
    assert "says a good model" in answer["summary"]["summary"]


# bad answers

BAD = "quite-wrong"
TOLD = {"retry-after": "0"}  # without it there are pauses
BAD_ANSWERS: list[tuple[str, str, Callable[[str], Reply]]] = [
    # name, reason given, reply with what a good text would be
    ("500", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=500, headers=TOLD)),
    ("401", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=401)),
    ("400", "failed", lambda text: Reply(f"{BAD} {SECRET} {KEY}", status=400, code="context_length_exceeded")),
    ("garbage", "failed", lambda text: Reply(text, way="garbage")),
    ("half JSON", "failed", lambda text: Reply(text, way="half-json")),
    ("garbled", "failed", lambda text: Reply(text, way="garbled")),
    ("other JSON", "failed", lambda text: Reply(text, way="other-json")),
    ("breaks off", "failed", lambda text: Reply(text, way="breaks-off")),
    ("unfinished", "failed", lambda text: Reply(text, way="unfinished")),
    ("error in the middle", "failed", lambda text: Reply(text, way="error-event")),
    ("compressed", "failed", lambda text: Reply(text, way="compressed")),
    ("filtered", "failed", lambda text: Reply(text, stop="content_filter")),
    ("empty", "empty", lambda text: Reply("")),
    ("white", "empty", lambda text: Reply(" \n\t\n")),
    ("cut at its limit", "truncated", lambda text: Reply(text, stop="length")),
    ("tool call", "called a tool", lambda text: Reply(text, stop="tool")),
    ("endless", "truncated", lambda text: Reply(text, way="endless")),
    ("chat", "no sections", lambda text: Reply(f"Sure, I can mend that for you! {BAD}")),
    ("half an outline", "no sections", lambda text: Reply(text.split("## Key")[0].split("## Progress So")[0])),
    ("far too long", "too long", lambda text: Reply(text + f"\n- {BAD} and more of it" * 600)),
]


SETTLED = {
    "500",
    "401",
    "400",
    "compressed",
}  # before an answer began: the device has tried as often as it is worth


@pytest.mark.parametrize(("name", "reason", "reply"), BAD_ANSWERS, ids=[name for name, _, _ in BAD_ANSWERS])
def test_bad_answer_never_becomes_a_summary(
    writer: Writer, name: str, reason: str, reply: Callable[[str], Reply]
) -> None:
    with ModelServer.threaded(lambda request: reply(good(request.prompt, BAD))) as server:
        session = writer.started(f"bad {name}", **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    details = compaction["details"]["ctxmgr"]
    assert details["strategy"] == "extractive"
    assert (details["fallback"]["from"], details["fallback"]["reason"]) == ("single-shot", reason)
    assert (details["calls"], details["retries"]) == ((2, 0) if name in SETTLED else (4, 2))
    text = json.dumps(compaction)
    assert BAD not in text
    assert KEY not in text
    assert SECRET not in json.dumps(details)
    assert "mark-1-user" in compaction["summary"]
    assert writer.call("getStatus", sessionId=session)["mode"] == "on"


def test_line_without_an_end_is_not_read_to_the_end(writer: Writer) -> None:
    with ModelServer.threaded(lambda request: Reply(way="endless-line")) as server:
        session = writer.started("endless line", retries=0, **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    assert compaction["details"]["ctxmgr"]["fallback"]["reason"] == "failed"


@pytest.mark.parametrize("first", ["refused", "failed", "too many"])
def test_second_try_is_a_summary(writer: Writer, first: str) -> None:
    """Of what a strategy asks again for it is told; what the server asked for a little later is one call."""
    replies = {
        "refused": Reply("Sure!"),
        "failed": Reply(BAD, way="breaks-off"),
        "too many": Reply(BAD, status=429, headers=TOLD),
    }
    seen: set[str] = set()

    def reply(request: Request) -> Reply:
        again = kind(request.prompt) in seen
        seen.add(kind(request.prompt))
        return well(request) if again else replies[first]

    with ModelServer.threaded(reply) as server:
        session = writer.started(f"again {first}", **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
        assert len(server.requests) == 4
    details = compaction["details"]["ctxmgr"]
    assert "fallback" not in details
    assert (details["calls"], details["retries"]) == ((2, 0) if first == "too many" else (4, 2))
    assert BAD not in compaction["summary"]
    assert "says a good model" in compaction["summary"]


def test_key_that_is_not_set_is_said_by_its_name(writer: Writer) -> None:
    with ModelServer.threaded([]) as server:
        session = writer.started("no key", **endpoint(server, apiKeyEnv="NO_SUCH_KEY"))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
    assert "NO_SUCH_KEY" in compaction["details"]["ctxmgr"]["fallback"]["said"]


def test_call_that_takes_longer_than_its_limit_has_failed(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("timed out", retries=0, **endpoint(server, timeoutMs=50))
        compaction = writer.call("compact", sessionId=session, entries=turns(6))["compaction"]
        server.wait_until(lambda server: server.in_flight == 0)
    assert compaction["details"]["ctxmgr"]["fallback"]["said"] == "timed out after 50 ms"


# deadlines


def test_after_its_deadline_compact_is_written_without_a_model(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("late", **endpoint(server))
        compaction = writer.call("compact", sessionId=session, entries=turns(6), deadlineMs=50)["compaction"]
        server.wait_until(lambda server: server.in_flight == 0)
    details = compaction["details"]["ctxmgr"]
    assert (details["strategy"], details["fallback"]["reason"]) == ("extractive", "cancelled")
    assert "mark-1-user" in compaction["summary"]


def test_at_its_deadline_before_compact_gives_the_host_its_turn(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("host's turn", **endpoint(server))
        tree = turns(6)
        preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
        params = {"sessionId": session, "preparation": preparation, "branchEntries": tree}
        assert writer.call("session_before_compact", **params, deadlineMs=50) == {}
        server.wait_until(lambda server: server.in_flight == 0)
        assert all(request.cancelled for request in server.requests)


# other things go on meanwhile


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


def test_events_of_the_session_are_answered_while_it_compacts(writer: Writer) -> None:
    script = Holding()
    with ModelServer.threaded(script) as server:
        tree = turns(6)
        session = writer.started("lane", **endpoint(server))
        id = held(writer, session, tree, server)
        messages = [entry["message"] for entry in tree]
        assert "report" in writer.call("context", sessionId=session, messages=messages)
        assert writer.call("turn_end", sessionId=session, message=a("done", 5_000))["seq"] == 1
        assert writer.call("planCompaction", sessionId=session, entries=tree)["preparation"]
        assert finished(writer, id, server, script.gate)["firstKeptEntryId"] == "e24"


def test_contexts_of_other_sessions_are_answered_while_one_compacts(writer: Writer) -> None:
    script = Holding()
    with ModelServer.threaded(script) as server:
        session = writer.started("busy", **endpoint(server))
        compaction = held(writer, session, turns(6), server)
        others = [writer.started(f"other {number}") for number in range(20)]
        messages = [message for number in range(10) for message in turn(number)]
        ids = [writer.begin("context", sessionId=other, messages=messages) for other in others]
        assert all("report" in writer.result(id) for id in ids)
        finished(writer, compaction, server, script.gate)


def test_two_compactions_at_once(writer: Writer) -> None:
    """Of one branch the second is refused; of another branch, and of another session, it is not."""
    script = Holding()
    with ModelServer.threaded(script) as server:
        tree = turns(6)
        fork = [*tree, *entries(turn(7), 25, "e8")]
        first, second = (writer.started(name, **endpoint(server)) for name in ("first", "second"))
        preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
        begun = held(writer, first, tree, server)
        refused = writer.ask("compact", sessionId=first, entries=tree)["error"]
        assert (refused["code"], "being written" in refused["message"]) == (-32803, True)
        params = {"sessionId": first, "preparation": preparation}
        assert writer.call("session_before_compact", **params, branchEntries=tree) == {"cancel": True}
        others = [
            writer.begin("compact", sessionId=first, entries=fork, leafId="e28"),
            writer.begin("compact", sessionId=second, entries=tree),
        ]
        server.wait_until(lambda server: server.in_flight == 6)
        script.gate.open()
        kept = [writer.result(id)["compaction"]["firstKeptEntryId"] for id in (begun, *others)]
        assert kept == ["e24", "e28", "e24"]
        assert writer.call("compact", sessionId=first, entries=tree)["compaction"]["firstKeptEntryId"] == "e24"


def test_cancelled_compaction_is_answered_and_its_calls_end(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        tree = turns(6)
        session = writer.started("cancelled", **endpoint(server))
        for _ in range(2):  # the claim of the first is gone
            id = held(writer, session, tree, server)
            writer.tell("$/cancelRequest", id=id)
            assert writer.answer(id)["error"]["code"] == -32800
            server.wait_until(lambda server: all(request.cancelled for request in server.requests))
        assert len(server.requests) == 4
        assert writer.call("getStatus", sessionId=session)["seq"] == 0


def test_session_that_ends_ends_its_calls(writer: Writer) -> None:
    with ModelServer.threaded(Holding()) as server:
        session = writer.started("ended", **endpoint(server))
        id = held(writer, session, turns(6), server)
        assert writer.call("session_shutdown", sessionId=session) is None
        assert writer.answer(id)["error"]["code"] == -32803
        server.wait_until(lambda server: all(request.cancelled for request in server.requests))
        assert writer.started(session) == session


def test_progress_is_told_from_begin_to_end(writer: Writer) -> None:
    with ModelServer.threaded(well) as server:
        session = writer.started("progress", slices=SLICES, concurrency=1, **endpoint(server))
        params = {"sessionId": session, "entries": turns(24), "strategy": "sequential-rolling"}
        writer.call("compact", **params, progressToken="p")
        count = len(server.requests)
    told = writer.asked("$/progress")
    assert {one["token"] for one in told} == {"p"}
    assert [one["value"]["kind"] for one in told] == ["begin", *["report"] * count, "end"]
    labels = [one["value"].get("message") for one in told][1:-1]
    assert f"slice {count - 1} of {count - 1}" in labels
    assert SECRET not in json.dumps(told)
