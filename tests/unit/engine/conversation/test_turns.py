"""Turns: where they start, what belongs together, and that an index grows as if it were made at once."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import TURNS
from ctxmgr.model.messages import Message
from tests.conversations import any_list, pairs
from tests.notation import Said, a, call, indexed, note, r, sh, summary, talk, u

READ = call("read", path="x")

# name, conversation, (start, end) of each turn, headless first turn?
TABLE: list[tuple[str, list[Said], list[tuple[int, int]], bool]] = [
    ("nothing", [], [], False),
    ("results too", [u("go"), a(READ), r("x"), a("ok"), u("more"), a("ok")], [(0, 4), (4, 6)], False),
    ("two user messages in a row", [u("go"), u("stop")], [(0, 1), (1, 2)], False),
    ("the user's own bash run opens none", [u("go"), sh("ls", "x"), a("ok")], [(0, 3)], False),
    ("nor does a note", [u("go"), note("n"), a("ok")], [(0, 3)], False),
    ("without a user message", [a(READ), r("x"), a("ok")], [(0, 3)], True),
    ("after a split compaction", [summary("s"), a("ok"), u("go")], [(0, 2), (2, 3)], True),
    ("a summary alone", [summary("s"), u("go")], [(0, 1), (1, 2)], True),
]


def test_where_turns_start() -> None:
    for name, said, spans, headless in TABLE:
        index = indexed(talk(*said))
        assert [(turn.start, turn.end) for turn in index.turns] == spans, name
        assert [turn.headless for turn in index.turns] == [headless, *[False] * (len(spans) - 1)][: len(spans)]


# name, conversation, result (index, block) -> index of its call, may the kept part start here (by turn)?
PAIRS: list[tuple[str, list[Said], dict[tuple[int, int], int], list[bool]]] = [
    ("a result follows its call", [u("go"), a(READ), r("x"), u("go")], {(2, 0): 1}, [True, True]),
    ("a result without a call", [u("go"), r("x", "c9"), u("go")], {}, [True, True]),
    ("a call without a result", [u("go"), a(READ), u("go")], {}, [True, True]),
    ("a result after the next user message", [u("go"), a(READ), u("hey"), r("x")], {(3, 0): 1}, [True, False]),
    (
        "and after the one after that",
        [u("go"), a(READ), u("hey"), u("ho"), r("x"), u("go")],
        {(4, 0): 1},
        [True, False, False, True],
    ),
    (
        "an id used again once the first call was given up",
        [u("go"), a(call("read", "x1")), u("stop"), a("ok"), u("go"), a(call("read", "x1")), r("x", "x1")],
        {(6, 0): 5},
        [True, True, True],
    ),
    ("a result before its call answers nothing", [u("go"), r("x", "c1"), a(READ)], {}, [True]),
]


def test_what_belongs_together() -> None:
    for name, said, known, cuts in PAIRS:
        index = indexed(talk(*said))
        assert {(ref.message_index, ref.block_index): at for ref, at in index.pairs.items()} == known, name
        assert [turn.separable for turn in index.turns] == cuts, name


def test_a_call_is_not_looked_for_behind_many_others() -> None:
    said = [a(call("read", f"x{number % 300}")) for number in range(600)]
    assert not indexed(talk(u("go"), *said)).tied
    assert indexed(talk(u("go"), *said[:100], *said[:100])).tied


def test_the_newest_turns_moved_back_to_where_a_cut_is_allowed() -> None:
    said = [u("1"), u("2"), a(READ), u("3"), r("x"), u("4"), u("5")]
    index = indexed(talk(*said))
    assert [TURNS.cut_at(index, number) for number in range(5)] == [0, 1, 1, 3, 4]
    assert TURNS.cut_at(indexed(talk(u("1"), a(READ), u("2"), r("x"))), 1) == 0


@given(any_list)
def test_pairs_and_cuts_are_what_a_slow_search_finds(messages: tuple[Message, ...]) -> None:
    index, known = indexed(messages), pairs(messages)
    assert {(ref.message_index, ref.block_index): at for ref, at in index.pairs.items()} == known
    halves = [(at, asked) for (at, _), asked in known.items()]
    halves += [(at, earlier) for at, others in index.tied.items() for earlier in others]
    for turn in index.turns:
        assert turn.separable == (not any(earlier < turn.start <= at for at, earlier in halves))


@given(any_list, st.lists(st.integers(0, 24), max_size=4))
def test_an_index_extended_is_the_index_made_at_once(messages: tuple[Message, ...], splits: list[int]) -> None:
    index = ConversationIndex()
    for split in sorted(splits):
        index = extend(index, messages[: min(split, len(messages))])
        assert index.size == min(split, len(messages))
    assert extend(index, messages) == indexed(messages)
