"""Figures by length of session, and of all."""

import pytest
from msgspec.structs import replace

from ctxmgr.study.savings.measuring import PolicyFigures
from ctxmgr.study.savings.showing import LEAST_SESSIONS, LENGTHS, summed
from tests.unit.study.savings.invented import many, session


@pytest.mark.parametrize(
    ("calls", "name"),
    [
        (1, "under 25 calls"),
        (24, "under 25 calls"),
        (25, "of 25 to 60 calls"),
        (60, "of 25 to 60 calls"),
        (61, "of 61 to 150 calls"),
        (150, "of 61 to 150 calls"),
        (151, "over 150 calls"),
        (9_999, "over 150 calls"),
    ],
)
def test_each_session_has_one_length(calls: int, name: str) -> None:
    assert [length.name for length in LENGTHS if length.holds(calls)] == [name]


def test_a_share_is_dollars_over_dollars() -> None:
    _, every = summed([session(1, dollars=9.0, share=0.5), session(2, dollars=1.0, share=1.0)], ["balanced"])
    assert every.policies["balanced"].share == pytest.approx(0.55)
    assert (every.sessions, every.priced, every.calls, every.dollars) == (2, 2, 200, 10.0)


def test_the_floor_is_dollars_over_dollars_and_what_the_agents_alone_kept_is_pooled() -> None:
    given = ((9.0, 0.2, 80, 100), (1.0, 0.4, 10, 900))
    some = [
        replace(session(at, dollars=dollars), floor_share=floor, alone=PolicyFigures(1.0, kept, whole))
        for at, (dollars, floor, kept, whole) in enumerate(given)
    ]
    *_, every = summed(some, ["balanced"])
    assert every.floor == pytest.approx(0.22)
    assert every.alone_kept == pytest.approx(0.09)
    *_, unknown = summed([session(1)], ["balanced"])
    assert (unknown.floor, unknown.alone_kept) == (None, None)


def test_few_sessions_have_no_interval() -> None:
    *_, few = summed(many(LEAST_SESSIONS - 1), ["balanced"])
    *_, enough = summed(many(LEAST_SESSIONS), ["balanced"])
    assert few.policies["balanced"].low is None
    assert enough.policies["balanced"].low is not None


def test_an_interval_holds_the_share_and_grows_with_how_sessions_differ() -> None:
    alike, unlike = (
        summed([session(at, share=0.6 + by * (-1) ** at) for at in range(20)], ["balanced"])[-1]
        for by in (0.01, 0.2)
    )
    widths = []
    for row in (alike, unlike):
        figures = row.policies["balanced"]
        assert figures.share is not None
        assert figures.low is not None
        assert figures.high is not None
        assert figures.low < figures.share < figures.high
        widths.append(figures.high - figures.low)
    assert widths[1] == pytest.approx(20 * widths[0])


def test_the_order_in_which_they_came_changes_nothing() -> None:
    sessions = many(30)
    assert summed(sessions, ["balanced"]) == summed(sessions[::-1], ["balanced"])


def test_a_session_without_a_price_counts_in_kept_and_in_no_dollars() -> None:
    *_, every = summed([session(1, kept=100), session(2, dollars=None, share=9.0, kept=50)], ["balanced"])
    figures = every.policies["balanced"]
    assert (every.sessions, every.priced, every.dollars, figures.share) == (2, 1, 1.0, 0.6)
    assert figures.kept == pytest.approx(0.75)


def test_nothing_priced_and_nothing_measured_have_no_share() -> None:
    for some in ([session(1, dollars=None)], []):
        *_, every = summed(some, ["balanced"])
        assert every.policies["balanced"].share is None
