"""What a model's summary of a recorded session costs, with a copy and at the end of the list, by hand."""

import msgspec
import pytest

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.model.compaction import BranchMessage, CompactionPlan, CutBudget
from ctxmgr.study.compare.bills import BilledList, costs, sent
from ctxmgr.summarize.brief import SummaryInput
from ctxmgr.summarize.compacting import WayCosts
from tests.notation import a, call, quarters, r, u
from tests.unit.engine.trees import compacted, path
from tests.unit.study.compare.command.running import turn

SHEET = PriceSheet()  # 3 $ a million in, 15 $ out, reading 0.3 $, writing 3.75 $; 5,000 tokens beside the list


def one_each(message: BranchMessage) -> int:
    return 100


def brief() -> SummaryInput[CompactionPlan]:
    weigh = by_text(quarters, lambda message: 0, lambda view: 0)
    talk = [message for number in range(12) for message in turn(number)]
    plan = prepare.decide(path(*talk), CutBudget(600, 1_000), weigh)
    assert isinstance(plan, CompactionPlan)
    return SummaryInput(plan, quarters, "extractive")


def billed(listed: BilledList) -> WayCosts:
    way_costs = costs(brief(), listed, 2_000, SHEET)
    assert way_costs is not None
    return way_costs


def number(text: str, before: str) -> int:
    return int(text.split(f" {before} ")[0].rpartition(" ")[2].replace(",", ""))


def test_the_list_before_the_last_reply_is_in_the_cache() -> None:
    """A message weighs 100. A compaction's list was sent for no reply yet."""
    listed = path(u("a"), a(call("read", path="x")), r("b"), a(call("read", path="y")), r("c"))
    talk = (u("a"), a("b"), u("c"), a("d"), compacted("so far", "e3"))
    lists = (listed, path(*talk), path(*talk, u("e"), a("f")), ())
    found = [sent(path, one_each) for path in lists]
    assert [(one.tokens, one.sent_tokens) for one in found] == [(500, 300), (300, 0), (500, 400), (0, 0)]


def test_list_and_overhead_are_read_and_what_came_since_is_written() -> None:
    way_costs = billed(BilledList(30_000, 28_000))
    warm, cold = way_costs.arithmetic.split("; ")[:2]
    assert warm.startswith("warm: 33,000 read x 0.1 + ")
    instruction = number(warm, "written") - 2_000
    assert 300 < instruction < 2_000
    assert way_costs.warm_cost == pytest.approx(
        (33_000 * 0.3 + (2_000 + instruction) * 3.75 + 2_000 * 15) / 1e6, abs=1e-6
    )
    assert way_costs.cold_cost == pytest.approx((number(cold, "new") * 3 + 2_000 * 15) / 1e6, abs=1e-6)
    assert billed(BilledList(900_000, 900_000)).warm_cost is not None


def test_a_cache_that_outlived_its_time_is_written_anew() -> None:
    for ended_ms, is_read in ((302_000, False), (301_000, True)):
        arithmetic = billed(BilledList(30_000, 28_000, 1_000, ended_ms)).arithmetic
        assert (" read " in arithmetic) == is_read


def test_where_a_model_has_nothing_to_write_there_is_no_bill() -> None:
    nothing = msgspec.structs.replace(brief().preparation, history=(), prefix=())
    assert costs(SummaryInput(nothing, quarters), BilledList(30_000, 28_000), 10, SHEET) is None
