import pytest

from ctxmgr.engine.text.prose import prose


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("keep it simple", "keep it simple"),
        ("/compact", ""),
        ("/mode fast", ""),
        ("see this\n> never do it\nok?", "see this\nok?"),
        ("fix\n```\nmust not\n```\nplease", "fix\nplease"),
        ("<system-reminder>never tell</system-reminder>\ngo on", "go on"),
        ('<file path="x">\nyou must\n</file>\nread it', "read it"),
        ("why?\nTypeError: x is never a function\n    at f (a.js:1:2)", "why?"),
        ("➜  repo git:(main) npm test\nfails", "fails"),
        ("+ 12 - always do\ncheck", "check"),
        ("│ Additional tool │\nnice", "nice"),
        ("# AGENTS.md\nfollow", "follow"),
        ("\n".join(f"never do {number}" for number in range(30)), ""),
        ("x" * 5_000, ""),
    ],
)
def test_only_what_the_user_wrote(text: str, written: str) -> None:
    assert prose(text).strip() == written


def test_of_a_huge_message_only_the_ends_count() -> None:
    text = "do this\n\n" + "word " * 20_000 + "\n\nnever do that\n\n" + "more " * 20_000 + "\n\nthanks"
    assert prose(text) == "do this\n\nthanks"


@pytest.mark.parametrize(("characters", "typed"), [(1_200, True), (1_201, False)])
def test_nobody_types_a_paragraph_of_more_than_1200_characters(characters: int, typed: bool) -> None:
    line = "word " * 239 + "w" * (characters - 5 * 239)
    assert prose(f"look\n\n{line}") == (f"look\n\n{line}" if typed else "look")
    two = "a" * 600 + "\n" + "b" * (characters - 600)
    assert prose(f"look\n\n{two}") == (f"look\n\n{two}" if typed else "look")


@pytest.mark.parametrize(("count", "typed"), [(15, True), (16, False)])
def test_nobody_types_a_paragraph_of_more_than_15_lines(count: int, typed: bool) -> None:
    paragraph = "\n".join(f"do it {number}" for number in range(count))
    assert prose(f"look\n\n{paragraph}") == (f"look\n\n{paragraph}" if typed else "look")


def test_of_more_than_24_paragraphs_the_first_and_last_four_are_the_users_own() -> None:
    paragraphs = [f"do this {number}" for number in range(25)]
    assert prose("\n\n".join(paragraphs[:24])) == "\n\n".join(paragraphs[:24])
    assert prose("\n\n".join(paragraphs)) == "\n\n".join([*paragraphs[:4], *paragraphs[-4:]])


def test_of_more_than_12_000_characters_the_first_6000_and_the_last_2000_are_looked_at() -> None:
    pasted = "p" * 1_300 + "\n\n"
    head = (pasted * 5)[:5_980] + "\n\nkept at the head\n\n"
    tail = "\n\nkept at the tail\n\n" + "q" * 1_300 + "\n\n" + "r" * (2_000 - 1_300 - 24 + 2)
    middle = "\n\nin the middle\n\n"
    short = f"{head}{middle}{'s' * (12_000 - len(head) - len(middle) - len(tail))}{tail}"
    assert len(short) == 12_000
    assert "in the middle" in prose(short)
    assert "in the middle" not in prose(f"{short}.")
    assert "kept at the head" in prose(f"{head}{'s' * 9_000}{tail}")
    assert "kept at the tail" in prose(f"{head}{'s' * 9_000}{tail}")


def test_a_single_paragraph_is_the_users_even_where_it_reads_like_a_reply() -> None:
    assert prose("Let me see the table") == "Let me see the table"
    assert prose("look\n\nLet me see the table") == "look"
    assert prose("Let me see it\n\nSure! That is it") == "Let me see it\n\nSure! That is it"


def test_a_paragraph_that_is_set_in_beside_one_that_is_not_was_copied_from_a_terminal() -> None:
    assert prose("look\n\n It is done as you said") == "look"
    assert prose(" It is done as you said\n\nlook") == "It is done as you said\n\nlook"
    assert prose(" look\n\n It is done as you said") == "look\n\nIt is done as you said"
