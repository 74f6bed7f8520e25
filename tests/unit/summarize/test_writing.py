"""Whole compactions and branch summaries: what they end with, whatever the model does."""

import pytest

from ctxmgr.engine.memory.markdown import ADDED_HEADING
from ctxmgr.model.compaction import Completion, CompletionRequest, CompletionUsage, Strategy
from ctxmgr.summarize.previous_summary import TURN_MARK
from ctxmgr.summarize.writing import NOTHING
from tests.notation import u
from tests.unit.summarize.scripted import good, prepared, told, turns
from tests.unit.summarize.written import BAD, CONTEXT, FILES, FORMATS, LISTS, SMALL, STRATEGIES, H, ctxmgr, write

HISTORY = turns(3, 1_200)
PREFIX_PART = turns(1, 1_200, start=4)


def test_a_compaction() -> None:
    def model(ask: CompletionRequest) -> Completion:
        return Completion(good(ask).text, usage=CompletionUsage(1_000, 200))

    written, batches = write(prepared(HISTORY, PREFIX_PART, files=FILES), model, strategy="single-shot")
    assert [[ask.purpose for ask in batch] for batch in batches] == [["history", "turn-prefix"]]
    history, _, rest = written.summary.partition(f"\n\n---\n\n{TURN_MARK}\n\n")
    assert history.startswith("## Goal\nabout history")
    assert rest.startswith("## Original Request\nabout first part of the turn")
    assert rest.endswith(LISTS)
    mended = written.details["ctxmgr"].pop("mended")
    assert [one["text"][:2] for one in mended] == ["#1", "#2", "#3", "#4"]
    assert written.details == {
        "readFiles": ["a.py"],
        "modifiedFiles": ["b.py"],
        "ctxmgr": {
            "strategy": "single-shot",
            "format": "structured",
            "calls": 2,
            "retries": 0,
            "ladder": [],
            "leftOut": 0,
            "inputTokens": 2_000,
            "outputTokens": 400,
        },
    }


# history, context, previous
CARRIED: list[tuple[str, str, str | None]] = [
    ("", "", None),
    (H, "", H + LISTS),
    (H, CONTEXT, f"{H}\n\n---\n\n{TURN_MARK}\n\n{CONTEXT}{LISTS}"),
]


def test_a_split_turn_without_new_history() -> None:
    for history, context, previous in CARRIED:
        for strategy in STRATEGIES:
            written, batches = write(prepared((), PREFIX_PART, previous, FILES), strategy=strategy, slices=SMALL)
            before = written.summary.partition(TURN_MARK)[0]
            assert before.partition(ADDED_HEADING)[0].removesuffix("\n\n---\n\n").rstrip() == history
            assert "Please mend part 4" in written.summary, (history, strategy)
            assert written.summary.endswith(LISTS), (history, strategy)
            assert written.summary.count(TURN_MARK) == 1, (history, strategy)
            assert written.summary.count("## Original Request") == 1
            assert written.summary.count("<read-files>") == 1, (history, strategy)
            if context:
                holders = [ask.purpose for batch in batches for ask in batch if "half of it" in ask.prompt]
                assert (holders == []) == (strategy == "extractive"), (history, strategy)
                if strategy == "extractive":
                    assert "half of it" in written.summary, (history, strategy)
            assert all("Ship it" not in ask.prompt for batch in batches for ask in batch), (history, strategy)


# each failure in one strategy, and each strategy with one failure: all strategies read answers alike
FAILURES: list[tuple[Strategy, Completion, str]] = [("single-shot", bad, reason) for _, bad, reason in BAD]
FAILURES += [(strategy, *BAD[0][1:]) for strategy in STRATEGIES if strategy not in ("single-shot", "extractive")]
WRONG = pytest.mark.parametrize(("strategy", "bad", "reason"), FAILURES)
PROSE = "Let me go on with the work."


@WRONG
def test_a_history_that_fails_for_good_makes_the_whole_extractive(
    strategy: Strategy, bad: Completion, reason: str
) -> None:
    preparation = prepared(HISTORY, PREFIX_PART, H, FILES)
    written, _ = write(
        preparation, lambda ask: good(ask) if "first part of" in ask.label else bad, strategy=strategy, retries=1
    )
    without, _ = write(preparation, strategy="extractive")
    assert written.summary.startswith(without.summary.partition("- ")[0][:40])
    assert (PROSE in written.summary) is (reason == "no sections")
    assert written.summary == without.summary or reason == "no sections"
    fallback = ctxmgr(written)["fallback"]
    assert (fallback["from"], fallback["reason"]) == (strategy, reason)
    assert ctxmgr(written)["strategy"] == "extractive"
    assert fallback.get("said") == ("no route" if reason == "failed" else fallback.get("said"))


@WRONG
def test_a_cut_turn_that_fails_for_good_keeps_the_history_that_was_paid_for(
    strategy: Strategy, bad: Completion, reason: str
) -> None:
    asked: list[CompletionRequest] = []

    def model(ask: CompletionRequest) -> Completion:
        asked.append(ask)
        return bad if "first part of" in ask.label else good(ask)

    written, _ = write(prepared(HISTORY, PREFIX_PART, H, FILES), model, strategy=strategy, retries=1)
    history, _, context = written.summary.partition(TURN_MARK)
    whole, _ = write(prepared(HISTORY, PREFIX_PART, H, FILES), strategy=strategy)
    paid = whole.summary.partition(TURN_MARK)[0].partition(ADDED_HEADING)[0]
    assert history.partition(ADDED_HEADING)[0] == paid
    assert "Please mend part 4" in context
    assert (PROSE in context) is (reason == "no sections")
    assert "fallback" not in ctxmgr(written)
    assert ctxmgr(written)["strategy"] == strategy
    told = ctxmgr(written)["turnFallback"]
    assert (told["from"], told["reason"], told["label"]) == (strategy, reason, "first part of the turn")
    assert ctxmgr(written)["retries"] == (0 if reason == "cancelled" else 1)
    assert len([ask for ask in asked if "first part" in ask.label]) == (1 if reason == "cancelled" else 2)


def test_a_models_prose_is_kept_as_critical_context() -> None:
    for split in (False, True):
        for form in FORMATS:
            said = "The parser reads tables now.\n\nThe cause of the fault was `part2`, which nobody had closed."
            preparation = prepared(HISTORY, PREFIX_PART if split else (), H, FILES)
            written, batches = write(preparation, lambda _, said=said: Completion(said), format=form, retries=1)
            assert len(batches) == 2, (split, form)
            _, _, critical = written.summary.partition("## Critical Context")
            for one in said.split("\n\n"):
                assert one in critical, (split, form)
                assert written.summary.count(one) == 1, (split, form)
            again, _ = write(
                prepared(turns(1, 400, start=9), previous=written.summary), strategy="extractive", format=form
            )
            assert "nobody had closed" in again.summary, (split, form)


def test_nothing_to_say_is_said() -> None:
    assert write(prepared(()))[0].summary == NOTHING
    assert write(prepared((), previous=H))[0].summary == H
    assert write(prepared(told(u(" "))), lambda ask: Completion())[0].summary
