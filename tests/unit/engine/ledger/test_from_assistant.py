import pytest

from ctxmgr.engine.ledger.from_assistant import from_assistant
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.model.saved.facts import Fact


def facts(text: str) -> tuple[Fact, ...]:
    into = Statements(Stamp("o", 1))
    from_assistant(text, into)
    return into.facts()


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Decision: keep the old parser", "keep the old parser"),
        ("- **Decision:** keep the old parser", "keep the old parser"),
        ("I decided to keep the old parser.", "I decided to keep the old parser."),
        ("We'll go with the table. Next I read it.", "We'll go with the table."),
        ("So I've decided against a cache.", "So I've decided against a cache."),
        ("I'll use the lexer because it is exact.", "I'll use the lexer because it is exact."),
        ("Instead of two files, we write one table.", "Instead of two files, we write one table."),
        ("Used a table rather than a tree.", "Used a table rather than a tree."),
        ("## Key decisions\n- one file a session", "one file a session"),
    ],
)
def test_a_stated_decision(text: str, decision: str) -> None:
    assert [(fact.slot, fact.text) for fact in facts(text)] == [("decision", decision)]


@pytest.mark.parametrize(
    "text",
    [
        "I'll use grep to look.",
        "I'll use grep because it is fast.",
        "I'll use the lexer for it.",
        "Instead of fixing each one, let me read it.",
        "We use it because it is there.",
        "Should we go with the table?",
        "The decision is yours.",
        "> Decision: quoted text here",
        "```\nDecision: in code here\n```",
        "If we go with the table it is slow.",
        "# Constraints\n- never do this",
        "You must not push.",
        "Agreed!",
    ],
)
def test_what_is_none(text: str) -> None:
    assert facts(text) == ()


def test_a_checklist_is_closed_by_the_next_summary() -> None:
    assert [(fact.text, fact.status, fact.source, fact.listing) for fact in facts("- [x] a\n- [ ] b")] == [
        ("a", "done", "assistant", "summary"),
        ("b", "open", "assistant", "summary"),
    ]


@pytest.mark.parametrize(("characters", "count"), [(300, 1), (301, 0)])
def test_a_decision_has_300_characters_at_most(characters: int, count: int) -> None:
    for start in ("Decision: ", "I decided to "):
        assert len(facts(start + "x" * (characters - len(start)))) == count
    item = "- one file a session "
    assert len(facts("## Decisions\n" + item + "x" * (characters - len(item)))) == count


def test_a_question_is_no_decision() -> None:
    assert facts("Decision: shall we keep the parser?") == ()
    assert facts("## Decisions\n- shall we keep the parser?") == ()
    assert facts("I decided to keep the parser?") == ()


def test_a_list_of_decisions_ends_with_the_next_paragraph() -> None:
    text = "## Decisions\n\n- one file a session\n\n- two a project\nMore of it.\n- three words here"
    assert [fact.text for fact in facts(text)] == ["one file a session", "two a project"]
