"""A policy's own prompts stand in place of ours, each for its matter, whatever the strategy."""

from typing import Any

from ctxmgr.model import Slices, SummaryPrompts
from ctxmgr.model.compaction import Completion, CompletionRequest, Strategy
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.prompts import SYSTEM
from ctxmgr.summarize.writing import branch_summary, compaction
from tests.notation import quarters
from tests.unit.summarize.scripted import branch_prepared, good, prepared, run, shown, turns
from tests.unit.summarize.written import FILES, ctxmgr

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


def test_a_history_is_asked_for_in_the_policys_words() -> None:
    done, (ask,) = written(SummaryPrompts(history=f" {TASK}\n"), instructions="Be brief.")
    assert done.summary.startswith(PROSE)
    assert ctxmgr(done)["format"] == "free"
    assert "fallback" not in ctxmgr(done)
    assert ask.system == SYSTEM
    assert shown(ask.prompt, "conversation")
    assert "## Goal" not in ask.prompt
    assert ask.prompt.index("</conversation>") < ask.prompt.index(TASK) < ask.prompt.index("Be brief.")


def test_every_call_of_every_strategy_is() -> None:
    for strategy in WITH_MODEL:
        prompts = SummaryPrompts(system="You take minutes.", history=TASK)
        done, asks = written(prompts, strategy=strategy, slices=Slices(tokens=1_000, overlap=0))
        assert "fallback" not in ctxmgr(done), strategy
        assert PROSE in done.summary, strategy
        assert len(asks) > 1 or strategy in ("single-shot", "incremental"), strategy
        assert {ask.system for ask in asks} == {"You take minutes."}, strategy
        assert all(ask.prompt.count(TASK) == 1 and "## Goal" not in ask.prompt for ask in asks)


def test_a_cut_turn_has_its_own() -> None:
    def model(ask: CompletionRequest) -> Completion:
        return prose(ask) if ask.purpose == "turn-prefix" else good(ask)

    _, (history, turn) = written(SummaryPrompts(turn_prefix=TASK), model, prefix=turns(1))
    assert "## Goal" in history.prompt
    assert TASK not in history.prompt
    assert TASK in turn.prompt


def test_a_branch_has_its_own_and_the_users_replacement_counts_over_it() -> None:
    def left(**more: Any) -> tuple[FinishedSummary, str]:
        given = SummaryInput(
            branch_prepared(turns(2), (), FILES), quarters, prompts=SummaryPrompts(branch=TASK), **more
        )
        done, ((ask,),) = run(branch_summary(given), prose)
        return done, ask.prompt

    done, prompt = left()
    assert PROSE in done.summary
    assert ctxmgr(done)["format"] == "free"
    assert TASK in prompt
    _, replaced = left(instructions="One sentence.", replace_instructions=True)
    assert TASK not in replaced
    assert "One sentence." in replaced


def test_where_the_model_fails_the_summary_is_written_in_the_policys_format() -> None:
    done, _ = written(SummaryPrompts(history=TASK), lambda ask: Completion("", stop="error", fault="down"))
    assert ctxmgr(done)["fallback"]["reason"] == "failed"
    assert ctxmgr(done)["format"] == "structured"
    assert "## Goal" in done.summary
