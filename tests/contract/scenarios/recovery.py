"""What left comes back: `retrieve`, `pin`, `unpin`, `undo`. Sessions go on from a snapshot, as after a restart, and
from a store.
"""

from typing import Any

from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.model.saved import Stored
from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.behaviours import behaviour
from tests.contract.talk import Failed, Fields, Messages, Talk, texts
from tests.unit.session.recovery import CALL, after_an_epoch, key_of

TOOLS = {"preset": "tools"}
RETRIEVE = {"requestCompaction": "whenIdle", "retrieve": True}
LONG = "".join(f"line {number} of the long output\n" for number in range(40))
OFFLINE = (
    "nothing goes to the store for now, as it has no such bucket: what is new is kept here, and goes there later"
)
FENCED = "another machine has gone on with this session: nothing more of it is saved in the store from here"


def _messages() -> list[Fields]:
    """The result at place 2 is what left."""
    make = Messages()
    return [*make.turn("Read it.", LONG, path="src/a.py"), *make.turn("Go on."), make.user("And now?")]


def _failed(talk: Talk, method: str, **params: Any) -> Fields:
    try:
        talk.call(method, sessionId="s", **params)
    except Failed as failed:
        return failed.error
    raise AssertionError("it was answered")


@behaviour(
    "recovery/pages-of-an-original",
    "retrieve returns what was removed page by page, also from the archive of an earlier run.",
    "design 2, retrieve; design 9",
)
def pages() -> Talk:
    messages = _messages()
    key = key_of(messages, 2)
    row = ArchiveRow(handle(key), key, CALL, LONG)
    talk = Talk(TOOLS, capabilities=RETRIEVE, found=after_an_epoch(messages, [2]), archived=[row])
    first = talk.call("retrieve", sessionId="s", handle=handle(key), limit=600)
    assert (first["offset"], first["total"], first["more"], first["call"]) == (0, len(LONG), True, CALL)
    rest = talk.call("retrieve", sessionId="s", handle=handle(key), offset=first["next"])
    assert first["text"] + rest["text"] == LONG
    assert (rest["more"], rest["next"]) == (False, None)
    return talk


@behaviour(
    "recovery/search",
    "search finds what was removed by its words, its path or its tool, best first, with the place to retrieve it "
    "from.",
    "design 2, search",
)
def search() -> Talk:
    messages = _messages()
    key = key_of(messages, 2)
    row = ArchiveRow(handle(key), key, 'read path="src/a.py"', LONG)
    other = ArchiveRow("other", "x", "user text", "the token is ghp_" + "aB3" * 12 + " of the long line")
    talk = Talk(TOOLS, capabilities=RETRIEVE, found=after_an_epoch(messages, [2]), archived=[row, other])
    hits = talk.call("search", sessionId="s", query='"line 17" path:src/a.py')["hits"]
    assert [(hit["handle"], hit["rank"], hit["tool"], hit["path"]) for hit in hits] == [
        (handle(key), 1, "read", "src/a.py")
    ]
    assert (hits[0]["epoch"], hits[0]["total"]) == (1, len(LONG))
    assert "line 17 of" in hits[0]["snippet"]
    page = talk.call("retrieve", sessionId="s", handle=handle(key), offset=hits[0]["offset"], limit=10)
    assert LONG[hits[0]["offset"] :].startswith(page["text"])
    assert len(talk.call("search", sessionId="s", query="line")["hits"]) == 2
    (hit,) = talk.call("search", sessionId="s", query="token", limit=1)["hits"]
    assert (hit["handle"], hit["tool"], hit["epoch"]) == ("other", None, None)
    assert "[masked]" in hit["snippet"]
    assert talk.call("search", sessionId="s", query='nothing AND "of this')["hits"] == []
    assert _failed(Talk(TOOLS), "search", query="line")["code"] == -32803
    return talk


@behaviour(
    "recovery/an-unknown-handle",
    "An unknown handle is refused with the call to make again. Without the capability, nothing is archived.",
    "design 2, retrieve; capabilities",
)
def unknown() -> Talk:
    messages = _messages()
    found = after_an_epoch(messages, [2])
    talk = Talk(TOOLS, capabilities=RETRIEVE, found=found)
    error = _failed(talk, "retrieve", handle=handle(key_of(messages, 2)))
    assert (error["code"], error["data"]) == (-32602, {"path": "$.handle", "call": CALL})
    error = _failed(talk, "retrieve", handle="nonesuch")
    assert (error["code"], error["data"]) == (-32602, {"path": "$.handle"})
    assert _failed(Talk(TOOLS, found=found), "retrieve", handle="nonesuch")["code"] == -32803
    return talk


@behaviour(
    "recovery/undo",
    "undo brings back what was removed at an epoch, and pins it. An epoch without a receipt is refused.",
    "design 2, undo; design 6",
)
def undo() -> Talk:
    messages = _messages()
    talk = Talk(TOOLS, found=after_an_epoch(messages, [2]))
    answer = talk.context(messages, answer="messages")
    assert "[output pruned" in texts(answer["list"])
    assert _failed(talk, "undo", epoch=2)["data"] == {"path": "$.epoch"}
    status = talk.call("undo", sessionId="s", epoch=1)["status"]
    assert (status["epoch"], status["pins"]) == (1, 1)
    messages = [*messages, *Messages().turn("Go on.")]
    assert talk.context(messages, answer="messages")["list"] == messages
    return talk


@behaviour(
    "recovery/pins",
    "A pin is for one message, one call, a path or a tool. Pins are counted once each, and survive a compaction.",
    "design 2, pin and unpin",
)
def pins() -> Talk:
    talk = Talk({"preset": "balanced"})
    talk.context(_messages())
    by: list[Fields] = [{"callId": "c1"}, {"path": "src/*.py"}, {"tool": "read"}, {"digest": "9f86d081884c7d65"}]
    for count, one in enumerate(by, 1):
        assert talk.call("pin", sessionId="s", **one)["status"]["pins"] == count
    assert talk.call("pin", sessionId="s", path="src/*.py")["status"]["pins"] == 4
    assert _failed(talk, "pin", path="a.py", tool="read")["code"] == -32602
    entry = {"id": "e9", "summary": "## Goal\nGo on", "firstKeptEntryId": "e1", "tokensBefore": 5}
    assert talk.call("session_compact", sessionId="s", compactionEntry=entry)["status"]["pins"] == 4
    for count, one in enumerate(by, 1):
        assert talk.call("unpin", sessionId="s", **one)["status"]["pins"] == 4 - count
    assert talk.call("unpin", sessionId="s", tool="read")["status"]["pins"] == 0
    return talk


def _told(talk: Talk, seq: int | None, note: str | None = None) -> None:
    talk.driver.stored("s", Stored(seq, note))


@behaviour(
    "store/durable-is-what-is-safe-there",
    "`status.durable` is the `seq` of the newest event in the store. Before the first one, and without a store, "
    "it is absent.",
    "design 2, getStatus",
)
def durable() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    assert talk.status().get("durable") is None
    talk.turn_end(make.reply("One."), tokens=5_000)
    _told(talk, 1)
    talk.turn_end(make.reply("Two."), tokens=5_000)
    status = talk.status()
    assert (status["seq"], status["durable"]) == (2, 1)
    _told(talk, 2)
    assert talk.status()["durable"] == 2
    return talk


@behaviour(
    "store/flush-waits-for-it",
    "`getStatus` with `flush` is answered once the store has everything saved before it. Later requests about the "
    "session are answered after it.",
    "design 2, getStatus",
)
def flush() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    talk.turn_end(make.reply("One."), tokens=5_000)
    talk.driver.hold = True
    asked = talk.ask("getStatus", sessionId="s", flush=True)
    after = talk.ask("getScratchpad", sessionId="s")
    assert not talk.answered(asked)
    assert not talk.answered(after)
    _told(talk, 1)
    talk.release()
    assert talk.result(asked)["durable"] == 1
    assert talk.answered(after)
    return talk


@behaviour(
    "store/what-is-wrong-is-a-note",
    "While nothing reaches the store, the status says so and why, and calls continue. When the store is back, the "
    "note is removed. Each change is reported once to people.",
    "design 2, getStatus",
)
def unsaved() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    _told(talk, None, OFFLINE)
    for number in range(3):
        talk.turn_end(make.reply(f"{number}."), tokens=5_000)
        _told(talk, None, OFFLINE)
    assert talk.status()["notes"] == [OFFLINE]
    assert talk.said == [OFFLINE]
    _told(talk, 3)
    assert talk.status()["notes"] == []
    return talk


@behaviour(
    "store/the-start-says-what-is-wrong",
    "If nothing of a session can reach the store when it starts, the status of that answer says so and why. "
    "Otherwise it says what has reached the store.",
    "design 2, session_start",
)
def unsaved_from_the_start() -> Talk:
    talk = Talk(version="1.1", found=SnapshotLoaded(stored=Stored(None, OFFLINE)))
    assert talk.started["status"]["notes"] == [OFFLINE]
    _told(talk, None, OFFLINE)
    assert talk.said == [OFFLINE]
    _told(talk, 0)
    assert talk.status()["notes"] == []
    talk.driver.snapshots["t"] = SnapshotLoaded(stored=Stored(0))
    status = talk.call("session_start", sessionId="t", model={"id": "model-1", "contextWindow": 200_000})["status"]
    assert (status["durable"], status["notes"]) == (0, [])
    return talk


@behaviour(
    "store/who-was-fenced-goes-on-alone",
    "A session that another machine has taken over continues here. The status says that it is no longer saved to "
    "the store, and `durable` stays at its value.",
    "design 2, getStatus",
)
def fenced() -> Talk:
    talk, make = Talk(version="1.1"), Messages()
    talk.turn_end(make.reply("One."), tokens=5_000)
    _told(talk, 1)
    _told(talk, 1, FENCED)
    answer = talk.turn_end(make.reply("Two."), tokens=5_000)
    assert answer["seq"] == 2
    status = talk.status()
    assert (status["seq"], status["durable"], status["notes"]) == (2, 1, [FENCED])
    assert talk.said == [FENCED]
    return talk
