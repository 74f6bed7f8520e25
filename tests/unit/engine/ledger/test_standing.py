"""What the assistant decided and found holds until it says it anew."""

from itertools import permutations

from ctxmgr.engine.ledger.fold import current, fold, now_and_past
from ctxmgr.model.saved.facts import Fact, Ledger


def test_of_what_the_assistant_decided_the_newest_holds_that_says_it() -> None:
    first = Fact("decision", "a", "Use `deque` instead of `list` for it.", "assistant", 1)
    turned = Fact("decision", "b", "Use `list` instead of `deque` for it.", "assistant", 2)
    users = Fact("decision", "c", "Use `deque` instead of `list` for it!", "user", 0)
    for some in permutations((first, turned, users)):
        assert set(current(fold(Ledger(), some))) == {turned, users}


def test_a_summary_does_not_bring_back_a_file_that_a_tool_deleted() -> None:
    gone = Fact("file", "changed\na.ts", "a.ts", "tool", 1, status="deleted")
    listed = Fact("file", "changed\na.ts", "a.ts", "summary", 2, status="edited")
    anew = Fact("file", "changed\na.ts", "a.ts", "tool", 3, status="written")
    for some in permutations((gone, listed)):
        assert current(fold(Ledger(), some)) == (gone,)
    for some in permutations((gone, listed, anew)):
        assert current(fold(Ledger(), some)) == (anew,)


def test_what_holds_is_worked_out_once_of_a_ledger() -> None:
    ledger = fold(Ledger(), [Fact("decision", "a", "Use `deque` for it.", "assistant", 1)])
    held = now_and_past(ledger)
    assert now_and_past(ledger) is held
    assert now_and_past(fold(ledger, [Fact("decision", "b", "Use `list` there.", "assistant", 2)])) != held
