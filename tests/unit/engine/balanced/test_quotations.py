"""Users' messages that left: in their own words as long as all fit, and none untold."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxmgr.engine.balanced.quotations import HEADING, counted, quotations
from tests.notation import quarters


def test_users_words_are_told_newest_first_to_stay() -> None:
    texts = ["first " * 100, "second " * 100, "third " * 100]
    whole = quotations(texts, 1_000, quarters)
    assert whole.splitlines()[0] == HEADING
    assert [line[:35] for line in whole.splitlines()[1:]] == [
        f'- ({len(text):,} characters) "{text[: 35 - len(f"- ({len(text):,} characters) ") - 1]}' for text in texts
    ]
    short = quotations(texts, 50, quarters)
    assert short.splitlines()[0] == f"{HEADING[:-1]}; 2 not shown)"
    assert "third" in short
    assert "second" not in short
    assert quotations([], 1_000, quarters) == ""


def test_users_words_are_cut_shorter_before_any_is_left_out() -> None:
    texts = ["first " * 100, "second " * 100, "third " * 100]
    for budget, characters in ((360, 400), (220, 200), (150, 80)):
        told = quotations(texts, budget, quarters)
        assert quarters(told) <= budget
        lines = told.splitlines()
        assert lines[0] == HEADING
        assert [line.partition('"')[2].split()[0] for line in lines[1:]] == ["first", "second", "third"]
        assert max(len(line.partition('"')[2]) for line in lines[1:]) in range(characters // 2, characters + 2)


def test_a_short_message_is_told_though_a_newer_one_does_not_fit() -> None:
    told = quotations(["no tabs", "word " * 100], 25, quarters)
    assert told.splitlines() == [f"{HEADING[:-1]}; 1 not shown)", '- (7 characters) "no tabs"']


@settings(max_examples=60)
@given(st.lists(st.text(max_size=600), min_size=1, max_size=30), st.integers(0, 700))
def test_no_user_message_leaves_without_a_word(texts: list[str], budget: int) -> None:
    told = quotations(texts, budget, quarters)
    lines = told.splitlines()
    missing = len(texts) - len(lines) + 1
    if told != counted(len(texts)):
        assert quarters(told) <= budget
        assert lines[0] == (f"{HEADING[:-1]}; {missing} not shown)" if missing else HEADING)
        assert all(line.startswith("- (") for line in lines[1:])
    else:
        assert told.startswith(f"## {len(texts)} user message")
        assert (
            quarters(f"{HEADING[:-1]}; {len(texts)} not shown)")
            + min(quarters(f'- ({len(text):,} characters) ""\n') for text in texts)
            >= budget - 30
        )
