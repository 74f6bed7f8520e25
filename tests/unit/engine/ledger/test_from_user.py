import pytest

from ctxmgr.engine.ledger.from_user import GOAL_CHARACTERS, from_user
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.model.saved.facts import Fact


def facts(text: str, *, opening: bool = False) -> tuple[Fact, ...]:
    into = Statements(Stamp("o", 1))
    from_user(text, into, opening=opening)
    return into.facts()


def said(text: str, slot: str) -> list[str]:
    return [fact.text for fact in facts(text) if fact.slot == slot]


RULES = [
    "Do not push.",
    "please don't modify the theme",
    "You must not touch the public API.",
    "invalid themes must NEVER explode",
    "Always run `npm run check` before a commit.",
    "keep it super concise.",
    "make sure toolText is also used.",
    "Prefer multiple small commits over one large commit.",
    "only use the standard library",
    "i would only want e2e tests for AgentSession, anything else is shitty.",
    "no console logs!",
    "I'd prefer if it's moved to sessions too",
    "we never want that in a release",
    "From now on write tests first.",
    "stop using emojis",
    "you should not rename files",
    "Actually don't add comments.",
    "Actually, never touch it.",
    "We use pnpm here, not npm.",
    "this project uses tabs, not spaces",
    "use pnpm, not npm",
]


@pytest.mark.parametrize("sentence", RULES)
def test_a_rule_is_kept_as_it_was_written(sentence: str) -> None:
    assert said(f"hello there. {sentence}", "constraint") == [sentence]


CORRECTIONS = [
    "no, the block should stay as is",
    "actually, it's the background that doesn't change",
    "that's wrong, the file is in src",
    "I said the second column, not the first",
    "use the lexer instead of the regular expression",
]


@pytest.mark.parametrize("sentence", CORRECTIONS)
def test_a_correction_is_kept_and_marked(sentence: str) -> None:
    assert [(fact.text, fact.detail) for fact in facts(sentence) if fact.slot == "constraint"] == [
        (sentence, "correction")
    ]


def test_a_bare_no_takes_the_next_sentence_along() -> None:
    text = "not what i wanted. i wanted a list of examples."
    assert said(text, "constraint") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "why don't you use the lexer?",
        "i don't know what that does",
        "it never worked before",
        "don't worry about it",
        "that must have been a typo",
        "no, that's horrible.",
        "no idea what happened",
        "keep going",
        "I think the component must not be that wide",
        "continue",
        "are we only using it once?",
        "```\nnever do this\n```",
        "> never do this",
        "<rules>always do this</rules>",
        "never " + "x" * 700,
        "is it always like that",
    ],
)
def test_what_is_no_rule_gives_none(text: str) -> None:
    assert said(text, "constraint") == []


def test_the_opening_is_the_goal_cut_at_a_sentence() -> None:
    long = "Refactor the parser. " * 60
    goal = next(fact for fact in facts(long, opening=True) if fact.slot == "goal")
    assert goal.key == ""
    assert len(goal.text) <= GOAL_CHARACTERS
    assert goal.text.endswith("parser.…")
    assert [fact.slot for fact in facts("<env>x</env>", opening=True)] == []


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("the goal is to ship the parser", "to ship the parser"),
        ("ok, new goal: faster builds", "faster builds"),
        ("Next task: write the docs.", "write the docs."),
        ("Our main objective now is speed.", "speed."),
        ("the goal was missed", None),
        ("the task is done", None),
        ("what is the goal?", None),
    ],
)
def test_a_later_goal_is_one_only_where_it_says_so(text: str, goal: str | None) -> None:
    assert said(text, "goal") == ([goal] if goal else [])


@pytest.mark.parametrize(
    ("text", "asked"),
    [("ok", []), ("/compact", []), ("fix the footer", ["fix the footer"]), ("a b c\n\nd", ["a b c d"])],
)
def test_what_was_asked(text: str, asked: list[str]) -> None:
    assert said(text, "request") == asked


def test_taking_back_is_a_fact_of_its_own() -> None:
    (fact,) = [fact for fact in facts("never mind the e2e tests rule") if fact.slot == "constraint"]
    assert (fact.status, fact.text) == ("retracted", "never mind the e2e tests rule")


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("change it to ToolResultMessage", True),
        ("omfg use fucking rgb values in the themes", True),
        ("ok, let's keep the old one around", True),
        ("let's do it", False),
        ("use the read tool for this", False),
        ("use bash to look for it here", False),
        ("please choose a store for it", False),
        ("should we go with the table?", False),
    ],
)
def test_a_choice(text: str, decision: bool) -> None:
    assert bool(said(text, "decision")) is decision


def test_a_question_corrects_nothing() -> None:
    assert said("well, that's wrong no? i suppose we need to review the system prompt", "constraint") == []


def test_tasks_and_choices() -> None:
    text = "let's go with the table\n- [ ] write it\n- [x] read it"
    assert said(text, "decision") == ["let's go with the table"]
    assert [(fact.text, fact.status) for fact in facts(text) if fact.slot == "task"] == [
        ("write it", "open"),
        ("read it", "done"),
    ]


def test_a_goal_has_600_characters_at_most() -> None:
    whole = "a" * 600
    assert [fact.text for fact in facts(whole, opening=True) if fact.slot == "goal"] == [whole]
    assert [len(fact.text) for fact in facts(f"{whole}a", opening=True) if fact.slot == "goal"] == [600]
    said_later = "new goal: " + "b" * 590
    assert said(said_later, "goal") == ["b" * 590]
    assert said(f"{said_later}b", "goal") == []


def test_a_request_is_kept_whole() -> None:
    asked = "fix the " + "parser and " * 100 + "the lexer"
    assert said(asked, "request") == [asked]


def test_a_request_of_many_paragraphs_has_4000_characters() -> None:
    asked = "\n\n".join("fix it all, " * 90 + "x" for _ in range(5))
    (kept,) = said(asked, "request")
    assert 3_980 < len(kept) <= 4_000


@pytest.mark.parametrize(
    ("text", "rules"), [("no tabs.", ["no tabs."]), ("no tab.", []), ("never " + "x" * 594, ["never " + "x" * 594])]
)
def test_a_rule_has_8_to_600_characters(text: str, rules: list[str]) -> None:
    assert said(text, "constraint") == rules
    assert said("never " + "x" * 595, "constraint") == []


def test_only_a_bare_correction_takes_the_next_sentence_along() -> None:
    assert said("no, use the lexer in this file here. and then go home", "constraint") == [
        "no, use the lexer in this file here."
    ]
    assert said("hello there. never push", "constraint") == ["never push"]
    assert said("not what i wanted? never push", "constraint") == ["never push"]
    assert said("no, wrong. why did you?", "constraint") == []


@pytest.mark.parametrize(
    "text", ["不要修改数据库模式。", "データベースは絶対に変更しないで", "อย่าแก้ไขฐานข้อมูล", "pnpm not npm"]
)
def test_what_is_asked_is_kept_in_a_script_without_spaces_too(text: str) -> None:
    assert said(text, "request") == [text]


@pytest.mark.parametrize("text", ["继续", "続けて", "はい", "ok go"])
def test_a_word_or_two_ask_for_nothing_in_any_script(text: str) -> None:
    assert said(text, "request") == []


@pytest.mark.parametrize(
    "text",
    [
        "we use it here, not sure why",
        "we use pnpm, not that it matters",
        "it uses the cache, not yet in production",
        "the parser uses the cache, not the file",
        "run the unit tests, not the slow ones",
        "actually keep going",
        "actually I don't know",
    ],
)
def test_what_is_said_beside_no_thing_is_no_rule(text: str) -> None:
    assert said(text, "constraint") == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [("Niemals pushen!", True), ("Nie pushen.", True), ("Sehr gut!", False), ("Niemals pushen", False)],
)
def test_two_words_that_may_be_a_rule_are_a_request_in_any_language(text: str, kept: bool) -> None:
    assert said(text, "request") == ([text] if kept else [])


LONG = "The resolver never retries, and the cache must be read first; it is slow because of that. " * 2
REVIEW = "\n\n".join(f"**Point {at}**\n{LONG.strip()}" for at in range(9))
OWN = "Do 1 and 2 of this. Never push."


@pytest.mark.parametrize(
    "text",
    [
        f"{OWN}\n\n\n{REVIEW}",
        f"{OWN}\n---\n{REVIEW}\n---",
        f"{REVIEW}\n\n\n\n{OWN}",
        f'{OWN}\n"""\nAlways write the tests first.\n"""',
        f"{OWN}\n<!-- Always write the tests first. -->\n",
        f"{OWN}\n\n\n{REVIEW}\n\n```\nx\n\n\ny\n```",
    ],
)
def test_what_is_pasted_apart_from_the_users_own_words_states_no_rule(text: str) -> None:
    assert [fact.text for fact in facts(text) if fact.slot == "constraint"] == ["Never push."]


@pytest.mark.parametrize(
    "text",
    [
        "Please do this:\n\n\n" + "\n\n".join(f"- Never touch file {at} of the old parser" for at in range(60)),
        "\n\n".join([OWN, *(f"Paragraph {at} says what it is about." for at in range(60))]),
        REVIEW.replace("**Point 1**", "Never push."),
    ],
)
def test_what_the_user_typed_at_length_states_rules(text: str) -> None:
    assert [fact for fact in facts(text) if fact.slot == "constraint"]
