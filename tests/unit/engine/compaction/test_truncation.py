"""What is given up so that a history fits a room. Characters / 4 a token here."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction.render import RenderLimits, conversation
from ctxmgr.engine.compaction.truncation import fit
from ctxmgr.model.compaction import BranchMessage
from tests.notation import a, call, quarters, r, think, u, words
from tests.unit.engine.compaction.test_slices import any_history, told


def lines(count: int) -> str:
    return "\n".join(f"line {number:04}" for number in range(count))  # ten characters each


OLD = [u("look at it"), a(think("t" * 3_000), call("read", path="a.py")), r(lines(300))]
NEW = [a("s" * 9_000, call("read", path="b.py")), r(lines(300)), u("p" * 6_000), a("done")]
TALK = told(*OLD, *NEW)
WHOLE = quarters(conversation(TALK))

HISTORY = told(
    u("u " * 3_000),
    a(think("t " * 500), "a " * 3_000, call("read", path="x")),
    r("r " * 3_000),
    a("b"),
    u("go"),
    a(think("k " * 200), "c " * 800, call("read", path="y")),
    r("s " * 300),
    a("done"),
)
WORDS = {
    "results": "tool results shortened to {}",
    "assistant": "long texts of the assistant shortened to {}",
    "user": "long texts of the user shortened to {}",
    "thinking": "thinking left out of messages",
}
# room, weight, messages left out, what was given up, in short
RUNGS: list[tuple[int, int, int, str]] = [
    (6_200, 4_472, 0, ""),
    (4_471, 4_222, 0, "results 1,000: 1"),
    (2_056, 1_868, 0, "results a marker: 2; thinking: 2; assistant 1,000 or 240: 2"),
    (1_678, 1_185, 0, "results a marker: 2; thinking: 2; assistant 240: 2; user 4,000: 1"),
    (1_181, 435, 0, "results a marker: 2; thinking: 2; assistant 240: 2; user 4,000 or 1,000: 1"),
    (243, 105, 3, "results a marker: 1; thinking: 1; assistant 240: 1; oldest messages left out: 3"),
    (103, 101, 4, "results a marker: 1; thinking: 1; assistant 240: 1; oldest messages left out: 4"),
    (96, 16, 7, "oldest messages left out: 7"),
    (5, 0, 8, "messages left out, all there are: 8"),
]


def spelled(short: str) -> str:
    """`results 400 or 120: 2` in the words of the reductions."""
    kind, _, rest = short.partition(" ")
    what, _, count = rest.rpartition(": ")
    if kind not in WORDS and kind != "thinking:":
        return short
    characters = "" if what.endswith("marker") else " characters"
    return f"{WORDS[kind.rstrip(':')].format(what + characters)}: {count or rest}"


def test_each_rung() -> None:
    for room, weight, left_out, expected in RUNGS:
        fitted = fit(HISTORY, room, quarters)
        assert (quarters(fitted.text), len(fitted.left_out)) == (weight, left_out), expected
        assert ("t t t" in fitted.text) == ("thinking" not in expected and not left_out), expected
        assert fitted.reductions == tuple(spelled(one) for one in expected.split("; ") if one), expected


def test_a_rung_that_fits_as_a_whole_is_told_alone() -> None:
    at_400 = quarters(conversation(TALK, RenderLimits(400)))
    assert fit(TALK, at_400, quarters).reductions == ("tool results shortened to 400 characters: 2",)


def test_the_least_important_goes_first() -> None:
    room = WHOLE - 50
    oldest = fit(TALK, room, quarters).text
    newest = fit(TALK, room, quarters, [0.9, 0.9, 0.9, 0.9, 0.1, 0.9, 0.9]).text
    short = conversation([TALK[2]], RenderLimits(1_000))
    assert short in oldest
    assert short not in newest.split("s" * 9_000)[0]
    assert short in newest
    with pytest.raises(ValueError, match="1 numbers for 7 messages"):
        fit(TALK, room, quarters, [0.5])


@given(any_history, st.integers(-1, 6_000), st.booleans(), st.sampled_from([quarters, words, len]), st.data())
def test_it_always_fits(
    history: tuple[BranchMessage, ...], room: int, important: bool, weigh: Any, data: st.DataObject
) -> None:
    size = len(history)
    importance = data.draw(st.lists(st.floats(0, 1), min_size=size, max_size=size)) if important else None
    fitted = fit(history, room, weigh, importance)
    assert weigh(fitted.text) <= max(room, 0)
    assert fitted == fit(history, room, weigh, importance)
    assert fitted.left_out == history[: len(fitted.left_out)]
    if weigh(conversation(history)) > room:
        assert fitted.reductions
    if not fitted.left_out and fitted.text:  # each message that speaks has a part of its own
        for message in history:
            if text := conversation([message], RenderLimits(0, thinking=False, mark_errors=True)):
                assert text[:12] in fitted.text
