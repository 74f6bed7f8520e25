"""What left comes back: `retrieve`, `pin`, `unpin`, `undo`. Sessions go on from a snapshot, as after a restart."""

from typing import Any

from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.model.archive import ArchiveRow
from tests.contract.behaviours import behaviour
from tests.contract.talk import Failed, Fields, Messages, Talk, texts
from tests.unit.session.recovery import CALL, after_an_epoch, key_of

TOOLS = {"preset": "tools"}
RETRIEVE = {"requestCompaction": "whenIdle", "retrieve": True}
LONG = "".join(f"line {number} of the long output\n" for number in range(40))


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
    "retrieve gives what left back page by page, from the archive of an earlier run as well.",
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
    "search finds what left by its words, its path or its tool, best first, with the place to retrieve it from.",
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
    "An unknown handle is refused with the call to make again; without the capability nothing is archived.",
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
    "undo brings back what left at an epoch, and pins it; an epoch without a receipt is refused.",
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
    "A pin is of one message, one call, a path or a tool; they are counted, each once, and outlive a compaction.",
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
