"""What of a list does not compete to stay when an epoch begins."""

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.protection import Protection, UserTexts
from ctxmgr.model import Policy
from tests.notation import a, call, indexed, r, talk, u

RUN, READ = call("bash", command="make"), call("Read", path="a.py")


def test_protected_tools_by_name_in_any_case() -> None:
    messages = talk(u("go"), a(RUN), r("made"), a(READ), r("text"))
    index = indexed(messages)
    protection = Protection(index, Policy(protected_tools=("read",)))
    assert protection.calling() == {3} == protection.messages()
    assert protection.results() == {BlockRef(4, 0)} == protection.blocks()
    assert [ref for ref in index.pairs if protection.is_of_tool(ref)] == [BlockRef(4, 0)]
    bare = Protection(index, Policy(protected_tools=()))
    assert bare.calling() == frozenset() == bare.results()
    assert not any(bare.is_of_tool(ref) for ref in index.pairs)


def test_pins_hold_messages_and_their_results() -> None:
    index = indexed(talk(u("go"), a(RUN), r("made"), a(READ), r("text")))
    protection = Protection(index, Policy(protected_tools=()), lambda: frozenset({1, 2}))
    assert protection.messages() == {1, 2}
    assert protection.blocks() == {BlockRef(2, 0)}
    assert protection.unpinned().messages() == frozenset() == protection.unpinned().blocks()


# name, share in tokens, held, what leaves of 10, 40, 20 and 30 tokens
SHARES: list[tuple[str, float, set[int], set[int]]] = [
    ("all fit", 100, set(), set()),
    ("the longest", 90, set(), {1}),
    ("the longest, then the next", 45, set(), {1, 2}),
    ("not what is held", 90, {1}, {2}),
    ("never the newest", 0, set(), {0, 1, 2}),
    ("what is held makes up for nothing", 75, {1}, {2, 0}),
]


def test_what_users_said() -> None:
    for name, share, held, leaves in SHARES:
        messages = talk(*(u("x" * 4 * tokens) for tokens in (10, 40, 20, 30)))
        conversation = indexed(messages)
        for first in range(4):  # whether they came together or not
            texts = UserTexts().having(conversation, range(first)).having(conversation, range(first, 4))
            over = conversation.raw_weight - share
            assert texts.leaving(conversation, over, held | STEPS.must_stay(conversation)) == leaves, name


def test_what_was_dropped_takes_no_budget_in_place() -> None:
    rules = u("<system-reminder>\nContents of /app/CLAUDE.md:\n\nNever push.\n</system-reminder>")
    protection = Protection(indexed(talk(u("go"), a("yes"), rules, a("so"))), Policy(), share_tokens=1_000)
    assert protection.in_place(()).instructions > 0
    assert protection.in_place({2}).instructions == 0
