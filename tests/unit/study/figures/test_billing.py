"""What input costs under prompt caching: small lists with known answers, and lists that only grow."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.closed_loop import PriceSheet, is_cold
from ctxmgr.model.prices import TieredPrices
from ctxmgr.study.figures.cost import bill
from ctxmgr.study.hosts.pi_host import item
from ctxmgr.study.metrics.observations import Observation, ProjectedMessage

PRICES = PriceSheet(TieredPrices(input=1e6, cache_read=1e5, cache_write=2e6), ttl_ms=1_000)  # a dollar a token
REPLY = item("r", b'{"role":"assistant","content":[]}')


def calls(*lists: str, at: tuple[int | None, ...] = (), epochs: tuple[int, ...] = ()) -> list[Observation]:
    """A list a word, a message a letter."""
    out = []
    for number, text in enumerate(lists):
        shown = tuple(ProjectedMessage(letter.encode(), place, True) for place, letter in enumerate(text))
        out.append(Observation(at[number] if at else None, (), shown, REPLY, epochs[number] if epochs else 0))
    return out


@pytest.mark.parametrize(
    ("lists", "at", "money", "warm", "cached", "breaks", "cold"),
    [
        pytest.param([], (), [], [], [], 0, 0, id="no call"),
        pytest.param(["ab"], (), [4], [4], [0], 0, 0, id="the first writes all"),
        pytest.param(["ab", "abc"], (), [4, 2.2], [4, 2.2], [0, 2], 0, 0, id="what was there is read"),
        pytest.param(["ab", "ab"], (), [4, 0.2], [4, 0.2], [0, 2], 0, 0, id="all of it"),
        pytest.param(["ab", "xab"], (), [4, 6], [4, 6], [0, 0], 1, 0, id="broken at its start"),
        pytest.param(["abc", "axc"], (), [6, 4.1], [6, 4.1], [0, 1], 1, 0, id="broken in its middle"),
        pytest.param(["abc", "ab"], (), [6, 0.2], [6, 0.2], [0, 2], 1, 0, id="a shorter one does not go on"),
        pytest.param(["ab", "abc"], (0, 1_000), [4, 2.2], [4, 2.2], [0, 2], 0, 0, id="at its very end it lives"),
        pytest.param(["ab", "abc"], (0, 1_001), [4, 6], [4, 2.2], [0, 2], 0, 1, id="a cold cache is written anew"),
        pytest.param(["ab", "abc"], (0, None), [4, 2.2], [4, 2.2], [0, 2], 0, 0, id="no time, no cold"),
        pytest.param(
            ["a", "ab", "abc"], (0, 900, 1_800), [2, 2.1, 2.2], [2, 2.1, 2.2], [0, 1, 2], 0, 0, id="renewed"
        ),
    ],
)
def test_what_calls_cost(
    lists: list[str], at: Any, money: list[float], warm: list[float], cached: list[int], breaks: int, cold: int
) -> None:
    made = bill(calls(*lists, at=at), PRICES, len)
    assert [call.money for call in made.calls] == pytest.approx(money)
    assert [call.warm for call in made.calls] == pytest.approx(warm)
    assert [call.cached for call in made.calls] == cached
    assert [call.cached_bytes for call in made.calls] == cached
    assert (made.breaks, made.cold, sum(call.tokens for call in made.calls)) == (breaks, cold, sum(map(len, lists)))
    assert made.money == pytest.approx(sum(money))
    assert made.warm == pytest.approx(sum(warm))


def test_a_break_is_announced_by_a_new_epoch() -> None:
    made = bill(calls("ab", "xb", "yb", "yb", epochs=(0, 1, 1, 2)), PRICES, len)
    assert [call.announced for call in made.calls] == [False, True, False, True]
    assert (made.breaks, made.unannounced) == (2, 1)


def test_the_defaults_are_dollars_a_million_tokens() -> None:
    made = bill(calls("a"), PriceSheet(), lambda raw: 1_000_000)
    assert made.money == pytest.approx(3.75)


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(0, 3))
def test_a_list_that_only_grows_is_written_once(sizes: list[int], step: int) -> None:
    """Each message is written when it comes and read at each call after it."""
    text = "".join(chr(0x100 + place) for place in range(sum(sizes)))
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    made = bill(calls(*(text[:end] for end in ends), at=tuple(step * one for one in range(len(ends)))), PRICES, len)
    written = made.calls[-1].tokens
    assert written == sum(call.tokens - call.cached for call in made.calls)
    assert made.money == pytest.approx(2.0 * written + 0.1 * (sum(call.tokens for call in made.calls) - written))
    assert (made.breaks, made.cold) == (0, 0)


@given(st.lists(st.text("abc", max_size=6), max_size=8))
def test_no_list_costs_less_than_read_or_more_than_written(lists: list[str]) -> None:
    made = bill(calls(*lists), PRICES, len)
    for call in made.calls:
        assert 0.1 * call.tokens <= call.money + 1e-9
        assert call.money <= 2.0 * call.tokens + 1e-9


@pytest.mark.parametrize(
    ("before", "now", "cold"), [(0, 10, False), (0, 11, True), (None, 99, False), (0, None, False), (9, 0, False)]
)
def test_cold_by_both_times_alone(before: int | None, now: int | None, cold: bool) -> None:
    assert is_cold(before, now, 10) is cold
