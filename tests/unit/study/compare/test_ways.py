"""What a model's summary of a recorded session costs, with a copy and at the end of the list, by hand."""

from typing import Any

import msgspec
import pytest

from ctxmgr.closed_loop import PriceSheet
from ctxmgr.engine.compaction import prepare
from ctxmgr.engine.compaction.weighing import by_text
from ctxmgr.model.compaction import BranchMessage, CompactionPlan, CutBudget
from ctxmgr.study.compare import chains
from ctxmgr.study.compare.chains import BilledList
from ctxmgr.summarize.brief import SummaryInput
from ctxmgr.summarize.compacting import WayCosts
from tests.notation import a, call, quarters, r, u
from tests.unit.engine.trees import compacted, path
from tests.unit.study.compare.chains import turns

SHEET = PriceSheet()  # 3 $ a million in, 15 $ out, reading 0.3 $, writing 3.75 $; 5,000 tokens beside the list
LISTED = BilledList(30_000, 28_000)


def one_each(message: BranchMessage) -> int:
    return 100


def brief(*, strategy: Any = "extractive", count: int = 12) -> SummaryInput[CompactionPlan]:
    weigh = by_text(quarters, lambda message: 0, lambda view: 0)
    plan = prepare.decide(path(*turns(count)), CutBudget(600, 1_000), weigh)
    assert isinstance(plan, CompactionPlan)
    return SummaryInput(plan, quarters, strategy)


def costs(of: SummaryInput[CompactionPlan], listed: BilledList = LISTED, **more: Any) -> WayCosts:
    way_costs = chains.costs(of, listed, 2_000, **{"sheet": SHEET, **more})
    assert way_costs is not None
    return way_costs


def spelled(way_costs: WayCosts, way: str) -> str:
    return next(part for part in way_costs.arithmetic.split("; ") if part.startswith(way))


def number(text: str, before: str) -> int:
    return int(text.split(f" {before} ")[0].rpartition(" ")[2].replace(",", ""))


def test_the_list_before_the_last_reply_is_in_the_cache() -> None:
    """A message weighs 100: before the last reply there are three, with it and its result five."""
    listed = path(u("a"), a(call("read", path="x")), r("b"), a(call("read", path="y")), r("c"))
    assert chains.sent(listed, one_each).tokens == 500
    assert chains.sent(listed, one_each).sent_tokens == 300


def test_what_a_compaction_took_out_is_not_in_the_list() -> None:
    talk = (u("a"), a("b"), u("c"), a("d"), compacted("so far", "e3"))
    before = chains.sent(path(*talk), one_each)
    assert (before.tokens, before.sent_tokens) == (300, 0)  # no reply was asked with this list yet
    after = chains.sent(path(*talk, u("e"), a("f")), one_each)
    assert (after.tokens, after.sent_tokens) == (500, 400)


def test_of_an_empty_session_nothing_is_sent() -> None:
    assert chains.sent((), one_each) == BilledList(0, 0)


def test_list_and_overhead_are_read_and_what_came_since_is_written() -> None:
    way_costs = costs(brief())
    warm = spelled(way_costs, "warm")
    assert warm.startswith("warm: 33,000 read x 0.1 + ")
    instruction = number(warm, "written") - 2_000
    assert 300 < instruction < 2_000
    assert way_costs.warm_cost == pytest.approx(
        (33_000 * 0.3 + (2_000 + instruction) * 3.75 + 2_000 * 15) / 1e6, abs=1e-6
    )
    copied = number(spelled(way_costs, "cold"), "new")
    assert way_costs.cold_cost == pytest.approx((copied * 3 + 2_000 * 15) / 1e6, abs=1e-6)


def test_a_cache_that_outlived_its_time_is_written_anew() -> None:
    late = BilledList(30_000, 28_000, 1_000, 302_000)
    assert spelled(costs(brief(), late), "warm").startswith("warm: 3")
    assert " read " not in spelled(costs(brief(), late), "warm")
    assert " read " in spelled(costs(brief(), BilledList(30_000, 28_000, 1_000, 301_000)), "warm")


def test_a_chain_s_window_bounds_the_list_and_nothing_else_does() -> None:
    assert costs(brief(), window=36_000).warm_cost is None
    assert costs(brief(), BilledList(900_000, 900_000)).warm_cost is not None


def test_where_a_model_has_nothing_to_write_there_is_no_bill() -> None:
    nothing = msgspec.structs.replace(brief().preparation, history=(), prefix=())
    assert chains.costs(SummaryInput(nothing, quarters), LISTED, 10, SHEET) is None


def bill(warm: float | None, cold: float | None) -> WayCosts:
    cheap = warm is not None and (cold is None or warm < cold)
    return WayCosts("warm" if cheap else "cold", warm, cold, "dollars", "a sum")


def test_a_chain_is_billed_compaction_by_compaction() -> None:
    way_costs = chains.together([bill(0.1, 0.3), bill(0.5, 0.2)])
    assert way_costs is not None
    assert (way_costs.warm_cost, way_costs.cold_cost, way_costs.cheaper_cost) == (0.6, 0.5, 0.3)
    assert (way_costs.warm_count, way_costs.total_count, way_costs.arithmetic) == (1, 2, "")
    partly = chains.together([bill(None, 0.3), bill(0.1, 0.2)])
    assert partly is not None
    assert (partly.warm_cost, partly.cold_cost, partly.cheaper_cost) == (None, 0.5, 0.4)
    alone = chains.together([bill(0.1, 0.3)])
    assert alone is not None
    assert alone.arithmetic == "a sum"
    assert chains.together([]) is None
