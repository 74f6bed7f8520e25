"""Where the money of a bill goes; words weigh, a token read is 1 dollar, one written 10, a request has 7 beside."""

from collections.abc import Sequence

import pytest

from ctxmgr.closed_loop.price_sheet import MILLION, PriceSheet
from ctxmgr.model import CacheRule, PriceTier, TieredPrices
from ctxmgr.study.closed_loop import closed_loop, floor
from ctxmgr.study.closed_loop.meter import BillParts, bill_parts
from ctxmgr.study.hosts.pi_host import HostMessage
from ctxmgr.study.metrics.observations import ProjectedMessage
from tests.notation import a, call, r, raws, summary, u
from tests.unit.study.sighted import changed, known, newest, packed, sights, whole

PRICES = TieredPrices(0, 100.0 * MILLION, 1.0 * MILLION, 10.0 * MILLION)
SHEET = PriceSheet(PRICES, overhead_tokens=7)
PACKET = packed("see above")
SAID = (u("a b c d"), a("done"), u("e f"), a("done"))


def weight(one: ProjectedMessage) -> int:
    return known().weight(one.raw)


def test_overhead_and_the_common_start_are_read_and_what_is_new_is_written_first() -> None:
    assert bill_parts(sights(*SAID), known(), SHEET) == BillParts(7 + 7, 10 * (4 + 3), 0, 4)


def test_what_a_rule_does_not_keep_is_sent_again_and_costs_what_input_does() -> None:
    """Of 14 tokens the second request reads 8; a mark on too short a start keeps nothing."""
    prices = TieredPrices(3.0 * MILLION, 100.0 * MILLION, 1.0 * MILLION, 10.0 * MILLION)
    stepped = PriceSheet(prices, overhead_tokens=7, rule=CacheRule(step_tokens=4))
    assert bill_parts(sights(*SAID), known(), stepped) == BillParts(4 + 3 * 10 + 7, 10 * (4 + 3), 10 * 3, 1)
    short = PriceSheet(prices, overhead_tokens=7, rule=CacheRule("marks", most_marks=4, least_tokens=100))
    assert bill_parts(sights(*SAID), known(), short) == BillParts(3 * 14, 3 * (4 + 3), 3 * 4, 0)


def test_a_packet_is_rewritten_and_so_is_what_stood_behind_a_break() -> None:
    """The packet before the second list breaks the prefix: the first message is written again."""

    def show(items: Sequence[HostMessage]) -> list[ProjectedMessage]:
        return [PACKET, *whole(items)] if len(items) > 1 else whole(items)

    found = bill_parts(sights(*SAID, show=show), known(), SHEET)
    assert found == BillParts(14, 10 * (4 + 3), 10 * (weight(PACKET) + 4), 0)


def test_a_shortened_message_is_rewritten_and_written_first_where_it_comes_whole_later() -> None:
    short = changed(0, u("a"))

    def show(items: Sequence[HostMessage]) -> list[ProjectedMessage]:
        return whole(items) if len(items) > 1 else short(whole(items))

    assert bill_parts(sights(*SAID, show=show), known(), SHEET) == BillParts(14, 10 * (4 + 3), 10 * 1, 0)


def test_a_host_summary_is_rewritten() -> None:
    one = summary("it went well")
    found = bill_parts(sights(one, u("e f"), a("done")), known(), SHEET)
    (raw,) = raws(one)
    assert (found.first_writes, found.rewritten) == (20, 10 * known().weight(raw))


def test_a_request_above_a_tier_pays_it_for_all_parts() -> None:
    """The second request is 14 tokens."""
    tier = PriceTier(12, 0, 200.0 * MILLION, 2.0 * MILLION, 20.0 * MILLION)
    sheet = PriceSheet(TieredPrices(0, 100.0 * MILLION, 1.0 * MILLION, 10.0 * MILLION, (tier,)), overhead_tokens=7)
    assert bill_parts(sights(*SAID), known(), sheet) == BillParts(7 + 14, 40 + 60, 0, 8)


def test_parts_are_the_bill_whatever_is_shown() -> None:
    for show in (whole, newest(1), newest(2, PACKET)):
        loop = closed_loop(sights(*SAID, show=show), known(), SHEET)  # type: ignore[arg-type]
        parts = loop.parts
        assert loop.billed == parts.overhead + parts.first_writes + parts.rewritten + parts.reads, show
        assert loop.billed == sum(one.warm for one in loop.calls)  # nothing was fetched


def test_what_forgetting_cost_is_the_closed_loop_without_the_bill() -> None:
    act = a(call("run", with_="one.py"))
    said = (u("one.py it is"), a("well"), u("go on"), act, r("done", "c1"), a(call("edit", oldText="one.py it is")))
    loop = closed_loop(sights(*said, show=newest(1)), known(), SHEET)
    assert loop.fetches > 1
    assert sum(one.list_dollars for one in loop.calls) == pytest.approx(loop.billed)
    assert sum(one.more_dollars for one in loop.calls) == pytest.approx(loop.closed - loop.billed)
    assert all(one.more_tokens > one.fetches * 150 for one in loop.calls if one.fetches)


def test_the_floor_reads_overhead_and_writes_each_message_once() -> None:
    """Two calls; five words come before the last one, however short the lists are."""
    seen = sights(u("a b c"), a("one"), u("d"), a("two"), show=newest(1))
    assert floor(seen, known(), SHEET) == 2 * 7 + 10 * (3 + 1 + 1)
