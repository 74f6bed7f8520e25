"""However a provider caches, a session costs no more than with its host alone, re-fetches and all."""

import pytest

from ctxmgr.study.figures.closed_cost import closed_loop
from ctxmgr.study.price_text import IDEAL, price_sheet
from tests.outcome.measuring import Run, drive, ground

RUNS = (Run("greenhouse", 64_000), Run("allotment", 64_000))
LOOK_BACK_COSTS = 1.08  # of the closed cost of an ideal cache, at most, where marks are as we say


def cost(run: Run, caching: str) -> float:
    return closed_loop(drive(run).observations, ground(), price_sheet(None, None, 5_000, caching)).closed


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.session)
@pytest.mark.parametrize("caching", ["marks", "host-marks", "implicit", "none"])
def test_a_session_costs_no_more_than_with_its_host_alone(run: Run, caching: str) -> None:
    assert cost(run, caching) <= cost(run._replace(preset="off"), caching)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.session)
def test_a_look_back_costs_little_where_marks_are_as_we_say(run: Run) -> None:
    assert cost(run, IDEAL) <= cost(run, "marks") <= LOOK_BACK_COSTS * cost(run, IDEAL)
    assert cost(run, "marks") <= cost(run, "host-marks")
