"""A host's own word goes before the policy's, and that before what is known; of each it is told who said it."""

import pytest

from ctxmgr.known_models import completed, shipped
from ctxmgr.model import BasePrices, Policy, TieredPrices, policy_keys
from ctxmgr.model.saved import CacheTruth, ModelSpec, State
from ctxmgr.session.effective import ModelInUse, in_use

NOTHING = Policy()
POLICY = policy_keys.policy({"prices": {"input": 7, "cacheRead": 1}, "cacheTtlMs": 60_000})
HOST = ModelSpec("claude-opus-5-5", 200_000, prices=BasePrices(9, 10, 2, 9), cache_ttl_ms=30_000)


def of(model: str, policy: Policy = NOTHING, **more: object) -> ModelInUse:
    return in_use(ModelSpec(model, 200_000, **more), policy, shipped())  # type: ignore[arg-type]


def test_the_policys_word_goes_before_what_is_known() -> None:
    held = of("claude-opus-5-5", POLICY)
    assert held.terms.prices is not None
    assert (held.terms.prices.input, held.terms.cache.lifetime_ms, held.terms.cache.kind) == (7, 60_000, "marks")
    assert (held.prices_by, held.lifetime_by, held.cache_by) == ("policy", "policy", "registry")


def test_a_hosts_own_word_goes_before_both() -> None:
    held = in_use(HOST, POLICY, shipped())
    assert held.terms.prices == BasePrices(9, 10, 2, 9)
    assert (held.terms.cache.lifetime_ms, held.prices_by, held.lifetime_by) == (30_000, "host", "host")
    assert of("claude-opus-5-5", max_output_tokens=5).max_output_tokens == 5
    assert of("claude-opus-5-5", max_output_tokens=5).output_by == "host"


def test_of_an_unknown_model_the_defaults_hold() -> None:
    held = of("acme")
    assert (held.terms.prices, held.max_output_tokens) == (None, None)
    assert (held.terms.cache.kind, held.terms.cache.lifetime_ms) == ("implicit", 300_000)
    assert (held.prices_by, held.cache_by, held.lifetime_by, held.output_by) == ("default",) * 4


@pytest.mark.parametrize(
    ("told", "write"),
    [
        (BasePrices(4, 20, 0.2, 5), 8),  # the known price of the usual life, as price lists of hosts have it
        (BasePrices(0.0333, 0.2, 0.003, 0.0416), 0.0666),  # rounded
        (BasePrices(4, 20, 0.2, 8), 8),  # told as the hour's already
        (BasePrices(4, 20, 0.2), 8),  # not told: the known one of the hour
        (BasePrices(2), 4),
    ],
)
def test_a_told_write_of_the_usual_life_is_that_of_an_hour_where_starts_live_for_one(
    told: BasePrices, write: float
) -> None:
    held = of("claude-opus-5-5", prices=told, cache_ttl_ms=3_600_000)
    assert held.terms.prices is not None
    assert held.terms.prices.cache_write == pytest.approx(write)
    assert (held.terms.prices.input, held.terms.prices.cache_read) == (told.input, told.cache_read or 0.1)
    assert held.prices_by == "host"
    whole = completed(told, held.facts)
    assert of("claude-opus-5-5", prices=told, cache_ttl_ms=300_000).terms.prices == whole


def with_reads(held: ModelInUse, model: str, reads: bool = True) -> State:
    return State("s", ModelSpec(model, 200_000), cache=CacheTruth(model, True, has_read=reads))


@pytest.mark.parametrize(
    ("model", "told", "kind", "read"),
    [
        ("gpt-4", None, "implicit", 3),  # nobody told a price of reading: the default
        ("gpt-5.5-pro", None, "implicit", 30),  # its price list tells that what is read costs as much
        ("gpt-4", BasePrices(30, 60), "implicit", None),
        ("claude-opus-5-5", BasePrices(4, 20, 4, 4), "marks", 4),  # a host's own word on prices holds
        ("acme", BasePrices(4, 20, 4, 4), "implicit", 4),
    ],
)
def test_that_there_is_no_cache_is_taken_back_once_something_was_read(
    model: str, told: BasePrices | None, kind: str, read: float | None
) -> None:
    held = of(model, prices=told)
    assert held.terms.cache.kind == "none"
    assert held.terms_by(with_reads(held, model, reads=False)) == held.terms
    assert held.terms_by(with_reads(held, "another")) == held.terms
    others = State("s", ModelSpec(model, 200_000), cache=CacheTruth("another", True, other_readers=(model,)))
    assert held.terms_by(others) == held.terms_by(with_reads(held, model))
    state = with_reads(held, model)
    shown = held.terms_by(state)
    assert (shown.cache.kind, shown.cache.lifetime_ms) == (kind, 300_000)
    assert shown.prices is not None
    assert shown.prices.cache_read == read
    assert (held.lifetime(state).lifetime_ms, held.documented_ms(state)) == (300_000, 300_000)


def test_what_may_wait_costs_what_a_batch_does_where_the_host_tells_no_price() -> None:
    held = of("gpt-5.5", batch=True)
    assert held.terms.prices == shipped().find("gpt-5.5").batch
    assert (held.prices_by, of("gpt-5.5").terms.prices) == ("registry", shipped().find("gpt-5.5").prices)
    assert of("gpt-5.5", batch=True, prices=BasePrices(9, 10, 2, 9)).prices_by == "host"
    assert of("gpt-5.5", POLICY, batch=True).prices_by == "policy"
    assert of("gpt-5.5-cyber", batch=True).terms.prices == shipped().find("gpt-5.5-cyber").prices
    hour = of("claude-opus-5-5", batch=True, cache_ttl_ms=3_600_000).terms.prices
    assert isinstance(hour, TieredPrices)
    assert hour.cache_write == 2 * hour.input
