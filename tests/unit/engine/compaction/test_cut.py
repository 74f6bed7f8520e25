"""Where the kept part starts: valid places, the walk back, pairs, and what holds of every cut."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text, quarters
from ctxmgr.model.compaction import in_list
from tests.notation import Said, a, call, r, sh, u, words
from tests.unit.engine.trees import Node, compacted, custom, left_behind, meta, omitted, path, prompt

weigh = by_text(words, lambda one: 0, lambda view: 0)

POINTS: list[tuple[str, Said | Node, bool]] = [
    ("a user's message", u("x"), True),
    ("an assistant's", a("x"), True),
    ("a run", sh("ls", ""), True),
    ("a custom message", custom("x"), True),
    ("an empty one", left_behind(""), False),
]


def test_where_the_kept_part_may_start() -> None:
    for name, one, valid in POINTS:
        assert bool(prepare.points(path(one), 0)) == valid, name


def test_the_walk_back_stops_where_the_tokens_are_reached() -> None:
    entries = path(u("a b"), meta(), a("c d"), u("e"), a(""))
    assert [prepare.reached(entries, 0, keep, weigh) for keep in (0, 1, 2, 3, 4, 5, 6)] == [3, 3, 2, 2, 0, 0, None]
    assert prepare.reached(entries, 2, 4, weigh) is None


def test_the_earliest_call_that_what_follows_answers() -> None:
    entries = path(
        a(call("t", "c1")), r("x", to="c1"), a(call("t", "c2")), u("q"), r("x", to="c2"), r("y", to="gone")
    )
    assert prepare.earliest_calls(entries, 0) == [0, 0, 2, 2, 2, 6]
    assert prepare.earliest_calls(entries, 1) == [2, 2, 2, 2, 6]  # a call before the range is none of it


texts_ = st.sampled_from(["", "w", "w w w", "w " * 9])
calls = st.sampled_from(["c1", "c2", "c3"])
steps = st.one_of(
    st.builds(u, texts_),
    st.builds(a, texts_),
    st.builds(lambda id: a(call("read", id, path="x")), calls),
    st.builds(r, texts_, calls),
    st.builds(lambda text: sh("ls", text), texts_),
    st.builds(custom, texts_),
    st.builds(left_behind, texts_),
    st.builds(prompt, texts_),
    st.just(meta()),
    st.builds(omitted, st.integers(1, 20).map(lambda number: f"e{number}")),
    st.builds(compacted, texts_, st.integers(1, 20).map(lambda number: f"e{number}")),
)
sessions = st.lists(steps, max_size=20)


@given(sessions, st.integers(0, 60))
def test_a_cut_of_ours_parts_no_pair_and_keeps_no_less_where_it_can(
    session: Sequence[Said | Node], keep: int
) -> None:
    entries = in_list(path(*session))
    ours, host = prepare.whole_cut(entries, 0, keep, weigh), prepare.host_cut(entries, 0, keep, weigh)
    if ours is None or host is None or not prepare.speaks(entries, 0, ours.start_index):
        return
    earliest = prepare.earliest_calls(entries, 0)[ours.start_index]
    assert earliest >= ours.start_index
    if ours != host:  # pi's place would have parted a pair
        assert prepare.earliest_calls(entries, 0)[host.start_index] < host.start_index
    if ours.turn_index is not None:
        assert any(message.opens_turn for message in entries[ours.turn_index].messages)


@given(sessions, st.integers(0, 60))
def test_without_a_pair_to_part_the_cut_is_the_hosts(session: Sequence[Said | Node], keep: int) -> None:
    paired = [step for step in session if isinstance(step, Node) or step.answers is None]
    entries = in_list(path(*paired))
    assert prepare.whole_cut(entries, 0, keep, quarters) == prepare.host_cut(entries, 0, keep, quarters)
