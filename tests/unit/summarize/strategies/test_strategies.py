"""The strategies: which calls they make, what each is shown, what comes of the answers. A token is 4 characters."""

from collections.abc import Sequence
from typing import Any, get_args

from ctxmgr.engine.memory.markdown import ADDED_HEADING
from ctxmgr.model.compaction import Completion, CompletionRequest, Strategy
from ctxmgr.model.policy import Slices
from ctxmgr.summarize import writing
from ctxmgr.summarize.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.previous_summary import RECENT_HEADING
from ctxmgr.summarize.strategies import STRATEGIES
from tests.notation import quarters
from tests.unit.summarize.scripted import good, prepared, run, shown, turns

SLICES = Slices(tokens=1_000, overlap=100)
LONG = turns(8, size=1_600)  # about 500 tokens a turn: four slices
PREVIOUS = "## Goal\nShip it\n\n## Progress\n### Done\n- [x] Began\n\n## Next Steps\n1. Go on\n"
ASKING: tuple[Strategy, ...] = tuple(STRATEGIES)


def wrote(
    strategy: Strategy, history: Sequence[Any] = LONG, previous: str | None = None, **more: Any
) -> tuple[FinishedSummary, list[tuple[CompletionRequest, ...]]]:
    model, prefix = more.pop("model", good), more.pop("prefix", ())
    settings = {"slices": SLICES, **more}
    brief = SummaryInput(prepared(history, prefix, previous), quarters, strategy=strategy, **settings)
    return run(writing.compaction(brief), model)


def labels(batches: list[tuple[CompletionRequest, ...]]) -> list[list[str]]:
    return [[ask.label for ask in batch] for batch in batches]


S = [f"slice {number} of 4" for number in range(1, 5)]
CALLS: list[tuple[Strategy, list[list[str]]]] = [
    ("single-shot", [["history"]]),
    ("parallel-stitch", [S, ["merge of 4 slices"]]),
    ("sequential-accumulated", [[one] for one in S]),
    ("sequential-rolling", [[one] for one in S]),
    ("incremental", [["history"]]),
    ("extractive", []),
]


def test_each_strategy_that_a_policy_may_name_has_a_row_and_its_calls_here() -> None:
    assert (*STRATEGIES, "extractive") == get_args(Strategy) == tuple(name for name, _ in CALLS)


def test_calls() -> None:
    for strategy, calls in CALLS:
        written, batches = wrote(strategy)
        assert labels(batches) == calls, strategy
        assert written.details["ctxmgr"]["strategy"] == strategy, strategy
        assert written.details["ctxmgr"]["calls"] == sum(map(len, calls)), strategy
        assert "fallback" not in written.details["ctxmgr"], strategy
        assert "## Goal" in written.summary


def test_every_message_is_shown_to_the_model_or_told_in_notes() -> None:
    for strategy in ASKING:
        written, batches = wrote(strategy)
        seen = "".join(text for batch in batches for ask in batch for text in shown(ask.prompt, "conversation"))
        before, _, added = written.summary.partition(ADDED_HEADING)
        text = before + added.partition(RECENT_HEADING)[2]
        for number in range(1, 9):
            told_once = seen.count(f"Please mend part {number} of") + text.count(f"Please mend part {number} of")
            assert told_once == 1, number


def test_the_previous_summary_is_shown_once_and_to_the_ask_that_writes_it_anew() -> None:
    for strategy in ASKING:
        _, batches = wrote(strategy, previous=PREVIOUS)
        holders = [
            ask.label for batch in batches for ask in batch if "Ship it" in ask.prompt and "Began" in ask.prompt
        ]
        asks = [label for batch in dict(CALLS)[strategy] for label in batch]
        assert holders == [next((label for label in asks if label.startswith("merge")), asks[0])], strategy
        (ask,) = [ask for batch in batches for ask in batch if ask.label == holders[0]]
        assert shown(ask.prompt, "previous-summary") == [PREVIOUS.strip()], strategy
        assert "Keep every statement of it" in ask.prompt, strategy


def refusing(purpose: str, with_: Completion) -> Any:
    return lambda ask: with_ if ask.purpose == purpose else good(ask)


def test_where_the_merge_fails_slices_are_put_together_by_sections() -> None:
    for bad in (Completion(stop="error"), Completion(stop="cancelled"), Completion("x"), Completion("", "length")):
        written, batches = wrote("parallel-stitch", previous=PREVIOUS, model=refusing("merge", bad))
        said = written.details["ctxmgr"]
        assert said["joined"], bad
        assert "fallback" not in said, bad
        assert written.summary.count("## Goal") == 1
        assert "Ship it" in written.summary, bad
        places = [written.summary.index(f"about slice {n} of 4") for n in range(1, 5)]
        assert places == sorted(places), bad
        assert len(batches) == (2 if bad.stop == "cancelled" else 3), bad


def test_incremental_notes_follow_the_summary_within_half_of_the_output() -> None:
    written, ((ask,),) = wrote("incremental")
    summary, _, notes = written.summary.partition(RECENT_HEADING)
    assert "## Next Steps" in summary
    numbers = [line for line in notes.splitlines() if line.startswith("### Turn")]
    assert numbers == [f"### Turn {n}" for n in range(5, 9)]
    assert "Please mend part 4" in ask.prompt
    assert "Please mend part 5" not in ask.prompt
    assert '- Called: read(path="src/part8.py")' in notes
    assert "line of part" not in notes  # no tool output
    assert ask.max_tokens + quarters(RECENT_HEADING + notes) <= 13_107 + 5


def test_no_ask_is_larger_than_the_window() -> None:
    history = turns(30, 2_000)
    for window in (4_000, 8_000):
        for strategy in ASKING:
            written, batches = wrote(strategy, history, PREVIOUS, window=window, slices=Slices())
            asks = [ask for batch in batches for ask in batch]
            assert asks, (window, strategy)
            assert all(quarters(ask.prompt) + quarters(ask.system) + ask.max_tokens <= window for ask in asks)
            assert "fallback" not in written.details["ctxmgr"], (window, strategy)


def test_output_is_a_share_of_the_reserve_and_never_more_than_the_model_gives() -> None:
    def output(**more: Any) -> list[int]:
        brief = SummaryInput(prepared(LONG, turns(1), reserve=more.pop("reserve", 16_384)), quarters, **more)
        return [ask.max_tokens for ask in next(writing.compaction(brief))]

    assert output() == [13_107, 8_192]
    assert output(max_output_tokens=4_000) == [4_000, 4_000]
    assert output(reserve=10_001) == [8_000, 5_000]
    assert output(reserve=0) == [512, 512]
    assert output(window=16_000) == [8_000, 8_000]
