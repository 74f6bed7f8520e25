"""The goal in a packet: the user's words, and beside them what summaries make of it."""

import msgspec

from ctxmgr.engine.packet.packet import render
from ctxmgr.model.saved.facts import Fact, Slot
from tests.unit.engine.packet.test_packet import GOAL, ledger, tokens


def test_the_goal_stands_in_the_users_words_and_what_a_later_summary_makes_of_it_beside_them() -> None:
    other = Fact("goal", "", "Port the lexer first.", "summary", 5, origin="s", listing="summary")
    text = render(ledger(GOAL, other), budget=700, weigh=tokens)
    assert "(in the user's words)\nShip the parser.\n- as the last summary has it: Port the lexer first." in text
    text = render(ledger(GOAL, other), budget=700, weigh=tokens, shown={"s"})
    assert "Ship the parser." in text
    assert "lexer" not in text


def test_what_a_summary_repeats_of_the_goal_is_not_told_again() -> None:
    said = Fact("goal", "", "Make `report` right. Never touch the files, I said.", "user", 1, origin="u1")
    texts: tuple[tuple[Slot, str], ...] = (
        ("goal", "Make report right"),
        ("constraint", "never touch the files"),
        ("context", "Make report right."),
        ("context", "Make report right, and soon."),
    )
    again = [Fact(slot, text, text, "summary", 5, origin="s", listing="summary") for slot, text in texts]
    again[0] = msgspec.structs.replace(again[0], key="")
    text = render(ledger(said, *again), budget=700, weigh=tokens)
    assert text.casefold().count("never touch the files") == 1
    assert text.replace("`", "").count("Make report right") == 2
    assert "and soon" in text


def test_what_a_summary_makes_of_the_goal_with_its_words_alone_is_the_goal_again() -> None:
    asked = "Orders of the shop are charged twice. Please make charging idempotent, and add a migration."
    said = Fact("goal", "", asked, "user", 1, origin="u1")
    for text, again in (
        ("Make charging of orders idempotent.", True),
        ("Make charging of all orders idempotent.", False),
        ("Make refunds idempotent.", False),
        ("Add orders.", False),
    ):
        summed = Fact("goal", "", text, "summary", 5, origin="s", listing="summary")
        packet = render(ledger(said, summed), budget=700, weigh=tokens)
        assert ("as the last summary has it" not in packet) is again
