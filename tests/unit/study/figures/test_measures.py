"""Re-fetched calls, what the user said, and all measures of a session together."""

import io
import json

import pytest
from rich.console import Console

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.study.figures import figures as measures_figures
from ctxmgr.study.figures import tables
from ctxmgr.study.figures.figures import Figures, figures, means
from ctxmgr.study.figures.measures import Measures, measure
from ctxmgr.study.metrics.ratio import Ratio, total
from ctxmgr.study.metrics.refetch import Refetch, refetch
from ctxmgr.study.metrics.user_text_recall import recall
from tests.notation import a, call, r, summary, u
from tests.unit.study.sighted import Show, changed, known, newest, packed, sights, whole

READ = a(call("read", path="x", limit=5))
AGAIN = a(call("read", limit=5, path="x"), call("read", path="y"))
TWICE = (u("look"), READ, r("text of x"), a("hm"), u("and?"), AGAIN)


@pytest.mark.parametrize(
    ("show", "gone"),
    [
        pytest.param(whole, 0, id="it was there"),
        pytest.param(newest(1), 1, id="it had left"),
        pytest.param(newest(0, packed("text of x")), 1, id="a packet is no answer"),
        pytest.param(lambda items: changed(2, *TWICE[:2], r("text"))(whole(items)), 1, id="it was shortened"),
    ],
)
def test_a_call_made_again_is_counted(show: Show, gone: int) -> None:
    assert refetch(sights(*TWICE, show=show), known())[-1] == Refetch(2, 1, gone)


def test_a_call_that_nobody_answered_is_not_repeated() -> None:
    assert refetch(sights(u("look"), READ, u("and?"), AGAIN), known())[-1] == Refetch(2, 0, 0)


def test_the_newest_answer_is_what_counts() -> None:
    talk = (*TWICE[:3], READ, r("new text of x"), a("hm"), u("?"), READ)
    assert refetch(sights(*talk, show=newest(4)), known())[-1] == Refetch(1, 1, 0)
    assert refetch(sights(*talk, show=lambda items: whole(items)[:3]), known())[-1] == Refetch(1, 1, 1)


USERS = (u("first thing\nto do"), a("ok"), u("second"), a("done"))


@pytest.mark.parametrize(
    ("show", "held", "in_place"),
    [
        pytest.param(whole, 2, 2, id="both stand"),
        pytest.param(newest(1), 1, 1, id="one is gone"),
        pytest.param(newest(1, packed('- "first thing to do"')), 2, 1, id="the packet quotes it on one line"),
        pytest.param(newest(1, packed('- "first thing ..."')), 1, 1, id="shortened is not word for word"),
        pytest.param(lambda items: changed(0, u("first"))(whole(items)), 1, 1, id="shortened in its place"),
    ],
)
def test_what_the_user_said(show: Show, held: int, in_place: int) -> None:
    found = recall(sights(*USERS, show=show), known())[-1]
    assert (found.overall, found.in_place) == (Ratio(held, 2), Ratio(in_place, 2))


def test_a_summary_may_quote_the_user_and_an_image_can_not_be_quoted() -> None:
    (first,) = sights(u("do this"), a("ok"))
    (later,) = sights(summary("they said: do  this"), u("go"), a("ok"))
    found = recall([first, later], known())[-1]
    assert (found.overall, found.in_place) == (Ratio(2, 2), Ratio(1, 2))
    image = u("", content=[{"type": "image", "data": "", "mimeType": "image/png"}])
    assert recall(sights(image, a("ok"), show=newest(0, packed("anything"))), known())[-1].overall == Ratio(0, 1)


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
    return measure(sights(*talk, show=show, epochs=epochs), known(), PriceSheet(ttl_ms=5_000))


def test_all_measures_of_a_session() -> None:
    made = session()
    calls = made.calls
    assert [call.billed.tokens for call in calls] == [3, 10, 15, 19]
    assert [call.recorded_tokens for call in calls] == [3, 10, 15, 19]
    assert made.raw_tokens == 19
    assert [call.billed.cold for call in calls] == [False, False, True, False]
    assert [call.time_ms for call in calls] == [1_000, 2_000, 9_000, 9_500]
    assert calls[-1].spent == pytest.approx(made.bill.money)
    assert [call.spent for call in calls] == sorted(call.spent for call in calls)
    assert made.epochs == 1
    assert made.recall.overall == Ratio(3, 3)
    assert (made.lines, made.edits, made.edits_whole) == (Ratio(1, 1), 1, 1)
    assert made.refetch == Refetch(2, 0, 0)
    assert made.user_text == total(call.user_text.overall for call in calls) == Ratio(6, 6)
    assert made.last_user_text.overall == Ratio(2, 2)


def test_what_was_left_out_is_cheaper_and_knows_less() -> None:
    every, some = session(), session(newest(1))
    assert some.bill.money < every.bill.money
    assert some.raw_tokens == every.raw_tokens
    assert some.recall.overall == Ratio(1, 3)
    assert some.lines == Ratio(0, 1)
    assert (some.user_text, some.last_user_text.overall) == (Ratio(2, 6), Ratio(0, 2))


def test_figures_are_plain_and_compare_with_off() -> None:
    every, some = session(), session(newest(1))
    made = json.loads(json.dumps(figures(some, every)))
    assert made["ofOff"] == pytest.approx(some.bill.money / every.bill.money, abs=1e-5)
    assert made["recall"]["overall"] == {"share": 0.33333, "held": 1, "of": 3}
    assert (made["breaks"], made["unannouncedBreaks"], made["epochs"], made["coldCalls"]) == (3, 2, 1, 1)
    assert [one["epoch"] for one in made["series"]] == [0, 0, 1, 1]
    assert made["series"][-1]["spent"] == pytest.approx(made["money"], abs=1e-4)
    assert figures(some, None)["ofOff"] is None


def test_a_session_without_a_call_has_figures_and_a_row() -> None:
    nothing = measure([], known(), PriceSheet())
    made = figures(nothing, nothing)
    assert made["moneyACall"] is None
    assert made["recall"]["far"]["share"] is None
    assert "-" in drawn([("turns", made)])


def test_means_count_each_recording_the_same_and_leave_out_what_is_not_there() -> None:
    def one(raw: int, of_off: float, **more: float | None) -> Figures:
        made = figures(session(), None)
        made |= {"rawTokens": raw, "ofOff": of_off, "unannouncedBreaks": 2}
        made["grounding"]["share"] = more.get("grounding", 1.0)
        return made

    rows = means(
        [
            ("turns", one(100_000, 0.2, grounding=None)),
            ("off", one(100_000, 1.0)),
            ("turns", one(200_000, 0.4, grounding=0.5)),
            ("turns", one(99_999, 0.9)),
        ]
    )
    told = [(row["preset"], row["fromTokens"], row["recordings"], row["ofOff"], row["dearest"]) for row in rows]
    assert told == [
        ("turns", 100_000, 2, 0.3, 0.4),
        ("off", 100_000, 1, 1.0, 1.0),
        ("turns", 0, 3, 0.5, 0.9),
        ("off", 0, 1, 1.0, 1.0),
    ]
    assert [row["grounding"] for row in rows] == [0.5, 1.0, 0.75, 1.0]
    assert rows[2]["unannouncedBreaks"] == 6
    assert "100,000" in drawn_means(rows)


def test_measures_say_what_they_weigh_by() -> None:
    measured = figures(session(), None)
    assert measured["weighedBy"] == "o200k_base"
    assert "tokens by o200k_base; input at" in drawn([("turns", measured)])


def test_a_row_shows_what_was_measured() -> None:
    every, some = session(), session(newest(1))
    text = drawn([("off", figures(every, every)), ("tu[b]rns", figures(some, every))])
    (row,) = [line for line in text.splitlines() if "tu[b]rns" in line]
    cells = [cell.strip() for cell in row.split("│")]
    assert "3 (2)" in cells
    assert "0.333" in cells
    assert "19 tokens of conversation" in text


def drawn(some: list[tuple[str, Figures]]) -> str:
    return _drawn(tables.table(some))


def drawn_means(rows: list[Figures]) -> str:
    return _drawn(tables.means_table(rows))


def _drawn(table: object) -> str:
    out = Console(file=io.StringIO(), width=160, no_color=True)
    out.print(table)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_the_kinds_of_recall_are_all_told() -> None:
    assert set(measures_figures.KINDS_OF_RECALL.values()) == set(type(session().recall).__struct_fields__)
