"""A summary without a model keeps to its budget, and equal messages give equal bytes, whatever they hold."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory import summary
from tests.notation import Said, quarters, words
from tests.unit.engine.memory.test_packet_budget import TEXTS, TURNS, said
from tests.unit.summarize.scripted import told
from tests.unit.summarize.written import FORMATS

WEIGHTS = st.sampled_from([quarters, words, len])
PREVIOUS = st.none() | TEXTS | st.lists(TEXTS, max_size=5).map(
    lambda texts: "## Goal\n" + "\n\n## Constraints & Preferences\n".join(f"- {text}" for text in texts)
)  # fmt: skip


@given(
    st.lists(TURNS, max_size=5),
    st.lists(TURNS, max_size=2),
    PREVIOUS,
    st.integers(0, 2_000),
    st.sampled_from(FORMATS),
    WEIGHTS,
)
def test_a_summary_never_weighs_more_than_its_budget(turns, prefix, previous, budget, form, weigh) -> None:  # type: ignore[no-untyped-def]
    def write() -> str:
        messages, split = told(*said(turns)), told(*said(prefix))
        return summary.compaction(messages, previous, budget=budget, weigh=weigh, format=form, prefix=split)

    text = write()
    assert weigh(text) <= budget or not text
    assert write() == text
    assert "(none)" not in text or "(none)" in (previous or "")


@given(st.lists(TURNS, max_size=5), st.integers(0, 600), WEIGHTS)
def test_a_branchs_summary_and_a_digest_of_what_was_left_out_keep_to_theirs(turns, budget, weigh) -> None:  # type: ignore[no-untyped-def]
    messages = told(*said(turns))
    for text in (
        summary.branch(messages, budget=budget, weigh=weigh),
        summary.left_out(messages, budget, weigh),
        summary.turn_context(messages, budget, weigh, 7),
    ):
        assert not text or weigh(text) <= budget


@given(st.lists(TURNS, min_size=1, max_size=5), st.sampled_from(FORMATS))
def test_written_again_a_summary_stays_as_it_is(turns, form) -> None:  # type: ignore[no-untyped-def]
    messages: list[Said] = said(turns)
    first = summary.compaction(told(*messages), None, budget=50_000, weigh=quarters, format=form)
    second = summary.compaction((), first, budget=50_000, weigh=quarters, format=form)
    assert summary.compaction((), second, budget=50_000, weigh=quarters, format=form) == second
