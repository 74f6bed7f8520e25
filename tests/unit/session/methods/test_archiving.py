"""What leaves is archived before its markers are sent, held while it cannot be, paged back and found by words."""

import re
from typing import Any

import msgspec
import pytest

from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import ArchiveAnswer
from ctxmgr.server import effects as do
from ctxmgr.server.connection import Connection, ConnectionConfig
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session.methods import archiving
from ctxmgr.session.methods.archiving import MOST_HITS, PAGE_CHARACTERS, USUAL_HITS
from ctxmgr.study.conformance.replaying import ReplayedTranscript, replay
from tests.contract.talk import Failed, Fields, Messages, Talk
from tests.unit.session.methods.archived import context, error, failing, page, ready
from tests.unit.session.recovery import CALL, RETRIEVE, leaving, row, session_of


def keys(talk: Talk) -> list[str]:
    return list(talk.driver.archived.get("s", {}))


def receive(connection: Connection, method: str, **params: Any) -> list[do.Effect]:
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    return connection.receive(body + b"\n")


def of(effects: list[do.Effect]) -> list[type]:
    return [type(effect) for effect in effects]


@pytest.fixture
def connection() -> Connection:
    made = Connection(ConnectionConfig(state_dir="/state"), {"estimate": len})
    receive(made, "initialize", protocolVersion="1.0", capabilities=RETRIEVE, policy={"tokenizer": "estimate"})
    (opening,) = receive(made, "session_start", sessionId="s", model={"id": "m", "contextWindow": 200_000})
    assert isinstance(opening, do.Open)
    made.resume(opening.ticket, SnapshotLoaded())
    return made


def test_the_answer_waits_for_the_archive_and_is_saved_after_it(connection: Connection) -> None:
    messages = [Messages().user("Never touch the tests.")]
    with leaving(row("a"), row("b")):
        effects = receive(connection, "context", sessionId="s", messages=messages)
    (asked,) = effects
    assert isinstance(asked, do.PutRows)
    assert (asked.session_id, asked.state_dir, asked.rows) == ("s", "/state", (row("a"), row("b")))
    assert (asked.limits.max_age_days, asked.limits.max_megabytes) == (30, 256)
    assert receive(connection, "getStatus", sessionId="s") == [], "the queue is parked"
    assert of(connection.resume(asked.ticket, ArchiveAnswer())) == [do.Save, do.Send, do.Send]


@pytest.mark.parametrize("preset", ["balanced", "tools", "turns"])
def test_each_handle_that_a_list_names_is_archived(preset: str) -> None:
    """Whatever shortens results (age, distilling, a forced prune, the window's size), before the list is sent."""
    policy = {"preset": preset, "pruneProtect": 0, "pruneMinimum": 0, "protectedTurns": 1, "reserve": 2_000}
    talk, make = Talk(policy, capabilities=RETRIEVE, window=40_000), Messages()
    messages: list[Fields] = []
    named: set[str] = set()
    for number in range(12):
        output = "".join(f"line {line} of output {number}\n" for line in range(300))
        messages += make.turn(f"Step {number}.", output, path=f"{number}.py")
        if number % 4 == 3:
            talk.call("prune", sessionId="s")
        sent = talk.context([*messages, make.user("Go on.")])
        told = msgspec.json.encode(sent.get("messages")).decode()
        new = set(re.findall(r"(?:retrieve |\[)([a-z2-7]{8})\]", told)) - named
        named |= new
        for name in new:
            original = talk.call("retrieve", sessionId="s", handle=name)["text"]
            assert original.startswith("line 0 of output "), name
            assert original.endswith(f"line 299 {original.splitlines()[0][7:]}\n")
    assert len(named) >= 5


def test_where_nothing_leaves_the_archive_is_not_asked() -> None:
    talk, make = ready(), Messages()
    context(talk, make)
    talk.call("session_shutdown", sessionId="s")
    assert talk.driver.archived == {"s": {}}


def test_the_limits_are_the_policys() -> None:
    talk = Talk({"archive": {"maxAgeDays": 3}}, capabilities=RETRIEVE)
    asked = failing(talk)
    with leaving(row("a")):
        context(talk, Messages())
    talk.call("setPolicy", sessionId="s", policy={"archive": {"maxMegabytes": 7}})
    talk.refused("retrieve", sessionId="s", handle="unknown")
    assert [(one.limits.max_age_days, one.limits.max_megabytes) for one in asked] == [(3, 256), (3, 7)]
    path = talk.refused("setPolicy", sessionId="s", policy={"archive": {"maxMegabytes": 0}})
    assert path == (-32602, "$.policy.archive.maxMegabytes")


def test_what_can_not_be_archived_is_held_said_and_retrieved() -> None:
    talk, make = ready(), Messages()
    asked = failing(talk)
    with leaving(row("a")):
        context(talk, make)
    with leaving(row("b")):
        context(talk, make)
    assert [[one.key for one in each.rows] for each in asked if isinstance(each, do.PutRows)] == [["a"], ["a", "b"]]
    context(talk, make)
    assert len(asked) == 2, "where nothing leaves nothing is tried"
    assert page(talk, "a")["text"] == "the text of a"
    assert len(asked) == 2, "what is held needs no archive"
    (note,) = talk.status()["notes"]
    assert note == "what was removed could not be archived and is kept in memory: the disk is full"
    assert talk.said == [f"context: {note}"], "said once"


def test_it_is_put_again_with_the_next_rows_and_at_the_end() -> None:
    for last in ("context", "session_shutdown"):
        talk, make = ready(), Messages()
        good = talk.driver.archive
        failing(talk)
        with leaving(row("a")):
            context(talk, make)
        talk.driver.archive = good  # type: ignore[method-assign]
        if last == "context":
            with leaving(row("b")):
                context(talk, make)
            assert keys(talk) == ["a", "b"]
            assert session_of(talk).unarchived == {}
            assert page(talk, "a")["text"] == "the text of a"
        else:
            talk.call("session_shutdown", sessionId="s")
            assert keys(talk) == ["a"]


def test_a_fault_inside_the_archive_costs_no_call() -> None:
    talk, make = ready(), Messages()
    failing(talk, None)
    with leaving(row("a")):
        assert context(talk, make)["unchanged"]
    assert page(talk, "a")["total"] == len("the text of a")
    assert "planted" not in str(talk.sent)
    assert error(talk, "unknown")["code"] == -32803


def test_held_is_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving, "HELD_CHARACTERS", 100)
    talk, make = ready(), Messages()
    failing(talk)
    with leaving(*(row(name, name * 40) for name in "abc")):
        context(talk, make)
    assert list(session_of(talk).unarchived) == ["b", "c"]
    with leaving(row("d", "d" * 500)):
        context(talk, make)
    assert list(session_of(talk).unarchived) == ["d"]


def test_a_call_that_is_cancelled_meanwhile_loses_nothing() -> None:
    talk, make = ready(), Messages()
    talk.driver.hold = True
    with leaving(row("a")):
        id = talk.ask("context", sessionId="s", messages=[make.user("Go on.")])
        talk.tell("$/cancelRequest", id=id)
        assert talk.failed(id) == (-32800, None)
        talk.release()
    assert page(talk, "a")["text"] == "the text of a"
    with leaving(row("b")):
        context(talk, make)
    assert keys(talk) == ["a", "b"]


ALONE = {"requestCompaction": "whenIdle", "archive": True}
NONE = {"requestCompaction": "whenIdle"}


def lived(capabilities: Fields) -> tuple[Talk, list[Fields]]:
    """A session in which tool output leaves; each list as it was sent."""
    make = Messages()
    talk = Talk({"preset": "balanced", "effectiveWindow": 16_000}, capabilities=capabilities)
    messages: list[Fields] = []
    lists = []
    for number in range(14):
        messages += make.turn(f"Read {number}.", f"owl{number} " * 900, path=f"src/f{number}.py")
        lists.append(talk.context([*messages, make.user("And now?")], answer="messages")["list"])
    return talk, lists


def test_what_leaves_is_archived_and_the_lists_are_those_without() -> None:
    talk, lists = lived(ALONE)
    bare, plain = lived(NONE)
    assert lists == plain
    assert (len(bare.driver.archived.get("s", {})), len(talk.driver.archived["s"]) > 3) == (0, True)


def replayed(talk: Talk) -> ReplayedTranscript:
    return replay("t", b"".join(line + b"\n" for line in talk.lines))


def test_a_transcript_replays_what_the_archive_had_from_elsewhere() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "of an earlier run")])
    assert page(talk, "a")["text"] == "of an earlier run"
    error(talk, "b")
    assert replayed(talk).findings == ()
    lines = [msgspec.json.decode(line) for line in talk.lines]
    assert [line["retrieve"] for line in lines if "archive" in line] == [handle("a"), handle("b")]


TEXT = "".join(f"line {number}\n" for number in range(5_000))  # 58,890 characters
PAGES: list[tuple[Fields, int, int]] = [
    ({}, 0, PAGE_CHARACTERS),
    ({"offset": PAGE_CHARACTERS}, PAGE_CHARACTERS, 2 * PAGE_CHARACTERS),
    ({"offset": 2 * PAGE_CHARACTERS}, 2 * PAGE_CHARACTERS, len(TEXT)),
    ({"offset": 7.0, "limit": 3.0}, 7, 10),
    ({"limit": 10**9}, 0, len(TEXT)),
    ({"offset": len(TEXT)}, len(TEXT), len(TEXT)),
    ({"offset": 10**9}, len(TEXT), len(TEXT)),
]


@pytest.mark.parametrize(("params", "start", "end"), PAGES)
def test_a_page(params: Fields, start: int, end: int) -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", TEXT)])
    answer = page(talk, "a", **params)
    more = end < len(TEXT)
    expected = {"text": TEXT[start:end], "offset": start, "next": end if more else None, "total": len(TEXT)}
    assert answer == {**expected, "more": more, "call": CALL, "seq": 0}


def test_what_came_back_is_noted_with_its_epoch_and_saved() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a"), row("b")])
    page(talk, "a")
    assert session_of(talk).state.returned == {handle("a"): 0}
    saved = len(talk.saved)
    page(talk, "a", offset=3)
    assert len(talk.saved) == saved, "nothing new to save"
    again = Talk(capabilities=RETRIEVE, found=SnapshotLoaded(tuple(talk.saved)))
    assert session_of(again).state.returned == {handle("a"): 0}


def test_two_that_meet_in_a_handle_are_not_there() -> None:
    talk, make = ready(), Messages()
    failing(talk)
    with leaving(row("a"), msgspec.structs.replace(row("b"), handle=handle("a"))):
        context(talk, make)
    talk.driver.archive = lambda effect: ArchiveAnswer()  # type: ignore[method-assign]
    assert error(talk, "a")["code"] == -32602


def found(talk: Talk, query: str, **params: object) -> list[str]:
    answer: Fields = talk.call("search", sessionId="s", query=query, **params)
    return [hit["handle"] for hit in answer["hits"]]


def refused(talk: Talk) -> Fields:
    with pytest.raises(Failed) as failed:
        found(talk, "owl")
    return failed.value.error


@pytest.mark.parametrize(
    ("params", "count"), [({}, USUAL_HITS), ({"limit": 3}, 3), ({"limit": 10**9}, MOST_HITS), ({"limit": 2.0}, 2)]
)
def test_so_many_are_found(params: Fields, count: int) -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row(f"n{number}", "the owl") for number in range(60)])
    assert len(found(talk, "owl", **params)) == count


def test_an_archive_at_fault_is_said_once_without_conversation() -> None:
    talk = ready()
    failing(talk)
    error = refused(talk)
    assert (error["code"], error["message"]) == (-32803, "the archive could not be searched now")
    assert refused(talk) == error
    assert talk.status()["notes"] == ["the archive could not be searched: the disk is full"]


def test_what_the_disk_did_not_take_is_found() -> None:
    talk = ready()
    real = talk.driver.archive
    with leaving(row("a", "the owl")):
        failing(talk)
        context(talk, Messages())
    talk.driver.archive = real  # type: ignore[method-assign]
    assert found(talk, "owl") == [handle("a")]
