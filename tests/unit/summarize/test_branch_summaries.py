"""Summaries of a branch: what they hold, and what they fall back to."""

from typing import Any

import pytest

from ctxmgr.engine.memory import BRANCH_LEAD, summary
from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.parse import LEAST_TOKENS
from ctxmgr.summarize.writing import NOTHING, branch_summary
from tests.notation import a, err, quarters, r, u
from tests.unit.summarize.scripted import branch_prepared, good, run, shown, told, turns
from tests.unit.summarize.written import BAD, FILES, LISTS, ctxmgr

TRIED = told(
    u("Try the other parser."),
    a("I try it."),
    r("x"),
    err("TypeError: no"),
    a("It is too slow, so we stay with the old one."),
)


def left(model: Any = good, **more: Any) -> tuple[FinishedSummary, list[tuple[CompletionRequest, ...]]]:
    preparation = branch_prepared(more.pop("messages", TRIED), more.pop("left_out", ()), FILES)
    return run(branch_summary(SummaryInput(preparation, quarters, **more)), model)


def test_a_branch_summary() -> None:
    written, ((ask,),) = left(instructions="Say why it was left.")
    assert written.summary.startswith(f"{BRANCH_LEAD}\n\n## Goal")
    assert written.summary.endswith(LISTS)
    assert "## Critical Context" not in ask.prompt
    assert "Say why it was left." in ask.prompt
    assert (ask.purpose, ask.max_tokens) == ("branch", 4_096)
    assert "a branch of the work that was left" in ask.prompt


def test_instructions_can_stand_in_place_of_ours() -> None:
    written, ((ask,),) = left(
        lambda ask: Completion("It was too slow."), instructions="One sentence.", replace_instructions=True
    )
    assert written.summary == f"{BRANCH_LEAD}\n\nIt was too slow.{LISTS}"
    assert ctxmgr(written)["format"] == "free"
    assert "## Goal" not in ask.prompt
    assert "One sentence." in ask.prompt
    assert shown(ask.prompt, "conversation")
    _, ((plain,),) = left(replace_instructions=True)  # without instructions there is nothing to replace ours
    assert "## Goal" in plain.prompt


def test_what_did_not_fit_the_branchs_budget_is_told_in_a_digest() -> None:
    written, ((ask,),) = left(left_out=turns(2))
    assert shown(ask.prompt, "left-out")
    assert ctxmgr(written)["leftOut"] == 8


@pytest.mark.parametrize("bad", [row[1] for row in BAD], ids=[row[0] for row in BAD])
def test_a_branch_falls_back(bad: Completion) -> None:
    written, _ = left(lambda ask: bad)
    text = summary.branch(TRIED, budget=LEAST_TOKENS, weigh=quarters)
    assert written.summary == f"{BRANCH_LEAD}\n\n{text}{LISTS}"
    assert ctxmgr(written)["fallback"]


def test_an_empty_branch_is_not_asked_about() -> None:
    written, batches = left(messages=())
    assert batches == []
    assert written.summary == f"{BRANCH_LEAD}\n\n{NOTHING}{LISTS}"
