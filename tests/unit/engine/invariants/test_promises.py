"""The checks of a plan: each planted fault is found by its name, and a sound plan has none.

What holds of any plan is in `tests/unit/engine/test_judge.py`.
"""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef, ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, STEPS, TURNS, Invariants, set_aside
from ctxmgr.formats import anthropic, openai, responses
from ctxmgr.model.messages import Block, Message, View
from ctxmgr.model.policy import ZONES, WorkingSet
from ctxmgr.model.projection import BlockEdit, Decision, EditKind, Keep, Packet, Piece, Plan
from ctxmgr.session.reading import Reader
from tests import translation
from tests.conversations import any_list, legal
from tests.notation import Said, a, call, indexed, note, packet, quarters, r, summary, talk, think, u
from tests.unit.engine import stepwise
from tests.unit.engine.projections import kept, plan_of, planned

PACKET = Packet("p", 1)
READ = call("read", path="x")
STEP = [a(think("hm"), READ), r("x" * 400)]
BARE = [a("so", call("write", path="x", content="y" * 400)), r("ok")]
LATE = [a(call("read", "s1", path="x")), a("more"), r("text", "s1")]
LONG, LAST = u("go " * 20), a("ok")
LIES = -1  # tokens before an edit that says something else


def edit(index: int, kind: EditKind = "pruned", block: int = 0, before: int = 0) -> BlockEdit:
    return BlockEdit(index, block, kind, "x", "k", before, 3, {} if kind == "shortened" else None)


def faults(rules: Invariants, messages: tuple[Message, ...], *pieces: Piece, off: int = 0) -> set[str]:
    real = tuple(_weighed(messages, piece) for piece in pieces)
    return set(rules.check(indexed(messages), plan_of(messages, *real, off=off))[0])


def _weighed(messages: tuple[Message, ...], piece: Piece) -> Piece:
    """An edit that says what was there, unless it is to lie."""
    if not isinstance(piece, BlockEdit):
        return piece
    before = 999 if piece.before_tokens == LIES else messages[piece.message_index].weights[piece.block_index]
    return msgspec.structs.replace(piece, before_tokens=before, after_tokens=min(3, before))


# rules, name, conversation, pieces of the plan, faults by name
TABLE: list[tuple[Invariants, str, list[Said], list[Piece], set[str]]] = [
    (STEPS, "all of it", [LONG, *STEP, LAST], [Keep(0, 4)], set()),
    (STEPS, "nothing of nothing", [], [], set()),
    (STEPS, "a packet for a step", [LONG, *STEP, LAST], [Keep(0, 1), PACKET, Keep(3, 4)], set()),
    (STEPS, "an edited result", [LONG, *STEP, LAST], [Keep(0, 2), edit(2), Keep(3, 4)], set()),
    (STEPS, "short arguments", [LONG, *BARE, LAST], [Keep(0, 1), edit(1, "shortened", 1), Keep(2, 4)], set()),
    (STEPS, "a late result without its call", [LONG, *LATE, LAST], [Keep(0, 1), Keep(2, 5)], {"pairs"}),
    (STEPS, "a call without its result", [LONG, *LATE, LAST], [Keep(0, 2), Keep(4, 5)], {"pairs"}),
    (STEPS, "a packet that came back left", [LONG, packet(), LAST], [Keep(0, 1), Keep(2, 3)], set()),
    (STEPS, "the wrong way round", [LONG, u("on"), LAST], [Keep(1, 3), Keep(0, 1)], {"order", "users"}),
    (STEPS, "twice", [LONG, LAST], [Keep(0, 2), Keep(1, 2)], {"order", "weight"}),
    (STEPS, "beyond the end", [LONG, LAST], [Keep(0, 3)], {"order"}),
    (STEPS, "an empty piece", [LONG, LAST], [Keep(0, 2), Keep(2, 2)], {"order"}),
    (STEPS, "kept and edited", [LONG, *STEP, LAST], [Keep(0, 4), edit(2)], {"order", "weight"}),
    (STEPS, "edited twice", [LONG, *STEP, LAST], [Keep(0, 2), edit(2), edit(2), Keep(3, 4)], {"order", "weight"}),
    (
        STEPS,
        "an id used again",
        [LONG, a(call("read", "x")), r("1", "x"), a(call("read", "x")), r("2", "x"), LAST],
        [Keep(0, 2), Keep(4, 6)],
        {"pairs"},
    ),
    (STEPS, "a user left", [u("so"), LONG, u("on"), LAST], [Keep(0, 1), Keep(2, 4)], {"users"}),
    (STEPS, "a user told by a packet", [LONG, u("on"), LAST], [PACKET, Keep(1, 3)], set()),
    (STEPS, "the newest user told", [u("so"), LAST, LONG], [Keep(0, 2), PACKET], {"newest user"}),
    (STEPS, "the newest reply left", [LONG, LAST], [Keep(0, 1)], {"newest step"}),
    (
        STEPS,
        "its arguments short",
        [LONG, *BARE],
        [Keep(0, 1), edit(1, "shortened", 1), Keep(2, 3)],
        {"newest step"},
    ),
    (STEPS, "signed arguments", [LONG, *STEP, LAST], [Keep(0, 1), edit(1, "shortened", 1), Keep(2, 4)], {"signed"}),
    (STEPS, "thinking edited", [LONG, *STEP, LAST], [Keep(0, 1), edit(1), Keep(2, 4)], {"signed"}),
    (STEPS, "a call pruned", [LONG, *BARE, LAST], [Keep(0, 1), edit(1, block=1), Keep(2, 4)], {"signed"}),
    (STEPS, "a result shortened", [LONG, *BARE, LAST], [Keep(0, 2), edit(2, "shortened"), Keep(3, 4)], {"signed"}),
    (STEPS, "a user edited", [LONG, LAST], [edit(0), Keep(1, 2)], {"signed"}),
    (STEPS, "two packets", [LONG, *STEP, LAST], [PACKET, Keep(0, 1), PACKET, Keep(3, 4)], {"packet"}),
    (STEPS, "a reply first", [LONG, u("on"), LAST, u("so")], [Keep(2, 3), PACKET, Keep(3, 4)], {"start"}),
    (STEPS, "a note in front left", [note("n"), LAST, u("on")], [Keep(1, 3)], {"start"}),
    (STEPS, "a reply first that came so", [LAST, u("on")], [Keep(0, 2)], set()),
    (STEPS, "heavier than what came", [LONG, LAST], [Keep(0, 2), PACKET], {"weight"}),
    (STEPS, "an edit that lies", [LONG, *STEP, LAST], [Keep(0, 2), edit(2, before=LIES), Keep(3, 4)], {"weight"}),
    (TURNS, "a summary left in the middle", [LONG, summary("s"), *STEP], [Keep(0, 1), Keep(2, 4)], set()),
    (TURNS, "specials before the turn", [summary("s"), packet(), LONG], [Keep(2, 3)], set()),
    (TURNS, "the end left", [LONG, *STEP], [Keep(0, 1)], {"turns"}),
    (TURNS, "a reply left", [LONG, a("one"), a("two")], [Keep(0, 1), Keep(2, 3)], {"turns"}),
    (TURNS, "a turn cut inside", [LONG, summary("s"), a("two"), LONG], [Keep(2, 4)], {"turns", "start"}),
    (TURNS, "a headless turn cut inside", [a("one"), a("two"), LONG], [Keep(1, 3)], {"turns"}),
    (TURNS, "a middle turn left", [LONG, a("1"), LONG, a("2"), LONG], [Keep(0, 2), Keep(4, 5)], {"turns"}),
    (TURNS, "cut before a late result", [LONG, a(READ), LONG, r("x")], [Keep(2, 4)], {"pairs"}),
    (TURNS, "a packet at the end", [LONG, *STEP, LONG], [Keep(3, 4), PACKET], {"packet"}),
    (TURNS, "a packet instead of a summary", [summary("s"), LAST, LONG], [PACKET, Keep(1, 3)], set()),
    (TURNS, "a summary before it", [summary("s"), LONG, LAST, LONG], [Keep(0, 1), PACKET, Keep(3, 4)], set()),
    (TURNS, "no user stays alone", [u("s"), LONG, LAST, LONG], [Keep(0, 1), Keep(3, 4)], {"turns"}),
    (TURNS, "a summary alone is no start", [summary("s"), LONG], [Keep(0, 1)], {"newest user"}),
]


@pytest.mark.parametrize(("rules", "name", "said", "pieces", "expected"), TABLE, ids=[row[1] for row in TABLE])
def test_each_fault_by_name(
    rules: Invariants, name: str, said: list[Said], pieces: list[Piece], expected: set[str]
) -> None:
    assert faults(rules, talk(*said), *pieces) == expected


@pytest.mark.parametrize("off", [-1, 1, 1_000])
def test_a_plan_that_says_another_weight(off: int) -> None:
    assert faults(STEPS, talk(LONG, *STEP, LAST), Keep(0, 4), off=off) == {"weight"}


def prompted(place: int) -> tuple[Message, ...]:
    """A list with a prompt at this place."""
    found = list(talk(LONG, LAST, LONG, LAST))
    view = msgspec.structs.replace(found[0].view, role="prompt", opens_turn=False)
    return (*found[:place], msgspec.structs.replace(found[0], view=view, digest="p"), *found[place:])


def test_a_prompt_stays_and_is_first_only_where_it_came_in_front() -> None:
    front, behind = prompted(0), prompted(1)
    assert [set_aside(indexed(front), 0), set_aside(indexed(behind), 1)] == [True, False]
    assert faults(STEPS, front, Keep(0, 1), PACKET, Keep(3, 5)) == set()
    assert faults(STEPS, front, Keep(1, 5)) == {"prompts"}
    assert faults(STEPS, behind, Keep(1, 2), PACKET, Keep(3, 5)) == {"start"}
    assert faults(STEPS, behind, PACKET, Keep(1, 2), Keep(3, 5)) == set()
    assert faults(STEPS, behind, Keep(0, 2), Keep(3, 5)) == set()


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
        ([Keep(0, 1), Keep(2, 3), Keep(5, 6)], {"step"}),
    ],
)
def test_an_answer_of_several_items_that_is_parted(pieces: list[Piece], expected: set[str]) -> None:
    messages = translation.read("responses", [msgspec.json.encode(one) for one in ITEMS])
    assert faults(STEPS, messages, *pieces) == expected
    first = messages[:2]
    _, walked = STEPS.check(indexed(first), plan_of(first, Keep(0, 2)))
    assert STEPS.check(indexed(messages), plan_of(messages, Keep(0, 2), Keep(5, 6)), walked)[0] == ("step",)


# pieces of a plan of a user's message and three steps, which messages were dropped to fit, faults by name
TO_FIT: list[tuple[str, list[Piece], list[int], set[str]]] = [
    ("an old step", [Keep(0, 1), Keep(3, 7)], [1, 2], set()),
    ("two", [Keep(0, 1), Keep(5, 7)], [1, 2, 3, 4], set()),
    ("half of one", [Keep(0, 2), Keep(3, 7)], [2], {"pairs"}),
    ("more than was decided", [Keep(0, 1), Keep(5, 7)], [1, 2], {"turns"}),
    ("the newest answer", [Keep(0, 5)], [5, 6], {"turns"}),
    ("what a user said", [Keep(1, 7)], [0], {"newest user", "start", "turns"}),
]


@pytest.mark.parametrize(("name", "pieces", "gone", "expected"), TO_FIT, ids=[row[0] for row in TO_FIT])
def test_only_what_did_not_fit_may_leave_out_of_a_turn(
    name: str, pieces: list[Piece], gone: list[int], expected: set[str]
) -> None:
    messages = talk(LONG, *(one for at in range(3) for one in (a(f"step {at}", READ), r(f"{at}" * 400))))
    index, plan = indexed(messages), plan_of(messages, *pieces)
    for to_fit, found in ((True, expected), (False, expected | {"turns"})):  # what a preset drops by itself is none
        decisions = {index.key(at): Decision("dropped", to_fit=to_fit) for at in gone}
        assert set(TURNS.check(index, msgspec.structs.replace(plan, decisions=decisions))[0]) == found


RUN = [a(call("bash", command="make")), r("x" * 400)]
LIST = talk(u("go"), *RUN, *RUN, *RUN)
TWO = WorkingSet(results=2, tokens=0)
GONE = {indexed(LIST).key(at): Decision("dropped", to_fit=True) for at in (3, 4)}


@pytest.mark.parametrize(
    ("name", "pieces", "more", "broken"),
    [
        ("the whole list", [Keep(0, 7)], {}, False),
        ("an older result is a marker", [Keep(0, 2), edit(2), Keep(3, 7)], {}, False),
        ("the older of the two is", [Keep(0, 4), edit(4), Keep(5, 7)], {}, True),
        ("the newest is", [Keep(0, 6), edit(6)], {}, True),
        ("nothing is promised", [Keep(0, 6), edit(6)], {"working_set": WorkingSet(0, 0)}, False),
        ("it was cut to fit", [Keep(0, 4), edit(4, "cut"), Keep(5, 7)], {}, False),
        ("an older step left", [Keep(0, 1), Keep(3, 7)], {}, False),
        ("one of it left", [Keep(0, 3), Keep(5, 7)], {}, True),
        ("one of it left to fit", [Keep(0, 3), Keep(5, 7)], {"decisions": GONE}, False),
        ("all before it left to fit", [Keep(5, 7)], {"fit_floor": 5}, False),
    ],
)
def test_what_breaks_the_promise_of_the_working_set(
    name: str, pieces: list[Piece], more: dict[str, Any], broken: bool
) -> None:
    plan = msgspec.structs.replace(plan_of(LIST, *pieces), **{"working_set": TWO, **more})
    assert ("working set" in STEPS.check(indexed(LIST), plan)[0]) == broken


# which blocks may be written anew: what a chooser asks, and a checker holds a plan against

CALL = {"type": "function_call", "call_id": "c", "name": "write", "arguments": "{}"}
THOUGHT = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "c2Vj"}
SIGNED = {"type": "thinking", "thinking": "", "signature": "s"}
USES = {"type": "tool_use", "id": "c", "name": "w", "input": {}}
CALLS = [{"id": "c", "type": "function", "function": {"name": "w", "arguments": "{}"}}]


def shortenable(messages: tuple[Message, ...]) -> list[int]:
    """The messages with a call whose arguments may be shortened."""
    index = indexed(messages)
    return [
        at
        for at, message in enumerate(messages)
        for number in range(len(message.view.blocks))
        if STEPS.may_edit(index, BlockRef(at, number), "shortened")
    ]


def test_no_signed_message_is_changed() -> None:
    write = call("write", path="x", content="text")
    said = [u("go"), a("ok", write), r("ok"), a(think("hm"), write), r("ok"), a(think("hm", signed=False), write)]
    said += [r("ok"), a("done")]
    assert shortenable(talk(*said)) == [1, 5]


# name, format, an assistant's message with a call, may the call be shortened?
FORMATS: list[tuple[str, Any, dict[str, Any], bool]] = [
    ("a call alone", anthropic, {"content": [USES]}, True),
    (
        "after thinking",
        anthropic,
        {"content": [SIGNED, USES]},
        False,
    ),
    ("after redacted thinking", anthropic, {"content": [{"type": "redacted_thinking", "data": "s"}, USES]}, False),
    ("after plain reasoning", openai, {"content": "ok", "reasoning_content": "hm", "tool_calls": CALLS}, True),
    ("after kept reasoning", openai, {"reasoning_details": [{"text": "hm"}], "tool_calls": CALLS}, False),
]


@pytest.mark.parametrize(("form", "message", "expected"), [pytest.param(*one[1:], id=one[0]) for one in FORMATS])
def test_in_every_format(form: Any, message: dict[str, Any], expected: bool) -> None:
    raw = json.dumps({"role": "assistant", **message}).encode()
    newest = b'{"role": "assistant", "content": "done"}'
    assert bool(shortenable(Reader(form, quarters).read([raw, newest]))) is expected


def test_items_of_one_answer_are_one_message() -> None:
    items = [THOUGHT, CALL, {"type": "function_call_output", "call_id": "c", "output": "ok"}, CALL, CALL]
    items += [{"type": "message", "role": "user", "content": []}, CALL, CALL, THOUGHT]
    messages = Reader(responses, quarters).read([json.dumps(one).encode() for one in items])
    assert shortenable(messages) == [3, 4]


@pytest.mark.parametrize("rules", [TURNS, STEPS])
def test_results_may_be_written_anew_and_nothing_else(rules: Any) -> None:
    index = indexed(talk(u("go"), a(think("hm"), "so", call("read", path="x")), r("text")))
    refs = [BlockRef(at, n) for at, one in enumerate(index.messages) for n in range(len(one.view.blocks))]
    assert [ref for ref in refs if rules.may_edit(index, ref, "pruned")] == [BlockRef(2, 0)]
    assert [ref for ref in refs if rules.may_edit(index, ref, "distilled")] == [BlockRef(2, 0)]


# checking on, from where the check before ended


def planted(plan: Plan) -> Plan:
    """With its first two pieces swapped, so that faults carry on."""
    return msgspec.structs.replace(plan, pieces=(*plan.pieces[1::-1], *plan.pieces[2:]))


@given(st.one_of(legal, any_list), st.lists(st.sampled_from(ZONES), min_size=1, max_size=6), st.booleans())
def test_by_turns_checking_on_is_checking_from_scratch(
    messages: tuple[Message, ...], course: list[str], plant: bool
) -> None:
    """Over a growing list; `plant` leaves out the last kept message of each plan."""
    floor, decisions, carried, index = 0, dict[str, Decision](), FRESH, ConversationIndex()
    for number, zone in enumerate(course):
        shown = messages[: len(messages) * (number + 1) // len(course)]
        index = extend(index, shown)
        plan = planned(shown, zone=zone, floor=floor, decisions=decisions)
        floor, decisions = plan.floor, plan.decisions
        if plant:
            plan = plan_of(shown, *(Keep(at, at + 1) for at in kept(plan)[:-1]))
        scratch = TURNS.check(index, plan)
        assert TURNS.check(index, plan, carried) == scratch
        carried = scratch[1]


@given(
    stepwise.legal, st.lists(st.sampled_from((None, None, "forced", "pin")), min_size=1, max_size=6), st.booleans()
)
def test_by_steps_checking_on_is_checking_from_scratch(
    messages: tuple[Message, ...], course: list[Any], plant: bool
) -> None:
    done, size, walked, index = None, 0, FRESH, ConversationIndex()
    for number, reopen in enumerate(course):
        end = len(messages) * (number + 1) // len(course)
        index = extend(index, messages[:end])
        done = stepwise.projected(messages[:end], done, size, reopen=reopen)
        size, plan = end, planted(done.plan) if plant else done.plan
        scratch = STEPS.check(index, plan)
        assert STEPS.check(index, plan, walked) == scratch
        walked = scratch[1]


def test_a_second_block_of_a_message_may_be_edited_later() -> None:
    """As in formats that put several results into one message."""
    blocks = tuple(Block("result", at, "x", f"c{at + 1}", can_edit=True) for at in (0, 1))
    messages = (*talk(LONG, a(READ, READ)), Message(b"{}", "d", View("result", blocks), (50, 60), 110))
    index, one, two = indexed(messages), *(_weighed(messages, edit(2, block=at)) for at in (0, 1))
    found, first = TURNS.check(index, plan_of(messages, Keep(0, 2), one))
    both = msgspec.structs.replace(plan_of(messages, Keep(0, 2)), pieces=(Keep(0, 2), one, two))
    both = msgspec.structs.replace(both, weight=both.weight + 6)
    assert found == TURNS.check(index, both)[0] == ()
    assert TURNS.check(index, both, first) == TURNS.check(index, both)


def test_what_left_at_the_end_may_come_back() -> None:
    messages = talk(LONG, LAST, packet())
    _, walked = STEPS.check(indexed(messages), plan_of(messages, Keep(0, 2)))
    more = (*messages, *talk(u("so")))
    assert STEPS.check(indexed(more), plan_of(more, Keep(0, 4)), walked)[0] == ()


class Watched(tuple[Message, ...]):
    """Messages that note by `looked_at` which of them were asked for."""

    looked_at: list[int]

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.looked_at.append(at)
        return super().__getitem__(at)


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
