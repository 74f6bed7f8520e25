"""The checks: each planted fault is found by its name, a sound plan has none, and carrying on changes nothing."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.conversation import ConversationIndex, extend
from ctxmgr.engine.invariants import FRESH, TURNS, CheckState
from ctxmgr.engine.invariants.check_state import carried_on
from ctxmgr.model.messages import Message, Unit, View
from ctxmgr.model.policy import ZONES
from ctxmgr.model.projection import Decision, Edit, Keep, Packet, Piece, Plan
from tests.conversations import any_list, legal, text_of
from tests.notation import Said, a, call, indexed, packet, r, summary, talk, think, u
from tests.unit.engine.projections import kept, planned

READ = call("read", path="x")
PACKET = Packet("p", 1)


def plan_of(messages: tuple[Message, ...], *pieces: Piece, off: int = 0) -> Plan:
    """A plan of these pieces that says what they weigh, but for `off` tokens."""
    weight = off
    for piece in pieces:
        if isinstance(piece, Keep):
            weight += sum(message.weight for message in messages[piece.start : piece.end])
        elif isinstance(piece, Packet):
            weight += piece.weight
        else:
            weight += messages[piece.index].weight - piece.before + piece.after
    raw = sum(message.weight for message in messages)
    return Plan(pieces, "green", 0, weight, raw, {})


def faults(said: list[Said], *pieces: Piece, off: int = 0) -> set[str]:
    messages = talk(*said)
    return set(TURNS.check(indexed(messages), plan_of(messages, *pieces, off=off))[0])


def edit(index: int, before: int = 100, after: int = 3, unit: int = 0) -> Edit:
    return Edit(index, unit, "pruned", "x", "k", before, after)


STEP = [a(think("hm"), READ), r("x" * 400)]
LONG = u("go " * 20)
OLD = [LONG, a("ok")]

# name, conversation, pieces of the plan, faults by name
TABLE: list[tuple[str, list[Said], list[Piece], set[str]]] = [
    ("all of it", [LONG, *STEP], [Keep(0, 3)], set()),
    ("nothing of nothing", [], [], set()),
    ("nothing of something", [LONG], [], {"newest user"}),
    ("nothing of a list without a user", [a("ok")], [], {"turns"}),
    ("a turn left out", [LONG, *STEP, LONG], [PACKET, Keep(3, 4)], set()),
    ("without a packet too", [LONG, *STEP, LONG], [Keep(3, 4)], set()),
    ("an edited result", [LONG, *STEP, LONG], [Keep(0, 2), edit(2), Keep(3, 4)], set()),
    ("a summary left out in the middle", [LONG, summary("s"), *STEP], [Keep(0, 1), Keep(2, 4)], set()),
    ("a packet left out", [packet(), LONG], [Keep(1, 2)], set()),
    ("what came before the turn is special", [summary("s"), packet(), LONG], [Keep(2, 3)], set()),
    ("the wrong way round", [LONG, LONG], [Keep(1, 2), Keep(0, 1)], {"order"}),
    ("twice", [LONG, LONG], [Keep(0, 2), Keep(0, 2)], {"order", "weight"}),
    ("beyond the end", [LONG], [Keep(0, 2)], {"order"}),
    ("an empty piece", [LONG], [Keep(0, 1), Keep(1, 1)], {"order"}),
    ("a message kept and edited", [LONG, *STEP], [Keep(0, 3), edit(2)], {"order", "weight"}),
    ("a unit edited twice", [LONG, *STEP], [Keep(0, 2), edit(2), edit(2)], {"order", "weight"}),
    ("a result dropped", [LONG, *STEP, a("ok")], [Keep(0, 2), Keep(3, 4)], {"pairs", "turns"}),
    ("a call dropped", [LONG, *STEP], [Keep(0, 1), Keep(2, 3)], {"pairs", "turns"}),
    (
        "the call of the first kept result dropped",
        [LONG, *STEP],
        [Keep(2, 3)],
        {"pairs", "turns", "newest user", "start"},
    ),
    ("the end dropped", [LONG, *STEP], [Keep(0, 1)], {"turns"}),
    ("a reply dropped", [LONG, a("one"), a("two")], [Keep(0, 1), Keep(2, 3)], {"turns"}),
    ("a turn cut in the middle", [LONG, a("one"), a("two"), LONG], [Keep(2, 4)], {"turns", "start"}),
    ("a summary does not hide that", [LONG, summary("s"), a("two"), LONG], [Keep(2, 4)], {"turns", "start"}),
    ("a headless turn cut in the middle", [a("one"), a("two"), LONG], [Keep(1, 3)], {"turns"}),
    ("a middle turn dropped", [LONG, a("1"), LONG, a("2"), LONG], [Keep(0, 2), Keep(4, 5)], {"turns"}),
    ("a cut between a call and its late result", [LONG, a(READ), LONG, r("x")], [Keep(2, 4)], {"pairs"}),
    (
        "an id used again does not hide it",
        [LONG, a(call("read", "x1")), LONG, r("x", "x1"), a(call("read", "x1")), r("y", "x1")],
        [Keep(2, 6)],
        {"pairs"},
    ),
    ("the newest user message dropped", [LONG, a("ok"), LONG], [Keep(0, 2)], {"turns", "newest user"}),
    ("an assistant message edited", [LONG, *STEP], [Keep(0, 1), edit(1, 1, 0), Keep(2, 3)], {"signed"}),
    ("a call edited", [LONG, *STEP], [Keep(0, 1), edit(1, 5, 3, unit=1), Keep(2, 3)], {"signed"}),
    ("a user message edited", [LONG], [edit(0, 15, 3)], {"signed"}),
    (
        "a packet in the middle",
        [LONG, *STEP, LONG, a("ok")],
        [Keep(3, 4), PACKET, Keep(4, 5)],
        {"packet"},
    ),
    ("a packet at the end", [LONG, *STEP, LONG], [Keep(3, 4), PACKET], {"packet"}),
    ("two packets", [LONG, *STEP, LONG], [PACKET, PACKET, Keep(3, 4)], {"packet"}),
    ("it starts with a reply, but it came so", [a("ok"), LONG], [Keep(0, 2)], set()),
    ("it starts with a reply, after a summary", [summary("s"), a("ok"), LONG], [Keep(1, 3)], {"start"}),
    ("a packet in its place", [summary("s"), a("ok"), LONG], [PACKET, Keep(1, 3)], set()),
    ("it starts with a reply, after a packet", [packet(), a("ok"), LONG], [Keep(1, 3)], {"start"}),
    ("a summary outlives its turn", [summary("s"), *OLD, LONG], [Keep(0, 1), Keep(3, 4)], set()),
    ("and stands before the packet", [summary("s"), *OLD, LONG], [Keep(0, 1), PACKET, Keep(3, 4)], set()),
    ("one from the middle", [*OLD, summary("s"), *OLD, LONG], [Keep(2, 3), PACKET, Keep(5, 6)], set()),
    (
        "what is no summary does not",
        [u("s"), *OLD, LONG],
        [Keep(0, 1), PACKET, Keep(3, 4)],
        {"packet", "turns"},
    ),
    ("nor without a packet", [u("s"), *OLD, LONG], [Keep(0, 1), Keep(3, 4)], {"turns"}),
    (
        "nor does it hide a turn cut after it",
        [summary("s"), LONG, a("1"), LONG],
        [Keep(0, 1), Keep(2, 4)],
        {"turns"},
    ),
    ("a summary alone is no start", [summary("s"), LONG], [Keep(0, 1)], {"newest user"}),
    ("heavier than what came", [LONG], [Packet("p", 1), Keep(0, 1)], {"weight"}),
    ("an edit that lies about what was", [LONG, *STEP], [Keep(0, 2), edit(2, before=90)], {"weight"}),
]


@pytest.mark.parametrize(("name", "said", "pieces", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_each_fault_by_name(name: str, said: list[Said], pieces: list[Piece], expected: set[str]) -> None:
    assert faults(said, *pieces) == expected


@pytest.mark.parametrize("off", [-1, 1, 1_000])
def test_a_plan_that_says_another_weight(off: int) -> None:
    assert faults([LONG, *STEP], Keep(0, 3), off=off) == {"weight"}


def several() -> tuple[Message, ...]:
    """A message with two results, as in formats that put them into one user message."""
    said = talk(LONG, a(READ, READ))
    units = tuple(Unit("result", at, "x", f"c{at + 1}", can_edit=True) for at in (0, 1))
    return (*said, Message(b"{}", "d", View("result", units), (50, 60), 110))


def test_two_units_of_one_message_edited() -> None:
    messages, index = several(), indexed(several())
    one, two = edit(2, 50, 3), edit(2, 60, 3, unit=1)
    assert TURNS.check(index, plan_of(messages, Keep(0, 2), one))[0] == ()
    both = msgspec.structs.replace(plan_of(messages, Keep(0, 2)), pieces=(Keep(0, 2), one, two))
    both = msgspec.structs.replace(both, weight=both.weight + 6)
    found, carried = TURNS.check(index, both)
    assert found == ()
    _, first = TURNS.check(index, plan_of(messages, Keep(0, 2), one))
    assert TURNS.check(index, both, first) == ((), carried)


# faults planted in the plan of a random list: name, what it does to the messages that stay (index lists of
# pieces are made anew from them), and one of the names it must be found by


def pieces_of(places: list[int], plan: Plan) -> list[Piece]:
    """A piece a message, edited where the plan edits it."""
    edits = {piece.index: piece for piece in plan.pieces if isinstance(piece, Edit)}
    return [edits.get(at, Keep(at, at + 1)) for at in places]


Plant = Callable[[tuple[Message, ...], list[int], int], list[int] | None]


def drop_one(role: str) -> Plant:
    def plant(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
        found = [at for at in places if messages[at].view.role == role]
        return [at for at in places if at != found[pick % len(found)]] if found else None

    return plant


def swap(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
    if len(places) < 2:
        return None
    at = pick % (len(places) - 1)
    return [*places[:at], places[at + 1], places[at], *places[at + 2 :]]


def repeat(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
    at = pick % len(places) if places else 0
    return [*places[: at + 1], *places[at:]] if places else None


def start_inside(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
    """Cuts off the head of the first kept turn."""
    ordinary = [at for at in places if messages[at].view.role not in ("summary", "packet")]
    if len(ordinary) < 2 or messages[ordinary[1]].view.opens_turn:
        return None
    return [at for at in places if at > ordinary[0]]


def cut_the_end(messages: tuple[Message, ...], places: list[int], pick: int) -> list[int] | None:
    last = messages[places[-1]].view.role if places else "summary"
    return places[:-1] if last not in ("summary", "packet") else None


PLANTS: list[tuple[str, Plant, set[str]]] = [
    ("drop a result", drop_one("result"), {"turns"}),
    ("drop a reply", drop_one("assistant"), {"turns"}),
    ("drop a user message", drop_one("user"), {"turns", "newest user"}),
    ("swap two", swap, {"order"}),
    ("send one twice", repeat, {"order"}),
    ("start inside a turn", start_inside, {"turns"}),
    ("cut the end", cut_the_end, {"turns", "newest user"}),
]


@pytest.mark.parametrize(("name", "plant", "names"), PLANTS, ids=[row[0] for row in PLANTS])
@given(messages=any_list, zone=st.sampled_from(ZONES), pick=st.integers(0, 30))
def test_a_fault_planted_in_any_plan_is_found(
    name: str, plant: Plant, names: set[str], messages: tuple[Message, ...], zone: str, pick: int
) -> None:
    plan = planned(messages, zone=zone)
    places = plant(messages, kept(plan), pick)
    if places is None or (name == "drop a user message" and whole_turn(messages, kept(plan), places)):
        return
    head = [piece for piece in plan.pieces[:1] if isinstance(piece, Packet)]
    broken = plan_of(messages, *head, *pieces_of(places, plan))
    assert names & set(TURNS.check(indexed(messages), broken)[0])


def whole_turn(messages: tuple[Message, ...], before: list[int], after: list[int]) -> bool:
    """A first kept turn of one message may leave: that is no fault."""
    return after == before[1:] and bool(after) and messages[after[0]].view.opens_turn


@given(any_list, st.sampled_from(ZONES), st.integers(0, 30))
def test_a_packet_anywhere_but_in_front_is_found(messages: tuple[Message, ...], zone: str, pick: int) -> None:
    plan = planned(messages, zone=zone)
    if plan.pieces:
        at = 1 + pick % len(plan.pieces)
        broken = msgspec.structs.replace(plan, pieces=(*plan.pieces[:at], PACKET, *plan.pieces[at:]))
        assert "packet" in TURNS.check(indexed(messages), broken)[0]


@given(any_list, st.sampled_from(ZONES), st.integers(-50, 50).filter(bool))
def test_a_wrong_weight_is_found(messages: tuple[Message, ...], zone: str, off: int) -> None:
    plan = planned(messages, zone=zone)
    broken = msgspec.structs.replace(plan, weight=plan.weight + off)
    assert TURNS.check(indexed(messages), broken)[0] == ("weight",)


@given(any_list, st.integers(0, 30))
def test_an_edit_of_what_is_no_result_is_found(messages: tuple[Message, ...], pick: int) -> None:
    plan = planned(messages)
    places = [at for at in kept(plan) if messages[at].view.units and messages[at].view.role != "result"]
    if places:
        at = places[pick % len(places)]
        pieces = [
            edit(at, messages[at].weights[0], 0) if isinstance(piece, Keep) and piece.start == at else piece
            for piece in pieces_of(kept(plan), plan)
        ]
        assert "signed" in TURNS.check(indexed(messages), plan_of(messages, *pieces))[0]


@settings(max_examples=100)
@given(st.one_of(legal, any_list), st.lists(st.sampled_from(ZONES), min_size=1, max_size=6), st.booleans())
def test_checking_on_is_checking_from_scratch(
    messages: tuple[Message, ...], course: list[str], plant: bool
) -> None:
    """Over a growing list; `plant` leaves out the last kept message of each plan, so that faults carry on."""
    floor, decisions, carried, index = 0, dict[str, Decision](), FRESH, ConversationIndex()
    for number, zone in enumerate(course):
        shown = messages[: len(messages) * (number + 1) // len(course)]
        index = extend(index, shown)
        plan = planned(shown, zone=zone, floor=floor, decisions=decisions)
        floor, decisions = plan.floor, plan.decisions
        if plant:
            plan = plan_of(shown, *pieces_of(kept(plan)[:-1], plan))
        scratch = TURNS.check(index, plan)
        assert TURNS.check(index, plan, carried) == scratch
        carried = scratch[1]


def test_faults_are_carried_on() -> None:
    messages = talk(LONG, *STEP, LONG, a("ok"))
    broken = (Keep(0, 1), edit(1, 1, 0), Keep(2, 3))
    _, carried = TURNS.check(indexed(messages[:3]), plan_of(messages[:3], *broken))
    plan = plan_of(messages, *broken, Keep(3, 5))
    assert TURNS.check(indexed(messages), plan, carried) == TURNS.check(indexed(messages), plan)
    assert TURNS.check(indexed(messages), plan, carried)[0] == ("signed",)


def test_checking_on_walks_only_what_is_new() -> None:
    """Else a call would cost the list: nothing before the last projection's end is looked at again."""

    class Watched(tuple[Message, ...]):
        looked_at: list[int]

        def __getitem__(self, at):  # type: ignore[no-untyped-def]
            self.looked_at.append(at)
            return super().__getitem__(at)

    said = [LONG, *STEP * 50, LONG, *STEP, a(text_of(9))]
    messages = Watched(talk(*said))
    messages.looked_at = []
    before = plan_of(tuple(messages)[:-4], Keep(0, len(messages) - 4))
    _, carried = TURNS.check(indexed(tuple(messages)[:-4]), before)
    after = plan_of(tuple(messages), Keep(0, len(messages)))
    index = indexed(messages)
    messages.looked_at.clear()
    assert TURNS.check(index, after, carried)[0] == ()
    assert min(at for at in messages.looked_at if at) >= len(messages) - 4


@pytest.mark.parametrize(
    ("pieces", "walked", "goes_on"),
    [
        ((Keep(0, 2),), (Keep(0, 2),), True),
        ((Keep(0, 2), PACKET), (Keep(0, 2),), True),
        ((Keep(0, 2), PACKET, Keep(3, 5)), (Keep(0, 2), PACKET, Keep(3, 4)), True),
        ((Keep(0, 2), PACKET, Keep(3, 5)), (Keep(0, 1), PACKET, Keep(3, 4)), False),
        ((Keep(0, 2), PACKET, Keep(4, 5)), (Keep(0, 2), PACKET, Keep(3, 4)), False),
        ((Keep(0, 2),), (Keep(0, 2), PACKET), False),
    ],
)
def test_a_walk_goes_on_where_the_one_before_ended(
    pieces: tuple[Piece, ...], walked: tuple[Piece, ...], goes_on: bool
) -> None:
    packets = tuple(place for place, piece in enumerate(walked) if isinstance(piece, Packet))
    before = CheckState(pieces=walked, rules=TURNS.rules, packets=packets)
    after = carried_on(before, TURNS.rules, plan_of(talk(*[u("one")] * 5), *pieces))
    assert after.pieces == (walked if goes_on else ())
