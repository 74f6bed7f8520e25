"""The packet of an epoch: where it stands, and what it tells."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings

from ctxmgr.engine.balanced.apply_decisions import Layout, lay_out
from ctxmgr.engine.balanced.budget import Budget
from ctxmgr.engine.balanced.packet_placement import NO_PACKET, PacketPlacement, headless, packet_of, place_of
from ctxmgr.engine.invariants import STEPS
from ctxmgr.model.messages import PACKET_MARK, Message
from ctxmgr.model.projection import Decision, Packet, Plan
from tests.notation import Said, a, call, indexed, note, packet, quarters, r, sh, summary, talk, u
from tests.unit.engine.stepwise import any_list, code, epoch_inputs

RUN = call("bash", command="make")
STEP = [a("the_plan", RUN), r(code(1))]


def placement_of(messages: tuple[Message, ...], newest: int) -> PacketPlacement:
    index = indexed(messages)
    return PacketPlacement(index, STEPS.steps(index), newest, {}, STEPS)


def decided(messages: tuple[Message, ...], dropped: set[int]) -> dict[str, Decision]:
    index = indexed(messages)
    return {index.key(at): Decision("dropped") for at in dropped}


def bare(messages: tuple[Message, ...], dropped: set[int]) -> Plan:
    by = epoch_inputs(messages)
    layout = Layout(decided(messages, dropped), NO_PACKET, 0, by.layout.rewrite, by.layout.shorten, STEPS)
    return lay_out(indexed(messages), "green", layout)


# name, conversation, number of the first newest step, dropped, place
PLACES: list[tuple[str, list[Said], int, set[int], int]] = [
    ("before the newest steps", [u("1"), *STEP, *STEP], 1, {1, 2}, 3),
    ("before what was said right before them", [u("1"), *STEP, u("2"), *STEP], 1, {1, 2}, 3),
    ("all of it", [u("1"), *STEP, u("2"), note("n"), u("3"), *STEP], 1, {1, 2}, 3),
    ("a summary is no question", [u("1"), *STEP, summary("s"), *STEP], 1, {1, 2}, 4),
    ("not before a user message that left", [u("1"), *STEP, u("2"), u("3"), *STEP], 1, {1, 2, 3}, 4),
    ("before a late result of theirs", [u("1"), a("", call("bash", "x1")), *STEP, r("1", "x1")], 0, set(), 0),
    ("where no step is", [u("1"), u("2"), u("3")], 0, {0}, 1),
    ("where nothing comes after, before what is last", [u("1"), summary("s")], 0, {0}, 1),
    ("though that left itself", [u("1"), packet()], 0, {1}, 1),
    ("the user's shell run is a step", [u("1"), sh("ls", "x"), *STEP], 1, {1}, 2),
]


@pytest.mark.parametrize(("name", "said", "newest", "dropped", "place"), PLACES, ids=[row[0] for row in PLACES])
def test_where_it_stands(name: str, said: list[Said], newest: int, dropped: set[int], place: int) -> None:
    messages = talk(*said)
    assert place_of(placement_of(messages, newest), decided(messages, dropped)) == place


def told(messages: tuple[Message, ...], dropped: set[int], **keys: Any) -> Packet:
    keys = {"budget": Budget(0, 0, 200), **keys}
    by = epoch_inputs(messages, **keys)
    return packet_of(placement_of(messages, 99), bare(messages, dropped), by.writer, by.budget)


def of(text: str) -> Callable[[int], str]:
    return lambda budget: text


def test_it_tells_facts_then_users_then_names() -> None:
    messages = talk(u("please " + "do " * 90), u("on"), *STEP, a("ok"))
    found = told(messages, {0, 2, 3})
    assert found.weight == quarters(found.text)
    facts, users, index = found.text.split("\n\n")
    assert facts == "[ctxmgr packet]\nfacts"
    assert users.startswith("## Said by the user")
    assert "please do do" in users
    assert index.splitlines()[0].startswith("## Left out")
    assert "the_plan" in index


def test_names_that_a_sentence_holds_are_not_listed_and_the_rest_have_its_room() -> None:
    messages = talk(u("go"), *STEP, a("the_plan and the_other"), a("ok"))
    named = told(messages, {1, 2, 3}, own="## Found\n- the_plan fails")
    assert "the_other" in named.text.partition("## Left out")[2]
    assert "the_plan" not in named.text.partition("## Left out")[2]
    of_fact = told(messages, {1, 2, 3}, facts=of(f"{PACKET_MARK}\n- the_plan fails"))
    assert "the_plan" not in of_fact.text.partition("## Left out")[2]
    tight, own = Budget(0, 0, 110), "## Found\n" + "- it fails so\n" * 20
    whole, less = (told(messages, {1, 2, 3}, budget=tight, own=one) for one in ("", own))
    assert len(less.text.partition("## Left out")[2]) < len(whole.text.partition("## Left out")[2])
    assert less.weight <= 110 + 10, "both have the room of the index"


EDIT = [a("", call("edit", path="a.py", oldText="x", newText="the_new = 1")), r("done")]


def test_what_an_edit_that_left_put_there_is_told_before_the_names_in_a_room_of_its_own() -> None:
    messages = talk(u("go"), *EDIT, *STEP * 8, a("ok"))
    room, edited, looked = Budget(0, 0, 800), {1, 2}, set(range(3, 19))
    text = told(messages, edited | looked, budget=room).text
    assert "- a.py\n+the_new = 1" in text.partition("## Left out")[0]
    assert "the_new" not in text.partition("## Left out")[2]
    assert "+the_new = 1" not in told(messages, looked, budget=room).text, "it is shown"
    scarce = told(messages, edited | looked, budget=Budget(0, 0, 120)).text
    assert "+the_new" not in scarce, "a sixth of the room is too little"
    assert "## Left out" in scarce


def test_what_was_found_leaves_room_for_facts_where_the_packet_stands_for_little() -> None:
    messages = talk(u("go"), *STEP, a("ok"))
    light = told(messages, {1, 2}, own="- it fails so\n" * 200, facts=lambda room: "x" * room * 4)
    assert light.text.startswith("x" * 200)
    assert "- it fails so" in light.text


def test_without_facts_it_has_its_mark_all_the_same() -> None:
    """By that it is known again where no field can say what it is."""
    found = told(talk(u("go"), *STEP, a("ok")), {1, 2}, facts=of(""))
    assert found.text.startswith(PACKET_MARK)
    assert "func_1_1" in found.text


def test_where_nothing_left_there_is_none() -> None:
    messages = talk(u("go"), *STEP)
    assert told(messages, set()) == NO_PACKET


def test_it_never_weighs_more_than_what_it_stands_for() -> None:
    messages = talk(u("go"), a("the_plan"), a("ok"))
    assert told(messages, {1}, facts=of("x" * 80)) == NO_PACKET
    long = talk(u("go"), *STEP, a("ok"))
    light = told(long, {1, 2}, facts=of("x" * 400))
    assert light.text == "x" * 400, "what does not fit goes from its end"


def test_that_users_said_something_stays_longest() -> None:
    """Less and less of the rest is told; the count of user messages is the last to go."""
    messages = talk(u("please " + "do " * 400), u("on"), *STEP, a("ok"))
    whole = told(messages, {0}, facts=of("x" * 100))
    assert "please do" in whole.text
    assert "x" * 100 in whole.text
    tight = told(messages, {0}, facts=of("x" * 1_000))
    assert tight.text == "x" * 1_000 + "\n\n## 1 user message, not shown"
    tighter = told(messages, {0}, facts=of("x" * 1_200))
    assert tighter.text.startswith(f"{PACKET_MARK}\n\n## Said by the user")
    scarce = told(talk(u("please " + "do " * 20), u("on"), a("ok")), {0}, facts=of("x" * 100))
    assert scarce.text == f"{PACKET_MARK}\n\n## 1 user message, not shown"


# name, conversation, dropped, is there a packet in front, the message that has to stay
HEADS: list[tuple[str, list[Said], set[int], int, int]] = [
    ("as it came", [u("go"), *STEP], set(), -1, -1),
    ("a reply is first", [u("go"), *STEP, u("on")], {0}, -1, 0),
    ("but the packet is before it", [u("go"), *STEP, u("on")], {0}, 1, -1),
    ("a packet after it does not help", [u("go"), *STEP, a("ok"), u("on")], {0}, 3, 0),
    ("a user message is next", [u("go"), u("on"), *STEP], {0}, -1, -1),
    ("it came so", [*STEP, u("go"), a("ok")], {0, 1}, -1, -1),
    ("after a prompt", [Said({"role": "system", "content": "x"}), a("ok")], set(), -1, -1),
    ("nothing", [], set(), -1, -1),
]


@pytest.mark.parametrize(("name", "said", "dropped", "place", "expected"), HEADS, ids=[row[0] for row in HEADS])
def test_what_a_list_has_to_start_with(
    name: str, said: list[Said], dropped: set[int], place: int, expected: int
) -> None:
    messages = talk(*said)
    by = epoch_inputs(messages)
    stands = Packet("[ctxmgr packet]", 4) if place >= 0 else NO_PACKET
    layout = Layout(decided(messages, dropped), stands, place, by.layout.rewrite, by.layout.shorten, STEPS)
    index = indexed(messages)
    assert headless(index, lay_out(index, "green", layout), STEPS) == expected


@settings(max_examples=60)
@given(any_list)
def test_the_place_is_in_the_list_and_before_the_newest_steps(messages: tuple[Message, ...]) -> None:
    if not messages:
        return
    steps = STEPS.steps(indexed(messages)).steps
    for newest in range(len(steps) + 1):
        at = place_of(placement_of(messages, newest), {})
        assert 0 <= at < len(messages)
        for step in steps[newest:]:
            assert at <= min((*step.assistant_indices, *step.result_indices))
