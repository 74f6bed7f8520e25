"""What the user said, and what is generated from the metrics of a session."""

import json

import pytest

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.study.figures import Measures, cost, figures
from ctxmgr.study.figures.recall import said_recall
from ctxmgr.study.observations import Ratio
from tests.notation import a, call, r, summary, u
from tests.unit.study.sighted import Show, changed, known, newest, packed, sights, whole

USERS = (u("first thing\nto do"), a("ok"), u("second"), a("done"))


def test_what_the_user_said() -> None:
    for case, show, held, in_place in (
        ("both stand", whole, 2, 2),
        ("one is gone", newest(1), 1, 1),
        ("the packet quotes it on one line", newest(1, packed('- "first thing to do"')), 2, 1),
        ("shortened is not word for word", newest(1, packed('- "first thing ..."')), 1, 1),
        ("shortened in its place", lambda items: changed(0, u("first"))(whole(items)), 1, 1),
    ):
        ratio = said_recall(sights(*USERS, show=show), known())[-1]
        assert (ratio.overall, ratio.in_place) == (Ratio(held, 2), Ratio(in_place, 2)), case


def test_a_summary_may_quote_the_user_and_an_image_can_not_be_quoted() -> None:
    (first,) = sights(u("do this"), a("ok"))
    (later,) = sights(summary("they said: do  this"), u("go"), a("ok"))
    ratio = said_recall([first, later], known())[-1]
    assert (ratio.overall, ratio.in_place) == (Ratio(2, 2), Ratio(1, 2))
    image = u("", content=[{"type": "image", "data": "", "mimeType": "image/png"}])
    assert said_recall(sights(image, a("ok"), show=newest(0, packed("anything"))), known())[-1].overall == Ratio(
        0, 1
    )


def session(show: Show = whole, epochs: tuple[int, ...] = (0, 0, 1, 1)) -> Measures:
    """Four calls, the third of them cold."""
    talk = (
        u("fix src/a.ts now"),
        a("reading", call("read", path="src/a.ts"), timestamp=1_000),
        r("line one\nline two"),
        a("the two lines", timestamp=2_000),
        u("go on"),
        a(call("edit", path="src/a.ts", oldText="line one"), timestamp=9_000),
        r("ok"),
        a("src/a.ts is done", timestamp=9_500),
    )
    return Measures(sights(*talk, show=show, epochs=epochs), known(), PriceSheet(ttl_ms=5_000))


EVERY = session()
SOME = session(newest(1))
MADE = json.loads(json.dumps(figures(SOME, EVERY)))
BASE = figures(EVERY, EVERY)


def money(of: Measures) -> float:
    return sum(call.money for call in of.once(cost.of_session))


def test_figures_of_a_session() -> None:
    assert (BASE["rawTokens"], BASE["epochs"], BASE["coldCalls"], BASE["ofOff"]) == (19, 1, 1, 1.0)
    assert (BASE["sentMean"], BASE["sentLargest"]) == (11.8, 19)
    assert BASE["cachedShare"] == round(28 / 47, 5)
    assert BASE["recall"]["overall"] == {"share": 1.0, "held": 3, "of": 3}
    assert BASE["grounding"] == {"share": 1.0, "held": 1, "of": 1}
    assert (BASE["said"]["mean"]["of"], BASE["said"]["last"]["held"]) == (6, 2)
    assert BASE["closedLoop"]["calls"] == 4


def test_what_was_left_out_is_cheaper_and_knows_less() -> None:
    assert MADE["rawTokens"] == BASE["rawTokens"]
    assert MADE["ofOff"] == pytest.approx(money(SOME) / money(EVERY), abs=1e-5)
    assert 0 < MADE["ofOff"] < 1
    assert MADE["recall"]["overall"] == {"share": 0.33333, "held": 1, "of": 3}
    assert MADE["grounding"]["held"] == 0
    assert (MADE["breaks"], MADE["unannouncedBreaks"]) == (3, 2)
    assert (MADE["said"]["mean"]["held"], MADE["said"]["last"]["held"]) == (2, 0)
    assert figures(SOME, None)["ofOff"] is None


def test_the_series_has_each_call() -> None:
    series = MADE["series"]
    assert [call["epoch"] for call in series] == [0, 0, 1, 1]
    assert [call["sent"] for call in BASE["series"]] == [3, 10, 15, 19]
    assert [call["at"] for call in series] == [1_000, 2_000, 9_000, 9_500]
    assert [call["cold"] for call in series] == [False, False, True, False]
    assert [call["announced"] for call in series] == [False, False, True, False]
    assert series[-1]["spent"] == pytest.approx(money(SOME), abs=1e-6)
    assert (sum(call["recalled"] for call in series), sum(call["names"] for call in series)) == (1, 3)
    assert (sum(call["grounded"] for call in series), sum(call["lines"] for call in series)) == (0, 1)
