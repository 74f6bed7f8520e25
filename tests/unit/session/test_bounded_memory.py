"""What a session keeps ready of its messages does not grow with all that it ever heard."""

from ctxmgr.engine.memory import fold
from ctxmgr.model import Message, View
from ctxmgr.model.saved import Fact, State
from ctxmgr.model.saved.state import ModelSpec
from ctxmgr.session.ledger_updates import FACTS_BETWEEN_LOOKS, SourceMessages, learn, ledger
from ctxmgr.session.projection import ENTRIES_A_MESSAGE, SLACK_ENTRIES, ListMemo


def test_it_stays_while_the_list_grows() -> None:
    memo, count = ListMemo(), 0
    for new in range(1, 100):
        memo["fact", new] = new
        count += new
        memo.keep_for(count, new)
    assert len(memo) == 99


def test_it_is_begun_anew_where_most_have_left_or_too_much_is_kept() -> None:
    memo = ListMemo(fact=1)
    memo.keep_for(100, 100)
    memo.keep_for(100, 200)
    assert memo == {"fact": 1}
    memo.keep_for(100, 1)
    assert memo == {}
    memo |= dict.fromkeys(range(SLACK_ENTRIES + ENTRIES_A_MESSAGE))
    memo.keep_for(1, 0)
    assert memo
    memo["more"] = 1
    memo.keep_for(1, 0)
    assert memo == {}


def said(digest: str, at: int | None) -> Message:
    return Message(b"", digest, View("user", time_ms=at), (), 0)


def test_a_message_is_known_by_what_it_says_and_when() -> None:
    facts = tuple(Fact("file", "read\na.py", "a.py", "tool", at, origin="a") for at in (5, 5, 6))
    heard = SourceMessages(State("s", ModelSpec("m", 200_000), facts=facts))
    assert [said("a", at) in heard for at in (5, 6, 7, None)] == [True, True, False, True]
    assert said("b", None) not in heard
    heard.add(said("b", None), said("c", 1))
    assert [said(one, 1) in heard for one in "abc"] == [False, False, True]
    assert said("b", None) in heard
    more = heard.having(said("a", 7))
    assert (said("a", 7) in more, said("a", 5) in more, said("a", 7) in heard) == (True, True, False)


def read_of(path: int, at: int, entry: str | None = None) -> Fact:
    return Fact("file", f"read\n{path}.py", f"{path}.py", "tool", at, entry=entry)


def test_older_versions_of_what_is_known_leave_where_no_entries_are_named() -> None:
    named = tuple(read_of(at, at, "e1") for at in range(3))
    state = State("s", ModelSpec("m", 200_000), facts=named)
    sizes = []
    for at in range(10 * FACTS_BETWEEN_LOOKS):
        before = ledger(state)
        facts = (read_of(at % 40, at),)
        state = learn(state, facts, bound=True)
        sizes.append(len(state.facts))
        if at % 100 == 0:
            assert ledger(state) == fold(before, facts)
    assert max(sizes) < 2 * FACTS_BETWEEN_LOOKS
    assert state.facts[:3] == named
    assert {fact.time_ms for fact in state.facts} > set(
        range(10 * FACTS_BETWEEN_LOOKS - 40, 10 * FACTS_BETWEEN_LOOKS)
    )


def test_they_stay_where_a_host_may_go_back_to_them() -> None:
    state = State("s", ModelSpec("m", 200_000))
    facts = tuple(read_of(at % 40, at, f"e{at}") for at in range(2 * FACTS_BETWEEN_LOOKS))
    assert learn(state, facts, bound=True).facts == facts
