"""All that was written into a list is sent again as it was written, whatever came between."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ctxmgr.engine.conversation import DIGESTS
from ctxmgr.engine.rewriting import marker, rewrite
from ctxmgr.model.epochs import Epoch
from ctxmgr.model.projection import Decision
from ctxmgr.model.saved.state import ModelSpec, State
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session import journal
from ctxmgr.session.projection import Projection
from ctxmgr.session.reading import Reader
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.recovery import key_of, session_of

LONG = "".join(f"line {number} of a long output, all of it told\n" for number in range(200))
# place of the message -> what was decided of its first block
DECIDED = {2: Decision("pruned"), 5: Decision("shortened"), 10: Decision("distilled", 400)}
PLACES = {"balanced": (2, 5, 10), "turns": (2, 10), "tools": (2, 10)}  # those that the preset edits


def messages() -> list[Fields]:
    make = Messages()
    return [
        *make.turn("Read it.", LONG, path="src/a.py"),
        *make.turn("Write it.", "written", tool="write", path="src/a.py", content=LONG),
        *make.turn("And the other.", LONG, path="src/b.py"),
        make.user("And now?"),
    ]


def talk_of(preset: str, *saved: bytes, retrieve: bool = True) -> Talk:
    return Talk({"preset": preset}, capabilities={"retrieve": retrieve}, found=SnapshotLoaded(saved))


def begun(preset: str) -> Talk:
    """A session that goes on from decisions of before anything was remembered as written."""
    decisions = {key_of(messages(), at): DECIDED[at] for at in PLACES[preset]}
    state = State("s", ModelSpec("model-1", 200_000), decisions=decisions, digests=DIGESTS, epoch=Epoch(number=1))
    return talk_of(preset, journal.base(state))


def shown(talk: Talk) -> list[bytes]:
    answer = talk.context(messages(), answer="messages")
    assert answer["report"].get("reason") is None
    return [json.dumps(one).encode() for one in answer["list"]]


def preset_of(talk: Talk) -> str:
    return session_of(talk).policy.preset


def doubled(text: str) -> int:
    return len(text) // 2


def worded_otherwise(*_: Any, **__: Any) -> str:
    return "[worded otherwise]"


def weighed_otherwise(talk: Talk) -> Talk:
    """As by a release with another estimate."""
    session = session_of(talk)
    session.reader = Reader(session.fmt, doubled)
    session.weights.clear()
    session.memo.clear()
    session.projection = Projection()
    return talk


def restarted(talk: Talk) -> Talk:
    return talk_of(preset_of(talk), *talk.saved)


def restarted_and_weighed_otherwise(talk: Talk) -> Talk:
    return weighed_otherwise(restarted(talk))


def restarted_without_an_archive(talk: Talk) -> Talk:
    return talk_of(preset_of(talk), *talk.saved, retrieve=False)


def by_another_model(talk: Talk) -> Talk:
    talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": 150_000})
    return talk


BETWEEN = [restarted_and_weighed_otherwise, restarted_without_an_archive, by_another_model]


@pytest.mark.parametrize("preset", PLACES)
@pytest.mark.parametrize("between", BETWEEN, ids=lambda one: one.__name__)
def test_it_has_the_same_bytes(preset: str, between: Callable[[Talk], Talk]) -> None:
    talk = begun(preset)
    before = shown(talk)
    for at in PLACES[preset]:
        assert before[at] != json.dumps(messages()[at]).encode()
    assert shown(between(talk)) == before


@pytest.mark.parametrize("preset", PLACES)
def test_a_release_that_words_it_otherwise_does_so_only_of_what_leaves_now(
    preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = begun(preset)
    before = shown(talk)
    monkeypatch.setattr(marker, "pruned", worded_otherwise)
    monkeypatch.setattr(marker, "distilled", worded_otherwise)
    monkeypatch.setattr(rewrite, "shorten", lambda *_: {"path": "worded otherwise"})
    assert shown(restarted(talk)) == before
    for at in PLACES[preset]:
        assert b"worded otherwise" in shown(begun(preset))[at]
