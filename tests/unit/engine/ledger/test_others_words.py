"""What a user's message tells of others' words states no rule of the user's, and stays what was asked."""

import pytest

from ctxmgr.engine.ledger.from_user import from_user
from ctxmgr.engine.ledger.statements import Stamp, Statements
from ctxmgr.model.saved.facts import Fact


def facts(text: str) -> tuple[Fact, ...]:
    into = Statements(Stamp("o", 1))
    from_user(text, into, opening=False)
    return into.facts()


def rules(text: str) -> list[str]:
    return [fact.text for fact in facts(text) if fact.slot in ("constraint", "decision", "goal")]


DIFF = "diff --git a/R.md b/R.md\n--- a/R.md\n+++ b/R.md\n@@ -1,2 +1,3 @@\n Always be kind.\n-Never sing.\n"
MAIL = "From: Bob <b@x.y>\nSubject: deploy\n\nPlease never deploy on Fridays.\n\nAlways ask me.\nBob"
TOLD = [
    "My colleague said: never use async. I disagree.",
    "My colleague said: never use async. Always use threads. I disagree.",
    "The reviewer wrote that we must never use async, what do you think of it?",
    'Bob told me "never use async" and left.',
    "He says you should never use async.",
    "You said: always use threads. Is it so?",
    'Add a banner that reads "Never share your password" to the page.',
    "Show \u201cAlways log out afterwards\u201d below the form.",
    "I get this:\nfatal: You must always specify a branch.\nwhat now?",
    "It fails now\nerror: never call this twice",
    "remote: You must always sign commits.",
    "This is the output:\n\nYou must never run it as root.\n\nwhat now?",
    "$ npm install\nyou must always use node 22\nkeep the cache warm",
    "me@host:~$ make\nAlways run configure first.",
    "@notes.md says:\n\n# Rules\n- Never use pip\n- Always use conda\n\nsummarize it",
    "the README reads:\nNever use pip.\nAlways use conda.\n\nis that so?",
    "Contents of the file:\n1. Never use pip.\n2. Always use conda.\n",
    f"please review this diff:\n\n{DIFF}+You must never use sudo.\n",
    f"{DIFF}+You must never use sudo.\n\nplease review it",
    "+You must never use sudo.",
    f"{MAIL}\n\n^ fyi, is he allowed to ask that?",
    f"what do you make of it?\n\n{MAIL}",
    "Von: Bob <b@x.y>\nBetreff: deploy\n\nPlease never deploy on Fridays.\n",
    "On Mon, 3 Mar 2025 at 10:02, Bob <b@x.y> wrote:\nNever deploy on Fridays.\n\nfyi",
    "Users must never see the admin page, that is the bug. Fix it.",
    "Bug: users must always log in twice. Fix it.",
    "Expected behaviour: the page must never flicker",
]


@pytest.mark.parametrize("text", TOLD)
def test_what_others_said_is_no_rule_of_the_users(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize("text", TOLD[:2] + TOLD[8:9] + TOLD[14:16])
def test_it_stays_in_what_was_asked(text: str) -> None:
    assert [fact for fact in facts(text) if fact.slot == "request"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("As I said: never push.", "As I said: never push."),
        ("I told you: never push.", "I told you: never push."),
        ("As stated above, never push.", "As stated above, never push."),
        ("My colleague said: use async. But never push.", "But never push."),
        ("My colleague said: never use async. Please never push.", "Please never push."),
        ("Never do what he said: it is wrong.", "Never do what he said: it is wrong."),
        ('Make sure "npm run check" passes.', 'Make sure "npm run check" passes.'),
        ('Never write "it works now" into a commit.', 'Never write "it works now" into a commit.'),
        (f"Never push.\n\n{MAIL}", "Never push."),
        (f"{MAIL}\n\n---\nNever push.", "Never push."),
        (f"{DIFF}\nNever push.", "Never push."),
        ("I get this:\nfatal: no branch\n\nNever push.", "Never push."),
        ("@notes.md says:\n\n- Never use pip\n\nNever push.", "Never push."),
        ("$ make\nok\n\nNever push.", "Never push."),
        ("Rules:\n- never push", "never push"),
        ("In src/a.py:\n- never push", "never push"),
        ("To: the point\nNever push.", "Never push."),
        ("Note: never push.", "Note: never push."),
        ("This is the plan:\n- never push", "never push"),
    ],
)
def test_what_the_user_asks_beside_it_is_one(text: str, rule: str) -> None:
    assert rules(text) == [rule]
