"""Prices: one struct behind three doors, and the one rule that turns them into rates."""

import math

import pytest

from ctxmgr.model.prices import READ, WRITE, BasePrices, Rates, rates

RATES: list[tuple[str, BasePrices | None, Rates]] = [
    ("not told", None, Rates(READ, WRITE)),
    ("all told", BasePrices(3, 15, 0.3, 3.75), Rates(0.1, 1.25)),
    ("input alone", BasePrices(2), Rates(READ, WRITE)),
    ("reading alone: writing costs what input does", BasePrices(2, 8, 0.5), Rates(0.25, 1)),
    ("reading that is free", BasePrices(2, 8, 0, 4), Rates(0, 2)),
    ("reading that is free, and writing not told", BasePrices(2, 8, 0), Rates(0, 1)),
    ("no finite price", BasePrices(math.inf, math.inf, math.inf, math.inf), Rates(READ, WRITE)),
    ("an absurd price of reading", BasePrices(1, 1, 1_000, 2), Rates(READ, 2)),
    ("reading is never dearer than writing", BasePrices(1, 1, 3, 2), Rates(2, 2)),
]


def test_rates() -> None:
    for name, prices, expected in RATES:
        found = rates(prices)
        assert (found.cache_read, found.cache_write) == pytest.approx(
            (expected.cache_read, expected.cache_write)
        ), name
