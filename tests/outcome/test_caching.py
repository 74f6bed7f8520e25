"""However a provider caches, a session costs no more than with its host alone, re-fetches and all."""

from ctxmgr.study.figures.closed_cost import closed_loop
from ctxmgr.study.price_text import IDEAL, price_sheet
from tests.outcome.measuring import Run, drive, ground

RUN = Run("allotment", 64_000)
LOOK_BACK_COSTS = 1.08  # of the closed cost of an ideal cache, at most, where marks are as we say


def cost(caching: str, preset: str = "balanced") -> float:
    run = RUN._replace(preset=preset)
    return closed_loop(drive(run).observations, ground(), price_sheet(None, None, 5_000, caching)).closed


def test_a_session_costs_no_more_than_with_its_host_alone() -> None:
    for caching in ("marks", "host-marks", "implicit", "none"):
        assert cost(caching) <= cost(caching, "off"), caching


def test_a_look_back_costs_little_where_marks_are_as_we_say() -> None:
    assert cost(IDEAL) <= cost("marks") <= LOOK_BACK_COSTS * cost(IDEAL)
    assert cost("marks") <= cost("host-marks")
