"""Pins: which messages each kind holds; and the results that came back too lately to leave."""

from typing import Any

from ctxmgr.engine.protection import pinned, returned_positions
from ctxmgr.engine.rewriting.marker import handle
from ctxmgr.model.epochs import Pin, PinBy
from tests.notation import Said, a, call, indexed, r, talk, u

#       0         1                                                 2          3          4
LIST = (u("go"), a("", call("read", path="src/a.py"), call("bash", command="ls")), r("A"), r("a.py b.py"), u("on"))
#       5                                          6          7                                  8
MORE = (a("", call("edit", path="/home/me/src/b.py")), r("ok"), a("", call("read", path="docs/a.md")), r("M"))


def held(pins: list[tuple[PinBy, str]], *said: Said) -> list[int]:
    messages = talk(*said)
    return sorted(pinned(indexed(messages), [Pin(*one) for one in pins]))


PINS: list[tuple[str, list[tuple[PinBy, str]], list[int]]] = [
    ("nothing", [], []),
    ("a call by id", [("callId", "c1")], [1, 2]),
    ("another call of the same message", [("callId", "c2")], [1, 3]),
    ("an id that is not there", [("callId", "c9")], []),
    ("a tool, all of it", [("tool", "read")], [1, 2, 7, 8]),
    ("a tool by its whole name", [("tool", "rea")], []),
    ("a path as the call has it", [("path", "src/a.py")], [1, 2]),
    ("a path by its end", [("path", "src/b.py")], [5, 6]),
    ("a file name", [("path", "b.py")], [5, 6]),
    ("no part of a name", [("path", ".py")], []),
    ("a glob", [("path", "src/*.py")], [1, 2, 5, 6]),
    ("a glob over folders", [("path", "/home/*.py")], [5, 6]),
    ("a glob of one character", [("path", "?.md")], [7, 8]),
    ("a glob with a choice", [("path", "[ab].py")], [1, 2, 5, 6]),
    ("from here", [("path", "./src/a.py")], [1, 2]),
    ("as Windows has it", [("path", "src\\a.py")], [1, 2]),
    ("a path in another case", [("path", "SRC/a.py")], []),
    ("what a command names is no path", [("path", "ls")], []),
    ("several", [("path", "b.py"), ("callId", "c2"), ("path", "*.md")], [1, 3, 5, 6, 7, 8]),
]


def test_what_a_pin_holds() -> None:
    for name, pins, positions in PINS:
        assert held(pins, *LIST, *MORE) == positions, name


def test_a_digest_holds_each_message_that_has_it() -> None:
    messages = talk(u("go"), u("on"), u("go"))
    assert sorted(pinned(indexed(messages), [Pin("digest", messages[0].digest)])) == [0, 2]
    assert pinned(indexed(messages), [Pin("digest", "0" * 16)]) == frozenset()


def test_an_id_used_again_holds_both() -> None:
    said = (a("", call("read", "x", path="a.py")), r("A", "x"), a("", call("read", "x", path="b.py")), r("B", "x"))
    assert held([("callId", "x")], *said) == [0, 1, 2, 3]
    assert held([("path", "a.py")], *said) == [0, 1]
    assert held([("path", "b.py")], *said) == [2, 3]


def test_a_result_without_its_call_is_held_by_what_it_tells_itself() -> None:
    said = (u("go"), r("A", "c7", toolName="read"), r("B", "c8", toolName="bash"))
    assert held([("tool", "read")], *said) == [1]
    assert held([("callId", "c8")], *said) == [2]


BACK = handle("k")


def back(epoch: int, returned: dict[str, int] | None = None, **more: Any) -> list[int]:
    messages = talk(
        u("go"),
        a("", call("recall", handle=BACK, offset=0), call("read", path="a.py")),
        r("what left"),
        r("A"),
        a("", call("recall", **more)) if more else a("done"),
        *([r("more of it")] if more else []),
    )
    came = {BACK: 3} if returned is None else returned
    return sorted(returned_positions(indexed(messages), came, epoch))


def test_what_came_back_stays_for_two_epochs() -> None:
    for epoch, positions in (
        (3, [2]),
        (4, [2]),
        (6, []),
    ):
        assert back(epoch) == positions, epoch


def test_the_call_tells_by_its_handle() -> None:
    for arguments, positions in (
        ({"id": f"ctxmgr:{BACK}"}, [2, 5]),
        ({"uri": f"original://{BACK}?page=2"}, [2, 5]),
        ({"id": BACK.upper()}, [2]),
    ):
        assert back(4, **arguments) == positions, arguments
