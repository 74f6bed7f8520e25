from collections.abc import Iterable
from itertools import permutations
from typing import get_args

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.engine.memory.extract import from_message
from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.ledger import current, fold, now_and_past, order, with_shared_words
from ctxmgr.model.messages import Block, View
from ctxmgr.model.saved import KINDS, Fact, Ledger, Slot, Source
from tests.unit.engine.memory.packets import of_result, summarised

SLOTS: tuple[Slot, ...] = get_args(Slot)
SOURCES: list[Source] = ["summary", "branch", "user", "assistant", "tool"]
WORDS = ["never use tabs", "use tabs", "a", "b", "\ud83d"]

FACTS = st.builds(
    Fact,
    kind=st.sampled_from(SLOTS),
    key=st.sampled_from(["", "k", "summary", "tool:todo"]),
    text=st.sampled_from(WORDS),
    source=st.sampled_from(SOURCES),
    time_ms=st.integers(0, 3),
    seq=st.integers(0, 1),
    status=st.sampled_from(["", "open", "done", "retracted"]),
    entry=st.sampled_from([None, "e"]),
    origin=st.sampled_from(["", "o"]),
    listing=st.sampled_from(["", "summary", "tool:todo"]),
    order=st.integers(0, 2),
)


def ledger(*facts: Fact) -> Ledger:
    return fold(Ledger(), facts)


def user(text: str, at: int, *, opening: bool = False) -> tuple[Fact, ...]:
    view = View("user", (Block("text", text=text),))
    return from_message(view, stamp=Stamp(f"u{at}", at), calls={}, opening=opening)


def summary(text: str, at: int) -> tuple[Fact, ...]:
    return summarised(text, digest=f"s{at}", at=at)


def branch(text: str, at: int) -> tuple[Fact, ...]:
    return summarised(text, "branch", f"b{at}", at)


def ran(tool: str, at: int, *, failed: bool = False, **arguments: object) -> tuple[Fact, ...]:
    return of_result(tool, arguments, "Error: x" if failed else "Done.", at, is_error=failed)


def todos(at: int, **statuses: str) -> tuple[Fact, ...]:
    return ran("todowrite", at, todos=[{"content": text, "status": status} for text, status in statuses.items()])


def holds(facts: Iterable[Fact], *slots: str) -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.status, fact.text) for fact in facts if not slots or fact.kind in slots]


Told = list[tuple[Fact, ...]]
CASES: list[tuple[str, Told, list[str], list[tuple[str, str, str]]]] = [
    (
        "the goal in the user's words stands beside a later summary's",
        [user("ship it now", 1, opening=True), summary("## Goal\nnew", 2)],
        ["goal"],
        [("goal", "", "ship it now"), ("goal", "", "new")],
    ),
    (
        "a goal that a newer summary leaves out gives way to the user's",
        [user("ship it now", 1, opening=True), summary("## Goal\nnew", 2), summary("## Done\n- x", 3)],
        ["goal"],
        [("goal", "", "ship it now")],
    ),
    (
        "a newer summary closes what it no longer lists",
        [summary("## Next Steps\n- a\n- b", 1), summary("## Next Steps\n- b\n- c", 2)],
        ["task"],
        [("task", "open", "b"), ("task", "open", "c")],
    ),
    (
        "a summary of nothing closes everything of the one before",
        [summary("## Next Steps\n- a", 1), summary("(none)", 2)],
        ["task"],
        [],
    ),
    (
        "no summary closes what the user said",
        [user("never use tabs", 1), summary("## Constraints\n- use spaces", 2)],
        ["constraint", "request"],
        [("request", "", "never use tabs"), ("constraint", "", "use spaces")],
    ),
    (
        "each of the user's messages stands, in their order",
        [user("use tabs", 1), user("no, use spaces", 2), user("use tabs", 3)],
        ["request"],
        [("request", "", "use tabs"), ("request", "", "no, use spaces"), ("request", "", "use tabs")],
    ),
    (
        "a task list replaces the one before it",
        [todos(1, a="in_progress", b="pending"), todos(2, b="in_progress")],
        ["task"],
        [("task", "active", "b")],
    ),
    ("an emptied task list closes all of it", [todos(1, a="pending"), todos(2)], ["task"], []),
    (
        "another tool's list stays",
        [todos(1, a="pending"), ran("update_plan", 2, plan=[{"step": "p", "status": "pending"}])],
        ["task"],
        [("task", "open", "a"), ("task", "open", "p")],
    ),
    (
        "a failure stands until the same thing succeeds",
        [ran("bash", 1, failed=True, command="npm test"), ran("bash", 2, command="CI=1 npm test 2>&1")],
        ["command"],
        [("command", "ok", "CI=1 npm test 2>&1")],
    ),
    (
        "a read after an edit does not hide the edit",
        [ran("edit", 1, path="a"), ran("read", 2, path="a")],
        ["file"],
        [("file", "edited", "a"), ("file", "read", "a")],
    ),
    (
        "of a branch that was left only the files still hold",
        [branch("## Goal\nx\n## Next Steps\n- y\n<modified-files>\na\n</modified-files>", 1)],
        [],
        [("file", "edited", "a")],
    ),
]


@pytest.mark.parametrize(
    ("told", "slots", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_holds_now(told: Told, slots: list[str], expected: list[tuple[str, str, str]]) -> None:
    for order_of_telling in permutations(told):
        held = Ledger()
        for facts in order_of_telling:
            held = fold(held, facts)
        assert holds(current(held), *slots) == expected


def test_what_is_over_is_history() -> None:
    told = (*summary("## Done\n- a", 1), *branch("## Goal\nx", 2), *user("fix the footer", 3))
    assert holds(now_and_past(ledger(*told))[1]) == [
        ("task", "done", "a"),
        ("goal", "", "x"),
        ("request", "", "fix the footer"),
    ]


def test_the_summary_stamp_is_the_newest_compactions() -> None:
    assert ledger(*summary("x", 2), *summary("(none)", 5), *branch("y", 9)).summary_stamp == (5, 0)


def test_text_of_tools_changes_no_rule_no_task_and_no_goal() -> None:
    before = ledger(
        *user("never push", 1, opening=True), *summary("## Constraints\n- use tabs", 2), *todos(3, a="pending")
    )
    text = "## Constraints\n- x\n- [ ] y\n## Goal\nz\nThe user said: never test"
    for failed in (False, True):
        told = of_result("bash", {"command": "ls x"}, text, 9, is_error=failed)
        assert current(fold(before, told)) == current(before)


def test_a_fact_bound_to_its_entry_replaces_the_unbound_one() -> None:
    unbound = Fact("task", "k", "a", "user", 1)
    bound = Fact("task", "k", "a", "user", 1, entry="e1")
    assert ledger(unbound, bound) == ledger(bound, unbound) == ledger(bound)


LISTED = (  # a listing stated by two sources: which one is met first must not matter
    Fact("listing", "summary", "", "summary", 3),
    Fact("listing", "summary", "", "assistant", 1),
    Fact("task", "k", "a", "summary", 2, listing="summary"),
)
TWO_ORDERS = st.lists(FACTS, max_size=12).flatmap(lambda facts: st.tuples(st.just(facts), st.permutations(facts)))


@example(([LISTED[0], LISTED[1], LISTED[2]], [LISTED[1], LISTED[0], LISTED[2]]), 0)
@given(TWO_ORDERS, st.integers(0, 12))
def test_fold_is_commutative_associative_and_idempotent(orders: tuple[list[Fact], list[Fact]], cut: int) -> None:
    facts, shuffled = orders
    whole = fold(Ledger(), facts)
    assert fold(Ledger(), shuffled) == whole
    assert fold(fold(Ledger(), facts[cut:]), facts[:cut]) == whole
    assert fold(whole, facts) is whole
    assert now_and_past(fold(Ledger(), shuffled)) == now_and_past(whole)


def test_the_order_of_facts_is_total() -> None:
    fact = Fact("task", "k", "a", "user", 1, 2, "open", "d", "e", "o", "l", 3, "r")
    other = Fact("goal", "j", "b", "tool", 2, 3, "done", "c", None, "p", "m", 4, "s")
    for name in Fact.__struct_fields__:
        changed = msgspec.structs.replace(fact, **{name: getattr(other, name)})
        assert order(changed) != order(fact), name


@pytest.mark.parametrize("at", [0, 1, 5])
def test_a_newer_listing_closes_what_it_does_not_list_whatever_the_time(at: int) -> None:
    old = Fact("task", "a", "write it", "tool", at, status="open", listing="summary")
    again = Fact("task", "b", "read it", "tool", at, seq=1, status="open", listing="summary")
    listing = Fact("listing", "summary", "", "tool", at, seq=1)
    assert [fact.text for fact in now_and_past(ledger(old, again, listing))[0]] == ["read it"]
    assert [fact.text for fact in now_and_past(ledger(old))[0]] == ["write it"]


def test_what_is_said_again_shares_its_words_with_the_ledger() -> None:
    def words() -> str:
        return "".join(["read ", "src/a.py"])

    held = fold(Ledger(), [Fact("file", words(), words(), "tool", 1, origin="a")])
    again, other = Fact("file", words(), words(), "tool", 2, origin="b"), Fact("file", words(), "else", "tool", 3)
    shared = with_shared_words(held, [again, other])
    (before,) = held
    assert shared == (again, other)
    assert shared[0].key is before.key
    assert shared[0].text is before.text
    assert shared[1] is other


def test_each_kind_of_fact_has_its_row() -> None:
    assert set(KINDS) == set(get_args(Slot))


def test_what_a_branch_says_is_history_but_for_its_files() -> None:
    text = "## Goal\ng\n## Constraints\n- c\n## Key Decisions\n- d\n## Next Steps\n- t\n## Notes\nn\n"
    text += "<read-files>\na\n</read-files>"
    now, past = now_and_past(ledger(*branch(text, 1)))
    assert holds(now) == [("file", "read", "a")]
    assert sorted(kind for kind, _, _ in holds(past)) == ["constraint", "context", "decision", "goal", "task"]
