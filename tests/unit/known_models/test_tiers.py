"""What longer requests cost: as a policy tells it, else as it is known of the very model, in proportion."""

from ctxmgr.known_models import completed, shipped, tiered, with_tiers
from ctxmgr.model import BasePrices, BaseTier, Policy, PriceTier, TieredPrices, policy_keys
from ctxmgr.model.saved import ModelSpec
from ctxmgr.session.effective import in_use

KNOWN = TieredPrices(2, 10, 0.2, 2, (PriceTier(272_000, 4, 15, 0.4, 4),))


def test_a_policy_tells_what_longer_requests_cost() -> None:
    told = policy_keys.policy(
        {"prices": {"input": 3, "output": 15, "cacheRead": 0.3, "tiers": [{"aboveTokens": 40_000, "input": 6}]}}
    ).prices
    assert with_tiers(told, KNOWN) == TieredPrices(3, 15, 0.3, 3, (PriceTier(40_000, 6, 30, 0.6, 6),))


def test_what_a_host_says_of_longer_requests_goes_before_what_is_known() -> None:
    tiers = (BaseTier(40_000, 6), BaseTier(90_000, 9, 40, 0, 10))
    told = BasePrices(3, 15, 0.3, 3, tiers)
    assert with_tiers(told, KNOWN) == TieredPrices(
        3, 15, 0.3, 3, (PriceTier(40_000, 6, 30, 0.6, 6), PriceTier(90_000, 9, 40, 0, 10))
    )
    assert of(told) == with_tiers(told, None)


def test_who_tells_the_plain_prices_keeps_the_known_tiers_in_proportion() -> None:
    assert with_tiers(BasePrices(2, 10, 0.2, 2), KNOWN) == KNOWN
    half = with_tiers(BasePrices(1, 5, 0.1, 1), KNOWN)
    assert half == TieredPrices(1, 5, 0.1, 1, (PriceTier(272_000, 2, 7.5, 0.2, 2),))


def test_without_tiers_what_was_told_stays_as_it_is() -> None:
    told = BasePrices(1, 5)
    assert with_tiers(told, None) is told
    assert with_tiers(told, TieredPrices(2, 10)) is told
    assert with_tiers(None, KNOWN) is None
    assert with_tiers(nothing := BasePrices(), KNOWN) is nothing


def of(prices: BasePrices | None, policy: Policy | None = None) -> BasePrices | None:
    spec = ModelSpec("gpt-6.1-sol", 400_000, prices=prices)
    return in_use(spec, policy or Policy(), shipped()).terms.prices


def test_a_host_that_says_the_prices_of_the_registry_loses_no_tier() -> None:
    known = of(None)
    assert isinstance(known, TieredPrices)
    assert known.tiers
    assert of(BasePrices(known.input, known.output, known.cache_read, known.cache_write)) == known


def test_of_a_model_that_is_only_like_others_no_tier_is_taken() -> None:
    told = BasePrices(1, 5, 0.1, 1)
    spec = ModelSpec("gpt-6.9-unheard-of", 400_000, prices=told)
    assert in_use(spec, Policy(), shipped()).terms.prices == told


PARTS = [
    ("gpt-5.5", BasePrices(5, 30), (0.5, 5)),
    ("gpt-5.5", BasePrices(10), (1, 10)),  # at twice the price
    ("gemini-2.5-pro", BasePrices(1.25, 10), (0.125, 1.25)),
    ("gpt-6.1-sol", BasePrices(2, 10), (0.1, 2.5)),
    ("claude-opus-5-5", BasePrices(4, 20, 0.3), (0.3, 5)),  # a host's own word holds
    ("claude-opus-5-5", BasePrices(4, 20, None, 7), (0.2, 7)),
    ("claude-opus-5-5", BasePrices(4, 20, 0), (0, 5)),  # reading is free
    ("gpt-5.5", BasePrices(5, 30, 0.5, 0), (0.5, 5)),
]


def test_what_is_left_out_of_the_plain_prices_is_as_known_of_the_very_model() -> None:
    for model, told, cache in PARTS:
        known = shipped().find(model)
        held = completed(told, known)
        assert held is not None, model
        assert known.prices is not None, model
        assert (held.input, held.cache_read, held.cache_write) == (told.input, *cache), model
        assert held.output == (told.output or told.input * known.prices.output / known.prices.input), model
        in_session = in_use(ModelSpec(model, 1_000_000, prices=told), Policy(), shipped()).terms.prices
        assert in_session is not None, model
        assert (in_session.cache_read, in_session.cache_write) == cache, model
        assert tiered(told, known).cache_write == cache[1], model


def test_of_a_model_that_is_only_like_others_or_of_which_reading_has_no_known_price_it_stays_untold() -> None:
    told = BasePrices(1, 5)
    assert completed(told, shipped().find("gpt-6.9-unheard-of")) is told
    assert completed(None, shipped().find("gpt-5.5")) is None
    assert completed(nothing := BasePrices(), shipped().find("gpt-5.5")) is nothing
    assert completed(whole := BasePrices(9, 10, 2, 9), shipped().find("gpt-5.5")) is whole
    held = completed(told, shipped().find("grok-4"))
    assert held == BasePrices(1, 5, None, 1)
