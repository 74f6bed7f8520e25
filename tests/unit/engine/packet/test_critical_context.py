"""Critical context of a packet: which items share a line, and how many there are."""

import re

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.packet.packet import render
from ctxmgr.engine.text.one_line import BULLET_CHARACTERS
from ctxmgr.model.saved.facts import Fact, Ledger


def tokens(text: str) -> int:
    return (len(text) + 3) // 4


def ledger(*facts: Fact) -> Ledger:
    return fold(Ledger(), facts)


def test_items_under_one_heading_share_a_line_and_under_another_do_not() -> None:
    def item(order: int, detail: str, text: str) -> Fact:
        return Fact("context", text, text, "summary", 1, detail=detail, listing="summary", order=order)

    text = render(
        ledger(item(0, "Setup", "one."), item(1, "Setup", "two"), item(2, "Port", "80")), budget=500, weigh=tokens
    )
    assert "- Setup: one. two\n- Port: 80" in text
    bare = render(ledger(item(0, "", "one"), item(1, "", "two")), budget=500, weigh=tokens)
    assert "- one\n- two" in bare


def test_items_share_a_line_while_it_is_short() -> None:
    facts = [
        Fact(
            "context", f"c{at}", f"c{at} ".ljust(60, "x"), "summary", 1, detail="Setup", listing="summary", order=at
        )
        for at in range(6)
    ]
    text = render(ledger(*facts), budget=9_000, weigh=tokens)
    lines = [line for line in text.split("\n") if line.startswith("- ")]
    assert sum(line.count("xx; c") for line in lines) >= 1
    assert max(map(len, lines)) <= BULLET_CHARACTERS + 2


def test_the_newest_200_items_of_context_are_candidates() -> None:
    facts = [
        Fact("context", f"c{at}", f"item {at} of it", "summary", 1, listing="summary", order=at)
        for at in range(210)
    ]
    text = render(ledger(*facts), budget=90_000, weigh=tokens, resume=True)
    assert [int(at) for at in re.findall(r"item (\d+) of it", text)] == list(range(10, 210))
    assert "(10 more not shown)" in text
