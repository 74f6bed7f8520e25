"""Receipts: what left between two plans, and nothing else."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.retention.layout import Layout, lay_out
from ctxmgr.engine.retention.receipts import (
    LISTED,
    Original,
    changed,
    evicted_paths,
    originals,
    projected_weights,
    receipt,
    sentence,
)
from ctxmgr.model.epochs import EvictedItem, Receipt
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import BlockEdit, Decision, Keep, Packet, Plan
from tests.notation import a, call, indexed, r, raws, read, sh, talk, u
from tests.unit.engine.projections import sent
from tests.unit.engine.stepwise import any_list, code, terms

RUN = call("bash", command="make")
WRITE = call("write", path="a.py", content=code(1, 60))
LIST = (u("go"), a("so", RUN), r(code(1)), a(WRITE), r("ok"), sh("ls", "x"), a("done"))


def plan_of(messages: tuple[Message, ...], decisions: dict[tuple[int, int], Decision], place: int = -1) -> Plan:
    index = indexed(messages)
    keyed = {index.block_key(BlockRef(*at)): one for at, one in decisions.items()}
    by = terms(messages)
    stands = Packet("[ctxmgr packet]\nfacts", 6) if place >= 0 else Packet("", 0)
    return lay_out(index, "green", Layout(keyed, stands, place, by.layout.rewrite, by.layout.shorten, STEPS))


GONE, PRUNED, SHORT = Decision("dropped"), Decision("pruned"), Decision("shortened")
Decided = dict[tuple[int, int], Decision]
# name, decisions before and after, what left: (index, block or -1 for the message, kind, what it was)
LEFT: list[tuple[str, Decided, Decided, list[tuple[int, int, str, str]]]] = [
    ("nothing", {}, {}, []),
    ("what is gone already", {(1, 0): GONE, (2, 0): GONE}, {(1, 0): GONE, (2, 0): GONE}, []),
    (
        "a step, each block of it",
        {},
        {(1, 0): GONE, (2, 0): GONE},
        [
            (1, -1, "dropped", "assistant text"),
            (1, -1, "dropped", 'bash command="make"'),
            (2, -1, "dropped", 'bash command="make"'),
        ],
    ),
    ("a result", {}, {(2, 0): PRUNED}, [(2, 0, "pruned", 'bash command="make"')]),
    ("pruned already", {(2, 0): PRUNED}, {(2, 0): PRUNED}, []),
    (
        "distilled before",
        {(2, 0): Decision("distilled", 100)},
        {(2, 0): PRUNED},
        [(2, 0, "pruned", 'bash command="make"')],
    ),
    ("arguments", {}, {(3, 0): SHORT}, [(3, 0, "shortened", 'write path="a.py"')]),
    ("what comes back did not leave", {(2, 0): PRUNED}, {}, []),
    ("the user's shell run", {}, {(5, 0): GONE}, [(5, -1, "dropped", 'shell command="ls"')]),
]


@pytest.mark.parametrize(("name", "before", "after", "expected"), LEFT, ids=[row[0] for row in LEFT])
def test_what_left(name: str, before: Decided, after: Decided, expected: list[tuple[int, int, str, str]]) -> None:
    messages = talk(*LIST)
    index = indexed(messages)
    found = originals(index, plan_of(messages, before), plan_of(messages, after), "h:{}".format)
    told = [
        (one.ref.message_index, -1 if one.kind == "dropped" else one.ref.block_index, one.kind, one.call_text)
        for one in found
    ]
    assert told == expected
    for one in found:
        assert one.key == index.block_key(one.ref)
        assert one.text == index.block(one.ref).text
        assert one.before_tokens == index.block_weight(one.ref)
        assert one.handle == f"h:{one.key}"
        assert one.after_tokens == 0 if one.kind == "dropped" else 0 < one.after_tokens < one.before_tokens


def test_what_left_is_as_large_as_it_was_shown_and_has_text() -> None:
    messages = talk(u("go"), a("", RUN), r(code(1)), a("done"))
    step = {(1, 0): GONE, (2, 0): GONE}
    before = plan_of(messages, {(2, 0): Decision("distilled", 100)})
    found = originals(indexed(messages), before, plan_of(messages, step), lambda key: "")
    (edit,) = (piece for piece in before.pieces if isinstance(piece, BlockEdit))
    assert [one.ref for one in found] == [BlockRef(1, 1), BlockRef(2, 0)]
    assert found[1].before_tokens == edit.after_tokens < indexed(messages).block_weight(BlockRef(2, 0))


def test_files_of_which_a_read_left() -> None:
    """With a message all its reads, else that of the result; what was run or written is none."""
    names = ("a", "b", "c", "d")
    reads = [one for name in names for one in (a(call("read", path=name)), r("text"))]
    index = indexed(talk(u("go"), *reads, a(RUN), r("made"), a(WRITE), r("ok")))
    kinds = dict(
        zip((2, 4, 6, 8, 10, 12), ("dropped", "pruned", "distilled", "cut", "dropped", "pruned"), strict=True)
    )
    left = [Original(index, "k", BlockRef(at, 0), kind, "", 9, 0, "") for at, kind in kinds.items()]  # type: ignore[arg-type]
    assert evicted_paths(index, left) == names
    assert [evicted_paths(index, [one]) for one in left] == [("a",), ("b",), ("c",), ("d",), (), ()]
    assert evicted_paths(index, [Original(index, "k", BlockRef(1, 0), "shortened", "", 9, 0, "")]) == ()


INDEX = indexed(talk(*[u(f"{at}") for at in range(LISTED + 5)]))


def original(at: int, before: int) -> Original:
    return Original(INDEX, f"k{at}", BlockRef(at, 0), "dropped", "text", before, 0, "")


def test_a_receipt_lists_the_heaviest_in_the_order_of_the_list() -> None:
    gone = [original(at, 10 + at % 3) for at in range(LISTED + 5)]
    bare = Receipt(3, "cold", 900, 400, "sum", time_ms=7)
    found = receipt(bare, gone, lambda one: f"why {one.ref.message_index}")
    assert (found.epoch_number, found.opening, found.before_tokens, found.after_tokens, found.time_ms) == (
        3,
        "cold",
        900,
        400,
        7,
    )
    assert (len(found.evicted), found.omitted_count, found.arithmetic) == (LISTED, 5, "sum")
    places = [int(left.key[1:]) for left in found.evicted]
    assert places == sorted(places)
    assert {one.ref.message_index for one in gone if one.before_tokens > 10} <= set(places)
    assert found.evicted[1].why == "why 1"


@st.composite
def plans(draw: st.DrawFn) -> tuple[tuple[Message, ...], Plan, Plan]:
    """Two plans of one list."""
    messages = draw(any_list)
    some = [None, None, GONE, PRUNED, SHORT, Decision("distilled", 200)]
    made = []
    for _ in range(2):
        decisions: dict[tuple[int, int], Any] = {}
        for at, message in enumerate(messages):
            for block in range(len(message.view.blocks)):
                if (pick := draw(st.sampled_from(some))) is not None:
                    decisions[at, block] = pick
        made.append(plan_of(messages, decisions, draw(st.integers(-1, len(messages) - 1))))
    return messages, made[0], made[1]


@settings(max_examples=25)
@given(plans(), st.integers(0, 30))
def test_weights_are_those_of_what_leaves(given: tuple[tuple[Message, ...], Plan, Plan], cached: int) -> None:
    messages, old, new = given
    assume(len({message.raw for message in messages}) == len(messages))  # else one may stand for another
    out = sent(messages, old)
    assert sum(projected_weights(old, messages).values()) == old.weight - old.packet_weight
    anew = sent(messages, new)
    same = 0
    while same < min(len(out), len(anew)) and out[same] == anew[same]:
        same += 1
    after, there, left = changed(old, new, messages, cached)
    assert after == sum(message.weight for message in read(out[same:]))
    assert left == sum(message.weight for message in read(anew[same:]))
    assert 0 <= there <= after
    assert changed(old, new, messages, len(messages))[1] == after
    assert changed(old, new, messages, 0)[1] == 0


def test_two_edits_of_one_message_are_one_row() -> None:
    messages = read(raws(u("go"), a("so", RUN, WRITE), r("1" * 400), r("2" * 400)))
    old = Plan((Keep(0, 4),), "green", 0, 0, 0, {})
    edits = [BlockEdit(1, block, "shortened", "", f"k{block}", 30, 10, {}) for block in (1, 2)]
    new = Plan((Keep(0, 1), *edits, Keep(2, 4)), "green", 0, 0, 0, {})
    after, _, left = changed(old, new, messages, 0)
    assert after == sum(message.weight for message in messages[1:])
    assert left == after - 40


def item(key: str, kind: str) -> EvictedItem:
    return EvictedItem(key, kind, "read", "why", 9, 0)  # type: ignore[arg-type]


SENTENCES: list[tuple[Receipt, str]] = [
    (Receipt(1, "price", 900, 900, ""), "same size"),
    (Receipt(1, "price", 9_000, 900, "", pays_after=1), "8,100 tokens less; pays after 1 call"),
    (Receipt(1, "undo", 900, 3_000, ""), "2,100 tokens put back"),
    (
        Receipt(1, "price", 20_000, 3_000, "", tuple(item(f"k{at}", "pruned") for at in range(12)), pays_after=3),
        "removed 12 old results, 17,000 tokens; pays after 3 calls",
    ),
    (
        Receipt(1, "cold", 9, 1, "", (item("k#1/0", "dropped"), item("k#1/1", "dropped")), pays_after=0),
        "removed 1 message, 8 tokens; pays at once",
    ),
    (
        Receipt(
            1, "red", 9, 1, "", (item("a", "distilled"), item("b", "shortened"), item("c", "cut")), omitted_count=2
        ),
        "shortened 1 result, shortened the arguments of 1 call, cut 1 long text, removed 2 smaller items, 8 tokens",
    ),
]


@pytest.mark.parametrize(("receipt", "expected"), SENTENCES, ids=[row[1] for row in SENTENCES])
def test_a_receipt_says_in_a_sentence_what_was_removed_and_when_it_pays(receipt: Receipt, expected: str) -> None:
    assert sentence(receipt) == expected
