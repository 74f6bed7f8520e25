"""Decisions replayed: the same plan from the same decisions, and what is new goes at the end as it came."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.conversation import BlockRef
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.retention import layout as apply_decisions
from ctxmgr.engine.retention.layout import Layout
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Decision, Packet, Plan
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
    ("as it came", [u("go"), *STEP], {}, -1, [0, 1, 2], {}),
    ("a packet for it", [u("go"), *STEP, u("on"), END], {(1, 0): GONE, (2, 0): GONE}, 3, [0, 3, 4], {}),
    ("a packet in front", [u("go"), *STEP], {}, 0, [0, 1, 2], {}),
    ("a result distilled", [*STEP], {(1, 0): Decision("distilled", 100)}, -1, [0, 1], {1: "distilled"}),
    ("a call shortened", [a("so", WRITE), r("ok"), END], {(0, 1): SHORT}, -1, [0, 1, 2], {0: "shortened"}),
    ("text is not edited", [u(LONG), a(think(LONG))], {(0, 0): PRUNED, (1, 0): SHORT}, -1, [0, 1], {}),
]


def test_laid_out() -> None:
    for name, said, by_block, place, stays, edits in TABLE:
        messages = talk(*said)
        index = indexed(messages)
        decisions = {index.block_key(BlockRef(*at)): one for at, one in by_block.items()}
        plan = laid_out(messages, decisions, place)
        assert (kept(plan), edited(plan)) == (stays, edits), name
        assert plan.weight == sum(message.weight for message in read(sent(messages, plan))), name
        assert plan.raw_weight == sum(message.weight for message in messages), name
        assert plan.dropped == len(messages) - len(stays), name
        assert plan.pruned == list(edits.values()).count("pruned"), name
        assert plan.distilled == len(edits) - plan.pruned, name
        assert (plan.packet_weight, plan.floor) == ((PACKET.weight, place) if place >= 0 else (0, 0)), name
        assert [piece for piece in plan.pieces if isinstance(piece, Packet)] == [PACKET] * (place >= 0), name


def test_of_two_alike_the_newest_of_the_user_stays_where_the_host_took_the_first_away() -> None:
    messages = talk(u("go"), a("ok"), u("go"), a("so"))
    first = {indexed(messages).key(0): GONE}
    assert kept(laid_out(messages, first)) == [1, 2, 3]
    rest = messages[1:]
    plan = laid_out(rest, first)
    assert kept(plan) == [0, 1, 2]
    assert plan.decisions == {}
    assert STEPS.check(indexed(rest), plan)[0] == ()


def test_decisions_about_what_is_not_there_are_forgotten() -> None:
    messages = talk(u("go"), a("ok"), u("go"), a("ok"))
    index = indexed(messages)
    decisions = {index.key(3): GONE, "0" * 16: GONE}
    short = laid_out(messages[:2], decisions)
    assert short.decisions == {}
    grown = apply_decisions.extended(short, index, 2, "green", layout(messages, short.decisions))
    assert sent(messages, grown) == sent(messages, laid_out(messages, grown.decisions))


def test_a_list_that_goes_on_is_laid_out_with_results_that_are_cut_as_they_arrive() -> None:
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
    messages, decisions, place, size = given
    before = laid_out(messages[:size], decisions, place)
    goes_on = layout(messages, before.decisions, place)
    grown = apply_decisions.extended(before, indexed(messages), size, "red", goes_on)
    anew = apply_decisions.lay_out(indexed(messages), "red", layout(messages, before.decisions, place))
    assert sent(messages, grown) == sent(messages, anew)
    assert sent(messages, grown)[: len(sent(messages[:size], before))] == sent(messages[:size], before)
    told: dict[str, Any] = {"pieces": ()}
    assert msgspec.structs.replace(grown, **told) == msgspec.structs.replace(anew, **told)
