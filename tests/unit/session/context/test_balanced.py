"""Preset `balanced` over whole sessions: epochs announced, bytes kept between them, and through restarts."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.balanced.cache_cost import CACHE_TTL
from ctxmgr.server.effects import SnapshotLoaded
from tests.contract.talk import Fields, Messages, Talk, packet, roles
from tests.unit.session.recovery import session_of

WINDOW = 60_000  # tokens: room for about 40 of the steps below before red
POLICY: Fields = {"preset": "balanced", "hostReserve": 0, "costVersusRecall": 0.2}
LINES = 70  # of a read's result: about 500 tokens


def talk_of(saved: Sequence[bytes] = (), window: int = WINDOW, **policy: Any) -> Talk:
    return Talk(POLICY | policy, window, {}, found=SnapshotLoaded(tuple(saved)))


def step(make: Messages, number: int, lines: int = LINES) -> list[Fields]:
    text = "\n".join(f"def func_{number}_{line}(): pass" for line in range(lines))
    read = make.call("read", path=f"src/mod_{number}.py")
    return [make.reply(f"Look at src/mod_{number}.py.", read), make.result(text)]


def steps(make: Messages, count: int, start: int = 0, lines: int = LINES) -> list[Fields]:
    return [one for number in range(start, start + count) for one in step(make, number, lines)]


def begun(count: int = 24, **policy: Any) -> tuple[Talk, Messages, list[Fields], Fields]:
    """A session in which `prune` has opened epoch 1 over so many steps."""
    make, talk = Messages(), talk_of(**policy)
    messages = [make.user("Go on with src/mod_1.py."), *steps(make, count)]
    talk.context(messages)
    talk.call("prune", sessionId="s")
    answer = talk.context(messages, answer="messages")
    assert answer["report"]["epoch"] == 1
    return talk, make, messages, answer


def sent(answer: Fields) -> list[bytes]:
    return [json.dumps(one).encode() for one in answer["list"]]


def extends(after: Fields, before: Fields, new: Sequence[Fields]) -> bool:
    return bool(after["list"] == [*before["list"], *new])


# what opens an epoch


def test_the_first_list_is_sent_as_it_came() -> None:
    make, talk = Messages(), talk_of()
    answer = talk.context([make.user("Go."), *steps(make, 5)])
    assert answer["unchanged"] is True
    assert answer["report"]["epoch"] == 0


def test_an_epoch_is_announced_with_its_sum_and_what_is_no_longer_seen() -> None:
    _, _, messages, answer = begun()
    report = answer["report"]
    assert report["messagesDropped"] == len(messages) + 1 - len(answer["list"])
    assert report["arithmetic"].startswith("forced: ")
    paths = [gone["path"] for gone in report["readsGone"]]
    assert "src/mod_0.py" in paths
    assert "src/mod_23.py" not in paths
    assert packet(answer["list"]).startswith("[ctxmgr packet]")
    assert answer["list"][0] == messages[0]
    assert answer["list"][-4:] == messages[-4:]
    assert report["tokens"] < report["rawTokens"]


def prune(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("prune", sessionId="s")
    return {}


def policy(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("setPolicy", sessionId="s", policy={"costVersusRecall": 0.0})
    return {}


def model(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("model_select", sessionId="s", model={"id": "model-2", "contextWindow": WINDOW})
    return {}


def compaction(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    entry = {"id": "k", "summary": "## Goal\nPort the parser.\n"}
    talk.call("session_compact", sessionId="s", compactionEntry=entry)
    return {}


def tree(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("session_tree", sessionId="s", newLeafId="e2", oldLeafId="e1")
    return {}


def pin(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("pin", sessionId="s", path="src/mod_0.py")
    return {}


def undo(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    talk.call("undo", sessionId="s", epoch=1)
    return {}


def cold(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    return {"at": 10**6 + CACHE_TTL + 1}


def nothing(talk: Talk, make: Messages, messages: list[Fields]) -> Fields:
    return {"at": 10**6 + CACHE_TTL}


Act = Callable[[Talk, Messages, list[Fields]], Fields]
ACTS: list[tuple[str, Act, bool]] = [
    ("forced", prune, True),
    ("policy", policy, True),
    ("model", model, True),
    ("compaction", compaction, True),
    ("tree", tree, True),
    ("pin", pin, True),
    ("undo", undo, True),
    ("cold", cold, True),
    ("price", nothing, False),
]


def acted(act: Act, restart: bool, more: int = 12) -> tuple[Fields, list[Fields], Fields, Talk]:
    """The answer before, what is new, and the answer after."""
    talk, make, messages, before = begun()
    new = steps(make, more, start=40)
    before = talk.context(messages, answer="messages", at=10**6)
    params = act(talk, make, messages)
    if restart:
        talk = talk_of(talk.saved)
    return before, new, talk.context([*messages, *new], answer="messages", **params), talk


@pytest.mark.parametrize(("opening", "act", "opens"), ACTS, ids=[row[0] for row in ACTS])
def test_what_opens_one(opening: str, act: Act, opens: bool) -> None:
    before, new, after, talk = acted(act, restart=False)
    report = after["report"]
    assert report["checks"] == []
    assert "reason" not in report
    assert report["epoch"] == before["report"]["epoch"] + opens
    assert ("arithmetic" in report) == opens
    assert extends(after, before, new) != opens
    if opens:
        receipt = session_of(talk).state.receipts[-1]
        assert (receipt.opening, receipt.after_tokens) == (opening, report["tokens"])
    if opening in ("pin", "undo"):
        assert "func_0_1()" in json.dumps(after["list"])


@pytest.mark.parametrize(("opening", "act", "opens"), ACTS, ids=[row[0] for row in ACTS])
def test_a_restart_changes_no_byte(opening: str, act: Act, opens: bool) -> None:
    """But after an undo, a move or a compaction: the snapshot does not hold what was decided before, so that the
    epoch may break the prefix at another place. It is announced all the same."""
    for more in (0, 1, 12):
        going = acted(act, False, more)[2]
        before, new, restarted, _ = acted(act, True, more)
        announced = restarted["report"]["epoch"] > before["report"]["epoch"]
        assert announced or extends(restarted, before, new)
        assert restarted["report"]["checks"] == []
        if opening in ("undo", "tree", "compaction"):
            assert restarted["report"]["epoch"] >= going["report"]["epoch"]
        else:
            assert sent(restarted) == sent(going)
            assert restarted["report"]["epoch"] == going["report"]["epoch"]


def test_the_hosts_lifetime_of_a_cache_goes_before_ours_be_it_nothing() -> None:
    for ttl, opens in ((0, True), (2, False), (None, False)):
        talk, make, messages, before = begun()
        told = {} if ttl is None else {"cacheTtlMs": ttl}
        talk.call("model_select", sessionId="s", model={"id": "model-1", "contextWindow": WINDOW, **told})
        talk.context(messages, at=10**6)
        after = talk.context([*messages, *steps(make, 12, start=40)], at=10**6 + 1)
        assert (after["report"]["epoch"] > before["report"]["epoch"]) == opens


def test_a_list_written_anew_opens_one_only_where_that_costs_nothing() -> None:
    talk, make, messages, before = begun()
    shorter = [*messages[:-6], make.user("No, another way.")]
    after = talk.context(shorter, answer="messages")
    assert after["report"]["epoch"] == 1
    assert after["list"] == [*before["list"][:-6], shorter[-1]]
    other = [make.user("Something else."), *steps(make, 24, start=60)]
    anew = talk.context(other, answer="messages")
    assert anew["report"]["checks"] == []
    assert anew["report"]["epoch"] in (1, 2)


def test_red_opens_one_and_the_next_call_does_not() -> None:
    make, talk = Messages(), talk_of()
    messages = [make.user("Go.")]
    opened: list[int] = []
    for number in range(90):
        messages += step(make, number)
        report = talk.context(messages)["report"]
        if "arithmetic" in report:
            opened.append(number)
            assert report["arithmetic"].split(":")[0] in ("red", "price")
        assert report["checks"] == []
    assert 1 <= len(opened) <= 12
    assert all(later - earlier > 1 for earlier, later in pairwise(opened))


# pruning off and on, presets


def test_pruning_off_sends_the_list_as_it_came_and_on_again_as_it_was_decided() -> None:
    talk, make, messages, before = begun()
    talk.call("setPruning", sessionId="s", enabled=False)
    new = step(make, 50)
    off = talk.context([*messages, *new], answer="messages")
    assert "reason" not in off["report"]
    assert off["report"]["checks"] == []
    assert off["list"] == [*messages, *new]
    again = talk.context([*messages, *new], answer="messages")
    assert again["list"] == off["list"]
    talk.call("setPruning", sessionId="s", enabled=True)
    restarted = talk_of(talk.saved)
    on = talk.context([*messages, *new], answer="messages")
    assert on["report"]["checks"] == []
    assert "reason" not in on["report"]
    assert extends(on, before, new)
    assert sent(restarted.context([*messages, *new], answer="messages")) == sent(on)


def test_another_preset_and_back_through_a_restart() -> None:
    make, talk = Messages(), talk_of(preset="turns")
    messages: list[Fields] = []
    for number in range(12):
        messages += [
            make.user(f"Do {number}. " + "Please. " * 90),
            *steps(make, 2, 2 * number),
            make.reply("Done."),
        ]
    messages.append(make.user("And now?"))
    by_turns = talk.context(messages, answer="messages")
    for preset in ("balanced", "turns", "balanced"):
        talk.call("setPolicy", sessionId="s", policy={"preset": preset})
        restarted = talk_of(talk.saved, preset="turns")
        going = talk.context(messages, answer="messages")
        assert going["report"]["checks"] == []
        assert sent(restarted.context(messages, answer="messages")) == sent(going)
        if preset == "turns":
            assert roles(going["list"]) == roles(by_turns["list"])


def test_what_changes_the_packet_waits_for_an_epoch() -> None:
    """A setting or a note of the model is no reason to break the prefix, before a restart or after."""
    talk, make, messages, before = begun()
    talk.call("setPolicy", sessionId="s", policy={"resumeTokens": 3_000})
    operations = [{"op": "add", "section": "notes", "text": "mind the tabs"}]
    with_note = talk.ask("editScratchpad", sessionId="s", operations=operations)
    assert talk.answered(with_note)
    restarted = talk_of(talk.saved)
    new = step(make, 50)
    for one in (talk, restarted):
        after = one.context([*messages, *new], answer="messages")
        assert "arithmetic" in after["report"] or extends(after, before, new)
        assert packet(after["list"])


# strange lists


LONG = "log line with words\n" * 1_500  # 7 500 tokens: over the share of what users say


def strange(make: Messages) -> dict[str, list[Fields]]:
    empty = {"role": "user", "content": [], "timestamp": 5}
    return {
        "a long first message": [make.user(LONG), *steps(make, 30), make.user("Now the rest.")],
        "an empty one": [make.user("Hi."), empty, *steps(make, 30), make.user(LONG)],
        "no step at all": [make.user("Hi."), make.user(LONG), make.user("So?"), make.summary("## Goal\nX\n")],
        "a packet at the end": [
            make.user("Hi."),
            *steps(make, 30),
            {"role": "custom", "customType": "ctxmgr.packet", "content": LONG, "display": False, "timestamp": 9},
        ],
        "no user": steps(make, 40),
        "a failed reply": [make.user("Hi."), make.reply(stopReason="error"), *steps(make, 30)],
    }


@pytest.mark.parametrize("name", list(strange(Messages())))
@pytest.mark.parametrize("tokens", [{}, {"packetTokens": 0}], ids=["", "without packets"])
def test_strange_lists_are_answered(name: str, tokens: Fields) -> None:
    make = Messages()
    messages = strange(make)[name]
    talk = talk_of(**tokens)
    talk.context(messages)
    for more in ([], steps(make, 3, 90), [make.user("On.")], steps(make, 30, 100)):
        messages = [*messages, *more]
        talk.call("prune", sessionId="s")
        answer = talk.context(messages, answer="messages")
        assert (answer["report"].get("reason"), answer["report"]["checks"]) == (None, [])
    assert talk.said == []


# whole sessions at random


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
            knob = (0.1, 0.9)[self.number % 2]
            talk.call("setPolicy", sessionId="s", policy={"costVersusRecall": knob})
        elif deed == "model":
            id = f"model-{self.number % 3}"
            talk.call("model_select", sessionId="s", model={"id": id, "contextWindow": WINDOW})
        elif deed == "pin":
            talk.call("pin", sessionId="s", path=f"src/mod_{self.number // 2}.py")
        if deed in ("cold", "wait"):
            self.clock += CACHE_TTL + 1 if deed == "cold" else 1_000
        return {"at": self.clock}


@settings(max_examples=25)
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


# the same bytes in every process


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {root!r})
from tests.unit.session.context.test_balanced import lived
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
    for seed in ("1", "4242"):
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(root=root)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == expected
