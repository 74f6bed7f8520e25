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
from tests.notation import a, call, quarters, r, think, u
from tests.unit.summarize.scripted import filled, good, prepared, run, shape_in, shown, told, turn, turns

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


def test_one_slice_is_a_single_shot() -> None:
    for strategy in ("parallel-stitch", "sequential-accumulated", "sequential-rolling"):
        short = turns(1)
        assert wrote(strategy, short, PREVIOUS)[1] == wrote("single-shot", short, PREVIOUS)[1], strategy


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


def test_instructions_reach_every_ask() -> None:
    for strategy in ASKING:
        _, batches = wrote(strategy, prefix=turns(1), instructions="Mind the <conversation> tests.")
        assert all(ask.prompt.count("Mind the &lt;conversation> tests.") == 1 for batch in batches for ask in batch)
        assert sum(ask.purpose == "turn-prefix" for batch in batches for ask in batch) == 1, strategy


def test_slices_are_shown_what_is_before_them_and_have_their_own_budgets() -> None:
    settings = Slices(tokens=1_000, overlap=800, ratio=0.9, newest=1, newest_boost=2.0)
    _, (batch, _) = wrote("parallel-stitch", slices=settings)
    assert [len(shown(ask.prompt, "before")) for ask in batch] == [0, 1, 1, 1]
    assert "Please mend part 2" in shown(batch[1].prompt, "before")[0]
    assert "Please mend part 2" not in shown(batch[1].prompt, "conversation")[0]
    assert batch[-1].max_tokens > batch[0].max_tokens * 1.5
    assert [f"It is part {n} of 4 of a longer one" in ask.prompt for n, ask in enumerate(batch, 1)] == [True] * 4


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


def test_a_merge_that_does_not_fit_the_window_is_not_asked_for() -> None:
    wide = Slices(tokens=1_000, overlap=0, ratio=1.0)

    def wordy(ask: CompletionRequest) -> Completion:
        return Completion(filled(shape_in(ask.prompt), "word " * 60 + ask.label))

    written, batches = wrote("parallel-stitch", turns(16, 1_600), slices=wide, window=5_000, model=wordy)
    assert [ask.purpose for ask in batches[-1]].count("merge") == 0
    assert written.details["ctxmgr"]["joined"] == "does not fit"


def test_accumulated_slices_see_all_earlier_texts_and_stand_in_order() -> None:
    written, batches = wrote("sequential-accumulated", previous=PREVIOUS)
    for number, (ask,) in enumerate(batches, 1):
        earlier = shown(ask.prompt, "earlier-slices")
        assert [f"about slice {n} of 4" in text for n, text in enumerate(earlier, 1)] == [True] * (number - 1)
    places = [written.summary.index(f"about slice {n} of 4") for n in range(1, 5)]
    assert places == sorted(places)
    assert written.summary.count("## Next Steps") == 1
    assert written.details["ctxmgr"]["calls"] == 4


def test_rolling_slices_bring_one_summary_up_to_date() -> None:
    written, batches = wrote("sequential-rolling", previous=PREVIOUS)
    for number, (ask,) in enumerate(batches, 1):
        (running,) = shown(ask.prompt, "previous-summary")
        assert ("Ship it" if number == 1 else f"about slice {number - 1} of 4") in running
        assert ask.max_tokens == batches[0][0].max_tokens
    assert "about slice 4 of 4" in written.summary
    assert "about slice 3 of 4" not in written.summary


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


def test_incremental_notes_are_summed_up_at_the_next_compaction() -> None:
    first, _ = wrote("incremental")
    second, ((ask,),) = wrote("incremental", turns(8, 1_600, start=9), first.summary)
    (notes,) = shown(ask.prompt, "earlier-notes")
    assert "### Turn 5" in notes
    assert RECENT_HEADING not in ask.prompt
    assert second.summary.count(RECENT_HEADING) == 1
    assert "mend part 8 of" not in second.summary


def test_what_does_not_fit_is_shortened_and_said() -> None:
    big = told(
        u("Look at it."), a(think("t" * 30_000)), *[one for _ in range(8) for one in (a("x"), r("o" * 40_000))]
    )
    written, ((ask,),) = wrote("single-shot", big, window=8_000, max_output_tokens=1_000)
    assert quarters(ask.prompt) + quarters(ask.system) + ask.max_tokens <= 8_000
    assert written.details["ctxmgr"]["ladder"]


def test_what_is_left_out_is_told_in_a_digest() -> None:
    many = turns(400, 100)
    written, ((ask,),) = wrote("single-shot", many, window=6_000, max_output_tokens=1_000)
    assert quarters(ask.prompt) + quarters(ask.system) + ask.max_tokens <= 6_000
    assert written.details["ctxmgr"]["leftOut"] > 100
    (digest,) = shown(ask.prompt, "left-out")
    assert digest
    assert "<left-out> lists in short" in ask.prompt


def test_no_ask_is_larger_than_the_window() -> None:
    history = turns(30, 2_000)
    for window in (4_000, 8_000):
        for strategy in ASKING:
            written, batches = wrote(strategy, history, PREVIOUS, window=window, slices=Slices())
            asks = [ask for batch in batches for ask in batch]
            assert asks, (window, strategy)
            assert all(quarters(ask.prompt) + quarters(ask.system) + ask.max_tokens <= window for ask in asks)
            assert "fallback" not in written.details["ctxmgr"], (window, strategy)


def test_a_window_that_holds_nothing_is_not_asked() -> None:
    for strategy in ASKING:
        written, batches = wrote(strategy, window=300)
        assert batches == [], strategy
        assert written.details["ctxmgr"]["fallback"]["reason"] == "does not fit", strategy


def test_output_is_a_share_of_the_reserve_and_never_more_than_the_model_gives() -> None:
    def output(**more: Any) -> list[int]:
        brief = SummaryInput(prepared(LONG, turns(1), reserve=more.pop("reserve", 16_384)), quarters, **more)
        return [ask.max_tokens for ask in next(writing.compaction(brief))]

    assert output() == [13_107, 8_192]
    assert output(max_output_tokens=4_000) == [4_000, 4_000]
    assert output(reserve=10_001) == [8_000, 5_000]
    assert output(reserve=0) == [512, 512]
    assert output(window=16_000) == [8_000, 8_000]


def test_within_a_slice_room_goes_to_what_matters() -> None:
    """The same tokens; more of the result that the goal and later words speak of."""
    names = "retry_budget, backoff_limit and jitter_window"
    previous = PREVIOUS.replace("Ship it", f"Mend {names} in scheduler.py")
    key, dull = f"{names} in scheduler.py are wrong; " * 50, "nothing of note is listed here; " * 90
    history = told(
        u("Look on."),
        a(call("read", path="scheduler.py"), call("ls", path="assets")),
        r(key),
        r(dull),
        a(f"The {names} of scheduler.py are what is wrong."),
        *[said for number in range(1, 6) for said in turn(number, 1_600)],
    )
    alike, by_weight = (
        wrote("sequential-rolling", history, previous, slices=Slices(tokens=1_400, overlap=0, weighted=weighted))[
            1
        ][0][0].prompt
        for weighted in (False, True)
    )
    assert alike.count("scheduler.py are wrong") * 1.1 < by_weight.count("scheduler.py are wrong")
    assert alike.count("nothing of note") > by_weight.count("nothing of note") > 0
    assert quarters(by_weight) <= quarters(alike)


def test_a_joined_text_longer_than_what_it_replaces_is_refused() -> None:
    def wordy(ask: CompletionRequest) -> Completion:
        if ask.purpose == "merge":
            return Completion()
        text = filled(shape_in(ask.prompt), ask.label)
        return Completion(text + "".join(f"\n- {ask.label} {n}" for n in range(30)))

    short = turns(8, 100)
    written, _ = wrote("parallel-stitch", short, model=wordy, slices=Slices(tokens=100, overlap=0))
    fallback = written.details["ctxmgr"]["fallback"]
    assert (fallback["reason"], fallback["label"]) == ("too long", "slices put together")
    assert quarters(written.summary) <= sum(message.utf16_units for message in short) // 4


def test_texts_of_slices_that_stay_share_the_output() -> None:
    slices = Slices(tokens=1_000, overlap=0, ratio=1.0)
    _, batches = wrote("sequential-accumulated", slices=slices, max_output_tokens=2_400)
    assert sum(ask.max_tokens for batch in batches for ask in batch) <= 2_400
