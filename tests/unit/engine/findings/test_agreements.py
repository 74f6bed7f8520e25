"""What was agreed: a question or an option of the assistant, and the user's few words on it."""

import pytest

from ctxmgr.engine.findings import agreed

ASKED = "Should we keep the old parser around?"


@pytest.mark.parametrize(
    "reply", ["yes", "ok, do it", "no.", "Sure, sounds good!", "let's keep it", "yes please drop the old one"]
)
def test_a_short_answer_to_a_question_is_a_decision(reply: str) -> None:
    assert agreed(f"It is slow.\n\n{ASKED}", reply) == f'"{ASKED}" The user: "{reply}"'


@pytest.mark.parametrize(
    ("proposed", "reply"),
    [
        (ASKED, "why?"),
        (ASKED, "yes, but first of all read the other file again"),
        (ASKED, "fix the footer"),
        (ASKED, ""),
        ("", "yes"),
        ("The old parser is slow.", "yes"),
        (f"{ASKED}\nI wait.", "yes"),
        ("Should we keep it?", "yes"),
        ("Should I go on with the parser now?", "yes"),
        ("Would you like me to run all of the tests?", "yes"),
        ("```\nShould we keep the old parser around?\n```", "yes"),
    ],
)
def test_what_decides_nothing(proposed: str, reply: str) -> None:
    assert agreed(proposed, reply) == ""


def test_of_the_last_line_the_last_sentence_is_the_question() -> None:
    assert agreed(f"Shall we use a tree for the index? {ASKED}", "no") == f'"{ASKED}" The user: "no"'


@pytest.mark.parametrize(("words", "taken"), [(8, True), (9, False)])
def test_an_answer_has_eight_words_at_most(words: int, taken: bool) -> None:
    assert bool(agreed(ASKED, "yes keep it" + " there" * (words - 3))) is taken


@pytest.mark.parametrize(("words", "taken"), [(5, True), (4, False)])
def test_a_question_has_five_words_at_least(words: int, taken: bool) -> None:
    asked = "Should we use" + " trees" * (words - 3) + "?"
    assert bool(agreed(asked, "yes")) is taken


@pytest.mark.parametrize(("characters", "taken"), [(240, True), (241, False)])
def test_a_question_has_240_characters_at_most(characters: int, taken: bool) -> None:
    asked = "Should we use a tree named " + "x" * (characters - 28) + "?"
    assert len(asked) == characters
    assert bool(agreed(asked, "yes")) is taken


OPTIONS = "Option A: a table in one file.\n**Option B**: a tree\n- Option 3 - (neither)\nWhich one?"


@pytest.mark.parametrize(
    ("reply", "decision"),
    [
        ("option a", 'Option A ("option a"): a table in one file.'),
        ("let's go with variant b", 'Option B ("let\'s go with variant b"): a tree'),
        ("approach 3", 'Option 3 ("approach 3"): (neither)'),
        ("option c", ""),
    ],
)
def test_an_option_is_told_in_the_assistants_words(reply: str, decision: str) -> None:
    assert agreed(OPTIONS, reply) == decision


def test_an_option_is_told_in_240_characters() -> None:
    told = agreed("Option A: " + "x" * 300, "option a").partition(": ")[2]
    assert len(told) == 240


def test_an_option_without_words_is_none() -> None:
    assert agreed("Option A:\nOption A: a tree", "option a").endswith(": a tree")


def test_of_an_option_that_stands_twice_the_later_list_counts() -> None:
    assert agreed("Option A: a tree\nOption B: a heap\n\nOption A: a list\nOption B: a map", "option b").endswith(
        ": a map"
    )


def test_code_is_no_proposal_however_long_it_is() -> None:
    code = "```\n" + "Should we keep the old parser around?\n" * 400
    assert agreed(f"{code}```\nThat is it.", "yes") == ""
    assert agreed(f"{code}```\n{ASKED}", "yes") == f'"{ASKED}" The user: "yes"'
    assert agreed(code, "yes") == ""


def test_of_two_options_that_were_agreed_to_none_is_told_alone() -> None:
    proposed = "A) a table\nB) a tree\nC) a list\n\nWhich?"
    assert agreed(proposed, "option A and C") == 'Options ("option A and C"): A: a table; C: a list'
    assert agreed(proposed, "option A or maybe C") == ""
