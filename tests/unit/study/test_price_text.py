"""A price sheet as a person writes it."""

import pytest

from ctxmgr.model.prices import PriceTier, TieredPrices
from ctxmgr.study.price_text import price_sheet, prices

WRITTEN = [
    ("3,0.1,1.25", TieredPrices(3, 15, 0.1 * 3, 1.25 * 3)),
    ("2,0.5,1,9", TieredPrices(2, 9, 1, 2)),
    ("2,0.5,1,9,272000:2", TieredPrices(2, 9, 1, 2, (PriceTier(272_000, 4, 18, 2, 4),))),
    ("2,0.5,1,9,272000:2:1.5", TieredPrices(2, 9, 1, 2, (PriceTier(272_000, 4, 13.5, 2, 4),))),
    ("2,0.5,1,100:3,50:2", TieredPrices(2, 10, 1, 2, (PriceTier(100, 6, 30, 3, 6), PriceTier(50, 4, 20, 2, 4)))),
]


def test_prices_are_read() -> None:
    for text, expected in WRITTEN:
        assert prices(text) == expected, text


def test_what_is_no_price_sheet_is_refused() -> None:
    for text in (
        "",
        "3",
        "3,0.1",
        "3,x,1",
        "3,nan,1",
        "3,0.1,-1",
        "3,0.1,1,inf",
        "3,1,1,9,9",
        "3,1,1,9,1:",
        "3,1,1,-1:2",
        "3,1,1,1:2:3:4",
        "1:2,3,1,1",
        "0,0.1,1.25,15",
        "3,0.1,1.25,15,5000:2,5000:3",
    ):
        with pytest.raises(ValueError, match="no price sheet"):
            prices(text)


def test_a_way_of_caching_goes_by_its_name() -> None:
    for name in ("ideal", "marks", "host-marks", "implicit"):
        sheet = price_sheet(prices("2,0.5,1.25"), None, 0, name)
        assert (sheet.caching, sheet.prices) == (name, prices("2,0.5,1.25")), name


def test_without_a_cache_all_input_costs_what_input_does() -> None:
    sheet = price_sheet(prices("2,0.5,1.25,9,100:2"), None, 0, "none")
    assert sheet.prices == TieredPrices(2, 9, 2, 2, (PriceTier(100, 4, 18, 4, 4),))
