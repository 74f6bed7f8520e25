"""What was asked at the end of a text, and which option a short reply chooses."""

import pytest

from ctxmgr.engine.findings import answers_anew, chosen, closing_question, says_nothing


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
        (NUMBERS, "the second", "Leave them"),
        (NUMBERS, "First one please", "Migrate the old ones"),
        (LETTERS, "the last one", "neither of them"),
        (LETTERS, "the fourth", ""),
        (LETTERS, "the first thing that comes to my mind is speed", ""),
    ],
)
def test_a_letter_or_number_chooses_an_option(text: str, reply: str, words: str) -> None:
    assert chosen(text, reply) == words


ABC = "Three ways:\n\nA) a table\nB) a tree\nC) a list\n\nWhich?"
A, B, C = "A: a table", "B: a tree", "C: a list"
FIVE = "\n".join(f"{at}. step {at}" for at in range(1, 6)) + "\n\nWhich of them?"


@pytest.mark.parametrize(
    ("text", "reply", "words"),
    [
        (ABC, "A and C, not B", f"{A}; {C}; not {B}"),
        (ABC, "A, C", f"{A}; {C}"),
        (ABC, "a and c please", f"{A}; {C}"),
        (ABC, "options A + B", f"{A}; {B}"),
        (ABC, "let's do option A and option C", f"{A}; {C}"),
        (ABC, "B but not C", f"{B}; not {C}"),
        (ABC, "all except B", f"{A}; {C}; not {B}"),
        (ABC, "everything but C", f"{A}; {B}; not {C}"),
        (ABC, "all of them", f"{A}; {B}; {C}"),
        (ABC, "none of them", f"not {A}; not {B}; not {C}"),
        (ABC, "neither A nor B", ""),
        (ABC, "not B", f"not {B}"),
        (ABC, "not B but C", f"{C}; not {B}"),
        (ABC, "not B, A and C", ""),
        (ABC, "both A and C", f"{A}; {C}"),
        (ABC, "the first and the last", f"{A}; {C}"),
        (ABC, "A und C, nicht B", ""),
        (ABC, "A or maybe C?", ""),
        (ABC, "B", "a tree"),
        (ABC, "I'd take option B", "a tree"),
        (NUMBERS, "both", "1: Migrate the old ones; 2: Leave them"),
        (NUMBERS, "both please", "1: Migrate the old ones; 2: Leave them"),
        (NUMBERS, "neither", "not 1: Migrate the old ones; not 2: Leave them"),
        (NUMBERS, "1 and 3", ""),
        (FIVE, "1 and 3", "1: step 1; 3: step 3"),
        (FIVE, "do 1, 2 and 5", "1: step 1; 2: step 2; 5: step 5"),
        (FIVE, "2-4", "2: step 2; 3: step 3; 4: step 4"),
        (FIVE, "1 to 3, not 2", "1: step 1; 3: step 3; not 2: step 2"),
        (FIVE, "all except 2 and 3", "1: step 1; 4: step 4; 5: step 5; not 2: step 2; not 3: step 3"),
        ("What next?", "both", ""),
        ("What next?", "1 and 2", ""),
    ],
)
def test_all_that_a_reply_chooses_is_told_and_what_it_refuses_as_refused(text: str, reply: str, words: str) -> None:
    assert chosen(text, reply) == words


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I looked. I can delete the old table. Should I?", "I can delete the old table. Should I?"),
        (
            "It is done.\n\nI would push it to `main` now.\n\nSound good?",
            "I would push it to `main` now. Sound good?",
        ),
        ("Two ways:\n- a table\n- a tree\n\nWhich one?", "a table; a tree. Which one?"),
        (
            "1. Rewrite `a.py`\n2. Drop the table\n\nWhat do you think of it?",
            "1. Rewrite `a.py`; 2. Drop the table. What do you think of it?",
        ),
        (
            "I'd use signed cookies. Would you like me to implement this approach?",
            "I'd use signed cookies. Would you like me to implement this approach?",
        ),
        ("## The plan\n\nDoes this look right to you?", "Does this look right to you?"),
        ("It works. Shall I keep `retry`?", "Shall I keep `retry`?"),
        ("It works. Do you want me to write the tests as well?", "Do you want me to write the tests as well?"),
        ("Ich kann die alte Tabelle löschen. Soll ich?", "Ich kann die alte Tabelle löschen. Soll ich?"),
        ("Proceed?", "Proceed?"),
    ],
)
def test_a_question_of_a_few_words_is_told_with_what_it_is_about(text: str, question: str) -> None:
    assert closing_question(text) == question


@pytest.mark.parametrize(
    ("question", "nothing"),
    [
        ("What do you think?", True),
        ("Shall I go ahead with this?", True),
        ("Does that look right?", True),
        ("Which one do you prefer?", True),
        ("Shall I keep the table?", False),
        ("Does this look right for the handlers?", False),
        ("Shall I keep `it`?", False),
        ("Soll ich?", False),
        ("残しますか？", False),
    ],
)
def test_a_question_says_nothing_that_only_asks_for_a_word(question: str, nothing: bool) -> None:
    assert says_nothing(question) is nothing


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Q1: drop py38? Q2: keep legacy/? Q3: rename the cli?",
            "Q1: drop py38? Q2: keep legacy/? Q3: rename the cli?",
        ),
        ("Before I go on:\n1. Drop Python 3.8?\n2. Keep `legacy/`?", "1. Drop Python 3.8? 2. Keep `legacy/`?"),
        ("a) Squash it?\n\nb) Push it now?\n", "a) Squash it? b) Push it now?"),
        ("1. It is done.\n2. Keep `legacy/`?", "Keep `legacy/`?"),
    ],
)
def test_questions_with_a_number_each_are_told_together(text: str, question: str) -> None:
    assert closing_question(text) == question


@pytest.mark.parametrize(
    ("text", "reply", "words"),
    [
        (ABC, "none of these, use LMDB", f"not {A}; not {B}; not {C}"),
        (ABC, "neither, go with a heap", f"not {A}; not {B}; not {C}"),
        (ABC, "A yes, B no", f"{A}; not {B}"),
        (NUMBERS, "1 yes 2 no", "1: Migrate the old ones; not 2: Leave them"),
        (NUMBERS, "1 yes 2 later", ""),
        (NUMBERS, "1, and yes to the other thing, no to the second", "Migrate the old ones"),
        ("1. Drop it?\n2. Keep it?", "1 yes 2 no", ""),
    ],
)
def test_a_reply_that_takes_none_or_says_yes_and_no_to_each_is_told_so(text: str, reply: str, words: str) -> None:
    assert chosen(text, reply) == words


def test_a_later_answer_is_short() -> None:
    assert answers_anew("actually, make it Redis then please", "Postgres")
    assert not answers_anew("actually, make it Redis then and tell me what breaks", "Postgres")
