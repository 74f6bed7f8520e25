"""What of LiteLLM's price map becomes a row, and what it says nothing of."""

from typing import Any

from scripts.knowing.price_map import rows

FACTS = {"families": [{"name": "grok", "ids": ["grok"]}], "providers": {"grok": "xai"}, "without": []}
PLAIN = {"litellm_provider": "xai", "mode": "chat", "input_cost_per_token": 3e-6, "output_cost_per_token": 1.5e-5}


def row(**more: Any) -> dict[str, Any]:
    return rows({"xai/grok-9": PLAIN | more}, FACTS, "the map", "2026-11-23")["grok-9"]


def test_a_price_of_reading_that_the_map_has_not_is_not_told() -> None:
    assert row()["prices"] == {"input": 3.0, "output": 15.0, "cacheWrite": 3.0}
    assert row()["cache"] == "xai"
    told = row(cache_read_input_token_cost=3e-7)
    assert (told["prices"]["cacheRead"], told["cache"]) == (0.3, "xai")


def test_nor_is_it_of_a_tier_or_a_batch() -> None:
    more = {
        "input_cost_per_token_above_128k_tokens": 6e-6,
        "input_cost_per_token_batches": 1e-6,
        "output_cost_per_token_batches": 5e-6,
    }
    made = row(**more)
    assert made["prices"]["tiers"] == [{"aboveTokens": 128_000, "input": 6.0, "output": 30.0, "cacheWrite": 6.0}]
    assert made["batch"]["input"] == 1.0
    assert "cacheRead" not in made["batch"]
