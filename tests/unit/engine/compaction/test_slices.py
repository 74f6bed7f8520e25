"""How a long history is cut into slices, read as conversations. A word weighs one token here."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction.slices import LEAST_OUTPUT, REACH, Slice, budgets, cut, step_starts, steps
from ctxmgr.formats.pi_tree import branch
from ctxmgr.model.compaction import BranchMessage
from ctxmgr.model.policy import Slices
from tests.conversations import any_list
from tests.notation import Said, a, call, note, quarters, r, raws, sh, u, words


def told(*said: Said) -> tuple[BranchMessage, ...]:
    """A conversation as cutting and summarising see it."""
    return messages_of(raws(*said))


def messages_of(raws: Sequence[bytes]) -> tuple[BranchMessage, ...]:
    entries = []
    for at, raw in enumerate(raws):
        parent = b'"e%d"' % (at - 1) if at else b"null"
        entries.append(b'{"id":"e%d","parentId":%b,"type":"message","message":%b}' % (at, parent, raw))
    path = branch.branch(entries, None)
    return tuple(message for entry in path for message in entry.messages)


any_history = any_list.map(lambda messages: messages_of([message.raw for message in messages]))


# name, conversation, where steps start
STEPS: list[tuple[str, list[Said], list[int]]] = [
    ("a later one does not", [u("1"), a("x"), a("y")], [0, 2]),
    ("a call and its result", [u("1"), a(call("read")), r("t"), a("x")], [0, 3]),
    ("parallel calls", [u("1"), a(call("read"), call("ls")), r("t"), r("s"), a("x")], [0, 4]),
    ("users one after another", [u("1"), u("2"), u("3"), a("x")], [0, 1, 2]),
    ("without a user first", [a(call("read")), r("t"), a("x")], [0, 2]),
    ("a user between a call and its result", [u("1"), a(call("read")), u("wait"), r("t"), a("x")], [0, 4]),
    ("a result without a call", [u("1"), a("x"), r("t", "c9"), a("y")], [0, 3]),
    ("and at the very start", [r("t", "c9"), a("y")], [0, 1]),
    ("notes and the user's own runs speak too", [u("1"), a("x"), note("n"), sh("ls", "y"), a("z")], [0, 2, 3]),
    ("what is not shown opens nothing", [u("1"), Said({"role": "system", "content": "x"}), a("y"), a("z")], [0, 3]),
]


def test_where_steps_start() -> None:
    for name, said, expected in STEPS:
        assert step_starts(told(*said)) == expected, name


def sized(*weights: int) -> tuple[BranchMessage, ...]:
    """User messages, a step each, of these weights in words as they are shown ("[User]:" is one)."""
    return told(*(u("w " * (weight - 1)) for weight in weights))


def sizes(found: Sequence[Slice]) -> list[int]:
    return [one.weight for one in found]


# name, weights of the steps, weights of the slices of 100
SIZES: list[tuple[str, list[int], list[int]]] = [
    ("one that fits is one", [40, 40], [80]),
    ("a larger one is", [40, 40, 30, 30], [110, 30]),
    ("a step too large is its own", [20, 300, 20], [20, 300, 20]),
    ("two of them", [300, 20, 101, 150], [300, 20, 101, 150]),
]


def test_slices_by_size() -> None:
    for name, weights, expected in SIZES:
        assert sizes(cut(sized(*weights), Slices(tokens=100), words)) == expected, name


NATURAL = Slices(tokens=100, breaks="natural")
# name, depth before each of 25 steps of 10 (others 0), weights of the slices
BREAKS: list[tuple[str, dict[int, float], list[int]]] = [
    ("no break: by size", {}, [100, 100, 50]),
    ("a break in reach", {8: 1.0}, [80, 100, 70]),
    ("one out of reach", {7: 9.0, 13: 9.0}, [100, 100, 50]),
]


def test_natural_breaks() -> None:
    for name, deep, expected in BREAKS:
        history = sized(*[10] * 25)
        depths = [deep.get(at, 0.0) for at in range(25)]
        assert sizes(cut(history, NATURAL, words, depths=depths)) == expected, name
        assert sizes(cut(history, NATURAL, words, depths=lambda steps, depths=depths: depths)) == expected, name
        assert sizes(cut(history, Slices(tokens=100), words, depths=depths)) == [100, 100, 50], name


def test_the_lead_is_what_is_right_before() -> None:
    history = sized(*[10] * 30)
    first, second, third = cut(history, Slices(tokens=100, overlap=25), words)
    assert (first.lead, first.lead_weight) == ((), 0)
    assert (second.lead, second.lead_weight) == (history[8:10], 20)
    assert third.lead == history[18:20]
    assert all(not one.lead for one in cut(history, Slices(tokens=100, overlap=0), words))
    (_, after_large) = cut(sized(300, 50), Slices(tokens=100, overlap=25), words)
    assert after_large.lead == ()  # it does not fit, and half a message is none
    assert cut(sized(30, 300, 50), Slices(tokens=100, overlap=400), words)[2].lead_weight == 330


# weights, settings, cap, output tokens
BUDGETS: list[tuple[list[int], Slices, int | None, list[int]]] = [
    ([20_000] * 4, Slices(), None, [2_000, 2_000, 4_000, 4_000]),
    ([20_000] * 4, Slices(), 12_000, [2_000, 2_000, 4_000, 4_000]),
    ([20_000] * 4, Slices(), 10_000, [1_000, 1_000, 4_000, 4_000]),
    ([20_000] * 4, Slices(), 6_024, [LEAST_OUTPUT, LEAST_OUTPUT, 2_500, 2_500]),
    ([20_000] * 4, Slices(), 1_000, [250, 250, 250, 250]),
]


def test_budgets() -> None:
    for weights, settings, cap, expected in BUDGETS:
        assert budgets(weights, settings, cap) == expected, weights


@given(
    any_history,
    st.integers(1, 400),
    st.integers(0, 300),
    st.sampled_from(["steps", "natural"]),
    st.lists(st.floats(0, 3), min_size=300, max_size=300),
)
def test_slices_keep_their_rules(
    history: tuple[BranchMessage, ...], tokens: int, overlap: int, breaks: Any, deep: list[float]
) -> None:
    settings = Slices(tokens=tokens, overlap=overlap, breaks=breaks)
    found = cut(history, settings, quarters, depths=lambda steps: deep[: len(steps)])
    assert [id(message) for one in found for message in one.messages] == [id(message) for message in history]
    assert found == cut(history, settings, quarters, depths=lambda steps: deep[: len(steps)])
    edges = set(step_starts(history))
    at = 0
    for one in found:
        assert one.messages
        assert at in edges
        assert one.lead == history[at - len(one.lead) : at]
        assert one.lead_weight <= overlap
        inside = steps(one.messages)
        assert one.weight <= max(tokens * 1.5, tokens + int(tokens * REACH)) or len(inside) == 1
        at += len(one.messages)
    for first, second in pairwise(found):  # two that were parted would not have made one
        assert first.weight + second.weight > tokens


@given(any_history)
def test_no_result_is_parted_from_its_call(history: tuple[BranchMessage, ...]) -> None:
    calls: dict[str, int] = {}
    starts = step_starts(history)
    for at, message in enumerate(history):
        for block in message.view.blocks:
            if block.kind == "call":
                calls[block.call_id] = at
            elif block.kind == "result" and block.call_id in calls:
                assert not any(calls[block.call_id] < start <= at for start in starts)
    assert [id(message) for step in steps(history) for message in step] == [id(message) for message in history]
