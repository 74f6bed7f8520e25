"""What is known of a model by its id."""

import pytest

from ctxmgr.settings.families import FAMILIES, family


@pytest.mark.parametrize(
    ("model", "name", "window"),
    [
        (None, "", 200_000),
        ("", "", 200_000),
        ("qwen3-coder", "", 200_000),
        ("claude-3-7-sonnet-latest", "claude-", 200_000),
        ("claude-sonnet-4-20250514", "claude-", 200_000),
        ("claude-sonnet-4-20250514[1m]", "claude-", 1_000_000),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5", 1_000_000),
        ("claude-opus-5-5", "claude-opus-5-5", 1_000_000),
        ("claude-opus-5-20260101", "claude-opus-5", 1_000_000),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", 200_000),
        ("anthropic/claude-haiku-4-5", "claude-haiku-4-5", 200_000),
        ("Claude-Opus-4-6", "claude-opus-4-6", 1_000_000),
        ("my-claude", "", 200_000),
        ("xclaude-opus-4-6", "", 200_000),
        ("gpt-5", "gpt-5", 272_000),
        ("gpt-5-codex", "gpt-5", 272_000),
        ("gpt-5.5", "gpt-5.5", 272_000),
        ("gpt-5.5-2026-04-23", "gpt-5.5", 272_000),
        ("gpt-5.9", "gpt-", 272_000),
        ("gpt-50", "gpt-", 272_000),
        ("openai/gpt-4.1-mini", "gpt-4.1", 1_047_576),
        ("gemini-2.5-pro", "gemini-2.5-pro", 1_048_576),
        ("models/gemini-2.5-flash-lite", "gemini-2.5-flash-lite", 1_048_576),
        ("gemini-3.1-pro-preview-customtools", "gemini-3.1-pro-preview", 1_048_576),
        ("gemini-9-ultra", "gemini-", 1_048_576),
    ],
)
def test_the_longest_name_that_the_id_begins_with_holds(model: str | None, name: str, window: int) -> None:
    known = family(model)
    assert (known.name, known.window) == (name, window)


def test_no_name_stands_twice() -> None:
    assert len({one.name for one in FAMILIES}) == len(FAMILIES)


def test_prices_are_in_order() -> None:
    """Reading the cache costs at most a quarter of input, writing as much as input or a quarter more."""
    for one in FAMILIES:
        for prices in (one.prices, *(one.prices.tiers if one.prices else ())):
            if prices is not None:
                assert 0 < prices.cache_read <= 0.25 * prices.input, one.name
                assert prices.cache_write / prices.input == pytest.approx(1) or (
                    prices.cache_write / prices.input == pytest.approx(1.25)
                ), one.name
                assert prices.output > prices.input, one.name


def test_a_model_without_prices_has_none() -> None:
    assert family("gpt-5.5-pro").prices is None
    assert family("claude-3-opus").prices is None


def test_a_long_request_is_dearer() -> None:
    prices = family("gpt-5.5").prices
    assert prices is not None
    assert (prices.tier(272_000).input, prices.tier(272_001).input) == (5, 10)
    prices = family("gemini-2.5-pro").prices
    assert prices is not None
    assert (prices.tier(200_000).input, prices.tier(200_001).output) == (1.25, 15)
