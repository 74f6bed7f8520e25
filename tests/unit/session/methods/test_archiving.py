"""What leaves is archived before its markers are sent, held while it can not be, and paged back."""

from typing import Any

import msgspec
import pytest

from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.model.archive import ArchiveAnswer
from ctxmgr.model.epochs import Epoch
from ctxmgr.server import effects as do
from ctxmgr.server.connection import Connection, ConnectionOptions
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session.methods import archiving
from ctxmgr.session.methods.retrieve import PAGE_CHARACTERS
from ctxmgr.study.replay import transcripts
from tests.contract.talk import Failed, Fields, Messages, Talk
from tests.unit.session.recovery import CALL, RETRIEVE, after_an_epoch, leaving, row, session_of


def ready(**capabilities: Any) -> Talk:
    return Talk(capabilities=capabilities or RETRIEVE)


def failing(talk: Talk, fault: str | None = "the disk is full") -> list[do.PutRows | do.GetRow]:
    """From here on the archive answers this fault; what it was asked."""
    asked: list[do.PutRows | do.GetRow] = []

    def archive(effect: do.PutRows | do.GetRow) -> ArchiveAnswer:
        asked.append(effect)
        if fault is None:
            raise RuntimeError("planted")
        return ArchiveAnswer(fault=fault)

    talk.driver.archive = archive  # type: ignore[method-assign]
    return asked


def keys(talk: Talk) -> list[str]:
    return list(talk.driver.archived.get("s", {}))


def context(talk: Talk, make: Messages) -> Fields:
    return talk.context([make.user("Go on.")])


def page(talk: Talk, name: str, **params: Any) -> Fields:
    answer: Fields = talk.call("retrieve", sessionId="s", handle=handle(name), **params)
    return answer


def error(talk: Talk, name: str, **params: Any) -> Fields:
    with pytest.raises(Failed) as failed:
        page(talk, name, **params)
    return failed.value.error


# before the markers


def receive(connection: Connection, method: str, **params: Any) -> list[do.Effect]:
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    return connection.receive(body + b"\n")


def of(effects: list[do.Effect]) -> list[type]:
    return [type(effect) for effect in effects]


@pytest.fixture
def connection() -> Connection:
    made = Connection(ConnectionOptions(state_dir="/state"), {"estimate": len})
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
    assert receive(connection, "getStatus", sessionId="s") == [], "the lane is parked"
    assert of(connection.resume(asked.ticket, ArchiveAnswer())) == [do.Save, do.Send, do.Send]


def test_where_nothing_leaves_the_archive_is_not_asked() -> None:
    talk, make = ready(), Messages()
    context(talk, make)
    talk.call("session_shutdown", sessionId="s")
    assert talk.driver.archived == {"s": {}}


def test_a_host_that_declares_no_retrieve_has_no_archive() -> None:
    talk, make = ready(requestCompaction="whenIdle"), Messages()
    asked = failing(talk)
    with leaving(row("a")):
        context(talk, make)
        assert session_of(talk).leaving == []
        talk.call("session_shutdown", sessionId="s")
    assert asked == []


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


# a disk at fault


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
    assert note == "what left could not be archived and is kept in memory: the disk is full"
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


def test_what_was_set_aside_is_noted_and_all_went_well() -> None:
    talk, make = ready(), Messages()
    talk.driver.archive = lambda effect: ArchiveAnswer(note="it was set aside")  # type: ignore[method-assign]
    with leaving(row("a")):
        context(talk, make)
    assert session_of(talk).unarchived == {}
    assert talk.status()["notes"] == ["it was set aside"]


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


# pages

TEXT = "".join(f"line {number}\n" for number in range(5_000))  # 58,890 characters
PAGES: list[tuple[Fields, int, int]] = [
    ({}, 0, PAGE_CHARACTERS),
    ({"offset": None, "limit": None}, 0, PAGE_CHARACTERS),
    ({"offset": PAGE_CHARACTERS}, PAGE_CHARACTERS, 2 * PAGE_CHARACTERS),
    ({"offset": 2 * PAGE_CHARACTERS}, 2 * PAGE_CHARACTERS, len(TEXT)),
    ({"limit": 1}, 0, 1),
    ({"offset": 7.0, "limit": 3.0}, 7, 10),
    ({"limit": 10**9}, 0, len(TEXT)),
    ({"offset": len(TEXT) - 1}, len(TEXT) - 1, len(TEXT)),
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


def test_pages_make_up_the_whole() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "\N{OWL}é\r\n" * 9_000)])
    whole, offset = "", 0
    while offset is not None:
        answer = page(talk, "a", offset=offset, limit=7_001)
        whole, offset = whole + answer["text"], answer["next"]
    assert whole == "\N{OWL}é\r\n" * 9_000


@pytest.mark.parametrize("params", [{"limit": 0}, {"offset": -1}, {"limit": "all"}, {"handle": None}])
def test_a_page_that_can_not_be(params: Fields) -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a")])
    code, path = talk.refused("retrieve", **({"sessionId": "s", "handle": handle("a")} | params))
    assert (code, path) == (-32602, f"$.{next(iter(params))}")


# what is not there


def test_without_the_capability_it_is_refused_with_a_sentence() -> None:
    talk = ready(requestCompaction="whenIdle")
    refused = error(talk, "a")
    assert refused["code"] == -32803
    assert "`capabilities.retrieve` was not declared" in refused["message"]


def test_an_unknown_handle_is_refused_with_the_call_to_make_again() -> None:
    make = Messages()
    messages = [*make.turn("Read it.", "long " * 900), make.user("And now?")]
    found = after_an_epoch(messages, [2])
    talk = Talk(found=found, capabilities=RETRIEVE)
    refused = error(talk, "unknown")
    assert refused["code"] == -32602
    assert refused["data"] == {"path": "$.handle"}
    left = session_of(talk).state.receipts[0].evicted[0]
    with pytest.raises(Failed) as failed:
        talk.call("retrieve", sessionId="s", handle=left.handle)
    assert failed.value.code == -32602
    assert failed.value.error["data"] == {"path": "$.handle", "call": CALL}
    assert "a.py" not in failed.value.error["message"], "a message holds no conversation"
    failing(talk)
    with pytest.raises(Failed) as failed:
        talk.call("retrieve", sessionId="s", handle=left.handle)
    assert failed.value.code == -32803
    assert failed.value.error["data"] == {"call": CALL}
    assert talk.status()["notes"] == ["the archive could not be read: the disk is full"]


def test_two_that_meet_in_a_handle_are_not_there() -> None:
    talk, make = ready(), Messages()
    failing(talk)
    with leaving(row("a"), msgspec.structs.replace(row("b"), handle=handle("a"))):
        context(talk, make)
    talk.driver.archive = lambda effect: ArchiveAnswer()  # type: ignore[method-assign]
    assert error(talk, "a")["code"] == -32602


# what came back is noted


def test_what_came_back_is_noted_with_its_epoch_and_saved() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a"), row("b")])
    page(talk, "a")
    assert session_of(talk).state.returned == {handle("a"): 0}
    saved = len(talk.saved)
    page(talk, "a", offset=3)
    assert len(talk.saved) == saved, "nothing new to save"
    again = Talk(capabilities=RETRIEVE, found=SnapshotLoaded(tuple(talk.saved)))
    assert session_of(again).state.returned == {handle("a"): 0}


def test_what_came_back_long_ago_is_forgotten() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row(name) for name in "abc"])
    session = session_of(talk)
    for epoch, name, held in ((1, "a", "a"), (2, "b", "ab"), (3, "c", "bc")):
        session.state = msgspec.structs.replace(session.state, epoch=Epoch(number=epoch))
        page(talk, name)
        assert set(session.state.returned) == {handle(one) for one in held}


def test_what_is_refused_is_not_noted() -> None:
    talk = ready()
    error(talk, "a")
    assert session_of(talk).state.returned == {}


# transcripts


def replayed(talk: Talk) -> transcripts.ReplayedTranscript:
    return transcripts.replay("t", b"".join(line + b"\n" for line in talk.lines))


def test_a_transcript_replays_what_the_archive_had_from_elsewhere() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "of an earlier run")])
    assert page(talk, "a")["text"] == "of an earlier run"
    error(talk, "b")
    assert replayed(talk).findings == ()
    lines = [msgspec.json.decode(line) for line in talk.lines]
    assert [line["retrieve"] for line in lines if "archive" in line] == [handle("a"), handle("b")]


def test_a_transcript_replays_a_disk_at_fault() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a")])
    page(talk, "a")
    failing(talk)
    error(talk, "a")
    talk.status()
    assert replayed(talk).findings == ()


def test_a_replay_notices_another_text() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "of an earlier run")])
    page(talk, "a")
    text = b"".join(line + b"\n" for line in talk.lines)
    planted = text.replace(b'"text":"of an earlier run"}}', b'"text":"of another run!!!"}}')
    assert planted != text
    assert [finding.difference.path for finding in transcripts.replay("t", planted).findings] == ["$.result.text"]


def test_a_transcript_made_anew_takes_what_was_put_this_time() -> None:
    talk = Talk(capabilities=RETRIEVE, archived=[row("a", "of an earlier run")])
    page(talk, "a")
    text = b"".join(line + b"\n" for line in talk.lines)
    assert transcripts.replay("t", text, rewrite=True).text == text
