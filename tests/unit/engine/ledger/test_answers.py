"""Which question an answer belongs to, where it comes later, and what is told of several words on one."""

import pytest

from ctxmgr.engine.findings import Asked
from ctxmgr.engine.ledger.extract import asked_by, from_message
from ctxmgr.engine.ledger.fold import current, fold
from ctxmgr.engine.ledger.statements import Stamp
from ctxmgr.model import Block, View
from ctxmgr.model.saved.facts import Ledger


def answered(*said: str) -> list[tuple[str, str]]:
    """The questions that were answered, and how. The assistant and the user speak in turn, the assistant first."""
    ledger, asked = Ledger(), None
    before: Asked | None = asked
    for at, text in enumerate(said, 1):
        view = View("user" if at % 2 == 0 else "assistant", (Block("text", text=text),))
        stamp = Stamp(f"m{at}", at)
        ledger = fold(ledger, from_message(view, stamp=stamp, calls={}, opening=False, asked=before))
        before = asked_by(view, f"m{at}", before)
    return [(fact.text, fact.detail) for fact in current(ledger) if fact.slot == "question"]


DELETE = "Delete the DB too?"


def test_a_later_word_on_a_question_is_told_behind_the_first() -> None:
    said = answered(DELETE, "hmm, not sure, let me think", "OK, waiting.", "actually no")
    assert said == [(DELETE, '"hmm, not sure, let me think"; then "actually no"')]
    said = answered(DELETE, "let me think", "OK.", "yes, do it", "Done.", "on second thought, keep it")
    assert said == [(DELETE, '"let me think"; then "yes, do it"; then "on second thought, keep it"')]


@pytest.mark.parametrize(
    ("first", "between", "later"),
    [
        ("yes", "Done, all of it passes.", "thanks, now fix the footer"),
        ("yes", "Done, all of it passes.", "ok, fine"),
        ("let me think", "Shall I keep the logs at least?", "yes"),
        ("let me think", "OK.", "fix the login first, because it is urgent today"),
    ],
)
def test_a_word_on_something_else_changes_no_answer(first: str, between: str, later: str) -> None:
    assert (DELETE, f'"{first}"') in answered(DELETE, first, between, later)


def test_all_questions_of_a_series_stand_with_the_answer() -> None:
    series = "Q1: drop py38? Q2: keep legacy/? Q3: rename cli?"
    assert answered(series, "1 yes 2 no 3 later") == [(series, '"1 yes 2 no 3 later"')]


INLINE = (
    "Two options for where the backoff resets: (1) after the first successful frame, (2) after 60s of a stable"
    " connection. I'd go for (2), since a server that drops would otherwise be hammered. OK?"
)
DERIVE = (
    "There are two ways: (a) nullable field with a data migration, or (b) derive the key. Which one do you want?"
)
SECOND = "1. Keep the cache 2. Drop it. I'd recommend the second one. Shall I go ahead?"
LISTED = "Two options:\n\n1. **Keep the cache** and invalidate it\n2. **Drop the cache**, simpler\n\n"
GOES = "Yes: a changed cart gives another hash, so a new charge is allowed."


@pytest.mark.parametrize(
    ("asked", "reply", "detail"),
    [
        (INLINE, "2, but 90s", '"2, but 90s" (after 60s of a stable connection)'),
        (INLINE, "1", '"1" (after the first successful frame)'),
        (INLINE, "yes", '"yes" (proposed: after 60s of a stable connection)'),
        (DERIVE, "b", '"b" (derive the key)'),
        (SECOND, "yes", '"yes" (proposed: Drop it)'),
        (
            f"{LISTED}I'd recommend the second one. Shall I go ahead?",
            "yes",
            '"yes" (proposed: Drop the cache, simpler)',
        ),
        (
            f"{LISTED}I'd recommend option 1. Shall I go ahead?",
            "no",
            '"no" (proposed: Keep the cache and invalidate it)',
        ),
        (GOES, "Good, do that. Remove the migration again.", '"Good, do that. Remove the migration again."'),
        (f"Two things matter.\n\n{GOES}", "yes please", '"yes please"'),
    ],
)
def test_an_answer_has_the_words_of_the_option_that_it_or_the_question_points_at(
    asked: str, reply: str, detail: str
) -> None:
    ((question, said),) = answered(asked, reply)
    assert said == detail
    assert question in asked.replace("\n\n", " ")


@pytest.mark.parametrize("reply", ["thanks", "ok", "yesterday it was slow", "do that again with b.py?"])
def test_what_agrees_to_nothing_is_no_answer(reply: str) -> None:
    assert answered(GOES, reply) == []
