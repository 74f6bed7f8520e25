"""How long a provider keeps a start, as calls after pauses show it."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.caching.truth import LEAST_MS, learned
from ctxmgr.model import prices
from ctxmgr.model.saved import ComparedCall, LearnedLifetime

MINUTE = 60_000
BELIEVED = 5 * MINUTE
LIST, BEFORE_LIST = 30_000, 10_000  # tokens
ALL, NONE, HEAD = LIST + BEFORE_LIST, 0, BEFORE_LIST


Paused = tuple[ComparedCall, int]  # and the longest pause between two lists, in milliseconds


def call(pause_min: float, read: int, of_list: int = LIST, longest_min: float | None = None) -> Paused:
    longest = pause_min if longest_min is None else longest_min
    whole, pause_ms = of_list + BEFORE_LIST, round(pause_min * MINUTE)
    return ComparedCall(whole, min(read, whole), 0, BEFORE_LIST, pause_ms=pause_ms), round(longest * MINUTE)


def after(*calls: Paused, works: bool = True) -> LearnedLifetime:
    known = LearnedLifetime()
    for one, longest_ms in calls:
        known = learned(known, BELIEVED, one, longest_ms, works)
    return known


TABLE: list[tuple[str, list[Paused], float | None]] = [
    ("the longest holds", [call(20, ALL), call(50, ALL), call(30, ALL)], 50),
    ("one lapse shows nothing", [call(3, NONE)], None),
    ("two do, of the longer pause", [call(3, NONE), call(4, HEAD)], 4 - 1 / MINUTE),
    ("a life between them forgets the first", [call(3, NONE), call(4, ALL), call(4, NONE)], None),
    ("a shorter life does not", [call(3, NONE), call(2, ALL), call(4, NONE)], 4 - 1 / MINUTE),
    ("a lapse after a longer pause is no news", [call(9, NONE), call(9, NONE)], None),
    ("what was learned too long lapses", [call(50, ALL), call(20, NONE), call(25, NONE)], 25 - 1 / MINUTE),
    ("what was learned too short lives", [call(3, NONE), call(3, NONE), call(4, ALL)], 4),
    (
        "once it misled it shows nothing more",
        [call(4, NONE), call(4, NONE), call(20, ALL, of_list=2_000), call(30, ALL, of_list=2_000)],
        4 - 1 / MINUTE,
    ),
]


def test_what_calls_after_pauses_show() -> None:
    for name, calls, minutes in TABLE:
        assert after(*calls).learned_ms == (None if minutes is None else round(minutes * MINUTE)), name


counts = st.integers(0, 10**7)
COMPARED = st.builds(ComparedCall, st.integers(1, 10**6), counts, counts, counts, pause_ms=counts)


@given(st.lists(st.tuples(COMPARED, counts)), st.booleans())
def test_it_is_never_out_of_bounds(calls: list[Paused], works: bool) -> None:
    found = after(*calls, works=works).learned_ms
    assert found is None or LEAST_MS <= found <= prices.MOST_LIFETIME_MS
