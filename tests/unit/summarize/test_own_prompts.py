"""A policy's own prompts stand in place of ours, each for its matter, whatever the strategy."""

from typing import Any

from ctxmgr.model import Slices, SummaryPrompts
from ctxmgr.model.compaction import Completion, CompletionRequest, Strategy
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.writing import compaction
from tests.notation import quarters
from tests.unit.summarize.scripted import prepared, run, turns
from tests.unit.summarize.written import ctxmgr

TASK = "Name each file that was changed, a line each, and why."
PROSE = "The parser was mended because it was slow."
WITH_MODEL: tuple[Strategy, ...] = (
    "single-shot",
    "parallel-stitch",
    "sequential-accumulated",
    "sequential-rolling",
    "incremental",
)


def prose(ask: CompletionRequest) -> Completion:
    return Completion(PROSE)


def written(
    prompts: SummaryPrompts, model: Any = prose, **more: Any
) -> tuple[FinishedSummary, list[CompletionRequest]]:
    preparation = prepared(
        turns(6, 4_000), **{name: more.pop(name) for name in ("prefix", "previous") if name in more}
    )
    done, batches = run(compaction(SummaryInput(preparation, quarters, prompts=prompts, **more)), model)
    return done, [ask for batch in batches for ask in batch]


def test_every_call_of_every_strategy_is() -> None:
    for strategy in WITH_MODEL:
        prompts = SummaryPrompts(system="You take minutes.", history=TASK)
        done, asks = written(prompts, strategy=strategy, slices=Slices(tokens=1_000, overlap=0))
        assert "fallback" not in ctxmgr(done), strategy
        assert PROSE in done.summary, strategy
        assert len(asks) > 1 or strategy in ("single-shot", "incremental"), strategy
        assert {ask.system for ask in asks} == {"You take minutes."}, strategy
        assert all(ask.prompt.count(TASK) == 1 and "## Goal" not in ask.prompt for ask in asks)
