"""What an epoch may take away: results and arguments by kind and age, the oldest steps by room, nothing else."""

from typing import Any

import pytest

from ctxmgr.engine.conversation import BlockRef, working_set_start
from ctxmgr.engine.retention import prefix_cost
from ctxmgr.engine.retention.epoch_writing import NO_PACKET
from ctxmgr.engine.retention.layout import lay_out
from ctxmgr.engine.retention.offers import Growth, Situation, offers
from ctxmgr.engine.retention.shown import kind_of, shown
from ctxmgr.engine.retention.worth import NOTHING, Retention
from ctxmgr.engine.staleness import superseded
from ctxmgr.model import Packet, WorkingSet
from tests.notation import Said, a, call, err, indexed, r, raws, read, think, u
from tests.unit.engine.stepwise import code, looked, terms, wrote

NEWEST = WorkingSet(2, 100)
LAST = [*looked(8), *looked(9)]  # the working set: 230 tokens, and no call that any test makes again
AGES: dict[str, float] = {"arguments": 1e9, "call": 1e9, "read": 110.0, "command": 110.0, "search": 0.0}
LONG = {"path": "new.py", "content": "\n".join(f"line {number} of the file" for number in range(200))}


def offered(said: list[Said], by: Retention, **keys: Any) -> list[prefix_cost.Offer]:
    messages = read(raws(*said))
    index, inputs = indexed(messages), terms(messages, packet=keys.pop("packet", NO_PACKET), packet_index=1)
    plan = lay_out(index, "green", inputs.layout)
    situation = Situation(
        **{
            "plan": plan,
            "shown": shown(index, plan, inputs.layout.rules),
            "growth": Growth(4, 100.0),
            "working_set": working_set_start(index, NEWEST),
            "protected": frozenset(),
            "protected_results": frozenset(),
            "leaving_users": (),
            "layout": inputs.layout,
            **keys,
        }
    )
    return offers(index, by, situation, superseded(index))


def positions(found: list[prefix_cost.Offer]) -> list[int]:
    return [offer.position for offer in found]


def by(**ages: float) -> Retention:
    return Retention({**AGES, **ages}, 1e9, 1e9)  # type: ignore[dict-item]


# name, what stands before three reads of 115 tokens and the working set, the offers by message index
OLD = [said for number in (5, 6, 7) for said in looked(number)]
TABLE: list[tuple[str, list[Said], Retention, list[int]]] = [
    ("not one that is worth its place", looked(1), by(read=5_000.0), []),
    (
        "the output of a command by its own age",
        [a(call("bash", command="make")), r(code(1))],
        by(command=5_000.0),
        [],
    ),
    ("a search at once", [a(call("grep", pattern="x")), r(code(1))], by(read=5_000.0), [2]),
    ("not a light result", looked(1, 2), by(), []),
    ("nor a short error", [a(call("bash", command="make")), err("Error: no")], by(), []),
    ("a long error", [a(call("bash", command="make")), err("Error: " + code(1, 200))], by(), [2]),
    ("long arguments", [a(call("write", **LONG)), r("ok")], by(arguments=100.0), [1]),
    ("not beside what is signed", [a(think("hm"), call("write", **LONG)), r("ok")], by(arguments=100.0), []),
    ("nor short ones", wrote(1, 3), by(arguments=0.0), []),
    ("what was read again, however new", [*looked(1), *looked(1)], by(read=5_000.0), [2]),
]


@pytest.mark.parametrize(("name", "said", "worth", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_what_is_offered(name: str, said: list[Said], worth: Retention, expected: list[int]) -> None:
    more = OLD if worth.ages["read"] > 1_000 else OLD[:0]
    found = offered([u("go"), *said, *more, *LAST], worth)
    assert [at for at in positions(found) if at <= len(said)] == expected


MIXED = [
    *[u("go"), a("looking", call("read", path="a")), r(code(1, 30))],
    *[a(call("bash", command="make")), err("Error: " + code(1, 100))],
    *[a(call("write", **LONG)), r("ok"), a(call("grep", pattern="x")), r(code(2))],
    *[*looked(1), *looked(1), u("x " * 400), *LAST],
]
READ, AGAIN, SEARCH, ERROR, WRITE, OLDEST = (
    (12, 78, 2.0, "result of a read, 430 tokens old"),
    (10, 78, 3.15, "read again"),
    (8, 78, 4.0, "result of a search, 660 tokens old"),
    (4, 49, 4.0, "result of a command, 1,855 tokens old"),
    (5, 934, 4.0, "long arguments, 774 tokens old"),
    (2, 133, 4.0, "result of a read, 2,410 tokens old"),
)
WORDS = "words over their room"


@pytest.mark.parametrize(
    ("worth", "expected"),
    [
        (by(), [READ, AGAIN, SEARCH, ERROR, OLDEST]),
        (by(read=500.0, command=900.0, arguments=10.0), [AGAIN, SEARCH, WRITE, ERROR, OLDEST]),
        (NOTHING, [READ, AGAIN, SEARCH, WRITE, ERROR, OLDEST, (1, 800, 4.0, WORDS)]),
        (Retention({**AGES, "read": 1e9}, 60.0, 20.0), [AGAIN, SEARCH, ERROR, (1, 1_945, 4.0, WORDS)]),  # type: ignore[dict-item]
    ],
)
def test_all_that_is_offered(worth: Retention, expected: list[tuple[int, int, float, str]]) -> None:
    """Where it stands, what it saves, since how many calls it is due, and why."""
    found = offered(MIXED, worth)
    assert sorted((one.position, one.saved, round(one.due_calls, 3), one.why) for one in found) == sorted(expected)
    assert positions(found) == sorted(positions(found), reverse=True)


def test_nor_what_is_protected() -> None:
    said = [u("go"), *looked(1), *looked(2), *LAST]
    assert positions(offered(said, by(), protected=frozenset({2}))) == [4]
    assert positions(offered(said, by(), protected_results=frozenset({BlockRef(4, 0)}))) == [2]


def test_words_over_their_room_let_the_oldest_steps_leave_as_one_offer() -> None:
    said = [u("go"), *(one for number in range(6) for one in looked(number, 60)), *LAST]
    room = Retention({**by(read=1e9).ages}, 40.0, 8.0)
    (offer,) = offered(said, room)
    assert offer.position == 1
    assert {decision.kind for decision in offer.decisions.values()} == {"dropped"}
    assert len(offer.decisions) % 2 == 0, "a step leaves whole"
    assert offer.why == "words over their room"


def test_the_packet_goes_with_the_oldest_steps() -> None:
    said = [u("go"), u("and test it"), *looked(1), *looked(2), *LAST]
    assert positions(offered(said, NOTHING))[-1] == 2
    assert positions(offered(said, NOTHING, packet=Packet("told", 1)))[-1] == 1


# name, call, row of the table
KINDS = [
    ("a read", call("read", path="a.py"), "read"),
    ("a file shown by a shell", call("bash", command="cat a.py"), "read"),
    ("a search", call("grep", pattern="x"), "search"),
    ("a listing by a shell", call("bash", command="ls src"), "search"),
    ("a run", call("bash", command="npm test"), "command"),
    ("a file shown and a run", call("bash", command="cat a.py && npm test"), "command"),
    ("a tool that nobody knows", call("frobnicate", what="x"), "command"),
]


@pytest.mark.parametrize(("name", "asked", "kind"), KINDS, ids=[row[0] for row in KINDS])
def test_the_row_of_a_result(name: str, asked: dict[str, Any], kind: str) -> None:
    index = indexed(read(raws(u("go"), a(asked), r("text"))))
    assert kind_of(index, BlockRef(2, 0)) == kind
