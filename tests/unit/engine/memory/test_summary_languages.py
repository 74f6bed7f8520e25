"""The same session told in three languages gives the same summary but for the words."""

import pytest

from ctxmgr.engine.memory import summary
from ctxmgr.model.compaction import Format
from tests.notation import quarters
from tests.unit.engine.told_in import LANGUAGES, session, without_words
from tests.unit.summarize.scripted import told
from tests.unit.summarize.written import FORMATS


def chained(language: str, form: Format) -> list[str]:
    """The session in two summaries, the second of which carries the first on."""
    said = told(*session(LANGUAGES[language]))
    first = summary.compaction(said[:10], None, budget=4_000, weigh=quarters, format=form)
    second = summary.compaction(said[10:], first, budget=4_000, weigh=quarters, format=form)
    return [without_words(text, LANGUAGES[language]) for text in (first, second)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", FORMATS)
def test_the_summary_is_the_same_but_for_the_words(language: str, form: Format) -> None:
    assert chained(language, form) == chained("English", form)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_user_asked_last_and_the_assistant_said_last_are_told_in_short(language: str) -> None:
    words = LANGUAGES[language]
    short = without_words(summary.short(told(*session(words))), words)
    assert short.startswith("Asked: <asking>")
    assert "State: <done>" in short
