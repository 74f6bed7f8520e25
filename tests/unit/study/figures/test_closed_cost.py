"""The closed-loop meter, on conversations whose bill is worked out by hand.

A message weighs its words, a token read is 1 dollar, one written 10, one put out 100; a request has 7 tokens
beside. So a re-fetch of an original of w words, where the list has n, is n + 7 + 10 (150 + w) + 100 x 150 dollars.
"""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.closed_loop.prompt_cache import MILLION, PriceSheet
from ctxmgr.model import CacheRule
from ctxmgr.model.prices import PriceTier, TieredPrices
from ctxmgr.study.figures.closed_cost import ClosedLoop, closed_loop, floor_dollars
from ctxmgr.study.observations import ProjectedMessage
from ctxmgr.study.recordings.pi_host import HostMessage
from tests.notation import Said, a, call, r, raws, summary, u
from tests.unit.study.sighted import Show, changed, known, newest, packed, sights, whole

PRICES = TieredPrices(0, 100.0 * MILLION, 1.0 * MILLION, 10.0 * MILLION)
SHEET = PriceSheet(PRICES, ttl_ms=1_000, overhead_tokens=7)
ACT = a(call("run", with_="one.py"))  # needs the name one.py
SAID = "one.py it is"


def measured(*talk: Said, show: Show = whole, sheet: PriceSheet = SHEET) -> ClosedLoop:
    return closed_loop(sights(*talk, show=show), known(), sheet)


def weight(message: Said) -> int:
    return known().weight(raws(message)[0])


def refetch(list_tokens: int, original_tokens: int) -> float:
    return list_tokens + 7 + 10 * (150 + original_tokens) + 100 * 150


def without(*places: int) -> Show:
    """The list without these, once a reply was made on it."""
    return lambda items: [
        message for message in whole(items) if message.index not in places or message.index >= len(items) - 2
    ]


def test_a_list_is_billed_by_its_prefix_and_overhead_is_read() -> None:
    """Four words written; then those read, and the reply of one word and the two words of the user's written."""
    loop = measured(u("a b c d"), a("done"), u("e f"), a("done"))
    assert [billed_call.warm for billed_call in loop.calls] == [7 + 10 * 4, 7 + 4 + 10 * 3]
    assert loop.closed == loop.billed == 47 + 41
    assert loop.all == 47 + 41 + 100 * 2


def test_a_name_in_a_packet_is_visible() -> None:
    for text in ("one.py", "see one.py and more"):
        assert measured(u(SAID), a("well"), u("go"), ACT, show=newest(1, packed(text))).fetches == 0, text


def test_what_a_rewritten_message_has_left_is_visible() -> None:
    talk = (u("go"), a(call("read", path="x")), r(SAID), ACT)
    for text, fetches in (("[gone: one.py]", 0), ("[gone]", 1)):
        rewrite = changed(2, *talk[:2], r(text))
        assert measured(*talk, show=lambda items, rewrite=rewrite: rewrite(whole(items))).fetches == fetches  # type: ignore[misc]


def test_a_missing_name_costs_one_more_call_with_its_whole_original() -> None:
    """The list has one message of one word; the original has three."""
    loop = measured(u(SAID), a("well"), u("go"), ACT, show=newest(1))
    assert [billed_call.fetches for billed_call in loop.calls] == [0, 1]
    assert loop.calls[1].refetched == refetch(1, 3)
    assert loop.closed == (7 + 10 * 3) + (7 + 10 * 1) + refetch(1, 3)
    assert loop.in_100 == 50


def test_the_original_is_the_newest_tool_result_that_had_it() -> None:
    """Results of 3 and 5 words, then a user's message of 8: the one of 5 is fetched."""
    read = a(call("read", path="x"))
    talk = (
        u("go"),
        read,
        r("one.py 2 3"),
        read,
        r("one.py 2 3 4 5"),
        u("one.py 2 3 4 5 6 7 8"),
        a("well"),
        u("go"),
        ACT,
    )
    loop = measured(*talk, show=newest(1))
    assert loop.calls[-1].refetched == refetch(1, 5)


def test_without_a_result_the_original_is_the_newest_message_that_had_it() -> None:
    loop = measured(u("one.py 2"), a("one.py 2 3 4 5 6"), u("go"), ACT, show=newest(1))
    assert loop.calls[-1].refetched == refetch(1, 6)


def test_what_an_original_holds_is_struck_out() -> None:
    """Both names are missing; the first in order is two.py's `a.py`, whose original has the other as well."""
    act = a(call("run", with_="b.py a.py"))
    talk = (u("a.py b.py 3"), a("well"), u("b.py"), a("well"), u("go"), act)
    assert [billed_call.fetches for billed_call in measured(*talk, show=newest(1)).calls] == [0, 0, 1]
    talk = (u("b.py a.py 3"), a("well"), u("a.py"), a("well"), u("go"), act)
    loop = measured(*talk, show=newest(1))
    assert loop.calls[-1].fetches == 2
    assert loop.calls[-1].refetched == refetch(1, 1) + refetch(1 + 151, 3)  # the list has what came before


def test_the_missing_line_comes_before_names() -> None:
    """The line stands in the result of 5 words, the name in that and in the newer one of 2: one fetch
    serves both."""
    edit = a(call("edit", path="one.py", oldText="alpha = beta"))
    read = a(call("read", path="x"))
    talk = (u("go"), read, r("alpha = beta one.py 5"), read, r("one.py 2"), u("go"), edit)
    loop = measured(*talk, show=newest(1))
    assert loop.calls[-1].fetches == 1
    assert loop.calls[-1].refetched == refetch(1, 5)


def test_what_came_back_stands_before_the_reply_and_is_read_as_any_message() -> None:
    """The reply that needed the original is shown on: no second fetch, and 153 tokens are in the list."""
    act = weight(ACT)
    shown = without(0)
    loop = measured(u(SAID), a("well"), u("go"), ACT, a(call("run", with_="one.py now")), show=shown)
    assert [billed_call.fetches for billed_call in loop.calls] == [0, 1, 0]
    kept = 2  # "well" and "go"
    assert loop.calls[2].warm == 7 + (kept + 153) + 10 * act
    assert loop.billed == loop.closed - loop.calls[1].refetched - 153


def test_a_part_of_an_original_is_fetched_where_a_sheet_says_so() -> None:
    """Of 200 words a part of 50 comes back, around the name; a longer list of names in it is fetched by parts."""
    part = msgspec.structs.replace(SHEET, part_tokens=50)
    long = " ".join([*["before"] * 100, "one.py", *["behind"] * 99])
    loop = measured(u(long), a("well"), u("go"), ACT, show=newest(1), sheet=part)
    assert [billed_call.fetches for billed_call in loop.calls] == [0, 1]
    assert loop.calls[1].refetched == refetch(1, 50)


def test_what_a_part_does_not_have_is_fetched_by_itself() -> None:
    """Two names 100 words from each other come in one original, and in two parts."""
    long = " ".join([*["before"] * 50, "one.py", *["between"] * 100, "two.py", *["behind"] * 50])
    both = a(call("run", with_="one.py", to="two.py"))
    for part, fetches in ((None, 1), (50, 2), (1_000, 1)):
        sheet = msgspec.structs.replace(SHEET, part_tokens=part)
        assert measured(u(long), a("well"), u("go"), both, show=newest(1), sheet=sheet).fetches == fetches


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 100))
def test_a_part_holds_what_was_asked_for(before: int, behind: int, tokens: int) -> None:
    """So the next missing one is another, and fetching ends."""
    long = " ".join([*["x"] * before, "one.py", *["y"] * behind])
    sheet = msgspec.structs.replace(SHEET, part_tokens=tokens)
    loop = measured(u(long), a("well"), u("go"), ACT, show=newest(1), sheet=sheet)
    assert loop.fetches == 1
    assert loop.calls[1].refetched == refetch(1, min(tokens, before + behind + 1))


def test_a_later_need_fetches_again_where_the_reply_is_gone() -> None:
    again = a(call("run", with_="one.py now"))
    loop = measured(u(SAID), a("well"), u("go"), ACT, u("go"), again, show=newest(1))
    assert [billed_call.fetches for billed_call in loop.calls] == [0, 1, 1]


@pytest.mark.parametrize(("gone", "fetches"), [((), 0), ((4,), 0), ((4, 5), 1), ((3,), 1)])
def test_what_came_back_leaves_with_all_results_of_its_reply(gone: Sequence[int], fetches: int) -> None:
    """The reply at 3 has two results, at 4 and 5; what came back for it has the other name too."""
    two = a(call("run", with_="one.py"), call("run", with_="x"))
    talk = (u("one.py two.py"), a("well"), u("go"), two, r("1"), r("2"), u("more"), a(call("run", to="two.py")))

    def show(items: Sequence[HostMessage]) -> list[ProjectedMessage]:
        out = [message for message in whole(items) if message.index]
        return [message for message in out if message.index not in gone] if len(items) > 6 else out

    loop = closed_loop(sights(*talk, show=show), known(), SHEET)
    assert loop.calls[-1].fetches == fetches


def test_a_call_that_repeats_an_earlier_one_is_billed_as_recorded() -> None:
    assert measured(u("one.py"), ACT, r("done"), u("go"), ACT, show=newest(1)).fetches == 0


def test_the_host_alone_fetches_what_it_compacted_away() -> None:
    host = sights(u(SAID), a("well"), u("go"), ACT)
    compacted = sights(summary("it went well"), u("go"), ACT)
    loop = closed_loop([host[0], compacted[-1]], known(), SHEET)
    assert [billed_call.fetches for billed_call in loop.calls] == [0, 1]


def test_all_has_cold_caches_output_and_summaries() -> None:
    """The second call comes late: all is written, the overhead too. Before it a summary of three words was made."""
    before, after = u("a b c d"), summary("it went well")
    (first,) = sights(before, a("done", timestamp=0))
    (second,) = sights(after, a("done well", timestamp=5_000))
    loop = closed_loop([first, second], known(), SHEET)
    words = weight(after)
    made = (4 + 7) + 100 * words
    assert loop.calls[1].summary_dollars == made
    assert loop.all == (7 + 40 + 100) + (10 * (7 + words) + 100 * 2) + made
    assert loop.closed == (7 + 40) + (7 + 10 * words)


def test_a_request_above_a_tier_pays_its_prices_for_all_of_it() -> None:
    """From 12 tokens on all is doubled: the first request has 11, the second 14; a re-fetch has
    its original too."""
    double = PriceTier(12, 0, 200.0 * MILLION, 2.0 * MILLION, 20.0 * MILLION)
    tiered = PriceSheet(TieredPrices(0, PRICES.output, PRICES.cache_read, PRICES.cache_write, (double,)), 1_000, 7)
    talk = (u("a b c d"), a("done"), u("e f"), a("done"))
    assert [billed_call.warm for billed_call in measured(*talk, sheet=tiered).calls] == [7 + 40, 2 * (7 + 4 + 30)]
    loop = measured(u(SAID), a("well"), u("go"), ACT, show=newest(1), sheet=tiered)
    assert loop.calls[1].warm == 7 + 10
    assert loop.calls[1].refetched == 2 * refetch(1, 3)


TALK = (u("a b c d"), a("done"), u("e f"), a("done"))


def test_what_a_rule_does_not_keep_is_sent_again_and_costs_what_input_does() -> None:
    """Of 14 tokens the second request reads 8; a mark on too short a start keeps nothing."""
    prices = TieredPrices(3.0 * MILLION, 100.0 * MILLION, 1.0 * MILLION, 10.0 * MILLION)
    stepped = PriceSheet(prices, overhead_tokens=7, rule=CacheRule(step_tokens=4))
    assert measured(*TALK, sheet=stepped).billed == (4 + 3 * 10 + 7) + 10 * (4 + 3) + 10 * 3 + 1
    short = PriceSheet(prices, overhead_tokens=7, rule=CacheRule("marks", most_marks=4, least_tokens=100))
    assert measured(*TALK, sheet=short).billed == 3 * (14 + 4 + 3 + 4)


def test_what_forgetting_cost_is_the_closed_loop_without_the_bill() -> None:
    act = a(call("run", with_="one.py"))
    talk = (u("one.py it is"), a("well"), u("go on"), act, r("done", "c1"), a(call("edit", oldText="one.py it is")))
    loop = measured(*talk, show=newest(1))
    assert loop.fetches > 1
    assert sum(billed_call.more_dollars for billed_call in loop.calls) == pytest.approx(loop.closed - loop.billed)
    assert all(
        billed_call.more_tokens > billed_call.fetches * 150 for billed_call in loop.calls if billed_call.fetches
    )


def test_the_floor_reads_overhead_and_writes_each_message_once() -> None:
    """Two calls; five words come before the last one, however short the lists are."""
    seen = sights(u("a b c"), a("one"), u("d"), a("two"), show=newest(1))
    assert floor_dollars(seen, known(), SHEET) == 2 * 7 + 10 * (3 + 1 + 1)
