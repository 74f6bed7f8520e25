"""A compaction that is written ahead is there when it is asked for."""

from typing import Any

from tests.stdio.compacting_sidecar import (
    SMALL,
    Fields,
    Writer,
    answered,
    entries,
    good,
    hold,
    reply,
    turns,
    until_asked,
)
from tests.stdio.sidecar import MODEL, a


def reading(writer: Writer, session: str, tokens: int, **params: Any) -> Fields:
    params = {"sessionId": session, "message": a(f"noted at {tokens}", tokens), **params}
    answer: Fields = writer.call("turn_end", **params)
    return answer


def ahead(writer: Writer, session: str) -> list[Fields]:
    """A session whose compaction was written ahead; its tree, to the entry it was written on."""
    tree = begun_ahead(writer, session)
    while len(writer.asked("complete")) < 2:
        writer.hear()
    writer.call("planCompaction", entries=tree)  # what is older is computed first
    writer.handlers["complete"] = hold
    return tree


def begun_ahead(writer: Writer, session: str) -> list[Fields]:
    tree = turns(6)
    writer.started(session, prepareAhead=True)
    writer.call("session_start", sessionId=session, model=MODEL, entries=tree)
    writer.call("context", sessionId=session, messages=[entry["message"] for entry in tree])
    assert reading(writer, session, 100_000, entryIds={"message": "e25"})["commands"] == []
    return [*tree, *entries([a("noted at 100000", 100_000)], 25, "e24")]


def test_written_ahead_it_comes_with_the_command(writer: Writer) -> None:
    ahead(writer, "ahead, asked")
    (command,) = reading(writer, "ahead, asked", 130_000)["commands"]
    assert command["method"] == "requestCompaction"
    assert "says a good model" in command["params"]["compaction"]["summary"]
    assert len(writer.asked("complete")) == 2


def test_written_ahead_it_comes_with_the_request(writer: Writer) -> None:
    ahead(writer, "ahead, told")
    writer.handlers["requestCompaction"] = lambda params: {"accepted": True}
    writer.tell("turn_end", sessionId="ahead, told", message=a("noted", 130_000))
    while not writer.asked("requestCompaction"):
        writer.hear()
    (params,) = writer.asked("requestCompaction")
    assert params["compaction"]["firstKeptEntryId"] in {f"e{number}" for number in range(1, 26)}
    assert "says a good model" in params["compaction"]["summary"]


def test_written_ahead_it_answers_before_compact_unless_instructed(writer: Writer) -> None:
    tree = ahead(writer, "ahead, before")
    preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
    params = {"sessionId": "ahead, before", "preparation": preparation}
    ready = writer.call("session_before_compact", **params)["compaction"]
    assert "says a good model" in ready["summary"]
    assert len(writer.asked("complete")) == 2
    writer.handlers["complete"] = lambda params: {"text": good(params["prompt"], "another"), "stopReason": "stop"}
    fresh = writer.call("session_before_compact", **params, branchEntries=tree, customInstructions="Keep it.")
    assert "says another" in fresh["compaction"]["summary"]


def test_one_being_written_ahead_is_waited_for_up_to_the_deadline(writer: Writer) -> None:
    writer.handlers["complete"] = hold
    tree = begun_ahead(writer, "ahead, late")
    until_asked(writer, 2)
    preparation = writer.call("planCompaction", entries=tree, settings=SMALL)["preparation"]
    params = {"sessionId": "ahead, late", "preparation": preparation, "branchEntries": tree}
    assert writer.call("session_before_compact", **params, deadlineMs=50) == {}
    answer = writer.ask("compact", sessionId="ahead, late", entries=tree, deadlineMs=50)
    assert answer["error"]["code"] == -32803
    waiting = writer.begin("session_before_compact", **params)
    writer.call("getStatus", sessionId="ahead, late")
    assert len(writer.asked("complete")) == 2
    for message in [message for message in writer.heard if message["method"] == "complete"]:
        reply(writer, message, answered(message["params"]))
    assert "says a good model" in writer.result(waiting)["compaction"]["summary"]
    assert len(writer.asked("complete")) == 2


def test_one_being_written_ahead_ends_with_its_branch(writer: Writer) -> None:
    """Its calls are taken back, and who waits for it writes its own."""
    writer.handlers["complete"] = hold
    tree = begun_ahead(writer, "ahead, left")
    old = until_asked(writer, 2)
    waiting = writer.begin("compact", sessionId="ahead, left", entries=tree)
    writer.call("session_tree", sessionId="ahead, left", newLeafId="e8", oldLeafId="e25")
    writer.handlers["complete"] = answered
    assert "says a good model" in writer.result(waiting)["compaction"]["summary"]
    assert [one["id"] for one in writer.asked("$/cancelRequest")] == [one["id"] for one in old]
