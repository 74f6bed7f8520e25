"""The packet's part of what the user said, word for word."""

import pytest

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.packet.packet import render
from ctxmgr.engine.packet.users import UsersText, users_text
from ctxmgr.model.saved.facts import Fact, Ledger

LONG = "never change a file under vendor, " + "not even where the linter says that it must be, " * 8 + "ever"
RULE = Fact("constraint", "vendor", LONG, "user", 2, origin="u2")
PUT_RIGHT = Fact("constraint", "port", "No, the port is 81", "user", 3, detail="correction", origin="u3")
GOAL = Fact("goal", "", "Write the parser", "user", 1, origin="u1")
OPENING = Fact("request", "parser", "Write the parser", "user", 1, origin="u1")
ASKED = Fact("request", "lexer", "Now the lexer, and keep it small", "user", 4, origin="u4")
LATER = Fact("request", "docs", "Then the docs", "user", 5, origin="u5")


def tokens(text: str) -> int:
    return (len(text) + 3) // 4


def told(*facts: Fact, budget: int = 1_000, shown: tuple[str, ...] = ()) -> UsersText:
    return users_text(fold(Ledger(), facts), frozenset(shown), budget, tokens)


def many(count: int) -> list[Fact]:
    return [
        Fact("request", f"k{at}", f"please do number {at} of them", "user", at, origin=f"u{at}")
        for at in range(count)
    ]


def test_rules_and_requests_stand_word_for_word() -> None:
    assert told(GOAL, RULE, PUT_RIGHT, OPENING, ASKED, LATER).text == (
        "## Rules (the user's, word for word)\n"
        f'- the user said: "{LONG}"\n'
        '- the user corrected: "No, the port is 81"\n\n'
        "## Asked before (the user's words; past, but what they demand holds)\n"
        '- "Now the lexer, and keep it small"\n'
        '- "Then the docs"'
    )


def test_what_a_message_in_view_asks_is_not_told_again() -> None:
    assert told(GOAL, OPENING, ASKED, LATER, shown=("u4", "u5")).text == ""


def test_a_message_that_is_one_rule_is_told_once() -> None:
    again = Fact("request", "vendor again", LONG, "user", 2, origin="u2")
    here = told(GOAL, OPENING, RULE, again)
    assert here.text.count("vendor") == 1
    known = fold(Ledger(), (GOAL, OPENING, RULE, again))
    assert "vendor" not in render(known, budget=1_000, weigh=tokens, shown=here.names)


def test_the_opening_is_told_where_the_goal_does_not_say_all_of_it() -> None:
    opening = Fact("request", "long", "Write the parser. It reads 1) words 2) numbers", "user", 1, origin="u1")
    goal = Fact("goal", "", "Write the parser.", "user", 1, origin="u1")
    assert "2) numbers" in told(goal, opening, ASKED).text
    assert "Write the parser" not in told(goal, OPENING, ASKED).text


def test_the_newest_rules_come_first_and_the_rest_is_counted() -> None:
    rules = [Fact("constraint", f"k{at}", f"never touch directory {at}", "user", at) for at in range(30)]
    text = told(*rules, *many(9), budget=150).text
    head, *lines = text.splitlines()
    assert lines == [f'- the user said: "never touch directory {at}"' for at in range(30 - len(lines), 30)]
    assert head == f"## Rules (the user's, word for word) ({30 - len(lines)} more not told whole)"


def test_of_what_was_asked_the_newest_and_the_first_come_first() -> None:
    head, *lines = told(GOAL, OPENING, *many(40)[6:], budget=110).text.splitlines()
    assert lines[0] == '- "please do number 6 of them"'
    assert lines[1:] == [f'- "please do number {at} of them"' for at in range(41 - len(lines), 40)]
    assert head.endswith(f"({34 - len(lines)} more not told whole)")


def test_one_that_does_not_fit_holds_up_no_other() -> None:
    long = Fact("request", "long", "and then " * 400, "user", 9, origin="u9")
    assert told(GOAL, OPENING, ASKED, long, budget=60).text.endswith(
        '(1 more not told whole)\n- "Now the lexer, and keep it small"'
    )


@pytest.mark.parametrize("budget", [0, 3, 10, 30, 60, 90, 200])
def test_it_never_weighs_more_than_its_budget(budget: int) -> None:
    assert tokens(told(RULE, PUT_RIGHT, *many(40), budget=budget).text) <= budget


def test_no_other_part_tells_what_is_told_here() -> None:
    held = fold(Ledger(), (OPENING, RULE, ASKED))
    goal = Fact("goal", "", "Write the parser", "user", 1, origin="u1")
    known = fold(held, (goal,))
    here = users_text(known, frozenset(), 1_000, tokens)
    text = render(known, budget=1_000, weigh=tokens, shown=here.names)
    for word in ("vendor", "lexer"):
        assert word in here.text
        assert word not in text
    assert "vendor" in render(known, budget=1_000, weigh=tokens)
