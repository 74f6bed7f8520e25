"""The sentence is true in every case."""

import pytest

from ctxmgr.study.savings.measuring import MeasuredSession
from ctxmgr.study.savings.showing import CASES, PolicyBill, Scope, sentence, summed
from tests.unit.study.savings.invented import many, session

WHEN = "of the last 30 days"
MONTH = Scope(20, WHEN)
TWENTY = "Your 20 sessions of the last 30 days cost"
TABLE: list[tuple[str, list[MeasuredSession], Scope, str]] = [
    ("none found", [], Scope(0, WHEN), "No sessions of the last 30 days were found."),
    ("none named", [], Scope(0, ""), "No sessions in what you named were found."),
    ("none measured", [], Scope(3, WHEN), "Of your 3 sessions of the last 30 days none could be measured."),
    (
        "no prices",
        [session(1, dollars=None)],
        Scope(1, WHEN),
        "Of your 1 session of the last 30 days none has a model whose price is known, so none has a cost.",
    ),
    (
        "saved",
        many(20, dollars=5.0),
        MONTH,
        f"{TWENTY} $100.00 in input at list prices; balanced would have cost $59 to $61.",
    ),
    (
        "saved cents",
        many(20, dollars=0.5),
        MONTH,
        f"{TWENTY} $10.00 in input at list prices; balanced would have cost $5.90 to $6.08.",
    ),
    (
        "the ends are one sum",
        many(20, dollars=1.0),
        MONTH,
        f"{TWENTY} $20.00 in input at list prices; balanced would have cost $11.80 to $12.16.",
    ),
    (
        "dearer",
        many(20, dollars=5.0, share=1.3),
        MONTH,
        f"{TWENTY} $100.00 in input at list prices; balanced would have cost more, $129 to $131.",
    ),
    (
        "nothing changed",
        [session(at, dollars=5.0, share=1.0) for at in range(20)],
        MONTH,
        f"{TWENTY} $100.00 in input at list prices; balanced would have cost the same.",
    ),
    (
        "not shown",
        many(20, dollars=5.0, share=0.995),
        MONTH,
        f"{TWENTY} $100.00 in input at list prices; balanced would have cost $99 to $100, so no saving is shown.",
    ),
    (
        "short ones save nothing",
        [*many(10, dollars=9.0), *(session(at, 10, share=1.0) for at in range(10))],
        MONTH,
        f"{TWENTY} $100.00 in input at list prices; balanced would have cost $62 to $69; sessions under 25 calls "
        "save nothing.",
    ),
    (
        "short ones are dearer",
        [*many(10, dollars=9.0), *(session(at, 10, share=1.1) for at in range(10))],
        MONTH,
        f"{TWENTY} $100.00 in input at list prices; balanced would have cost $62 to $71; sessions under 25 calls "
        "would have cost more.",
    ),
    (
        "two lengths",
        [*many(10, dollars=9.0), session(98, 10, share=1.0), session(99, 30, share=1.0)],
        Scope(12, WHEN),
        "Your 12 sessions of the last 30 days cost $92.00 in input at list prices; balanced would have cost $55 to "
        "$58; sessions under 25 calls and of 25 to 60 calls save nothing.",
    ),
    (
        "one",
        [session(1, dollars=40.0)],
        Scope(1, WHEN),
        "Your 1 session of the last 30 days cost $40.00 in input at list prices; balanced would have cost about "
        "$24, though one session is too few to tell.",
    ),
    (
        "few, dearer",
        [session(at, share=1.5) for at in range(3)],
        Scope(3, WHEN),
        "Your 3 sessions of the last 30 days cost $3.00 in input at list prices; balanced would have cost more, "
        "about $4.50, though 3 sessions are too few to tell.",
    ),
    (
        "few, the same",
        [session(1, share=1.0)],
        Scope(1, WHEN),
        "Your 1 session of the last 30 days cost $1.00 in input at list prices; balanced would have cost the same.",
    ),
    (
        "a sample",
        many(20, dollars=5.0),
        Scope(212, WHEN),
        "20 of your 212 sessions of the last 30 days have a known cost: $100.00 in input at list prices; "
        "balanced would have cost $59 to $61.",
    ),
    (
        "some without a price",
        [*many(10, dollars=10.0), session(999, dollars=None)],
        Scope(11, WHEN),
        "10 of your 11 sessions of the last 30 days have a known cost: $100.00 in input at list prices; "
        "balanced would have cost $59 to $61.",
    ),
    (
        "named, and not exact",
        many(20, dollars=5.0),
        Scope(20, "", is_exact=False),
        "The 20 sessions that you named cost about $100.00 in input at list prices; balanced would have cost $59 "
        "to $61.",
    ),
]


@pytest.mark.parametrize(("sessions", "scope", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_sentence(sessions: list[MeasuredSession], scope: Scope, said: str) -> None:
    assert sentence(summed(sessions, ["balanced"]), "balanced", scope) == said


def test_each_case_is_in_the_table() -> None:
    for words in ("the same", "cost $", "cost more, ", "no saving is shown"):
        assert any(words in said for *_, said in TABLE)
    assert len(CASES) == 4


def test_an_interval_that_begins_at_nothing_is_one() -> None:
    assert PolicyBill(20, 100.0, 0.1, 0.0, 0.2).ends == (0.0, 0.2)
    assert PolicyBill(5, 100.0, 0.1, None, None).ends == (0.1, 0.1)
