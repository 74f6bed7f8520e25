"""How many tokens a packet may have: a row by zone, one number for all, and more once for the resume packet."""

import pytest

from ctxmgr.engine.packet.budget import packet_budget
from ctxmgr.model.policy import ZONES, Policy, Zone


@pytest.mark.parametrize(("zone", "tokens"), [("green", 1_000), ("yellow", 800), ("red", 600), ("compact", 400)])
def test_one_number_falls_with_the_zone(zone: Zone, tokens: int) -> None:
    assert packet_budget(Policy(packet_tokens=1_000), zone, resume=False) == tokens


def test_a_row_is_as_it_is_told() -> None:
    row = Policy().packet_tokens
    assert not isinstance(row, int)
    assert [packet_budget(Policy(), zone, resume=False) for zone in ZONES] == [getattr(row, zone) for zone in ZONES]


def test_the_resume_packet_has_its_own() -> None:
    assert packet_budget(Policy(resume_tokens=77), "red", resume=True) == 77
