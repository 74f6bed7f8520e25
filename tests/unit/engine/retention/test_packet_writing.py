"""The packet of an epoch: where it stands, and what it tells."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxmgr.engine.instructions import Quoted
from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.memory import PacketText, Stamp, fold
from ctxmgr.engine.memory.extract import from_message
from ctxmgr.engine.retention.epoch_writing import NO_PACKET, PacketWriter, left_paths, packet_of, place_of
from ctxmgr.engine.retention.layout import Layout, lay_out
from ctxmgr.model.messages import PACKET_MARK, Message
from ctxmgr.model.projection import Decision, Packet, Plan
from ctxmgr.model.saved import Ledger
from tests.notation import Said, a, call, indexed, note, packet, quarters, r, sh, summary, talk, u
from tests.unit.engine.stepwise import code, terms

RUN = call("bash", command="make")
STEP = [a("the_plan", RUN), r(code(1))]


def decided(messages: tuple[Message, ...], dropped: set[int]) -> dict[str, Decision]:
    index = indexed(messages)
    return {index.key(at): Decision("dropped") for at in dropped}


def bare(messages: tuple[Message, ...], dropped: set[int]) -> Plan:
    by = terms(messages)
    layout = Layout(decided(messages, dropped), NO_PACKET, 0, by.layout.rewrite, by.layout.shorten, STEPS)
    return lay_out(indexed(messages), "green", layout)


# name, conversation, start of the working set, dropped, place
PLACES: list[tuple[str, list[Said], int, set[int], int]] = [
    ("where the steps were that left", [u("1"), *STEP, *STEP, *STEP], 5, {1, 2}, 3),
    ("before the working set where none left", [u("1"), *STEP, *STEP], 3, set(), 3),
    ("before what was said right before that step", [u("1"), *STEP, u("2"), *STEP], 4, {1, 2}, 3),
    ("all of it", [u("1"), *STEP, u("2"), note("n"), u("3"), *STEP], 6, {1, 2}, 3),
    ("a summary is no question", [u("1"), *STEP, summary("s"), *STEP], 4, {1, 2}, 4),
    ("not before a user message that left", [u("1"), *STEP, u("2"), u("3"), *STEP], 5, {1, 2, 3}, 4),
    ("where no step is", [u("1"), u("2"), u("3")], 3, {0}, 1),
    ("where nothing comes after, before what is last", [u("1"), summary("s")], 2, {0}, 1),
    ("though that left itself", [u("1"), packet()], 2, {1}, 1),
    ("the user's shell run is a step", [u("1"), sh("ls", "x"), *STEP], 2, {1}, 2),
]


@pytest.mark.parametrize(("name", "said", "newest", "dropped", "place"), PLACES, ids=[row[0] for row in PLACES])
def test_where_it_stands(name: str, said: list[Said], newest: int, dropped: set[int], place: int) -> None:
    messages = talk(*said)
    index = indexed(messages)
    assert place_of(index, STEPS.steps(index), decided(messages, dropped), newest) == place


def told(messages: tuple[Message, ...], dropped: set[int], **keys: Any) -> Packet:
    by = terms(messages, **keys)
    return packet_of(indexed(messages), bare(messages, dropped), by.writer, by.room, STEPS)


def of(text: str) -> Callable[[int], str]:
    return lambda budget: text


def written(messages: tuple[Message, ...], dropped: set[int], **keys: Any) -> str:
    """The packet as it is written of what these messages said."""
    calls = {block.call_id: block for one in messages for block in one.view.blocks if block.kind == "call"}
    ledger = Ledger()
    for at, one in enumerate(messages):
        stamp = Stamp(one.digest, at)
        ledger = fold(ledger, from_message(one.view, stamp=stamp, calls=calls, opening=not at))
    by: dict[str, Any] = {"budget_tokens": 2_000, "allowance": 0, "archives": True, "quoted": lambda *_: Quoted()}
    writer = PacketWriter(PacketText(ledger, "", quarters), **(by | keys))
    found = packet_of(indexed(messages), bare(messages, dropped), writer, terms(messages).room, STEPS)
    assert found.weight == (quarters(found.text) if found.text else 0)
    return found.text


LONG = "first part " + code(9, 60) + " last part"
READ = [a("", call("read", path="src/old.py")), r(code(1))]


def test_a_user_message_that_left_is_told_and_none_that_stays() -> None:
    text = written(talk(u("go"), u(LONG), *READ, u("the third"), a("ok")), {1, 2, 3})
    assert '- #2: "first part' in text
    assert 'last part"' in text
    assert "the third" not in text
    assert "go" not in text.split()


def test_the_files_that_left_and_how_much_was_removed_are_told_last() -> None:
    found = written(talk(u(LONG), *READ, u("on"), a("ok")), {0, 1, 2})
    where = found.partition("## Where the rest is\n")[2].split("\n")
    assert where == [
        "Up to the turn of the user's message #1: 3 messages with 1 tool result were removed."
        " `search` finds what they said, `retrieve` gives it back.",
        "- files in it: `src/old.py`",
    ]
    silent = written(talk(u(LONG), *READ, u("on"), a("ok")), {0, 1, 2}, archives=False)
    assert "retrieve" not in silent


def test_instructions_stand_behind_it_word_for_word_in_a_room_of_their_own() -> None:
    rules = "## Instructions\n\n- told by the host:\n> Use tabs."
    found = written(talk(u(LONG), *READ, u("on"), a("ok")), {0, 1, 2}, quoted=lambda *_: Quoted(rules))
    assert found.startswith(PACKET_MARK)
    assert found.endswith(f"\n\n{rules}")


def test_a_result_that_left_by_itself_has_no_packet() -> None:
    """Its marker tells of it."""
    messages = talk(u("go"), *STEP, a("ok"))
    index, by = indexed(messages), terms(messages)
    layout = Layout({index.key(2): Decision("pruned")}, NO_PACKET, 0, by.layout.rewrite, by.layout.shorten, STEPS)
    plan = lay_out(index, "green", layout)
    assert plan.pruned == 1
    assert packet_of(index, plan, by.writer, by.room, STEPS) == NO_PACKET


@pytest.mark.parametrize(("beyond", "facts_tokens", "is_told"), [(400, 99, True), (400, 101, False), (0, 5, False)])
def test_of_what_the_host_took_away_it_tells_in_a_quarter_of_the_room_that_is_left(
    beyond: int, facts_tokens: int, is_told: bool
) -> None:
    """`beyond`: by how many tokens the list is below the limit."""
    messages = talk(u("go"), *STEP)
    weight = sum(message.weight for message in messages)
    by = terms(messages, limit=weight + beyond, facts=of("x" * 4 * facts_tokens))
    by.writer.allowance = 10_000
    assert (packet_of(indexed(messages), bare(messages, set()), by.writer, by.room, STEPS) != NO_PACKET) is is_told


def test_it_never_weighs_more_than_what_it_stands_for() -> None:
    messages = talk(u("go"), a("the_plan"), a("ok"))
    assert told(messages, {1}, facts=of("x" * 80)) == NO_PACKET
    long = talk(u("go"), *STEP, a("ok"))
    light = told(long, {1, 2}, facts=of("x" * 400))
    assert light.text == "x" * 400, "what does not fit goes from its end"


def test_the_files_that_left_are_named_newest_first_and_once_however_they_are_spelled() -> None:
    spelled = ("/w/project/src/a.py", "/w/project/src/b.py", "src/a.py", "c.py", "c.py")
    messages = talk(u("go"), *(said for path in spelled for said in (a("", call("read", path=path)), r("text"))))
    assert left_paths(messages, set(range(11))) == ("c.py", "/w/project/src/a.py", "/w/project/src/b.py")
    assert left_paths(messages, {1, 2, 3, 4}) == ("/w/project/src/b.py", "/w/project/src/a.py")
    assert left_paths(messages, set()) == ()
