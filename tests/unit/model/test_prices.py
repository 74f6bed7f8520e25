"""Prices: one struct behind three doors, and the one rule that turns them into rates."""

import math

import msgspec
import pytest

from ctxmgr.model.api import lifecycle
from ctxmgr.model.policy import ModelPrices
from ctxmgr.model.prices import READ, WRITE, BasePrices, Rates, base_prices, is_cold, rates

RATES: list[tuple[str, BasePrices | None, Rates]] = [
    ("not told", None, Rates(READ, WRITE)),
    ("a price of nothing", BasePrices(), Rates(READ, WRITE)),
    ("all told", BasePrices(3, 15, 0.3, 3.75), Rates(0.1, 1.25)),
    ("input alone", BasePrices(2), Rates(READ, WRITE)),
    ("reading alone: writing costs what input does", BasePrices(2, 8, 0.5), Rates(0.25, 1)),
    ("writing alone", BasePrices(2, 8, None, 4), Rates(READ, 2)),
    ("reading that is free", BasePrices(2, 8, 0, 4), Rates(0, 2)),
    ("reading that is free, and writing not told", BasePrices(2, 8, 0), Rates(0, 1)),
    ("an input price of next to nothing", BasePrices(1e-308, 0, 1e308, 1e308), Rates(READ, WRITE)),
    ("no finite price", BasePrices(math.inf, math.inf, math.inf, math.inf), Rates(READ, WRITE)),
    ("none that is a number", BasePrices(math.nan, 1, math.nan, 1), Rates(READ, WRITE)),
    ("an absurd price of reading", BasePrices(1, 1, 1_000, 2), Rates(READ, 2)),
    ("an absurd price of writing", BasePrices(1, 1, 0.5, 1_000), Rates(0.5, 1)),
    ("no number for reading", BasePrices(2, 8, math.nan, 4), Rates(READ, 2)),
    ("reading is never dearer than writing", BasePrices(1, 1, 3, 2), Rates(2, 2)),
]


def test_rates() -> None:
    for name, prices, expected in RATES:
        found = rates(prices)
        assert (found.cache_read, found.cache_write) == pytest.approx(
            (expected.cache_read, expected.cache_write)
        ), name


NAMES = [
    (BasePrices, b'{"input":3.0,"cache_read":0.3}'),
    (ModelPrices, b'{"input":3.0,"output":0,"cacheRead":0.3,"cacheWrite":0,"tiers":[]}'),
    (lifecycle.Prices, b'{"input":3.0,"cacheRead":0.3}'),
]


def test_each_door_has_names_of_its_own() -> None:
    for door, written in NAMES:
        assert msgspec.json.encode(door(input=3.0, cache_read=0.3)) == written, door
        assert msgspec.json.decode(written, type=door) == door(input=3.0, cache_read=0.3), door


def test_a_price_of_nothing_is_not_kept() -> None:
    assert base_prices(lifecycle.Prices(0, 0, 0, 0)) == BasePrices()
    assert msgspec.json.encode(base_prices(lifecycle.Prices(2, 0))) == b'{"input":2}'
    assert base_prices(lifecycle.Prices(2, 0, 0)) == BasePrices(2, cache_read=0)  # but reading may be free
    assert base_prices(None) is None


@pytest.mark.parametrize(
    ("before_ms", "now_ms", "cold"),
    [(None, None, False), (None, 1_000, False), (1_000, None, False), (1_000, 1_500, False), (1_000, 1_501, True)],
)
def test_a_cache_is_cold_after_more_than_its_lifetime(
    before_ms: int | None, now_ms: int | None, cold: bool
) -> None:
    assert is_cold(before_ms, now_ms, 500) is cold
