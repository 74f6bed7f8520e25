"""What refused and accepted lists change in the trust in ctxmgr's lists."""

import pytest

from ctxmgr.proxy.hearing import Refusal
from ctxmgr.proxy.trust import RESTING_CALLS, TAKEN_SHARE, Trust

SURE = Refusal("list", b"", is_sure=True)
UNSURE = Refusal("list", b"", is_sure=False)
GUESS = Refusal("list", b"", is_sure=False, is_guess=True)
WINDOW = 1_000


@pytest.mark.parametrize(
    ("refusals", "rests"),
    [((SURE,), (True,)), ((UNSURE,), (False,)), ((UNSURE, UNSURE), (False, True)), ((UNSURE, SURE), (False, True))],
)
def test_a_rest_begins_at_a_sure_refusal_or_at_the_second(refusals: list[Refusal], rests: list[bool]) -> None:
    trust = Trust()
    assert [trust.accepted(refusal, 10, is_unchanged=True) for refusal in refusals] == [*rests]


@pytest.mark.parametrize(("is_unchanged", "rests"), [(True, True), (False, False)])
def test_only_an_accepted_list_of_ctxmgr_ends_the_doubt(is_unchanged: bool, rests: bool) -> None:
    trust = Trust(is_doubted=True)
    assert not trust.accepted(None, 10, is_unchanged)
    assert trust.accepted(UNSURE, 10, is_unchanged=True) is rests


@pytest.mark.parametrize(
    ("refusal", "own_tokens", "gives_way"),
    [(SURE, 2_000, [True, True]), (GUESS, 900, [True, True]), (GUESS, 2_000, [False, True])],
)
def test_a_guess_over_the_window_gives_way_the_second_time(
    refusal: Refusal, own_tokens: int, gives_way: list[bool]
) -> None:
    trust = Trust()
    assert [trust.refused(refusal, own_tokens, WINDOW) for _ in range(2)] == gives_way


def test_after_both_lists_were_refused_none_gives_way_for_some_calls() -> None:
    trust = Trust()
    trust.both_refused()
    for _ in range(RESTING_CALLS):
        assert not trust.refused(SURE, 10, WINDOW)
        trust.called()
    assert trust.refused(SURE, 10, WINDOW)


def test_a_rest_ends_after_its_calls_or_with_the_cache() -> None:
    for calls, is_lost in ((RESTING_CALLS, False), (1, True)):
        trust = Trust(is_paused=True)
        trust.began_rest()
        assert [trust.woke(is_lost) for _ in range(calls)] == [False] * (calls - 1) + [True]
        assert (trust.is_paused, trust.resting_calls) == (False, 0)


def test_a_lost_cache_lifts_no_pause_that_is_no_rest() -> None:
    """A person's pause, or that of the holdout."""
    trust = Trust(is_paused=True)
    assert not trust.woke(is_lost=True)
    assert (trust.is_paused, trust.resting_calls) == (True, 0)


def test_an_accepted_list_of_the_program_extends_the_window() -> None:
    trust = Trust()
    trust.accepted(None, 2 * WINDOW, is_unchanged=False)
    assert trust.window(WINDOW) == WINDOW
    trust.accepted(None, 2 * WINDOW, is_unchanged=True)
    assert trust.window(WINDOW) == TAKEN_SHARE * 2 * WINDOW
