"""`pin`, `unpin` and `undo`: what they change, when they open an epoch, and what they outlive."""

import json
from typing import Any

import msgspec
import pytest

from ctxmgr.model.epochs import EvictedItem, Pin
from ctxmgr.model.projection import Decision
from ctxmgr.server.effects import SnapshotLoaded
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


# pin and unpin


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
    """Also where no list was shown since a restart: the next one tells."""
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


# undo


def test_an_epoch_is_undone_once() -> None:
    talk = epoch_of_both()
    for _ in range(2):
        talk.call("undo", sessionId="s", epoch=1)
        assert state(talk).pins == (Pin("digest", key_of(two_reads(), 2)),)
        saved = len(talk.saved)
    talk.call("undo", sessionId="s", epoch=1)
    assert len(talk.saved) == saved, "nothing has changed"


@pytest.mark.parametrize("epoch", [0, 2, 1.5, 10**9])
def test_an_epoch_without_a_receipt_is_refused(epoch: float) -> None:
    talk = epoch_of_both()
    assert talk.refused("undo", sessionId="s", epoch=epoch) == (-32602, "$.epoch")
    assert state(talk).decisions


def test_what_a_receipt_does_not_list_is_said() -> None:
    talk = epoch_of_both(omitted=3)
    talk.call("undo", sessionId="s", epoch=1)
    assert talk.status()["notes"][0] == "undo of epoch 1: 3 things are not in its receipt and stay removed"


# what they outlive


def test_pins_outlive_a_compaction_a_move_and_a_restart() -> None:
    talk = Talk(found=after_an_epoch(two_reads(), [2]))
    pin(talk, path="a.py")
    talk.call("undo", sessionId="s", epoch=1)
    pins = state(talk).pins
    entry = {"id": "e9", "summary": "## Goal\nGo on", "firstKeptEntryId": "e1", "tokensBefore": 5}
    talk.call("session_compact", sessionId="s", compactionEntry=entry)
    talk.call("session_tree", sessionId="s", newLeafId="e1", oldLeafId="e9")
    assert state(talk).pins == pins
    again = Talk(found=SnapshotLoaded(tuple(talk.saved)))
    assert state(again).pins == pins
    assert state(again).receipts == state(talk).receipts
    assert again.status()["pins"] == 2
    assert state(again) == state(talk)


def test_another_reason_to_open_stays() -> None:
    talk = epoch_of_both(reopen="compaction")
    session_of(talk).state = msgspec.structs.replace(state(talk), reopen="compaction")
    pin(talk, path="a.py")
    assert state(talk).reopen == "compaction"
    talk.call("undo", sessionId="s", epoch=1)
    assert state(talk).reopen == "compaction"


def test_undo_of_a_message_that_left_by_the_key_of_any_of_its_blocks() -> None:
    talk = epoch_of_both()
    receipt = state(talk).receipts[0]
    left = EvictedItem("0123456789abcdef#1/2", "dropped", "edit", "older turn", 9, 0)
    fields: Fields = {
        "receipts": (msgspec.structs.replace(receipt, evicted=(left,)),),
        "decisions": {key: Decision("dropped") for key in ("0123456789abcdef#1", "0123456789abcdef")},
    }
    session_of(talk).state = msgspec.structs.replace(state(talk), **fields)
    talk.call("undo", sessionId="s", epoch=1)
    assert list(state(talk).decisions) == ["0123456789abcdef"], "the second of two that are the same"
    assert state(talk).pins == (Pin("digest", "0123456789abcdef"),)
