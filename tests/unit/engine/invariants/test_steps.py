"""The checks of projections by steps: each planted fault is found by its name, and a sound plan has none."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, STEPS
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import BlockEdit, Keep, Packet, Piece
from tests import translation
from tests.notation import Said, a, call, indexed, note, packet, r, summary, talk, think, u
from tests.unit.engine.invariants.plans import Watched, edit, plan_of
from tests.unit.engine.stepwise import legal, projected

READ = call("read", path="x")
PACKET = Packet("p", 1)
STEP = [a(think("hm"), READ), r("x" * 400)]
BARE = [a("so", call("write", path="x", content="y" * 400)), r("ok")]
LONG = u("go " * 20)
LAST = a("ok")


def shortened(index: int, block: int = 1, before: int = 100, after: int = 3) -> BlockEdit:
    return BlockEdit(index, block, "shortened", "", "k", before, after, {})


def whole(said: list[Said]) -> tuple[Message, ...]:
    return talk(*said)


def faults(said: list[Said], *pieces: Piece, off: int = 0) -> set[str]:
    messages = whole(said)
    real = tuple(_weighed(messages, piece) for piece in pieces)
    return set(STEPS.check(indexed(messages), plan_of(messages, *real, off=off))[0])


def _weighed(messages: tuple[Message, ...], piece: Piece) -> Piece:
    """An edit that says what was there, unless it is to lie (`before` is -1 then)."""
    if not isinstance(piece, BlockEdit):
        return piece
    before = 999 if piece.before_tokens < 0 else messages[piece.message_index].weights[piece.block_index]
    return msgspec.structs.replace(piece, before_tokens=before, after_tokens=min(piece.after_tokens, before))


# name, conversation, pieces of the plan, faults by name
TABLE: list[tuple[str, list[Said], list[Piece], set[str]]] = [
    ("all of it", [LONG, *STEP, LAST], [Keep(0, 4)], set()),
    ("nothing of nothing", [], [], set()),
    ("a step left out", [LONG, *STEP, LAST], [Keep(0, 1), Keep(3, 4)], set()),
    (
        "a result without its call, behind another message",
        [LONG, a(call("read", "s1", path="x")), a("more"), r("text", "s1"), LAST],
        [Keep(0, 1), Keep(2, 5)],
        {"pairs"},
    ),
    (
        "a call without its result",
        [LONG, a(call("read", "s1", path="x")), a("more"), r("text", "s1"), LAST],
        [Keep(0, 2), Keep(4, 5)],
        {"pairs"},
    ),
    ("with a packet for it", [LONG, *STEP, LAST], [Keep(0, 1), PACKET, Keep(3, 4)], set()),
    ("an edited result", [LONG, *STEP, LAST], [Keep(0, 2), edit(2), Keep(3, 4)], set()),
    ("shortened arguments", [LONG, *BARE, LAST], [Keep(0, 1), shortened(1), Keep(2, 4)], set()),
    ("a user message told by a packet", [LONG, u("on"), LAST], [PACKET, Keep(1, 3)], set()),
    ("a packet that came back left out", [LONG, packet(), LAST], [Keep(0, 1), Keep(2, 3)], set()),
    ("the wrong way round", [LONG, u("on"), LAST], [Keep(1, 3), Keep(0, 1)], {"order", "users"}),
    ("twice", [LONG, LAST], [Keep(0, 2), Keep(1, 2)], {"order", "weight"}),
    ("beyond the end", [LONG, LAST], [Keep(0, 3)], {"order"}),
    ("an empty piece", [LONG, LAST], [Keep(0, 2), Keep(2, 2)], {"order"}),
    ("a message kept and edited", [LONG, *STEP, LAST], [Keep(0, 4), edit(2)], {"order", "weight"}),
    ("a block edited twice", [LONG, *STEP, LAST], [Keep(0, 2), edit(2), edit(2), Keep(3, 4)], {"order", "weight"}),
    ("a result dropped", [LONG, *STEP, LAST], [Keep(0, 2), Keep(3, 4)], {"pairs"}),
    ("a call dropped", [LONG, *STEP, LAST], [Keep(0, 1), Keep(2, 4)], {"pairs"}),
    ("a late result dropped", [LONG, a(READ), LAST, r("x")], [Keep(0, 3)], {"pairs"}),
    (
        "an id used again does not hide it",
        [LONG, a(call("read", "x")), r("1", "x"), a(call("read", "x")), r("2", "x"), LAST],
        [Keep(0, 2), Keep(4, 6)],
        {"pairs"},
    ),
    ("a user message dropped", [u("so"), LONG, u("on"), LAST], [Keep(0, 1), Keep(2, 4)], {"users"}),
    ("the newest though a packet tells it", [u("so"), LAST, LONG], [Keep(0, 2), PACKET], {"newest user"}),
    ("the newest reply dropped", [LONG, LAST], [Keep(0, 1)], {"newest step"}),
    ("its arguments shortened", [LONG, *BARE], [Keep(0, 1), shortened(1), Keep(2, 3)], {"newest step"}),
    (
        "a signed message's arguments shortened",
        [LONG, *STEP, LAST],
        [Keep(0, 1), shortened(1), Keep(2, 4)],
        {"signed"},
    ),
    ("its thinking edited", [LONG, *STEP, LAST], [Keep(0, 1), edit(1), Keep(2, 4)], {"signed"}),
    ("text edited", [LONG, a("so"), LAST], [Keep(0, 1), edit(1), Keep(2, 3)], {"signed"}),
    ("a call pruned", [LONG, *BARE, LAST], [Keep(0, 1), edit(1, block=1), Keep(2, 4)], {"signed"}),
    ("a result shortened", [LONG, *BARE, LAST], [Keep(0, 2), shortened(2, 0), Keep(3, 4)], {"signed"}),
    ("a user message edited", [LONG, LAST], [edit(0), Keep(1, 2)], {"signed"}),
    ("two packets", [LONG, *STEP, LAST], [Keep(0, 1), PACKET, PACKET, Keep(3, 4)], {"packet"}),
    ("apart", [LONG, *STEP, LAST], [PACKET, Keep(0, 1), PACKET, Keep(3, 4)], {"packet"}),
    ("a reply first", [LONG, u("on"), LAST, u("so")], [Keep(2, 3), PACKET, Keep(3, 4)], {"start"}),
    ("a note left out in front", [note("n"), LAST, u("on")], [Keep(1, 3)], {"start"}),
    ("a packet in front", [LONG, LAST, u("so")], [PACKET, Keep(1, 3)], set()),
    ("a reply first, but it came so", [LAST, u("on")], [Keep(0, 2)], set()),
    ("a summary in front", [summary("s"), LONG, LAST, u("so")], [Keep(0, 1), PACKET, Keep(2, 4)], set()),
    ("heavier than what came", [LONG, LAST], [Keep(0, 2), PACKET], {"weight"}),
    ("an edit that lies about what was", [LONG, *STEP, LAST], [Keep(0, 2), edit(2, -1), Keep(3, 4)], {"weight"}),
]


@pytest.mark.parametrize(("name", "said", "pieces", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_each_fault_by_name(name: str, said: list[Said], pieces: list[Piece], expected: set[str]) -> None:
    assert faults(said, *pieces) == expected


@pytest.mark.parametrize("off", [-1, 1, 1_000])
def test_a_plan_that_says_another_weight(off: int) -> None:
    assert faults([LONG, *STEP, LAST], Keep(0, 4), off=off) == {"weight"}


def test_a_prompt_left_out() -> None:
    said = talk(u("x"), LONG, LAST)
    prompt = msgspec.structs.replace(
        said[0], view=msgspec.structs.replace(said[0].view, role="prompt", opens_turn=False)
    )
    messages = (prompt, *said[1:])
    index = indexed(messages)
    assert STEPS.check(index, plan_of(messages, Keep(0, 3)))[0] == ()
    assert STEPS.check(index, plan_of(messages, Keep(1, 3)))[0] == ("prompts",)


ITEMS: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": "go"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
    {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "y" * 80},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([Keep(0, 6)], set()),
        ([Keep(0, 1), Keep(5, 6)], set()),
        ([Keep(0, 2), PACKET, Keep(5, 6)], {"step"}),  # reasoning without what follows it
        ([Keep(0, 1), Keep(2, 6)], {"step"}),
        ([Keep(0, 2), Keep(3, 6)], {"step"}),
        ([Keep(0, 3), Keep(5, 6)], {"step"}),
        ([Keep(0, 1), Keep(2, 3), Keep(5, 6)], {"step"}),
    ],
)
def test_an_answer_of_several_items_that_is_parted(pieces: list[Piece], expected: set[str]) -> None:
    messages = translation.read("responses", [msgspec.json.encode(one) for one in ITEMS])
    assert set(STEPS.check(indexed(messages), plan_of(messages, *pieces))[0]) == expected


def test_an_answer_that_is_parted_where_the_walk_goes_on() -> None:
    messages = translation.read("responses", [msgspec.json.encode(one) for one in ITEMS])
    first = messages[:2]
    _, walked = STEPS.check(indexed(first), plan_of(first, Keep(0, 2)))
    rest = plan_of(messages, Keep(0, 2), Keep(5, 6))
    assert STEPS.check(indexed(messages), rest, walked)[0] == ("step",)


# faults planted in the plan of a random list


@given(legal, st.lists(st.sampled_from((None, None, "forced", "pin")), min_size=1, max_size=6), st.booleans())
def test_checking_on_is_checking_from_scratch(
    messages: tuple[Message, ...], course: list[Any], plant: bool
) -> None:
    """Over a growing list; `plant` swaps the first two pieces of each plan, so that faults carry on."""
    done, size, walked, index = None, 0, FRESH, ConversationIndex()
    for number, reopen in enumerate(course):
        end = len(messages) * (number + 1) // len(course)
        shown = messages[:end]
        index = extend(index, shown)
        done = projected(shown, done, size, reopen=reopen)
        size, plan = end, done.plan
        if plant and len(plan.pieces) > 1:
            plan = msgspec.structs.replace(plan, pieces=(plan.pieces[1], plan.pieces[0], *plan.pieces[2:]))
        scratch = STEPS.check(index, plan)
        assert STEPS.check(index, plan, walked) == scratch
        walked = scratch[1]


def test_what_left_at_the_end_may_come_back() -> None:
    messages = talk(LONG, LAST, packet())
    short = plan_of(messages, Keep(0, 2))
    faulty, walked = STEPS.check(indexed(messages), short)
    assert faulty == ()
    more = (*messages, *talk(u("so")))
    assert STEPS.check(indexed(more), plan_of(more, Keep(0, 4)), walked)[0] == ()


def test_checking_on_walks_only_what_is_new() -> None:
    """Else a call would cost the list."""
    messages = Watched(talk(LONG, *STEP * 50, LONG, *STEP, LAST))
    messages.looked_at = []
    size = len(messages) - 4
    before = tuple(messages)[:size]
    _, walked = STEPS.check(indexed(before), plan_of(before, Keep(0, size)))
    after = plan_of(tuple(messages), Keep(0, len(messages)))
    index = indexed(messages)
    messages.looked_at.clear()
    assert STEPS.check(index, after, walked)[0] == ()
    assert min(at for at in messages.looked_at if at) >= size
