"""Asking for a compaction: once an episode, with a cooldown, and at once on overflow."""

from typing import Any

from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.behaviours import behaviour
from tests.contract.talk import Messages, Talk

RED = 130_000  # of a window of 200 000: red begins at 128 531
CALM = 100_000
ERROR = "400: prompt is too long: 212000 tokens > 200000 maximum"


def _asked(answer: dict[str, Any]) -> list[str]:
    return [command["method"] for command in answer["commands"]]


def _turns(talk: Talk, make: Messages, tokens: int, count: int = 1) -> list[list[str]]:
    return [_asked(talk.turn_end(make.reply("Noted."), tokens=tokens)) for _ in range(count)]


@behaviour(
    "latch/asks-once-an-episode",
    "The red zone asks for a compaction once, in the answer of turn_end, and again only after the episode has "
    "ended.",
    "design 4, latch",
)
def once() -> Talk:
    talk, make = Talk(), Messages()
    first = talk.turn_end(make.reply("Noted."), tokens=RED)
    request = first["commands"][0]["params"]
    assert (request["reason"], request["zone"], request["deliver"]) == ("threshold", "red", "whenIdle")
    assert request["threshold"] < 200_000 - 16_384
    assert _turns(talk, make, RED, 3) == [[], [], []]
    assert _turns(talk, make, CALM, 2) == [[], []]
    assert _turns(talk, make, RED) == [["requestCompaction"]]
    return talk


@behaviour(
    "latch/a-refusal-starts-a-cooldown",
    "A refusal starts a cooldown that doubles. After three in a row, the latch rests until pressure has fallen.",
    "design 4, latch",
)
def cooldown() -> Talk:
    talk, make = Talk(), Messages()

    def refuse(sent: list[dict[str, Any]]) -> None:
        (request,) = sent
        assert request["method"] == "requestCompaction"
        talk.send({"jsonrpc": "2.0", "id": request["id"], "result": {"accepted": False, "reason": "busy"}})

    def turn() -> list[dict[str, Any]]:
        return talk.tell("turn_end", sessionId="s", message=make.reply("Noted."), usage={"tokens": RED})

    quiet = []
    for _ in range(3):
        count = 0
        while not (sent := turn()):
            count += 1
            assert count < 20
        quiet.append(count)
        refuse(sent)
    assert quiet == [0, 3, 7]
    assert talk.status()["latch"] == {"state": "resting", "failures": 3}
    assert [turn() for _ in range(30)] == [[]] * 30
    talk.turn_end(make.reply("Noted."), tokens=CALM)
    talk.turn_end(make.reply("Noted."), tokens=CALM)
    assert talk.status()["latch"] == {"state": "idle", "failures": 0}
    assert turn()
    return talk


@behaviour(
    "latch/a-notification-asks-by-request",
    "If turn_end is sent as a notification, the host gets a request. It is never asked both ways.",
    "design 2, requestCompaction",
)
def by_request() -> Talk:
    talk, make = Talk(capabilities={"requestCompaction": "midRun"}), Messages()
    (sent,) = talk.tell("turn_end", sessionId="s", message=make.reply("Noted."), usage={"tokens": RED})
    assert (sent["method"], sent["params"]["deliver"]) == ("requestCompaction", "now")
    talk.send({"jsonrpc": "2.0", "id": sent["id"], "result": {"accepted": True}})
    assert talk.status()["latch"]["state"] == "asked"
    return talk


@behaviour(
    "latch/a-compaction-ends-the-episode",
    "session_compact clears the latch, and the token count is unknown until the next reading.",
    "design 4, latch",
)
def compacted() -> Talk:
    talk, make = Talk(), Messages()
    assert _turns(talk, make, RED) == [["requestCompaction"]]
    entry = {"id": "e1", "summary": "## Goal\nGo on", "firstKeptEntryId": "e0", "tokensBefore": RED}
    status = talk.call("session_compact", sessionId="s", compactionEntry=entry)["status"]
    assert status["tokens"] is None
    assert status["latch"]["state"] == "idle"
    assert status["summaries"]["compaction"] == 1
    assert _turns(talk, make, RED) == [["requestCompaction"]]
    return talk


@behaviour(
    "latch/a-failed-compaction-cools-down",
    "session_compact_failed starts a cooldown.",
    "design 4, latch",
)
def failed() -> Talk:
    talk, make = Talk(), Messages()
    assert _turns(talk, make, RED) == [["requestCompaction"]]
    status = talk.call("session_compact_failed", sessionId="s", reason="threshold")["status"]
    assert status["latch"] == {"state": "cooldown", "failures": 1}
    assert _turns(talk, make, RED, 4) == [[], [], [], ["requestCompaction"]]
    return talk


@behaviour(
    "latch/overflow-asks-at-once",
    "A context-overflow error asks whatever the zone is, once per user message. A rate limit does not.",
    "design 4, latch",
)
def overflow() -> Talk:
    talk, make = Talk(), Messages()
    messages = [make.user("Fill it.")]
    talk.context(messages)
    limited = make.reply("", stopReason="error", errorMessage="429: rate limit: too many tokens per minute")
    assert _asked(talk.turn_end(limited)) == []
    broken = make.reply("", stopReason="error", errorMessage=ERROR)
    answer = talk.turn_end(broken)
    assert answer["commands"][0]["params"]["reason"] == "overflow"
    assert _asked(talk.turn_end(make.reply("", stopReason="error", errorMessage=ERROR))) == []
    talk.context([*messages, make.user("Once more.")])
    assert _asked(talk.turn_end(make.reply("", stopReason="error", errorMessage=ERROR))) == ["requestCompaction"]
    return talk


@behaviour(
    "latch/a-refusal-teaches-the-window",
    'A "too long" refusal makes the model\'s window smaller, for that model and the window that the host gave, '
    "until a larger request is accepted. The status says so, and a restart remembers it.",
    "design 4, latch",
)
def teaches() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    messages = [make.user("Fill it.")]

    def told(talk: Talk) -> tuple[int | None, bool]:
        status = talk.status()
        return status["learnedWindow"], any("now assumes a window of" in note for note in status["notes"])

    talk.context(messages)
    named = "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens."
    talk.turn_end(make.reply("", stopReason="error", errorMessage=named))
    assert told(talk) == (131_072, True)
    talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": 200_000})
    assert told(talk) == (None, False)
    talk.call("model_select", sessionId="s", model={"id": "model-1", "contextWindow": 200_000})
    assert told(talk) == (131_072, True)
    again = Talk(found=SnapshotLoaded(tuple(talk.saved)), version="1.1")
    assert told(again) == (131_072, True)
    again.context(messages)
    again.turn_end(make.reply("Done."), tokens=140_000)
    assert told(again) == (154_000, True)
    again.turn_end(make.reply("Done."), tokens=190_000)
    assert told(again) == (None, False)
    return again


@behaviour(
    "latch/nothing-asked-undeclared",
    "Nothing is requested if the host did not declare it, in presets off and tools, or if compaction is off.",
    "design 4, latch",
)
def undeclared() -> Talk:
    for policy in ({"preset": "off"}, {"preset": "tools"}, {"compaction": {"enabled": False}}):
        assert _turns(Talk(policy), Messages(), RED, 2) == [[], []]
    talk = Talk(capabilities={})
    assert _turns(talk, Messages(), RED, 2) == [[], []]
    return talk
