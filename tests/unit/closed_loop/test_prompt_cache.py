"""What a provider reads of a session's lists, by each way of caching. A list's parts are letters of a token each,
or of what `SIZES` says; nothing stands before it unless a test says so."""

from collections.abc import Hashable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.closed_loop import PriceSheet, PromptCache
from ctxmgr.closed_loop.prompt_cache import input_dollars, without
from ctxmgr.model import CacheRule, TieredPrices
from ctxmgr.model.prices import NO_CACHE, CallTokens
from ctxmgr.study.figures.cost import marker

MARKED = CacheRule("marks", most_marks=4, look_back_blocks=3)
SIZES: dict[Hashable, tuple[int, int]] = {"W": (1_000, 1), "B": (10, 30)}  # tokens and content blocks


def size(key: Hashable) -> tuple[int, int]:
    return SIZES.get(key, (1, 1))


def sheet(rule: CacheRule | None = None, beside: int = 0, **more: int) -> PriceSheet:
    return msgspec.structs.replace(PriceSheet(rule=rule, overhead_tokens=beside), **more)


def told(
    by: PriceSheet, *lists: str, at: tuple[int, ...] = (), timed: bool = False, own: bool = False
) -> list[tuple[int, int, int]]:
    """Of each list: read, written, new tokens. `own`: the host's marks, else ours."""
    make = None if own else marker(by)
    cache = PromptCache(size, make and make(), timed)
    times = at or (0,) * len(lists)
    found = [cache.call(list(one), by, time_ms) for one, time_ms in zip(lists, times, strict=True)]
    return [(one.read_tokens, one.written_tokens, one.new_tokens) for one in found]


def test_ideally_all_that_two_lists_have_in_common_is_read_and_the_rest_is_written() -> None:
    assert told(sheet(beside=7), "ab", "abc", "axc", "abc") == [(7, 2, 0), (9, 1, 0), (8, 2, 0), (8, 2, 0)]


def test_ideally_nothing_is_read_once_the_cache_is_cold() -> None:
    by = sheet(beside=7, ttl_ms=10)
    assert told(by, "ab", "ab", "ab", at=(0, 11, 21), timed=True) == [(7, 2, 0), (0, 9, 0), (9, 0, 0)]
    assert told(by, "ab", "ab", "ab", at=(0, 11, 21)) == [(7, 2, 0), (9, 0, 0), (9, 0, 0)]


def test_implicitly_any_list_that_is_still_alive_is_read() -> None:
    assert told(sheet(CacheRule()), "abc", "axy", "abcd") == [(0, 3, 0), (1, 2, 0), (3, 1, 0)]


def test_implicitly_what_is_read_is_a_multiple_of_the_step_from_the_least_length_on() -> None:
    by = sheet(CacheRule(least_tokens=1_024, step_tokens=128))
    assert told(by, "a", "WWa", "WWab") == [(0, 0, 1), (0, 2_001, 0), (1_920, 82, 0)]
    assert told(by, "Wa", "Wab") == [(0, 0, 1_001), (0, 0, 1_002)], "too short to be kept"


def test_implicitly_each_read_begins_the_lifetime_anew() -> None:
    by = sheet(CacheRule(), ttl_ms=10)
    assert told(by, "ab", "ab", "ab", at=(0, 9, 18), timed=True)[-1] == (2, 0, 0)
    assert told(by, "ab", "ab", at=(0, 11), timed=True)[-1] == (0, 2, 0)
    fixed = sheet(CacheRule(renews=False), ttl_ms=10)
    assert told(fixed, "ab", "ab", "ab", at=(0, 9, 18), timed=True)[-1] == (0, 2, 0)


def test_a_mark_on_the_newest_message_alone_loses_what_is_farther_back_than_it_looks() -> None:
    by = sheet(MARKED, beside=7)
    assert told(by, "ab", "abcd", "abcdB", own=True) == [(7, 2, 0), (9, 2, 0), (7, 14, 0)]
    assert told(by, "ab", "abcd", "abcdB") == [(7, 2, 0), (9, 2, 0), (11, 10, 0)]


def test_after_a_change_only_a_mark_within_reach_reads_what_stayed() -> None:
    lists = ("ab", "abcd", "abxyzvw")
    by = sheet(MARKED)
    assert told(by, *lists, own=True)[-1] == (0, 7, 0)
    assert told(by, *lists)[-1] == (2, 5, 0)


def test_a_start_lives_on_from_each_time_that_a_mark_finds_it() -> None:
    by = sheet(MARKED, ttl_ms=10)
    assert told(by, "ab", "ab", "ab", at=(0, 9, 18), timed=True)[-1] == (2, 0, 0)
    assert told(by, "ab", "abcd", "abxyzvw", at=(0, 9, 18), timed=True)[-1] == (2, 5, 0), "found at 9"
    assert told(by, "ab", "abcd", "abcde", "abxyzvw", at=(0, 9, 18, 27), timed=True)[-1] == (0, 7, 0)


def test_new_input_costs_what_input_does_and_of_a_request_the_list_is_what_stands_last() -> None:
    prices = TieredPrices(input=1e6, cache_read=1e5, cache_write=2e6)
    assert input_dollars(PriceSheet(prices), CallTokens(10, 20, 30)) == pytest.approx(1 + 40 + 30)
    assert without(CallTokens(10, 20, 30), 7) == CallTokens(3, 20, 30)
    assert without(CallTokens(10, 20, 30), 12) == CallTokens(0, 18, 30)
    assert without(CallTokens(0, 0, 30), 12) == CallTokens(0, 0, 18)


letters = st.lists(st.text("abcdB", min_size=1, max_size=8), min_size=1, max_size=6)


@given(letters)
def test_ideal_and_a_rule_without_bounds_agree_where_lists_only_grow(added: list[str]) -> None:
    lists = ["".join(added[: count + 1]) for count in range(len(added))]
    free = sheet(CacheRule("marks", most_marks=4))
    assert told(sheet(), *lists) == told(sheet(CacheRule()), *lists) == told(free, *lists, own=True)


@given(letters)
def test_with_our_marks_a_look_back_costs_nothing_where_lists_only_grow(added: list[str]) -> None:
    lists = ["".join(added[: count + 1]) for count in range(len(added))]
    assert told(sheet(MARKED), *lists) == told(sheet(), *lists)


@given(letters, st.sampled_from([None, MARKED, CacheRule(), NO_CACHE]))
def test_every_token_is_read_or_written_or_new(lists: list[str], rule: CacheRule | None) -> None:
    for one, counts in zip(lists, told(sheet(rule, beside=7), *lists), strict=True):
        assert sum(counts) == 7 + sum(size(key)[0] for key in one)
        assert min(counts) >= 0
