"""Sentence choice: what can stand by itself, and what is chosen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.findings.sentences import (
    Sentence,
    best,
    central,
    finds,
    joined,
    standalone,
    stands,
    terms,
    worth,
)

STANDING = [
    ("The `Text` component does not implement `invalidate()`.", True),
    ("Fixed all tests to use the proper themes now:", True),
    ("Changes made:", False),
    ("Created a shared file with default implementations for:", False),
    ("Let me check the loader of it.", False),
    ("Great! Now I'll update the imports there.", False),
    ("Perfect, all good!", False),
    ("Want me to begin with the first?", False),
    ("You're absolutely right about the second one.", False),
    ("So `this.ui.invalidate()` is called, which calls `invali", False),
    ("return x + y;", False),
    ("too short this", False),
]


@pytest.mark.parametrize(("sentence", "expected"), STANDING, ids=[row[0][:30] for row in STANDING])
def test_what_can_stand_by_itself(sentence: str, expected: bool) -> None:
    assert stands(sentence) is expected


def test_sentences_of_a_text() -> None:
    text = """Done! Moved the **loader** to `src/load.py`. Let me check it.

## A heading that is no sentence
| a | table | of | four |
1. **First**: it reads `config.toml` once
- [ ] a task is a fact of its own
```py
this is code that nobody says
```
> a quote is somebody else's word"""
    assert [one.text for one in standalone(text)] == [
        "Moved the loader to `src/load.py`.",
        "First: it reads `config.toml` once",
        "a quote is somebody else's word",
    ]
    assert [one.listed for one in standalone(text)] == [False, True, True]


def test_terms() -> None:
    assert terms("see src/load.py and AgentSession.run for the max_size of --depth") == {
        "src/load.py",
        "AgentSession.run",
        "max_size",
        "depth",
        "agentsession",
    }


def test_a_finding_names_what_it_is_about() -> None:
    told = standalone(
        "The cache is broken because `Loader.run` keeps it. But `Loader.run` is called. It is broken somewhere."
    )
    assert [finds(one) for one in told] == [True, False, False]


def test_what_ties_the_session_together_is_chosen() -> None:
    texts = [
        "The crash comes from `Loader.run` in `src/load.py`.",
        "The weather in the cellar is rather fine.",
        "Another file, `src/other.py`, has nothing to do with it.",
        "`Loader.run` must not be called before `src/load.py` is there.",
    ]
    said = [one for at, text in enumerate(texts) for one in standalone(text, at)]
    weights = central(texts)
    assert set(weights) >= {"Loader.run", "src/load.py"}
    assert "src/other.py" not in weights
    assert [one.text_index for one in best(said, weights, characters=62)] == [3]
    assert [one.text_index for one in best(said, weights, characters=130, without=(texts[3],))] == [0, 2]


def test_of_equals_the_later_is_chosen() -> None:
    said = [Sentence("it was one thing here", 0, 0), Sentence("it was two things here", 1, 0)]
    assert best(said, {}, characters=22) == [said[1]]


def test_a_running_text() -> None:
    assert joined(["One.", "two", "three!", "four"]) == "One. two; three! four"


@given(st.lists(st.text(max_size=200), max_size=8), st.integers(0, 400))
def test_any_text(texts: list[str], characters: int) -> None:
    said = [one for at, text in enumerate(texts) for one in standalone(text, at)]
    chosen = best(said, central(texts), characters=characters)
    assert sum(len(one.text) for one in chosen) <= characters
    assert [(one.text_index, one.sentence_index) for one in chosen] == sorted(
        {(one.text_index, one.sentence_index) for one in chosen}
    )
    assert all("\n" not in one.text for one in said)


def test_of_two_that_name_the_same_the_shorter_and_the_later_is_worth_more() -> None:
    weights = {"load_all": 2.0}
    short, long = "The load_all reads it.", "The load_all reads it, and then it reads it again and again."
    assert worth(short, weights, 0.5) > worth(long, weights, 0.5)
    assert worth(short, weights, 1.0) > worth(short, weights, 0.0)
    assert worth(short, weights, 0.5) > worth("The parser reads it.", weights, 0.5)
    assert worth(short, weights, 1.0) == pytest.approx(3 / 8**0.5)
    assert worth(short, weights, 0.0) == pytest.approx(0.6 * 3 / 8**0.5)
