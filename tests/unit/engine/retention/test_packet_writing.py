"""The packet of an epoch: where it stands, and what it tells."""

from collections.abc import Callable
from typing import Any

from ctxmgr.engine.invariants import STEPS
from ctxmgr.engine.retention.epoch_writing import NO_PACKET, left_paths, packet_of, place_of
from ctxmgr.engine.retention.layout import Layout, lay_out
from ctxmgr.model.messages import Message
from ctxmgr.model.projection import Decision, Packet, Plan
from tests.notation import Said, a, call, indexed, note, packet, r, sh, summary, talk, u
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


def test_where_it_stands() -> None:
    for name, said, newest, dropped, place in PLACES:
        messages = talk(*said)
        index = indexed(messages)
        assert place_of(index, STEPS.steps(index), decided(messages, dropped), newest) == place, name


def told(messages: tuple[Message, ...], dropped: set[int], **keys: Any) -> Packet:
    by = terms(messages, **keys)
    return packet_of(indexed(messages), bare(messages, dropped), by.writer, by.room, STEPS)


def of(text: str) -> Callable[[int], str]:
    return lambda budget: text


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
