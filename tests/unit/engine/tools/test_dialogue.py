"""What hosts and assistants tell of a dialogue with the user is read in one pass over its text."""

import pytest

from ctxmgr.engine.tools import approved_plan, tells_an_output
from ctxmgr.engine.tools.plans import proposed_plan

LONG = 200_000


@pytest.mark.parametrize("text", ["<proposed_plan>" + " " * LONG, "<proposed_plan>" * LONG])
def test_a_plan_that_does_not_end_is_none(text: str) -> None:
    """An expression looked at each of its spaces for each of the others."""
    assert proposed_plan(text) == ""


def test_many_empty_lines_ask_for_no_action() -> None:
    """Each was followed to the last."""
    assert not tells_an_output("Observation: it fails.", "\n" * LONG)


@pytest.mark.parametrize(
    "text",
    [
        "So:\n<proposed_plan>\n# Plan\n1. Do it.\n</proposed_plan>\nShall I?",
        "<plan_mode_respond>\n<response>\n# Plan\n1. Do it.\n</response>\n</plan_mode_respond>",
    ],
)
def test_a_plan_stands_between_its_tags(text: str) -> None:
    assert proposed_plan(text) == "# Plan\n1. Do it."


def test_a_plan_that_the_user_edited_is_the_one_that_is_approved() -> None:
    edited = "User has approved your plan.\n\n## Approved Plan (edited by user):\n# Do that instead"
    for result, text in ((edited, "# Do that instead"), ("User has approved your plan.", "# Do it")):
        answer = approved_plan("ExitPlanMode", {"plan": "# Do it"}, result)
        assert answer is not None
        assert answer.text == text
