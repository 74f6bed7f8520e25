"""The page of savings: what it begins with."""

import re

from msgspec.structs import replace

from ctxmgr.study.savings import showing
from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.measuring import MeasuredSession, PolicyFigures
from ctxmgr.study.savings.showing import summed
from tests.unit.study.savings.invented import many, session


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


def test_a_row_says_how_many_of_its_sessions_have_a_cost() -> None:
    measured = [*many(12), session(999, dollars=None)]
    findings = showing.Findings("", summed(measured, ["balanced"]), measured, 13, 0, 60.0)
    *_, every = showing.table(findings).rows
    assert every[1] == "13 (12 with a cost)"


def test_a_column_of_dollars_has_one_precision() -> None:
    measured = [*many(12, dollars=0.1, calls=10), *many(12, dollars=30.0, calls=200)]
    rows = showing.table(showing.Findings("", summed(measured, ["balanced"]), measured, 24, 0, 60.0)).rows
    assert [re.findall(r"\$[\d,]+(\.\d\d)?", row[4]).count("") for row in rows] == [0, 0, 0]


def test_without_an_agents_name_the_note_names_none() -> None:
    one = MeasuredSession(KeptSession("", "x.json"), "not JSON")
    text = " ".join(showing.notes(showing.Findings("", summed([], ["balanced"]), [one], 1, 0, 60.0)))
    assert "cannot be read as sessions: 1; in --json, `fault` of each session says why." in text
