"""What the ledger keeps of an assistant's text: what it decided and found, announced last, and its checklists."""

from ctxmgr.engine.ledger.from_assistant import from_assistant
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.model.saved.facts import Fact


def facts(text: str) -> tuple[Fact, ...]:
    into = Statements(Stamp("o", 1))
    from_assistant(text, into)
    return into.facts()


def test_decisions_and_findings_have_slots_of_their_own() -> None:
    text = "The root cause is the lexer: it drops the last token. I'll use a table instead of it."
    assert [(fact.slot, fact.text, fact.source) for fact in facts(text)] == [
        ("finding", "The root cause is the lexer: it drops the last token.", "assistant"),
        ("decision", "I'll use a table instead of it.", "assistant"),
        ("next", "I'll use a table instead of it.", "assistant"),
    ]


def test_of_what_was_announced_the_newest_counts() -> None:
    assert [(fact.slot, fact.key, fact.text) for fact in facts("Let me read it. Then I'll write the parser.")] == [
        ("next", "", "Then I'll write the parser.")
    ]


def test_nothing_is_stated_by_rules_for_others_and_by_code() -> None:
    text = "# Constraints\n- never do this\n\n> Decision: quoted text here\n\n```\nDecision: in code here\n```"
    assert facts(text) == ()


def test_a_checklist_is_closed_by_the_next_summary() -> None:
    assert [(fact.text, fact.status, fact.source, fact.listing) for fact in facts("- [x] a\n- [ ] b")] == [
        ("a", "done", "assistant", "summary"),
        ("b", "open", "assistant", "summary"),
    ]
