"""The same session told in three languages gives the same packet but for the words."""

import pytest

from ctxmgr.engine.memory import Removed
from tests.unit.engine.memory.packets import packet
from tests.unit.engine.told_in import LANGUAGES, session, without_words

ENGLISH = LANGUAGES["English"]


def one_a_line(text: str) -> int:
    """A weight that no language changes."""
    return text.count("\n") + 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", [0, 1, 5, 9])
def test_the_packet_is_the_same_but_for_the_words(language: str, view: int) -> None:
    words = LANGUAGES[language]
    told = packet(*session(words), budget=2_000, view=view)
    same = packet(*session(ENGLISH), budget=2_000, view=view)
    assert without_words(told, words).splitlines() == without_words(same, ENGLISH).splitlines()
    assert "<request>" in without_words(told, words)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("budget", range(0, 60, 3))
def test_in_any_budget_the_same_lines_stay(language: str, budget: int) -> None:
    words, removed = LANGUAGES[language], Removed(messages=9, results=3)
    told = packet(*session(words), budget=budget, removed=removed, weigh=one_a_line)
    same = packet(*session(ENGLISH), budget=budget, removed=removed, weigh=one_a_line)
    assert without_words(told, words) == without_words(same, ENGLISH)
