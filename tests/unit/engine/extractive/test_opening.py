"""A summary's goal is the opening message as it was written, with what was pasted in it."""

from tests.notation import a, u
from tests.unit.engine.extractive.conversations import told, under

PASTED = """do 1 and 2, then reply: thoughts on the report?

Yes! The shim resolves the version remotely.

- 1: {"retries": 3} is what makes it slow, it should be 0 there
    at resolve (src/http.rs:526)
- 2: don't block the shell for a cache"""
FLAT = "do 1 and 2, then reply: thoughts on the report? Yes! The shim resolves the version remotely."


def test_the_goal_holds_what_was_pasted_into_the_opening_message() -> None:
    (goal,) = under(told(u(PASTED), a("Done.")), "## Goal")
    assert goal.startswith(FLAT)
    assert "it should be 0 there" in goal
    assert "don't block the shell for a cache" in goal


def test_what_a_host_put_there_is_no_part_of_it() -> None:
    text = "<system-reminder>The date is today.</system-reminder>\nPort the parser, please."
    assert under(told(u(text), a("Done.")), "## Goal") == ["Port the parser, please."]


def test_a_long_one_is_cut_by_the_budget_and_then_told_in_short() -> None:
    long = "Port the parser. " + "Then the lexer of the next module as well. " * 400
    sizes = [len(under(told(u(long), a("Done."), budget=budget), "## Goal")[0]) for budget in (100_000, 4_000, 400)]
    assert 6_000 < sizes[0] <= 8_000
    assert 1_000 < sizes[1] <= 2_000
    assert sizes[2] <= 600


def test_it_is_carried_on_as_it_is() -> None:
    first = told(u(PASTED), a("Done with the first."))
    assert (
        under(told(u("and now the docs"), a("Done."), previous=first), "## Goal")[0] == under(first, "## Goal")[0]
    )


def test_a_later_goal_stands_in_its_own_words() -> None:
    text = told(
        u("Port the parser."), a("Done."), u("New goal: write the docs of it. And see x:\n\n> quoted"), a("Yes.")
    )
    assert under(text, "## Goal")[0] == "write the docs of it."
