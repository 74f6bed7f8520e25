"""The journal: a base and its lines give the state back, and lines of unknown kinds are kept."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.model.prices import BasePrices
from ctxmgr.model.projection import Decision
from ctxmgr.model.saved.facts import Fact
from ctxmgr.model.saved.state import ModelSpec, RawSummary, State, Totals
from ctxmgr.session.journal import UnreadableJournal, base, bounded_summaries, delta, restore

START = State("s", ModelSpec("m", 200_000))
FACT = Fact("goal", "", "ship it", "user", time_ms=5, entry="e1")


def changed(state: State, **fields: Any) -> State:
    return msgspec.structs.replace(state, **fields)


# the state before, what changes, the line without its kind
DELTAS: list[tuple[State, dict[str, Any], dict[str, Any] | None]] = [
    (START, {}, None),
    (START, {"totals": Totals(contexts=3)}, None),
    (START, {"seq": 1, "totals": Totals(contexts=3)}, {"seq": 1, "set": {"seq": 1, "totals": {"contexts": 3}}}),
    (START, {"facts": (FACT,)}, {"seq": 0, "add": {"facts": [json.loads(msgspec.json.encode(FACT))]}}),
    (changed(START, trail=("a", "b")), {"trail": ("a", "b", "c")}, {"seq": 0, "add": {"trail": ["c"]}}),
    (changed(START, trail=("a", "b")), {"trail": ("a", "x", "c")}, {"seq": 0, "set": {"trail": ["a", "x", "c"]}}),
    (changed(START, resume=True), {"resume": False}, {"seq": 0, "set": {"resume": False}}),
]


@pytest.mark.parametrize(("before", "fields", "expected"), DELTAS)
def test_what_a_line_holds(before: State, fields: dict[str, Any], expected: dict[str, Any] | None) -> None:
    line = delta(before, changed(before, **fields))
    assert (json.loads(line) if line else None) == ({"kind": "event", **expected} if expected else None)


def test_lines_of_unknown_kinds_are_kept() -> None:
    later = changed(START, seq=1)
    line = delta(START, later)
    assert line is not None
    strange = b'{"kind":"scratchpad","text":"x"}'
    assert restore([base(START), strange, line, strange]) == (later, (strange, strange))


BROKEN: list[list[bytes]] = [
    [],
    [b"{}"],
    [base(START).replace(b'"kind":"base"', b'"kind":"event"')],
    [b'{"kind":"base","state":{}}'],
    [base(START), b"x"],
    [base(START), b'{"kind":"event","set":5}'],
    [base(START), b'{"kind":"event","set":{"seq":"many"}}'],
    [base(START), b'{"kind":"event","set":{"trail":"\xff"}}'],
]


@pytest.mark.parametrize("lines", BROKEN)
def test_lines_that_make_up_no_state(lines: list[bytes]) -> None:
    with pytest.raises(UnreadableJournal):
        restore(lines)


texts = st.text(max_size=6)
facts = st.builds(Fact, st.sampled_from(("goal", "file")), texts, texts, time_ms=st.integers(0, 9))
decisions = st.builds(Decision, st.sampled_from(("pruned", "distilled")), st.integers(0, 9))
moves: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.lists(facts, max_size=3).map(lambda more: {"+facts": tuple(more)}),
    st.lists(texts, max_size=3).map(lambda more: {"+trail": tuple(more)}),
    st.integers(0, 9).map(lambda count: {"-trail": count}),
    st.builds(RawSummary, st.just("compaction"), texts, texts).map(lambda one: {"+summaries": (one,)}),
    st.dictionaries(texts, decisions, max_size=3).map(lambda found: {"decisions": found}),
    st.sampled_from((None, BasePrices(1.5, 2.0))).map(lambda prices: {"model": ModelSpec("m2", 5, prices=prices)}),
    st.dictionaries(texts, st.none() | st.integers(0, 9), max_size=2).map(lambda keys: {"overrides": keys}),
    st.integers(0, 9).map(lambda contexts: {"totals": Totals(contexts=contexts)}),
)


def moved(state: State, move: dict[str, Any]) -> State:
    ((name, value),) = move.items()
    if name[0] == "+":
        return changed(state, **{name[1:]: getattr(state, name[1:]) + value})
    if name[0] == "-":
        return changed(state, **{name[1:]: getattr(state, name[1:])[:value]})
    return changed(state, **move)


@given(st.lists(moves, max_size=10))
def test_a_base_and_its_lines_are_the_state(course: list[dict[str, Any]]) -> None:
    lines, saved, state, known = [base(START)], START, START, [START]
    for number, move in enumerate(course):
        state = changed(moved(state, move), seq=number + 1)
        line = delta(saved, state)
        assert line is not None  # seq has changed
        lines.append(line)
        known.append(state)
        saved = state
    for count, expected in enumerate(known):
        assert restore(lines[: count + 1]) == (expected, ())
    bounded = changed(state, summaries=bounded_summaries(state))
    assert restore([base(state)]) == (bounded, ())
