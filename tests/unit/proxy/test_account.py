"""What calls came to: what was sent as the provider counted it, and what the other list would have been."""

from typing import Any

import pytest

from ctxmgr.model import TieredPrices, Usage
from ctxmgr.programs import proxying
from ctxmgr.proxy.account import Account, BilledCall, TokenScale, Weights, bill, long_share, mixed, other_bill
from ctxmgr.settings import ProgramSettings
from tests.unit.proxy.lists import HOUR, MARK, SESSION, compact, conversation, marked, request
from tests.unit.proxy.provider import answers, one_after_another, sse, turn

PRICES = TieredPrices(10, 50, 1, 12.5)
BESIDE = 5_000  # tokens of prompt and tools, as ctxmgr guesses them


def usage(fresh: int, read: int, written: int, output: int = 0) -> Usage:
    return Usage(fresh, output, read, written, fresh + read + written + output)


def scale_of(true: float, beside: int, lists: list[float]) -> TokenScale:
    """Of a provider for which a weighed token is `true` tokens, and what stands beside the list `beside`."""
    made, before = TokenScale(), 0.0
    for weight in lists:
        made.learn(BESIDE + weight, BESIDE + before, beside + true * weight)
        before = weight
    return made


def test_the_scale_is_of_the_list_alone_and_of_calls_whose_list_was_not_rewritten() -> None:
    for beside in (3_000, 12_000):
        for true in (0.75, 1.0, 1.3):
            made = scale_of(true, beside, [1_000, 2_500, 4_000, 9_000])
            assert made.value == pytest.approx(true), (beside, true)
            for weight, count in ((3_000, 60_000), (30_000, 90_000)):  # shorter than the last one, and longer
                made.learn(BESIDE + weight, BESIDE + 500, count)
                assert made.value == pytest.approx(true), (beside, true, weight)


OTHER_BILLS = [  # what the call read, wrote, and was new of it; the tokens at its start; of the other list the same
    ("all of the call before would have been read", (7_000, 13_000, 0), 7_000, (48_000, 2_000, 0)),
    # a provider keeps no start so short: that it read nothing does not say that its cache was cold
    (
        "where a short start was read by nobody the longer one would have been",
        (0, 0, 20_000),
        500,
        (48_000, 0, 2_000),
    ),
    ("where nothing could be read nothing would have been", (0, 0, 20_000), 18_000, (0, 0, 50_000)),
]


def test_what_the_other_list_would_have_been_billed() -> None:
    for name, (read, written, fresh), start, (other_read, other_written, other_fresh) in OTHER_BILLS:
        weights = Weights(50_000, 20_000, 48_000, start)  # own, projected, and of each the prefix
        found = other_bill(usage(fresh, read, written, 100), weights, 1.0, PRICES, observed=False)
        dollars = (other_fresh * 10 + other_read * 1 + other_written * 12.5 + 100 * 50) / 1_000_000
        assert found == BilledCall(other_fresh, other_read, other_written, 100, pytest.approx(dollars)), name


async def test_after_a_restart_what_stands_before_the_last_reply_would_have_been_read(rig: Any) -> None:
    """The first call that a proxy sees of a conversation, with another list: the provider's cache may be warm."""
    made = await rig()
    made.upstream.answer = answers(turn(9_000, read=8_000))
    messages = conversation(12, lines=200)
    await made.post(request(marked(messages)), headers=SESSION)
    done = made.proxy.rewriter.account
    assert done.rewritten_calls == 1
    share = len(compact(messages[:-2])) / len(compact(messages))
    assert done.other.read_tokens == pytest.approx(share * done.other.input_tokens, rel=0.2)


def test_a_long_request_is_billed_by_its_tier() -> None:
    prices = TieredPrices(10, 50, 1, 12.5, (PRICES.tier(0).__class__(200_000, 20, 100, 2, 25),))
    assert bill(usage(100_000, 0, 0), prices).dollars == pytest.approx(1.0)
    assert bill(usage(300_000, 0, 0), prices).dollars == pytest.approx(6.0)


def test_three_lines_tell_people() -> None:
    for observed, lines in (
        (
            False,
            (
                "3 calls, 2 without a usage count and missing from these sums, 2 with a pruned list",
                "sent 20,000 tokens ($0.20); without ctxmgr: 50,000 tokens ($0.50)",
                "saved 30,000 tokens (60%), $0.30 (60%)",
            ),
        ),
        (
            True,
            (
                "3 calls, 2 without a usage count and missing from these sums, none changed",
                "sent 20,000 tokens ($0.20); with ctxmgr: 50,000 tokens ($0.50)",
                "would have cost 30,000 tokens (150%), $0.30 (150%) more; "
                "the model would have fetched nothing again",
            ),
        ),
    ):
        made = Account()
        made.count(bill(usage(20_000, 0, 0), PRICES), bill(usage(50_000, 0, 0), PRICES), True)
        made.uncounted(True)
        made.uncounted(False)
        assert tuple(made.lines(observed)) == lines, observed


async def test_several_calls_for_one_request_are_all_billed_and_only_the_last_fills_the_window(rig: Any) -> None:
    made = await rig(window=120_000)
    calls = [
        {"type": "message", "input_tokens": 60_000, "output_tokens": 100},
        {"type": "advisor_message", "model": "claude-opus-5", "input_tokens": 60_200, "output_tokens": 500},
        {"type": "message", "input_tokens": 60_700, "output_tokens": 200},
    ]
    counted = {"input_tokens": 120_700, "output_tokens": 300, "iterations": calls}
    made.upstream.answer = answers(
        sse(
            {"type": "message_start", "message": {"usage": {"input_tokens": 60_000, "output_tokens": 1}}},
            {"type": "message_delta", "usage": counted},
            {"type": "message_stop"},
        )
    )
    for steps in (4, 5):
        await made.post(request(conversation(steps, lines=400)), headers=SESSION)
    (one,) = made.proxy.conversations.all()
    status = await one.session.request("getStatus", {})
    assert 60_900 < status["tokens"] < 75_000
    done = made.proxy.rewriter.account
    assert (done.sent.input_tokens, done.sent.output_tokens) == (2 * 180_900, 2 * 800)
    assert done.sent == done.other


async def test_dollars_by_another_models_prices_and_those_that_are_missing_are_said(rig: Any) -> None:
    made = await rig()
    made.upstream.answer = answers(turn(9_000, read=8_000))
    ends = {
        "claude-sonnet-4-5": "saved nothing",
        "claude-opus-9": "saved nothing; claude-opus-9 at the prices of claude-opus-5-5",
        "own\x1b-model": "; no price is known for own\\u001b-model, so its calls are missing from the dollars",
    }
    for number, (model, end) in enumerate(ends.items()):
        named = SESSION | {"X-Claude-Code-Session-Id": f"s-{number}"}
        for _ in range(2):
            await made.post(request(conversation(2), model=model), headers=named)
        assert made.proxy.conversations.all()[number].account.lines(False)[-1].endswith(end), model
    notes = [note for end in ends.values() for note in end.split("; ")[1:]]
    assert made.proxy.rewriter.account.sentence(False).endswith("; ".join(notes))


def test_more_dollars_for_fewer_tokens_are_said_as_more() -> None:
    made = Account()
    made.count(bill(usage(0, 0, 20_000), PRICES), bill(usage(0, 50_000, 0), PRICES), True)
    assert made.lines(False)[-1] == "saved 30,000 tokens (60%), but cost $0.20 (400%) more"


def test_what_is_left_is_told_with_what_would_have_been_fetched_again() -> None:
    for fetched, told in (
        ((1, 2_000, 0.02), "counting 1 original fetched again (2,000 tokens, $0.02), it would have saved"),
        ((3, 40_000, 0.4), "counting 3 originals fetched again (40,000 tokens, $0.40), it would have cost"),
    ):
        made = Account()
        made.count(bill(usage(50_000, 0, 0), PRICES), bill(usage(20_000, 0, 0), PRICES), False)
        count, tokens, dollars = fetched
        made.count_refetches(count, BilledCall(fresh_tokens=tokens, dollars=dollars))
        saved, _, again = made.lines(True)[-1].partition("; ")
        assert saved == "would have saved 30,000 tokens (60%), $0.30 (60%)", fetched
        assert again.startswith(told), fetched
        left = 30_000 - fetched[1]
        assert f"{abs(left):,.0f} tokens" in again, fetched


def test_what_is_written_for_an_hour_the_provider_says_else_the_mark() -> None:
    for split, is_long_lived, share in (
        ({}, False, 0),
        ({}, True, 1),
        ({"cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 100}}, False, 0.25),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 0}}, True, 0),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 9_000}}, True, 1),
        ({"cache_creation": {"ephemeral_1h_input_tokens": "9"}}, True, 1),
        ({"cache_creation": [1]}, False, 0),
    ):
        assert long_share(split, usage(0, 0, 400), is_long_lived) == share, split


@pytest.mark.parametrize(
    ("mark", "hour", "write"),  # what the mark asks for, what the provider says, dollars a million tokens
    [(MARK, None, 3.75), (HOUR, None, 6), (HOUR, 4_999, 6), (HOUR, 0, 3.75), (MARK, 4_999, 6)],
)
async def test_an_hours_write_costs_more_on_both_sides(
    rig: Any, mark: dict[str, Any], hour: int | None, write: float
) -> None:
    made = await rig()
    made.upstream.answer = answers(turn(5_000, 0, 0, hour))
    system = [{"type": "text", "text": "Be brief. " * 2_000}]
    await made.post(request(marked(conversation(12, lines=200), mark), system=system), headers=SESSION)
    done = made.proxy.rewriter.account
    assert done.rewritten_calls == 1
    assert done.sent.dollars == pytest.approx((1 * 3 + 4_999 * write) / 1_000_000)
    assert done.other.written_tokens > 5_000
    assert done.other.dollars == pytest.approx(done.other.written_tokens * write / 1_000_000)


async def ended(rig: Any, read_share: float, **flags: Any) -> list[str]:
    """What is said after six calls of which each reads this share of the one before."""
    sizes = [6_000 + 2_500 * number for number in range(6)]
    reads = [0, *(round(read_share * size) for size in sizes[:-1])]
    made = await rig(window=200_000, **flags)
    made.upstream.answer = one_after_another(
        [answers(turn(size, read)) for size, read in zip(sizes, reads, strict=True)]
    )
    for number in range(6):
        await made.post(request(marked(conversation(number))), headers=SESSION)
    await made.proxy.__aexit__(None, None, None)
    return proxying.lines(made.proxy)


async def test_a_conversation_of_which_nothing_is_read_is_told_with_what_it_may_be(rig: Any) -> None:
    *_, last = await ended(rig, 0.0)
    assert last.startswith(
        "claude:s-1: the provider read 0 of 13,500 expected cached tokens: something before the list changes"
    )


def test_it_costs_as_much_more_in_each_tier() -> None:
    tier = PRICES.tier(0)
    usual = TieredPrices(10, 50, 1, 12, (tier.__class__(9, 20, 100, 2, 24),))
    long = TieredPrices(10, 50, 1, 20, (tier.__class__(9, 20, 100, 2, 40),))
    both = ProgramSettings({}, 9, usual, {}, None, {}, long_prices=long)
    assert mixed(both, 0.25) == TieredPrices(10, 50, 1, 14, (tier.__class__(9, 20, 100, 2, 28),))
    assert mixed(both, 0) is usual
    assert mixed(ProgramSettings({}, 9, usual, {}, None, {}), 1) is usual
