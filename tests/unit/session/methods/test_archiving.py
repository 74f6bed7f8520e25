"""What leaves is archived before its markers are sent, held while it cannot be, paged back and found by words."""

import re

import msgspec
import pytest

from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.server import effects as do
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session.methods import archiving
from ctxmgr.session.methods.archiving import PAGE_CHARACTERS
from ctxmgr.study.conformance.replaying import ReplayedTranscript, replay
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.methods.archived import context, failing, page, ready
from tests.unit.session.recovery import CALL, RETRIEVE, leaving, row, session_of


def keys(talk: Talk) -> list[str]:
    return list(talk.driver.archived.get("s", {}))


def test_each_handle_that_a_list_names_is_archived() -> None:
    policy = {"preset": "tools", "pruneProtect": 0, "pruneMinimum": 0, "protectedTurns": 1, "reserve": 2_000}
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


def replayed(talk: Talk) -> ReplayedTranscript:
    return replay("t", b"".join(line + b"\n" for line in talk.lines))


TEXT = "".join(f"line {number}\n" for number in range(5_000))  # 58,890 characters
PAGES: list[tuple[Fields, int, int]] = [
    ({}, 0, PAGE_CHARACTERS),
    ({"offset": 2 * PAGE_CHARACTERS}, 2 * PAGE_CHARACTERS, len(TEXT)),
    ({"offset": 7.0, "limit": 3.0}, 7, 10),
    ({"limit": 10**9}, 0, len(TEXT)),
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
