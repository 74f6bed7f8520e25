"""The page of savings: what it begins with."""

from msgspec.structs import replace

from ctxmgr.study.savings import showing
from ctxmgr.study.savings.measuring import PolicyFigures
from ctxmgr.study.savings.summing import summed
from tests.unit.study.savings.invented import many


def test_the_page_begins_with_cost_against_kept_with_the_agents_alone_and_the_floor() -> None:
    alone = PolicyFigures(1.0, 95, 100)
    measured = [
        replace(one, floor_share=0.2, alone=alone, policies={**one.policies, "lean": PolicyFigures(0.4, 70, 100)})
        for one in many(12)
    ]
    findings = showing.Findings("A sentence.", summed(measured, ["lean", "balanced"]), measured, 12, 0, 60.0)
    text = showing.html(findings)
    assert text.index("A sentence.") < text.index("<b>Cost against kept</b>") < text.index("<table>")
    for words in ("closed: cost with re-fetches, off = 1", "off: the agent alone", "dashed: the floor"):
        assert words in text
    for name, kept, cost in (("off", 0.95, 1), ("balanced", 0.9, 0.6), ("lean", 0.7, 0.4)):
        assert f"<title>{name}: kept {kept:.3f}, closed {cost:.3f} of the host alone, 12 recordings</title>" in text
