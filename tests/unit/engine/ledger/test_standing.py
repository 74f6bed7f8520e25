"""What the assistant decided and found holds until it says it anew."""

from itertools import permutations

from ctxmgr.engine.ledger.fold import current, fold
from ctxmgr.model.saved.facts import Fact, Ledger


def test_of_what_the_assistant_decided_the_newest_holds_that_says_it() -> None:
    first = Fact("decision", "a", "Use `deque` instead of `list` for it.", "assistant", 1)
    turned = Fact("decision", "b", "Use `list` instead of `deque` for it.", "assistant", 2)
    users = Fact("decision", "c", "Use `deque` instead of `list` for it!", "user", 0)
    for some in permutations((first, turned, users)):
        assert set(current(fold(Ledger(), some))) == {turned, users}
