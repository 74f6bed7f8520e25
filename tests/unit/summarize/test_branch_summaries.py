"""Summaries of a branch: what they hold, and what they fall back to."""

from typing import Any

import pytest

from ctxmgr.engine.memory import BRANCH_LEAD, summary
from ctxmgr.model.compaction import Completion, CompletionRequest
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.parse import LEAST_TOKENS
from ctxmgr.summarize.writing import branch_summary
from tests.notation import a, err, quarters, r, u
from tests.unit.summarize.scripted import branch_prepared, good, run, told
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


@pytest.mark.parametrize("bad", [row[1] for row in BAD], ids=[row[0] for row in BAD])
def test_a_branch_falls_back(bad: Completion) -> None:
    written, _ = left(lambda ask: bad)
    text = summary.branch(TRIED, budget=LEAST_TOKENS, weigh=quarters)
    assert written.summary == f"{BRANCH_LEAD}\n\n{text}{LISTS}"
    assert ctxmgr(written)["fallback"]
