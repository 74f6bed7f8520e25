"""What the assistant decided and found holds until it says it anew."""

from itertools import permutations

from ctxmgr.engine.ledger.fold import current, fold, now_and_past
from ctxmgr.model.saved.facts import EARLIER, Fact, Ledger


def test_of_what_the_assistant_decided_the_newest_holds_that_says_it() -> None:
    first = Fact("decision", "a", "Use `deque` instead of `list` for it.", "assistant", 1)
    turned = Fact("decision", "b", "Use `list` instead of `deque` for it.", "assistant", 2)
    users = Fact("decision", "c", "Use `deque` instead of `list` for it!", "user", 0)
    for some in permutations((first, turned, users)):
        assert set(current(fold(Ledger(), some))) == {turned, users}


def test_what_the_user_says_closes_what_the_assistant_chose_and_never_the_other_way_round() -> None:
    chose = Fact("decision", "a", "I'll use Redis for the cache.", "assistant", 1)
    rule = Fact("constraint", "b", "No, don't use Redis.", "user", 2, detail="correction")
    said = Fact("decision", "c", "Use Redis for the cache", "user", 1)
    left = Fact("decision", "d", "We moved from Redis to Memcached.", "assistant", 3)
    assert set(current(fold(Ledger(), (chose, rule)))) == {rule}
    assert set(current(fold(Ledger(), (said, left)))) == {said, left}


def test_what_may_be_over_is_told_as_earlier() -> None:
    chose = Fact("decision", "a", "I'll use Redis for the cache.", "assistant", 1)
    turned = Fact("decision", "b", "So I've switched to Memcached.", "assistant", 2)
    held = {fact.key: fact.status for fact in current(fold(Ledger(), (chose, turned)))}
    assert held == {"a": EARLIER, "b": ""}


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
