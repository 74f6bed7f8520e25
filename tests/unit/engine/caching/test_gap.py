"""What persistently too little read from a cache may be."""

from ctxmgr.engine.caching import gap
from ctxmgr.engine.caching.truth import LifetimeInForce
from ctxmgr.model import IMPLICIT, MARKS, CacheRule
from ctxmgr.model.saved import CacheTruth, ComparedCall, LearnedLifetime

BY_MARKS = MARKS
RULE = LifetimeInForce(300_000, "rule")
EXPECTED, HEAD = 31_000, 9_000  # tokens, and those of them that stand before the list
Call = tuple[int, int]  # read, written


def truth(*calls: Call, tells: bool = True) -> CacheTruth:
    return CacheTruth("m", tells, calls=tuple(ComparedCall(EXPECTED, *one, HEAD) for one in calls))


TABLE: list[tuple[str, CacheRule, list[Call], str]] = [
    ("all was read", BY_MARKS, [(31_000, 900)] * 4, ""),
    ("too few calls", BY_MARKS, [(0, 0)] * 2, ""),
    (
        "its head",
        IMPLICIT,
        [(9_000, 0)] * 3,
        "9,000 of 31,000 expected cached tokens: that is only the part before the list, and the list changes",
    ),
    ("its head, by marks", BY_MARKS, [(9_000, 0)] * 3, "ctxmgr returned it, or has no cache mark"),
]


def test_what_it_may_be() -> None:
    for name, rule, calls, expected in TABLE:
        said = gap(truth(*calls), rule, RULE).replace(" expected:", ":")
        assert said if expected else said == "", name
        assert expected in said, name


def test_lists_that_begin_otherwise_on_each_call_are_told_though_all_is_read_that_is_expected() -> None:
    changed = ComparedCall(HEAD, HEAD, 0, HEAD, changed_tokens=40_000)
    said = gap(CacheTruth("m", True, calls=(changed,) * 3), IMPLICIT, RULE)
    none = "so the provider can read none of its 40,000 tokens from the cache"
    assert said == f"the list changes from its start on each call, {none}"


def test_a_lapse_is_told_against_the_word_that_it_is_shorter_than() -> None:
    for lifetime, says in (
        (LifetimeInForce(3_600_000, "host"), True),
        (LifetimeInForce(3_600_000, "policy"), True),
        (LifetimeInForce(240_000, "host"), False),
    ):
        known = CacheTruth(
            "m", True, calls=truth(*[(31_000, 0)] * 3).calls, lifetimes={"m": LearnedLifetime(419_999)}
        )
        assert bool(gap(known, IMPLICIT, lifetime)) == says, says


HALF_HOUR, HOUR = 1_800_000, 3_600_000
SAID = LifetimeInForce(HOUR, "host")
KEPT_FOR_LESS = (
    "its entries may expire before the 60 min that the host says (these calls came after pauses of 30 min or more)"
)
CHANGES = "something before the list changes on each call"


def paused(*calls: tuple[int | None, int], written: int = 31_000) -> CacheTruth:
    """By pause and what was read."""
    made = (ComparedCall(EXPECTED, read, written, HEAD, pause_ms=pause) for pause, read in calls)
    return CacheTruth("m", True, calls=tuple(made))


PAUSES: list[tuple[str, CacheTruth, LifetimeInForce, str]] = [
    ("all after long pauses", paused(*[(HALF_HOUR, 0)] * 3), SAID, f"{KEPT_FOR_LESS}; or {CHANGES}"),
    ("one after a short one", paused((HALF_HOUR, 0), (60_000, 0), (HALF_HOUR, 0)), SAID, CHANGES),
    ("without times", paused(*[(None, 0)] * 3), SAID, CHANGES),
    (
        "and one after a short pause has read",
        paused((60_000, 31_000), *[(HALF_HOUR, 0)] * 3),
        SAID,
        "its entries expire before the 60 min that the host says (these calls came after pauses of 30 min or more)",
    ),
]


def test_a_lifetime_that_was_said_too_long_is_told_as_far_as_pauses_show_it() -> None:
    for _, known, lifetime, says in PAUSES:
        assert gap(known, BY_MARKS, lifetime) == f"the provider read 0 of 31,000 expected cached tokens: {says}"


def test_where_nothing_tells_that_it_was_written_either_all_that_it_may_be_is_told() -> None:
    known = paused(*[(HALF_HOUR, 0)] * 3, written=0)
    told = f"the provider read 0 of 31,000 expected cached tokens: {KEPT_FOR_LESS}; or caching is off, or {CHANGES}"
    assert gap(known, IMPLICIT, SAID) == told
    assert "no cache marks are set" in gap(known, BY_MARKS, SAID)
