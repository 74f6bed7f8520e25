"""A user's own facts go before the shipped ones, and a bad file is told by row and member."""

import json
from typing import Any

import pytest

from ctxmgr.known_models import BadFacts, read, shipped
from ctxmgr.known_models.facts_file import LongCache
from ctxmgr.model import PriceTier, TieredPrices

FAMILY = {"name": "f", "ids": ["f"], "window": 5_000, "cache": "none"}


def facts(*rows: Any, **others: Any) -> bytes:
    return json.dumps({"models": rows, **others}).encode()


def test_a_users_row_goes_before_the_shipped_one_and_leaves_the_rest_as_it_was() -> None:
    prices = {"input": 1, "output": 2, "cacheRead": 0.5, "cacheWrite": 1}
    known = read(facts({"id": "claude-opus-5-5", "window": 64_000, "prices": prices})).find("claude-opus-5-5")
    assert (known.window, known.max_output_tokens, known.cache.kind, known.matched) == (
        64_000,
        128_000,
        "marks",
        "model",
    )
    assert known.prices is not None
    assert (known.prices.input, known.prices.cache_read) == (1, 0.5)
    assert shipped().find("claude-opus-5-5").window == 1_000_000


def test_what_a_tier_leaves_out_is_as_many_times_the_plain_price_as_input_is() -> None:
    tiers = [{"aboveTokens": 9_000, "input": 6}, {"aboveTokens": 90_000, "input": 9, "output": 8, "cacheWrite": 1}]
    prices = {"input": 3, "output": 4, "cacheRead": 0.6, "cacheWrite": 3.6, "tiers": tiers}
    known = read(facts({"id": "acme-1", "prices": prices, "batch": prices})).find("acme-1")
    longer = (PriceTier(9_000, 6, 8, 1.2, 7.2), PriceTier(90_000, 9, 8, 1.8, 1))
    assert known.prices == TieredPrices(3, 4, 0.6, 3.6, longer)
    assert known.batch == known.prices


def test_a_row_of_a_known_id_in_another_spelling_keeps_what_it_leaves_out() -> None:
    for id in ("CLAUDE.opus.5.5", "claude-opus-5.5", "Claude-Opus-5-5"):
        registry = read(facts({"id": id, "window": 64_000}))
        for model in (id, "claude-opus-5-5", "gateway/claude.opus.5.5"):
            known = registry.find(model)
            assert (known.window, known.family, known.max_output_tokens, known.matched) == (
                64_000,
                "claude",
                128_000,
                "model",
            )
        assert known.prices == shipped().find("claude-opus-5-5").prices, id


def test_a_users_model_of_no_family_is_known_by_its_name() -> None:
    row = {"id": "acme-large", "window": 64_000, "cache": {"kind": "implicit", "leastTokens": 256}}
    registry = read(facts(row))
    for model in ("acme-large", "Acme-Large", "gateway/acme-large"):
        known = registry.find(model)
        assert (known.window, known.cache.least_tokens, known.matched) == (64_000, 256, "model")


def test_a_users_model_of_a_family_has_what_the_family_has() -> None:
    known = read(facts({"id": "claude-nova-1", "window": 64_000})).find("claude-nova-1-20270101")
    assert (known.window, known.cache.kind, known.family, known.matched) == (64_000, "marks", "claude", "model")


def test_a_users_cache_rule_and_family_hold() -> None:
    more = {
        "caches": {"acme": {"kind": "implicit", "lifetimeMs": 60_000}},
        "families": [{"name": "acme", "ids": ["acme"], "window": 32_000, "cache": "acme"}],
    }
    known = read(facts(**more)).find("acme-3-large")
    assert (known.window, known.cache.lifetime_ms, known.matched) == (32_000, 60_000, "family")


def test_what_costs_nothing_more_to_write_costs_what_input_does_and_untold_reading_the_default() -> None:
    tier = {"aboveTokens": 9_000, "input": 6, "output": 8}
    row: dict[str, Any] = {"id": "acme-1", "prices": {"input": 3, "output": 4, "tiers": [tier]}}
    known = read(facts(row)).find("acme-1")
    assert known.prices is not None
    assert (known.prices.cache_read, known.prices.cache_write, known.prices.tiers[0].cache_read) == (0.3, 3, 0.6)
    assert (known.cache.kind, known.has_read_price) == ("implicit", False)
    none = read(facts({**row, "cache": "none"})).find("acme-1").prices
    assert none is not None
    assert (none.cache_read, none.tiers[0].cache_read) == (3, 6)


def test_what_a_user_says_without_a_source_is_told_as_a_users_own() -> None:
    for row, source, date in (
        ({"prices": {"input": 40, "output": 200}}, "prices: a file of your own", True),
        ({"window": 64_000, "maxOutputTokens": 5_000}, "window, maxOutputTokens: a file of your own", True),
        ({"window": 64_000, "source": "our contract", "date": "2026-11-01"}, "our contract", False),
    ):
        before = shipped().find("claude-opus-5-5")
        known = read(facts({"id": "claude-opus-5-5", **row})).find("claude-opus-5-5")
        assert known.source == (f"{before.source}; {source}" if date else source), row
        assert known.date == (before.date if date else "2026-11-01"), row


def test_a_row_of_a_model_like_a_shipped_one_tells_which_that_is() -> None:
    known = read(facts({"id": "gpt-acme", "window": 9_000})).find("gpt-acme")
    assert known.source == "a file of your own"
    like = read(facts({"id": "claude-opus-9", "window": 9_000})).find("claude-opus-9")
    assert like.source.startswith("as claude-opus-5-5: LiteLLM")


def test_a_longer_life_is_as_much_dearer_to_write_at_prices_of_a_users_own() -> None:
    dear = {"id": "claude-opus-5-5", "prices": {"input": 40, "output": 200, "cacheRead": 2, "cacheWrite": 50}}
    known = read(facts(dear)).find("claude-opus-5-5")
    assert known.long_cache == LongCache(3_600_000, 80)
    own = {**dear, "longCache": {"lifetimeMs": 7_200_000, "cacheWrite": 60}}
    assert read(facts(own)).find("claude-opus-5-5").long_cache == LongCache(7_200_000, 60)
    kept = read(facts({"id": "claude-opus-5-5", "window": 64_000})).find("claude-opus-5-5")
    assert kept.long_cache == LongCache(3_600_000, 8)


def test_a_row_by_which_reading_costs_what_input_does_has_no_cache() -> None:
    for read_price, kind in ((None, "marks"), (4, "none"), (0.4, "marks"), (0, "marks")):
        prices = {"input": 4, "output": 20} | ({} if read_price is None else {"cacheRead": read_price})
        cache = read(facts({"id": "claude-opus-5-5", "prices": prices})).find("claude-opus-5-5").cache
        assert (cache.kind, cache.lifetime_ms) == ((kind, 0) if kind == "none" else (kind, 300_000)), read_price


def test_prices_of_a_users_own_have_no_batch_of_the_old_ones() -> None:
    assert shipped().find("gpt-5.5").batch is not None
    row = {"id": "gpt-5.5", "prices": {"input": 50, "output": 300, "cacheRead": 5}}
    assert read(facts(row)).find("gpt-5.5").batch is None
    batch = read(facts({**row, "batch": {"input": 20, "output": 100}})).find("gpt-5.5").batch
    assert batch is not None
    assert batch.input == 20
    assert read(facts({"id": "gpt-5.5", "window": 64_000})).find("gpt-5.5").batch is not None


def test_a_bad_file_is_told_by_row_and_member() -> None:
    for content, text in (
        (b"", "it is no JSON object"),
        (b'{"model": []}', 'there is no member "model": it has models, families, caches'),
        (
            facts({"id": "a"}, {"id": "b", "windw": 5}),
            'models[1] ("b") windw: unknown member `windw`; did you mean `window`?',
        ),
        (facts({"id": "b", "window": 0}), 'models[0] ("b") window: must be a whole number, at least 1'),
        (
            facts({"id": "b", "prices": {"input": 0, "output": 1}}),
            'models[0] ("b") prices.input: must be a number, above 0',
        ),
        (
            facts(
                {
                    "id": "b",
                    "batch": {"input": 1, "output": 1, "tiers": [{"aboveTokens": 5, "input": 1, "output": 1}] * 2},
                }
            ),
            'models[0] ("b") batch.tiers: two tiers apply above the same size: as many tokens',
        ),
        (facts({"id": "acme"}, {"id": "Acme"}), 'models[1] ("Acme") id: models[0] ("acme") is of that model too'),
        (
            b'{"models": [{"id": "b", "prices": {"input": 1e400}}]}',
            'models[0] ("b") prices.input: number out of range',
        ),
        (
            b'{"models": [{"id": "b", "prices": {"input": 1, "input": 2, "output": 1}}]}',
            'models[0] ("b") prices.input: it is there twice',
        ),
        (facts(families=[FAMILY, FAMILY]), 'families[1] ("f") name: families[0] has it too'),
        (facts({"id": "b", "cache": {"kind": "marks"}}), 'models[0] ("b") cache.mostMarks: a cache of marks'),
        (facts({"id": "b", "cache": "c"}), 'models[0] ("b") cache: there is no cache rule "c"'),
        (facts(caches={"c": {"kind": "some"}}), "caches.c kind: `some` is not one of `implicit`, `marks`, `none`"),
        (b" " * 4_000_001, "it is longer than 4,000,000 bytes"),
        (b'{"models": [{"id": "a", "source": "\xff"}]}', "models[0]"),
        (b"[" * 100_000, "it is no JSON object"),
    ):
        with pytest.raises(BadFacts) as told:
            read(content)
        assert str(told.value).startswith(text), content


def test_a_row_of_no_family_is_found_as_one_of_a_family_is() -> None:
    for id, matched in (
        ("acme-large", "model"),
        ("ACME/acme-large:beta", "model"),
        ("openai:acme-large", "model"),
        ("gateway/acme-large-2026-01-02", "model"),
        ("acme-large[1m]", "model"),
        ("acme-large-tools", "family"),
        ("acme-large-2", "unknown"),  # another version of it, and nobody knows its family
        ("not-acme-large", "unknown"),
        ("acme-larger", "unknown"),
    ):
        registry = read(b'{"models": [{"id": "acme-large", "window": 131072}]}')
        known = registry.find(id)
        assert known.matched == matched, id
        window = 1_000_000 if id.endswith("[1m]") else 131_072
        assert known.window == (200_000 if matched == "unknown" else window), id
