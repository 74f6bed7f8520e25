"""What a call should have read, by the provider's rule."""

import msgspec

from ctxmgr.engine.caching import truth
from ctxmgr.model import CacheRule, Usage
from ctxmgr.model.saved import CacheTruth, ComparedCall, CountedList, LearnedLifetime

PLAIN = CacheRule()
STEPS = CacheRule(least_tokens=5_000, step_tokens=128)
NONE = CacheRule("none")
MINUTE = 60_000
Known = tuple[CacheTruth, CountedList]
NOTHING: Known = (CacheTruth(), CountedList())


def called(
    before: Known,
    weight: int,
    sent: int,
    read: int = 0,
    prefix: int | None = None,
    at: int | None = None,
    rule: CacheRule = PLAIN,
    model: str = "m",
    tells: bool = True,
) -> Known:
    """A list that begins with `prefix` of the last one, None: all of it; and its count."""
    known, counted = before
    listed = truth.listed(counted, counted.weight if prefix is None else prefix, at)
    usage = Usage(sent - read, 9, read, 0, sent + 9, tells)
    return truth.answered(known, listed, truth.CountedCall(model, usage, weight, 1.0, rule))


def expected(known: Known) -> list[int]:
    return [one.expected_tokens for one in known[0].calls]


def grown(rule: CacheRule = PLAIN) -> Known:
    """Two calls: 12,000 tokens of a list, 8,000 beside it."""
    return called(called(NOTHING, 10_000, 18_000), 12_000, 20_000, 18_000, rule=rule)


def at_minute(minute: int) -> Known:
    return called(called(NOTHING, 10_000, 18_000, at=MINUTE), 12_000, 20_000, 18_000, at=minute * MINUTE)


OTHER = called(grown(), 14_000, 22_000, 20_000, model="other")
SILENT = called(called(NOTHING, 10_000, 18_000, tells=False), 12_000, 20_000, tells=False)
EXPECTED: list[tuple[str, Known, list[int]]] = [
    ("without what the list no longer begins with", called(grown(), 9_000, 17_000, prefix=5_000), [18_000, 13_000]),
    ("no more than is sent", called(grown(), 1_000, 7_500, prefix=0), [18_000, 7_500]),
    ("in the steps of the rule", grown(STEPS), [17_920]),
    ("not less than the rule keeps", called(called(NOTHING, 4_000, 4_990), 5_000, 6_000, rule=STEPS), [0]),
    ("nothing without a cache", grown(NONE), [0]),
    ("while it is kept", at_minute(6), [18_000]),
    ("not after a pause in which it was dropped", at_minute(7), []),
    ("another model begins anew", OTHER, []),
    ("and goes on", called(OTHER, 15_000, 23_000, 22_000, model="other"), [22_000]),
    ("not of a provider that does not tell", called(SILENT, 14_000, 22_000, tells=False), []),
]


def test_what_is_expected() -> None:
    for name, known, tokens in EXPECTED:
        assert expected(known) == tokens, name


def test_it_is_remembered_while_other_models_are_called() -> None:
    known = called(NOTHING, 10_000, 18_000, 9_000)
    for model in ("other", "third"):
        known = called(known, 11_000, 19_000, model=model)
        assert [known[0].has_cache(one) for one in ("m", "other", "third")] == [True, False, False]
    known = called(called(known, 12_000, 20_000), 13_000, 21_000, 9_000, model="other")
    assert known[0] == msgspec.structs.replace(known[0], model="other", has_read=True, other_readers=("m",))


def test_a_call_that_was_not_counted_is_not_compared_nor_the_next() -> None:
    told, counted = grown()
    failed = truth.uncounted(truth.listed(counted, 12_000, None))
    known = called((told, failed), 14_000, 22_000, 20_000)
    assert expected(known) == [18_000]
    assert expected(called(known, 15_000, 23_000, 22_000)) == [18_000, 22_000]


def test_a_count_without_a_list_is_not_compared() -> None:
    usage = Usage(20_000, 9, 0, 0, 20_009, True)
    known = truth.answered(*grown(), truth.CountedCall("m", usage, 12_000, 1.0, CacheRule(lifetime_ms=MINUTE)))
    assert expected(known) == [18_000]
    assert known[1] == CountedList()


def test_all_that_is_known_after_a_few_calls() -> None:
    known = called(grown(), 15_000, 24_000, 20_000)
    first = ComparedCall(18_000, 18_000, 0, 8_000)
    assert known == (
        CacheTruth("m", True, (first, ComparedCall(20_000, 20_000, 0, 8_000)), 6_000, 5_000, has_read=True),
        CountedList(24_000, 15_000, shared_weight=15_000),
    )
    same = called(known, 15_000, 24_100, 20_000)
    other = called(same, 16_000, 24_101, 20_000, prefix=9_000)
    assert other[0].calls[-1] == ComparedCall(16_900, 20_000, 0, 6_100, 7_200)
    assert [(one[0].grown_tokens, one[0].grown_weight) for one in (same, other)] == [(6_000, 5_000)] * 2
    late = called(other, 17_000, 25_101, 20_000, at=5 * MINUTE)
    assert late[0].calls[-1] == ComparedCall(24_101, 20_000, 0, 4_901)
    later = called(late, 18_000, 26_101, 20_000, at=6 * MINUTE)
    assert later[0].calls[-1] == ComparedCall(25_101, 20_000, 0, 5_268, pause_ms=MINUTE)
    times = {"listed_ms": 6 * MINUTE, "shared_weight": 18_000}
    assert later[1] == CountedList(26_101, 18_000, 6 * MINUTE, **times)


HOUR = CacheRule(lifetime_ms=60 * MINUTE)


def test_a_lifetime_that_was_said_too_long_is_learned_from_calls_after_pauses_that_wrote_all_anew() -> None:
    known = NOTHING
    for number in range(4):
        known = rewritten(known, number, 30 * number)
    learned = LearnedLifetime(30 * MINUTE - 1, 30 * MINUTE, 0)
    assert known[0].lifetimes == {"m": learned}
    for number in range(4):
        known = rewritten(known, number, 30 * number, "n")
    assert known[0].lifetimes == {"m": learned, "n": learned}


def rewritten(before: Known, number: int, minutes: int, model: str = "m") -> Known:
    """A call that read nothing and wrote all."""
    known, counted = before
    sent, weight = 18_000 + number, 10_000 + number
    listed = truth.listed(counted, counted.weight, minutes * MINUTE)
    call = truth.CountedCall(model, Usage(0, 9, 0, sent, sent + 9, True), weight, 1.0, HOUR)
    return truth.answered(known, listed, call)
