"""One session in three languages gives the same packet and the same summary except for the words."""

import pytest

from ctxmgr.engine.memory import Removed, summary
from tests.notation import quarters
from tests.unit.engine.memory.packets import packet
from tests.unit.engine.told_in import LANGUAGES, session, without_words
from tests.unit.summarize.scripted import told
from tests.unit.summarize.written import FORMATS

REMOVED = Removed(messages=9, results=3)


def written(language: str) -> list[str]:
    """Packets for views and budgets, and summaries in chains of two, with placeholders in place of words."""
    words = LANGUAGES[language]
    said = session(words)
    texts = [packet(*said, budget=2_000, view=view) for view in (0, 1, 5, 9)]
    # the token count is the number of lines, which no language changes
    texts += [
        packet(*said, budget=budget, removed=REMOVED, weigh=lambda text: text.count("\n") + 1)
        for budget in range(0, 60, 3)
    ]
    for form in FORMATS:
        messages = told(*said)
        first = summary.compaction(messages[:10], None, budget=4_000, weigh=quarters, format=form)
        texts += [first, summary.compaction(messages[10:], first, budget=4_000, weigh=quarters, format=form)]
    return [without_words(text, words) for text in (*texts, summary.short(told(*said)))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_the_words_differ(language: str) -> None:
    texts = written(language)
    assert texts[:-1] == written("English")[:-1]
    assert "<request>" in texts[0]
    assert texts[-1].startswith("Asked: <asking>")
    assert "State: <done>" in texts[-1]
