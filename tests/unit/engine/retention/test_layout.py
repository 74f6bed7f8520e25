"""Decisions replayed: the same plan from the same decisions, and what is new goes at the end as it came."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.retention import layout as apply_decisions
from ctxmgr.engine.retention.layout import Layout
from ctxmgr.model.messages import Block, Message, View
from ctxmgr.model.projection import Decision, Packet, Plan
from tests import translation
from tests.notation import Said, a, call, indexed, r, read, talk, think, u
from tests.unit.engine.projections import edited, kept, sent
from tests.unit.engine.stepwise import any_list, code, terms

LONG = code(1, 60)
RUN = call("bash", command="make")
WRITE = call("write", path="a.py", content=LONG)
PACKET = Packet("[ctxmgr packet]\nfacts", 6)
GONE = Decision("dropped")
PRUNED = Decision("pruned")
SHORT = Decision("shortened")


def layout(messages: tuple[Message, ...], decisions: dict[str, Decision], place: int = -1) -> Layout:
    by = terms(messages)
    packet = PACKET if place >= 0 else Packet("", 0)
    return Layout(decisions, packet, place, by.layout.rewrite, by.layout.shorten, STEPS)


def laid_out(messages: tuple[Message, ...], decisions: dict[str, Decision], place: int = -1) -> Plan:
    return apply_decisions.lay_out(indexed(messages), "green", layout(messages, decisions, place))


STEP = [a("so", RUN), r(LONG)]
END = a("done")
# name, conversation, decisions by (index, block), place of the packet, indices that stay, edits
TABLE: list[tuple[str, list[Said], dict[tuple[int, int], Decision], int, list[int], dict[int, str]]] = [
    ("nothing", [], {}, -1, [], {}),
    ("as it came", [u("go"), *STEP], {}, -1, [0, 1, 2], {}),
    ("a step dropped", [u("go"), *STEP, u("on"), END], {(1, 0): GONE, (2, 0): GONE}, -1, [0, 3, 4], {}),
    ("a packet for it", [u("go"), *STEP, u("on"), END], {(1, 0): GONE, (2, 0): GONE}, 3, [0, 3, 4], {}),
    ("a packet before what is dropped", [u("go"), *STEP, END], {(1, 0): GONE, (2, 0): GONE}, 1, [0, 3], {}),
    ("a packet in front", [u("go"), *STEP], {}, 0, [0, 1, 2], {}),
    ("a result pruned", [*STEP], {(1, 0): PRUNED}, -1, [0, 1], {1: "pruned"}),
    ("a result distilled", [*STEP], {(1, 0): Decision("distilled", 100)}, -1, [0, 1], {1: "distilled"}),
    ("nothing is edited that gets no lighter", [a(RUN), r("ok")], {(1, 0): PRUNED}, -1, [0, 1], {}),
    ("a call shortened", [a("so", WRITE), r("ok"), END], {(0, 1): SHORT}, -1, [0, 1, 2], {0: "shortened"}),
    ("not the newest", [a("so", WRITE), r("ok")], {(0, 1): SHORT}, -1, [0, 1], {}),
    ("the newest step stays", [u("go"), *STEP], {(1, 0): GONE, (2, 0): GONE}, -1, [0, 1, 2], {}),
    ("the newest of the user stays", [u("go"), *STEP, u("on"), END], {(3, 0): GONE}, -1, [0, 1, 2, 3, 4], {}),
    ("not one with little in it", [*STEP], {(0, 1): SHORT}, -1, [0, 1], {}),
    ("a result is not shortened", [*STEP], {(1, 0): SHORT}, -1, [0, 1], {}),
    ("a call is not pruned", [a(WRITE), r("ok")], {(0, 0): PRUNED}, -1, [0, 1], {}),
    ("text is not edited", [u(LONG), a(think(LONG))], {(0, 0): PRUNED, (1, 0): SHORT}, -1, [0, 1], {}),
]


@pytest.mark.parametrize(
    ("name", "said", "by_block", "place", "stays", "edits"), TABLE, ids=[row[0] for row in TABLE]
)
def test_laid_out(
    name: str,
    said: list[Said],
    by_block: dict[tuple[int, int], Decision],
    place: int,
    stays: list[int],
    edits: dict[int, str],
) -> None:
    messages = talk(*said)
    index = indexed(messages)
    decisions = {index.block_key(BlockRef(*at)): one for at, one in by_block.items()}
    plan = laid_out(messages, decisions, place)
    assert (kept(plan), edited(plan)) == (stays, edits)
    assert plan.weight == sum(message.weight for message in read(sent(messages, plan)))
    assert plan.raw_weight == sum(message.weight for message in messages)
    assert plan.dropped == len(messages) - len(stays)
    assert plan.pruned == list(edits.values()).count("pruned")
    assert plan.distilled == len(edits) - plan.pruned
    assert (plan.packet_weight, plan.floor) == ((PACKET.weight, place) if place >= 0 else (0, 0))
    assert [piece for piece in plan.pieces if isinstance(piece, Packet)] == [PACKET] * (place >= 0)


def test_of_two_alike_the_newest_of_the_user_stays_where_the_host_took_the_first_away() -> None:
    """The decision meant the first; now it would mean the other."""
    messages = talk(u("go"), a("ok"), u("go"), a("so"))
    first = {indexed(messages).key(0): GONE}
    assert kept(laid_out(messages, first)) == [1, 2, 3]
    rest = messages[1:]
    plan = laid_out(rest, first)
    assert kept(plan) == [0, 1, 2]
    assert plan.decisions == {}
    assert STEPS.check(indexed(rest), plan)[0] == ()


def test_decisions_about_what_is_not_there_are_forgotten() -> None:
    """Else a message that came again later would leave at once, and only after a restart."""
    messages = talk(u("go"), a("ok"), u("go"), a("ok"))
    index = indexed(messages)
    decisions = {index.key(3): GONE, "0" * 16: GONE}
    short = laid_out(messages[:2], decisions)
    assert short.decisions == {}
    grown = apply_decisions.extended(short, index, 2, "green", layout(messages, short.decisions))
    assert sent(messages, grown) == sent(messages, laid_out(messages, grown.decisions))


def test_a_list_that_goes_on_is_laid_out_with_results_that_are_cut_as_they_arrive() -> None:
    """As the whole list is; what else is decided about a new message waits for an epoch."""
    messages = talk(u("go"), *STEP, a("and", call("bash", "x1"), call("bash", "x2")), r(LONG, "x1"), r(LONG, "x2"))
    index, cut = indexed(messages), Decision("cut", written=("[cut]",), weight=1)
    before = laid_out(messages[:3], {})
    decisions = {index.key(4): cut, index.key(2): PRUNED, index.key(5): PRUNED}
    grown = apply_decisions.extended(before, index, 3, "green", layout(messages, decisions))
    whole = laid_out(messages, {index.key(4): cut})
    for field in ("pieces", "weight", "raw_weight", "decisions", "blocks_cut"):
        assert getattr(grown, field) == getattr(whole, field)
    assert edited(grown) == {4: "cut"}
    more = talk(u("go"), *STEP, a("and", call("bash", "x1"), call("bash", "x2")), r(LONG, "x1"), r(LONG, "x2"), END)
    again = apply_decisions.extended(grown, indexed(more), 6, "green", layout(more, grown.decisions))
    assert sent(more, again)[:6] == sent(messages, grown)


@st.composite
def decided(draw: st.DrawFn) -> tuple[tuple[Message, ...], dict[str, Decision], int, int]:
    """A list, decisions about its first part, the place of a packet in that, and its size."""
    messages = draw(any_list)
    size = draw(st.integers(0, len(messages)))
    index = indexed(messages)
    some = [GONE, PRUNED, SHORT, Decision("distilled", 200)]
    decisions: dict[str, Decision] = {}
    for at in range(size):
        for block in range(len(messages[at].view.blocks)):
            pick = draw(st.sampled_from([None, None, *some]))
            if pick is not None:
                decisions[index.block_key(BlockRef(at, block))] = pick
    return messages, decisions, draw(st.integers(-1, size - 1)), size


Drawn = tuple[tuple[Message, ...], dict[str, Decision], int, int]


@given(decided())
def test_what_goes_on_is_what_is_laid_out_anew(given: Drawn) -> None:
    """So a restart changes no byte."""
    messages, decisions, place, size = given
    before = laid_out(messages[:size], decisions, place)
    goes_on = layout(messages, before.decisions, place)
    grown = apply_decisions.extended(before, indexed(messages), size, "red", goes_on)
    anew = apply_decisions.lay_out(indexed(messages), "red", layout(messages, before.decisions, place))
    assert sent(messages, grown) == sent(messages, anew)
    assert sent(messages, grown)[: len(sent(messages[:size], before))] == sent(messages[:size], before)
    told: dict[str, Any] = {"pieces": ()}
    assert msgspec.structs.replace(grown, **told) == msgspec.structs.replace(anew, **told)


# items that join: an answer of several items


def reasoned(id: str, *items: dict[str, Any]) -> list[dict[str, Any]]:
    """A step whose reasoning only the provider can read: such items tell the same, each of them."""
    call = {"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": id, "output": f"what {id} read"}
    return [{"type": "reasoning", "id": f"rs_{id}", "summary": [], "encrypted_content": id}, *items, call, output]


def of_responses(*items: dict[str, Any]) -> tuple[Message, ...]:
    return translation.read("responses", [msgspec.json.encode(one) for one in items])


USER = {"type": "message", "role": "user", "content": "go"}
DONE = {"type": "message", "role": "assistant", "content": "done"}


def after(dropped: set[int], taken_away: int) -> list[int]:
    """What is shown of three steps (messages 1-3, 4-6, 7-9) of which some were to leave, where the host then took
    so many messages away in front. Numbers are those of the whole list."""
    whole = of_responses(USER, *reasoned("a"), *reasoned("b"), *reasoned("c"), USER, DONE)
    decisions = {indexed(whole).key(at): GONE for at in dropped}
    left = whole[taken_away:]
    plan = laid_out(left, decisions)
    assert STEPS.check(indexed(left), plan)[0] == ()
    assert sorted(plan.decisions) == sorted(
        indexed(left).key(at - taken_away) for at in dropped if at >= taken_away
    )
    return [at + taken_away for at in kept(plan)]


@pytest.mark.parametrize(
    ("dropped", "taken_away", "stays"),
    [
        ({4, 5, 6}, 0, [0, 1, 2, 3, 7, 8, 9, 10, 11]),
        ({4, 5, 6}, 4, [7, 8, 9, 10, 11]),
        ({1, 2, 3}, 4, [4, 5, 6, 7, 8, 9, 10, 11]),
        ({1, 2, 3, 4, 5, 6}, 4, [7, 8, 9, 10, 11]),
        ({7, 8, 9}, 4, [4, 5, 6, 10, 11]),
    ],
)
def test_a_step_leaves_whole_though_its_reasoning_is_like_that_of_others(
    dropped: set[int], taken_away: int, stays: list[int]
) -> None:
    assert after(dropped, taken_away) == stays


def test_a_step_whose_items_were_decided_apart_stays() -> None:
    messages = of_responses(USER, *reasoned("a", {"type": "message", "role": "assistant", "content": "so"}), USER)
    for dropped in ({1}, {2}, {1, 2}, {1, 3, 4}, {2, 3}):
        decisions = {indexed(messages).key(at): GONE for at in dropped}
        assert kept(laid_out(messages, decisions)) == [0, 1, 2, 3, 4, 5]


def test_a_step_that_is_bound_stays() -> None:
    """One message answers its call and one that is not there: it belongs to no step, and would lose its call."""
    answers = tuple(Block("result", at, "x", id, can_edit=True) for at, id in enumerate(("a", "elsewhere")))
    both = Message(b"{}", "both", View("result", answers), (1, 1), 2)
    messages = (*of_responses(USER, *reasoned("a")[:2]), both, *of_responses(*reasoned("b"), USER, DONE))
    decisions = {indexed(messages).key(2): GONE}
    assert kept(laid_out(messages, decisions)) == list(range(len(messages)))
