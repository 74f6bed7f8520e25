"""What was asked at the end of a text, and which option a short reply chooses."""

import pytest

from ctxmgr.engine.findings import chosen, closing_question


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("It is slow.\n\nShould we keep it?", "It is slow. Should we keep it?"),
        ("Is it slow? Should we **keep** it? Either works.", "Is it slow? Should we keep it?"),
        ("¿Lo dejamos así?", "¿Lo dejamos así?"),
        ("Sollen wir `a.py` behalten?", "Sollen wir `a.py` behalten?"),
        ("残しますか？", "残しますか？"),
        ("It is slow.", ""),
        ("```\nwhy?\n```", ""),
        ("```\n" + "code\n" * 2_000 + "```\n\nShall we keep it?", "Shall we keep it?"),
        ("Why? " + "Because it is. " * 60, ""),
        ("x" * 400 + "?", ""),
    ],
)
def test_a_text_asks_where_a_question_stands_at_its_end(text: str, question: str) -> None:
    assert closing_question(text) == question


LETTERS = "Two ways:\n\nA) one table in a file\n**B)** a tree of files\n- C: neither of them\n\nWhich one?"
NUMBERS = "1. **Migrate** the old ones\n2. Leave them\n\nWhat do you prefer?"


@pytest.mark.parametrize(
    ("text", "reply", "words"),
    [
        (LETTERS, "B please", "a tree of files"),
        (LETTERS, "a", "one table in a file"),
        (LETTERS, "let's do option c", "neither of them"),
        (LETTERS, "A table would be nice, I think", ""),
        (LETTERS, "D", ""),
        (NUMBERS, "1", "Migrate the old ones"),
        (NUMBERS, "2.", "Leave them"),
        (NUMBERS, "neither", ""),
        (NUMBERS, "the second", "Leave them"),
        (NUMBERS, "First one please", "Migrate the old ones"),
        (LETTERS, "the last one", "neither of them"),
        (LETTERS, "the fourth", ""),
        (LETTERS, "the first thing that comes to my mind is speed", ""),
    ],
)
def test_a_letter_or_number_chooses_an_option(text: str, reply: str, words: str) -> None:
    assert chosen(text, reply) == words


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I looked. I can delete the old table. Should I?", "I can delete the old table. Should I?"),
        (
            "It is done.\n\nI would push it to `main` now.\n\nSound good?",
            "I would push it to `main` now. Sound good?",
        ),
        ("Two ways:\n- a table\n- a tree\n\nWhich one?", "Which one?"),
        ("It works. Shall I keep `retry`?", "Shall I keep `retry`?"),
        ("It works. Do you want me to write the tests as well?", "Do you want me to write the tests as well?"),
        ("Ich kann die alte Tabelle löschen. Soll ich?", "Ich kann die alte Tabelle löschen. Soll ich?"),
        ("Proceed?", "Proceed?"),
    ],
)
def test_a_question_of_a_few_words_is_told_with_what_it_is_about(text: str, question: str) -> None:
    assert closing_question(text) == question
