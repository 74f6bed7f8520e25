"""What providers counted, as each agent records it."""

import pytest

from ctxmgr.model import PriceTier, TieredPrices
from ctxmgr.study.recordings import Recording, readers
from ctxmgr.study.savings.measuring import CountedCall, cost, counted_calls, longest_tokens, overhead_tokens
from tests.unit.study.savings import made

PRICES = TieredPrices(1.0, 5.0, 0.1, 1.25, (PriceTier(1_000, 2.0, 10.0, 0.2, 2.5),))


def counted(content: bytes) -> list[CountedCall]:
    found = readers.read(readers.source_of("s", content))
    assert isinstance(found, Recording)
    return counted_calls(found, len)


def call(new: int = 0, read: int = 0, written: int = 0, model: str = "m", listed: int = 0) -> CountedCall:
    return CountedCall(model, new, read, written, listed)


@pytest.mark.parametrize("content", [made.claude, made.codex, made.gemini, made.pi])
def test_no_token_of_an_agents_record_counts_twice(content: object) -> None:
    assert callable(content)
    found = counted(content(3))
    assert [one.input_tokens for one in found] == [made.sent(0), made.sent(1), made.sent(2)]
    assert [one.read for one in found] == [0, made.sent(0), made.sent(1)]


def test_nor_of_clines() -> None:
    (found,) = counted(made.cline(1))
    assert (found.new, found.read, found.input_tokens) == (600, made.sent(0), made.sent(0) + 600)


def test_a_call_is_billed_by_the_tier_of_its_length() -> None:
    assert cost([call(new=1_000)], lambda _: PRICES) == pytest.approx(0.001)
    assert cost([call(new=500, read=400, written=200)], lambda _: PRICES) == pytest.approx((1_000 + 80 + 500) / 1e6)


def test_few_calls_may_lack_a_count() -> None:
    nine, ten = [call(new=10)] * 9, [call(new=10)] * 10
    assert cost([*nine, call()], lambda _: PRICES) == pytest.approx(90 / 1e6)
    assert cost([*ten, call(), call()], lambda _: PRICES) is None
    assert cost([call()], lambda _: PRICES) is None


def test_one_call_of_a_model_without_prices_leaves_no_cost() -> None:
    prices = {"m": PRICES}
    assert cost([call(new=10), call(new=10, model="other")], prices.get) is None


def test_what_a_call_had_beside_its_list_is_never_less_than_nothing() -> None:
    assert overhead_tokens([call(listed=5), call(new=900, read=100, listed=300), call(new=9_000)]) == 700
    assert overhead_tokens([call(new=10, listed=300)]) == 0
    assert overhead_tokens([call()]) is None


def test_the_longest_call() -> None:
    assert longest_tokens([call(new=1), call(new=1, read=5, written=2), call()]) == 8
    assert longest_tokens([]) == 0
