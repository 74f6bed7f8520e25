"""Preset `balanced` over any session: no byte changes outside an announced epoch, whatever comes."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.model.prices import LIFETIME_MS
from tests.contract.talk import Fields, Messages, Talk
from tests.unit.session.context.epochs import LINES, WINDOW, extends, prune, sent, steps, talk_of
from tests.unit.session.recovery import session_of


class Course:
    """A list that grows by random moves, and what its host does meanwhile."""

    MOVES = ("step", "step", "step", "long", "user", "reply", "again")
    DEEDS = ("none", "none", "none", "prune", "policy", "cold", "pin", "wait", "model")

    def __init__(self) -> None:
        self.make, self.clock, self.number = Messages(), 10**6, 0
        self.messages: list[Fields] = [self.make.user("Go on with src/mod_1.py.")]

    def grow(self, move: str) -> list[Fields]:
        self.number += 1
        ways: dict[str, Callable[[], list[Fields]]] = {
            "step": lambda: steps(self.make, 3, self.number),
            "long": lambda: steps(self.make, 1, self.number, 8 * LINES),
            "user": lambda: [self.make.user(f"And func_{self.number}_1?")],
            "reply": lambda: [self.make.reply(f"It is in src/mod_{self.number}.py: func_{self.number}_2.")],
            "again": lambda: steps(self.make, 2, 1),
        }
        new = ways[move]()
        self.messages = [*self.messages, *new]
        return new

    def does(self, deed: str, talk: Talk) -> Fields:
        if deed == "prune":
            prune(talk, self.make, self.messages)
        elif deed == "policy":
            knob = ("lean", "careful")[self.number % 2]
            talk.call("setPolicy", sessionId="s", policy={"keep": knob})
        elif deed == "model":
            id = f"model-{self.number % 3}"
            talk.call("model_select", sessionId="s", model={"id": id, "contextWindow": WINDOW})
        elif deed == "pin":
            talk.call("pin", sessionId="s", path=f"src/mod_{self.number // 2}.py")
        if deed in ("cold", "wait"):
            self.clock += LIFETIME_MS + 1 if deed == "cold" else 1_000
        return {"at": self.clock}


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.sampled_from(Course.MOVES), st.sampled_from(Course.DEEDS), st.booleans()), max_size=24)
)
def test_no_byte_changes_outside_an_announced_epoch_through_restarts(
    moves: list[tuple[str, str, bool]],
) -> None:
    course, talk = Course(), talk_of()
    before = talk.context(course.messages)
    epoch = 0
    for move, deed, restart in moves:
        new = course.grow(move)
        params = course.does(deed, talk)
        other = talk_of(talk.saved) if restart else None
        after = talk.context(course.messages, answer="messages", **params)
        report = after["report"]
        assert (report.get("reason") in (None, "nothing to leave out"), report["checks"]) == (True, [])
        if report["epoch"] == epoch:
            assert extends(after, before, new)
            assert report["firstChangedIndex"] == -1
        else:
            assert report["epoch"] == epoch + 1
            assert report["arithmetic"]
        users = [one for one in course.messages if one["role"] == "user"]
        assert [one for one in after["list"] if one["role"] == "user"] == users
        assert after["list"][-len(new) :] == new
        if other is not None:
            anew = other.context(course.messages, answer="messages", **params)
            assert sent(anew) == sent(after)
            talk = other if anew["report"]["epoch"] == report["epoch"] else talk
        before, epoch = after, report["epoch"]


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {root!r})
from tests.unit.session.context.test_balanced_properties import lived
print(hashlib.sha256(lived()).hexdigest())
"""


def lived() -> bytes:
    """All that is written over a session with several epochs."""
    course, talk = Course(), talk_of()
    for number in range(20):
        course.grow(Course.MOVES[number % 7])
        params = course.does(Course.DEEDS[(3 * number) % 9], talk)
        talk.context(course.messages, answer="messages", **params)
    assert session_of(talk).state.epoch.number >= 2
    return b"\n".join([*talk.lines, *talk.saved])


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    root = str(Path(__file__).resolve().parents[4])
    expected = hashlib.sha256(lived()).hexdigest()
    command, environment = [sys.executable, "-c", SCRIPT.format(root=root)], {**os.environ, "PYTHONHASHSEED": "42"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == expected
