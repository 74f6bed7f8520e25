"""A later permission of the user lifts the rule it speaks of; in doubt both stand, the newer first."""

import pytest

from ctxmgr.engine.ledger.extract import from_message
from ctxmgr.engine.ledger.fold import current, fold
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.engine.packet.packet import render
from ctxmgr.model.messages import Block, View
from ctxmgr.model.saved.facts import Ledger
from tests.notation import quarters


def said(*texts: str) -> Ledger:
    facts = [
        fact
        for at, text in enumerate(texts)
        for fact in from_message(
            View("user", (Block("text", text=text),)), stamp=Stamp(f"u{at}", at), calls={}, opening=False
        )
    ]
    return fold(Ledger(), facts)


def rules(*texts: str) -> list[str]:
    return [fact.text for fact in current(said(*texts)) if fact.slot == "constraint"]


@pytest.mark.parametrize(
    ("rule", "allowing"),
    [
        ("Never touch the database.", "You may touch the database now."),
        ("Don't edit the tests.", "Ok, you can edit the tests now."),
        ("Do not push to main.", "It's fine to push to main from now on."),
        ("Never commit.", "You may commit now."),
        ("Avoid changing the public API.", "Feel free to change the public API."),
        ("Never change the lock file.", "You're allowed to change the lock file again."),
        ("Don't add dependencies.", "Go ahead and add dependencies."),
    ],
)
def test_it_lifts_the_rule_it_speaks_of(rule: str, allowing: str) -> None:
    assert rules(rule) == [rule]
    assert rules(rule, allowing) == []
    assert rules(allowing, rule) == [rule]  # what is said later holds
    assert rules(rule, allowing, rule) == [rule]


@pytest.mark.parametrize(
    ("rule", "allowing"),
    [
        ("Never touch the schema.", "You may touch the database now, but not the schema."),
        ("Never touch the production database.", "You may touch the database of the tests now."),
        ("Never touch the tests.", "You may touch the tests once the build is green."),
    ],
)
def test_in_doubt_both_stand_and_the_newer_comes_first(rule: str, allowing: str) -> None:
    assert sorted(rules(rule, allowing)) == sorted([rule, allowing])
    text = render(said(rule, allowing), budget=500, weigh=quarters)
    assert -1 < text.find(allowing) < text.find(rule)


@pytest.mark.parametrize(
    "other", ["You may want to look at the parser.", "You can see the log now.", "May we touch the database now?"]
)
def test_what_allows_nothing_is_no_rule(other: str) -> None:
    assert rules("Never touch the database.", other) == ["Never touch the database."]
