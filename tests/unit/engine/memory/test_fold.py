from collections.abc import Iterable
from itertools import permutations
from typing import get_args

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.engine.memory.extract import from_message
from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.ledger import current, fold, now_and_past, order
from ctxmgr.model.messages import Block, View
from ctxmgr.model.saved import Fact, Ledger, Slot, Source
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
]


def test_what_holds_now() -> None:
    for name, told, slots, expected in CASES:
        for order_of_telling in permutations(told):
            held = Ledger()
            for facts in order_of_telling:
                held = fold(held, facts)
            assert holds(current(held), *slots) == expected, name


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


def test_what_a_branch_says_is_history_but_for_its_files() -> None:
    text = "## Goal\ng\n## Constraints\n- c\n## Key Decisions\n- d\n## Next Steps\n- t\n## Notes\nn\n"
    text += "<read-files>\na\n</read-files>"
    now, past = now_and_past(ledger(*branch(text, 1)))
    assert holds(now) == [("file", "read", "a")]
    assert sorted(kind for kind, _, _ in holds(past)) == ["constraint", "context", "decision", "goal", "task"]


def test_the_summary_stamp_is_the_newest_compactions() -> None:
    assert ledger(*summary("x", 2), *summary("(none)", 5), *branch("y", 9)).summary_stamp == (5, 0)
