"""That no row of the shipped facts is absurd: a slip in a price list would steer every session of that model."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ctxmgr.known_models import shipped
from ctxmgr.model import PriceTier, TieredPrices

ROWS = list(shipped().rows.values())


def every(prices: TieredPrices | None) -> Iterator[PriceTier]:
    """The prices of each tier, the lowest first."""
    if prices is not None:
        yield prices.tier(0)
        yield from prices.tiers


def test_there_are_rows_of_each_family() -> None:
    assert {row.family for row in ROWS} == set(shipped().families)
    assert len(ROWS) > 200


def test_a_row_is_sane() -> None:
    """Windows hold more than one answer; nothing costs less than reading it from a cache; what is longer is dearer;
    each fact has a source and a day."""
    for row in ROWS:
        assert row.prices is not None, row
        assert row.window is None or 4_000 < row.window <= 10_000_000, row
        assert row.max_output_tokens is None or row.max_output_tokens < (row.window or 0), row
        known = shipped().find(row.id)
        tiers = list(every(known.prices))
        for one in tiers:
            assert 0 < one.cache_read <= one.input <= one.output <= 1_000, row
            assert one.input <= one.cache_write <= 2 * one.input, row
        for lower, upper in pairwise(tiers):
            assert lower.above_tokens < upper.above_tokens <= (row.window or 0), row
            assert lower.input < upper.input, row
            assert lower.output <= upper.output, row
            assert lower.cache_read <= upper.cache_read, row
        for one in every(known.batch):
            assert 0 < one.input < tiers[-1].input, row
        assert row.source, row
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", row.date or ""), row
        assert row.cache in shipped().caches, row
        assert (known.cache.kind == "none") == (tiers[0].cache_read == tiers[0].input), row
        assert known.cache.kind != "none" or row.cache == "none", row
        if row.long_cache is not None:
            assert row.long_cache.lifetime_ms > shipped().find(row.id).cache.lifetime_ms, row
            assert row.long_cache.cache_write >= tiers[0].cache_write, row


def test_no_longer_life_is_dearer_to_write_than_any_price_list_has() -> None:
    """Anthropic's hour costs twice the input, OpenAI's twelve 2.5 times."""
    shares = {
        row.id: row.long_cache.cache_write / row.prices.input for row in ROWS if row.long_cache and row.prices
    }
    assert {id: share for id, share in shares.items() if share > 2.5} == {}
    assert {share for id, share in shares.items() if id.startswith("claude")} == {2}


def test_each_familys_window_is_told_as_assumed_and_by_which_rows() -> None:
    for name, family in shipped().families.items():
        windows = [row.window for row in ROWS if row.family == name and row.window]
        as_much = sum(1 for window in windows if window >= family.window)
        assert family.source == f"assumed: {as_much} of {len(windows)} models of it that are known take as much"
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", family.date)
        assert as_much > len(windows) / 2, name
    known = shipped().find("claude-nova-1")
    assert known.source.startswith("assumed: ")
    assert known.date


def test_each_cache_rule_has_a_source_and_a_day() -> None:
    for name, rule in shipped().caches.items():
        if rule.kind == "none":
            continue  # of each row by itself
        assert rule.source, name
        assert rule.date, name
        assert (rule.kind == "marks") == (rule.most_marks > 0), name
        assert (rule.kind == "none") == (rule.lifetime_ms == 0), name


def test_a_row_is_found_by_its_own_name() -> None:
    for name, row in shipped().rows.items():
        known = shipped().find(row.id)
        assert (known.row, known.matched) == (name, "model")
