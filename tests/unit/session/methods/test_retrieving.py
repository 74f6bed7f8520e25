"""What left is retrieved page by page, or refused with a sentence."""

import msgspec
import pytest

from ctxmgr.engine.rewriting.handles import handle
from ctxmgr.model.epochs import ArchiveAnswer
from ctxmgr.server.effects import SnapshotLoaded
from ctxmgr.session.methods.archiving import PAGE_CHARACTERS
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.methods.archived import context, error, failing, page, ready
from tests.unit.session.recovery import CALL, RETRIEVE, leaving, row, session_of

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
