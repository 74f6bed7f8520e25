"""Preset `balanced` over whole sessions: epochs announced, bytes kept between them, and through restarts."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxmgr.model.prices import LIFETIME_MS
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.context.epochs import WINDOW, extends, prune, sent, step, steps, talk_of


def begun(count: int = 24, **policy: Any) -> tuple[Talk, Messages, list[Fields], Fields]:
    """A session in which `prune` has opened epoch 1 over so many steps."""
    make, talk = Messages(), talk_of(**policy)
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, count)]
    talk.context(messages)
    talk.call("prune", sessionId="s")
    answer = talk.context(messages, answer="messages")
    assert answer["report"]["epoch"] == 1
    return talk, make, messages, answer


def policy(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("setPolicy", sessionId="s", policy={"keep": 200})
    return {}


def model(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": WINDOW})
    return {}


def compaction(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    entry = {"id": "k", "summary": "## Goal\nPort the parser.\n"}
    talk.call("session_compact", sessionId="s", compactionEntry=entry)
    return {}


def tree(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("session_tree", sessionId="s", newLeafId="e2", oldLeafId="e1")
    return {}


def pin(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("pin", sessionId="s", path="src/mod_0.py")
    return {}


def undo(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("undo", sessionId="s", epoch=1)
    return {}


def cold(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    return {"at": 10**6 + LIFETIME_MS + 1}


def nothing(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    return {"at": 10**6 + LIFETIME_MS}


Act = Callable[[Talk, Messages, list[Fields]], Fields]
ACTS: list[tuple[str, Act, bool]] = [
    ("forced", prune, True),
    ("policy", policy, True),
    ("model", model, True),
    ("compaction", compaction, True),
    ("tree", tree, True),
    ("pin", pin, True),
    ("undo", undo, True),
    ("cold", cold, True),
    ("price", nothing, False),
]


def acted(act: Act, restart: bool, more: int = 2) -> tuple[Fields, list[Fields], Fields, Talk]:
    """The answer before, what is new, and the answer after."""
    talk, make, messages, before = begun()
    new = steps(make, more, start=40)
    before = talk.context(messages, answer="messages", at=10**6)
    params = act(talk, make, messages)
    if restart:
        talk = talk_of(talk.saved)
    return before, new, talk.context([*messages, *new], answer="messages", **params), talk


@pytest.mark.parametrize(("opening", "act", "opens"), ACTS, ids=[row[0] for row in ACTS])
def test_a_restart_changes_no_byte(opening: str, act: Act, opens: bool) -> None:
    """But after an undo, a move or a compaction: the snapshot does not hold what was decided before, so that the
    epoch may break the prefix at another place. It is announced all the same."""
    for more in (0, 1, 2):
        going = acted(act, False, more)[2]
        before, new, restarted, _ = acted(act, True, more)
        announced = restarted["report"]["epoch"] > before["report"]["epoch"]
        assert announced or extends(restarted, before, new)
        assert restarted["report"]["checks"] == []
        if opening in ("undo", "tree", "compaction"):
            assert restarted["report"]["epoch"] >= going["report"]["epoch"]
        else:
            assert sent(restarted) == sent(going)
            assert restarted["report"]["epoch"] == going["report"]["epoch"]


def test_pruning_off_sends_the_list_as_it_came_and_on_again_as_it_was_decided() -> None:
    talk, make, messages, before = begun()
    talk.call("setPruning", sessionId="s", enabled=False)
    new = step(make, 50)
    off = talk.context([*messages, *new], answer="messages")
    assert "reason" not in off["report"]
    assert off["report"]["checks"] == []
    assert off["list"] == [*messages, *new]
    again = talk.context([*messages, *new], answer="messages")
    assert again["list"] == off["list"]
    talk.call("setPruning", sessionId="s", enabled=True)
    restarted = talk_of(talk.saved)
    on = talk.context([*messages, *new], answer="messages")
    assert on["report"]["checks"] == []
    assert "reason" not in on["report"]
    assert extends(on, before, new)
    assert sent(restarted.context([*messages, *new], answer="messages")) == sent(on)
