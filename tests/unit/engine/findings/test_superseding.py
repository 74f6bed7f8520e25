"""Which statements still hold: what was said again or taken back later does not."""

import pytest

from ctxmgr.engine.findings import standing


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Use `deque` instead of `list` for it.", "Use `list` instead of `deque` for it."),
        ("The root cause is the stale index file.", "The root cause is the stale index file, as said."),
        ("I'll use `read_all` because it is simple.", "Back to the old way, `read_all` is too slow."),
        ("`read_all` doesn't work on pipes.", "With the new flag `read_all` works now on all of them."),
    ],
)
def test_what_is_said_anew_or_taken_back_holds_no_more(older: str, newer: str) -> None:
    assert standing([older, newer]) == [False, True]
    assert standing([newer, older])[1], "the newest holds whatever it says"


def test_what_only_shares_a_name_stays() -> None:
    assert standing(["`read_all` fails on pipes.", "`read_all` needs a size of its own."]) == [True, True]


def test_the_same_said_of_another_thing_stays() -> None:
    assert standing(["`a_1` is not in the list of them.", "`a_2` is not in the list of them."]) == [True, True]
    assert standing(["`f` is not in the list of them.", "`g` is not in the list of them."]) == [True, True]


def test_what_takes_back_something_else_stays_out_of_it() -> None:
    assert standing(["`read_all` fails on pipes.", "Reverting `write_all`, it is too slow."]) == [True, True]
