"""`pin`, `unpin` and `undo`: what they change, when they open an epoch, and what they outlive."""

import json
from typing import Any

import pytest

from ctxmgr.model.epochs import Pin
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.recovery import after_an_epoch, key_of, session_of

LONG = "a line of a long output\n" * 200


def two_reads() -> list[Fields]:
    """Results at 2 (a.py) and 6 (b.py)."""
    make = Messages()
    return [
        *make.turn("Read it.", LONG, path="src/a.py"),
        *make.turn("And the other.", LONG, path="src/b.py"),
        make.user("And now?"),
    ]


def epoch_of_both(**more: Any) -> Talk:
    """Epoch 1 pruned the first result; the list has been shown since."""
    talk = Talk({"preset": "tools"}, found=after_an_epoch(two_reads(), [2], **more))
    talk.context(two_reads())
    return talk


def pin(talk: Talk, **by: Any) -> int:
    count: int = talk.call("pin", sessionId="s", **by)["status"]["pins"]
    return count


def state(talk: Talk) -> Any:
    return session_of(talk).state


OPENS: list[tuple[str, Fields, bool]] = [
    ("its path", {"path": "a.py"}, True),
    ("its call", {"callId": "c1"}, True),
    ("its tool", {"tool": "read"}, True),
    ("its digest", {"digest": ""}, True),
    ("what did not leave", {"path": "b.py"}, False),
    ("what is not there", {"callId": "c9"}, False),
]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize(("by", "opens"), [pytest.param(*one[1:], id=one[0]) for one in OPENS])
def test_an_epoch_opens_only_where_something_comes_back(by: Fields, opens: bool, restarted: bool) -> None:
    talk = Talk({"preset": "balanced"}, found=after_an_epoch(two_reads(), [2]))
    if not restarted:
        talk.context(two_reads())
    if "digest" in by:
        by = {"digest": key_of(two_reads(), 2)}
    pin(talk, **by)
    answer = talk.context(two_reads())
    assert answer["report"]["epoch"] == (2 if opens else 1)
    assert json.dumps(answer["list"]).count(json.dumps(LONG)[1:-1]) == (2 if opens else 1)
    talk.call("unpin", sessionId="s", **by)
    assert talk.context(two_reads())["report"]["epoch"] == (2 if opens else 1), "taking it off opens none"


def test_pins_keep_their_order_each_once() -> None:
    talk = Talk()
    pins: list[Fields] = [{"path": "*.md"}, {"path": "*.txt"}, {"path": "*.md"}, {"callId": "c1"}]
    assert [pin(talk, **by) for by in pins] == [1, 2, 2, 3]
    assert state(talk).pins == (Pin("path", "*.md"), Pin("path", "*.txt"), Pin("callId", "c1"))
    for _ in range(2):
        assert talk.call("unpin", sessionId="s", path="*.txt")["status"]["pins"] == 2
    assert state(talk).pins == (Pin("path", "*.md"), Pin("callId", "c1"))


def test_an_epoch_is_undone_once() -> None:
    talk = epoch_of_both()
    for _ in range(2):
        talk.call("undo", sessionId="s", epoch=1)
        assert state(talk).pins == (Pin("digest", key_of(two_reads(), 2)),)
        saved = len(talk.saved)
    talk.call("undo", sessionId="s", epoch=1)
    assert len(talk.saved) == saved, "nothing has changed"


def test_what_a_receipt_does_not_list_is_said() -> None:
    talk = epoch_of_both(omitted=3)
    talk.call("undo", sessionId="s", epoch=1)
    assert talk.status()["notes"][0] == "undo of epoch 1: 3 things are not in its receipt and stay removed"
