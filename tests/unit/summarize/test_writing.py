"""Whole compactions and branch summaries: what they end with, whatever the model does."""

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ctxmgr.engine.extractive import summary
from ctxmgr.engine.text.sections import sections_of
from ctxmgr.model.compaction.completion import Completion, CompletionRequest, CompletionUsage, Stop
from ctxmgr.model.compaction.plans import CompactionPlan, FileLists, Format, Strategy
from ctxmgr.model.policy import Slices
from ctxmgr.summarize.prompts.handoff import PREFIX
from ctxmgr.summarize.request.brief import FinishedSummary, SummaryInput
from ctxmgr.summarize.request.parse import LEAST_TOKENS
from ctxmgr.summarize.request.turn_context import MARK
from ctxmgr.summarize.writing import NOTHING, PREAMBLE, branch_summary, compaction
from tests.notation import a, err, quarters, r, u
from tests.unit.summarize.scripted import branch_prepared, filled, good, prepared, run, shape_in, shown, told, turns

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
FORMATS: tuple[Format, ...] = get_args(Format)
HISTORY = turns(3, 1_200)
PREFIX_PART = turns(1, 1_200, start=4)
FILES = FileLists(read=("a.py", "b.py"), edited=("b.py",))
LISTS = "\n\n<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"
H = "## Goal\nShip it\n\n## Progress\n### Done\n- [x] Began\n\n## Next Steps\n1. Go on"
CONTEXT = (
    "## Original Request\nmend part 0\n\n## Progress So Far\n- half of it\n\n## Context Needed to Continue\n- x0"
)
SMALL = Slices(tokens=400, overlap=50)


def write(
    preparation: CompactionPlan, model: Any = good, **more: Any
) -> tuple[FinishedSummary, list[tuple[CompletionRequest, ...]]]:
    return run(compaction(SummaryInput(preparation, quarters, **more)), model)


def ctxmgr(written: FinishedSummary) -> dict[str, Any]:
    said: dict[str, Any] = written.details["ctxmgr"]
    return said


def test_a_compaction() -> None:
    def model(ask: CompletionRequest) -> Completion:
        return Completion(good(ask).text, usage=CompletionUsage(1_000, 200))

    written, batches = write(prepared(HISTORY, PREFIX_PART, files=FILES), model, strategy="single-shot")
    assert [[ask.purpose for ask in batch] for batch in batches] == [["history", "turn-prefix"]]
    history, _, rest = written.summary.partition(f"\n\n---\n\n{MARK}\n\n")
    assert history.startswith("## Goal\nabout history")
    assert rest.startswith("## Original Request\nabout first part of the turn")
    assert rest.endswith(LISTS)
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


def test_history_and_turn_do_not_wait_for_each_other() -> None:
    _, batches = write(prepared(HISTORY, PREFIX_PART), strategy="sequential-rolling", slices=SMALL)
    assert [ask.purpose for ask in batches[0]] == ["slice", "turn-prefix"]
    assert [len(batch) for batch in batches[1:]] == [1] * (len(batches) - 1)
    assert len(batches) > 2


# name, history, prefix, previous; batches; starts with, ends with
CARRIED = [
    ("no previous", "", "", None),
    ("a previous", H, "", H),
    ("with lists", H, "", H + LISTS),
    ("with a turn's context", H, CONTEXT, f"{H}\n\n---\n\n{MARK}\n\n{CONTEXT}"),
    ("with both", H, CONTEXT, f"{H}\n\n---\n\n{MARK}\n\n{CONTEXT}{LISTS}"),
]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("history", "context", "previous"), [row[1:] for row in CARRIED], ids=[row[0] for row in CARRIED]
)
def test_a_split_turn_without_new_history(
    strategy: Strategy, history: str, context: str, previous: str | None
) -> None:
    written, batches = write(prepared((), PREFIX_PART, previous, FILES), strategy=strategy, slices=SMALL)
    start = f"{history}\n\n---\n\n{MARK}\n\n" if history else f"{MARK}\n\n"
    assert written.summary.startswith(start)
    assert written.summary.endswith(LISTS)
    assert written.summary.count(MARK) == 1
    assert written.summary.count("## Original Request") == 1
    assert written.summary.count("<read-files>") == 1
    if context:
        holders = [ask.purpose for batch in batches for ask in batch if "half of it" in ask.prompt]
        assert (holders == []) == (strategy == "extractive")
        if strategy == "extractive":
            assert "half of it" in written.summary
    assert all("Ship it" not in ask.prompt for batch in batches for ask in batch)


def test_with_new_history_a_turns_context_goes_into_the_history() -> None:
    previous = f"{H}\n\n---\n\n{MARK}\n\n{CONTEXT}{LISTS}"
    written, ((history, turn),) = write(prepared(HISTORY, PREFIX_PART, previous, FILES))
    assert shown(history.prompt, "previous-summary") == [H]
    assert shown(history.prompt, "earlier-part") == [CONTEXT]
    assert "half of it" not in turn.prompt
    assert written.summary.count(MARK) == 1


BAD: list[tuple[str, Completion, str]] = [
    ("failed", Completion(stop="error", fault="no route"), "failed"),
    ("cancelled", Completion(stop="cancelled"), "cancelled"),
    ("empty", Completion(" "), "empty"),
    ("truncated", Completion("## Goal\nx", "length"), "truncated"),
    ("tool", Completion("## Goal", "toolUse"), "called a tool"),
    ("prose", Completion("Let me go on with the work."), "no sections"),
    ("too long", Completion(f"{CONTEXT}\n\n{H}\n" + "1. word\n" * 5_000), "too long"),
]


@pytest.mark.parametrize("strategy", [one for one in STRATEGIES if one != "extractive"])
@pytest.mark.parametrize(("bad", "reason"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_one_ask_that_fails_for_good_makes_the_whole_extractive(
    strategy: Strategy, bad: Completion, reason: str
) -> None:
    asked: list[CompletionRequest] = []

    def model(ask: CompletionRequest) -> Completion:
        asked.append(ask)
        return bad if "first part of" in ask.label else good(ask)

    preparation = prepared(HISTORY, PREFIX_PART, H, FILES)
    written, _ = write(preparation, model, strategy=strategy, retries=1)
    without, _ = write(preparation, strategy="extractive")
    assert written.summary == without.summary
    assert "about history" not in written.summary
    fallback = ctxmgr(written)["fallback"]
    assert (fallback["from"], fallback["reason"]) == (strategy, reason)
    assert ctxmgr(written)["strategy"] == "extractive"
    assert ctxmgr(written)["retries"] == (0 if reason == "cancelled" else 1)
    assert len([ask for ask in asked if "first part" in ask.label]) == (1 if reason == "cancelled" else 2)
    assert fallback.get("said") == ("no route" if reason == "failed" else fallback.get("said"))


@pytest.mark.parametrize(("bad", "reason"), [row[1:] for row in BAD[2:]], ids=[row[0] for row in BAD[2:]])
def test_a_second_try_that_is_good_is_taken(bad: Completion, reason: str) -> None:
    tries = iter([bad])
    written, batches = write(prepared(HISTORY), lambda ask: next(tries, good(ask)))
    assert [len(batch) for batch in batches] == [1, 1]
    assert "fallback" not in ctxmgr(written)
    assert (ctxmgr(written)["calls"], ctxmgr(written)["retries"]) == (2, 1)


def test_two_texts_that_are_together_longer_than_what_they_replace_are_refused() -> None:
    def wordy(ask: CompletionRequest) -> Completion:
        return Completion(f"{filled(shape_in(ask.prompt))}\n- {'word ' * 180}")

    preparation = prepared(told(u("Go."), a("Gone.")), told(u("On."), a("Done.")))
    written, (batch,) = write(preparation, wordy, retries=0)
    assert len(batch) == 2
    assert ctxmgr(written)["fallback"] == {
        "from": "single-shot",
        "reason": "too long",
        "label": "summary",
        "said": "more than what it replaces",
    }


def test_formats_put_their_line_before_and_their_parts_where_they_belong() -> None:
    handoff, ((ask,),) = write(prepared(HISTORY), format="handoff")
    assert handoff.summary.startswith(f"{PREFIX}\n\n## Goal")
    assert ask.max_tokens == 3_000
    again, ((ask,),) = write(prepared(HISTORY, previous=handoff.summary), format="handoff")
    assert again.summary.count(PREFIX) == 1
    assert PREFIX not in ask.prompt
    go_on, _ = write(prepared(HISTORY), format="continue")
    assert "<short>" not in go_on.summary
    assert ctxmgr(go_on)["short"] == "about history"
    nine, _ = write(prepared(HISTORY), format="nine-section")
    assert nine.summary.startswith("1. Primary Request and Intent:")
    assert "analysis" not in nine.summary


@pytest.mark.parametrize("form", FORMATS)
def test_extractive_asks_nobody(form: Format) -> None:
    written, batches = write(prepared(HISTORY, PREFIX_PART, H, FILES), strategy="extractive", format=form)
    assert batches == []
    assert written.summary.endswith(LISTS)
    assert "Ship it" in written.summary
    assert MARK in written.summary
    assert ("short" in ctxmgr(written)) == (form == "continue")


def test_nothing_to_say_is_said() -> None:
    assert write(prepared(()))[0].summary == NOTHING
    assert write(prepared((), previous=H))[0].summary == H
    assert write(prepared(told(u(" "))), lambda ask: Completion())[0].summary


# branches

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
    assert written.summary.startswith(f"{PREAMBLE}\n\n## Goal")
    assert written.summary.endswith(LISTS)
    assert "## Critical Context" not in ask.prompt
    assert "Say why it was left." in ask.prompt
    assert (ask.purpose, ask.max_tokens) == ("branch", 4_096)
    assert "a branch of the work that was left" in ask.prompt


def test_instructions_can_stand_in_place_of_ours() -> None:
    written, ((ask,),) = left(
        lambda ask: Completion("It was too slow."), instructions="One sentence.", replace_instructions=True
    )
    assert written.summary == f"{PREAMBLE}\n\nIt was too slow.{LISTS}"
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
    assert written.summary == f"{PREAMBLE}\n\n{text}{LISTS}"
    assert ctxmgr(written)["fallback"]


def test_an_empty_branch_is_not_asked_about() -> None:
    written, batches = left(messages=())
    assert batches == []
    assert written.summary == f"{PREAMBLE}\n\n{NOTHING}{LISTS}"


# properties

ANSWERS = st.sampled_from(
    ["good", "empty", "prose", "half", "long", "fence", "surrogate", "previous", "mark", "lists"]
)
STOPS = st.sampled_from(["stop"] * 8 + list(get_args(Stop)))


def answer(kind: str, ask: CompletionRequest) -> str:
    text = (
        "Say so."
        if "## Goal" not in ask.prompt and "1. Prim" not in ask.prompt and "## Orig" not in ask.prompt
        else ""
    )
    text = text or filled(shape_in(ask.prompt), ask.label)
    match kind:
        case "empty":
            return ""
        case "prose":
            return "I will now fix it."
        case "half":
            return text[: len(text) // 2]
        case "long":
            return text + "\n- more words than anybody asked for" * 3_000
        case "fence":
            return f"```\n{text}\n```\nDone."
        case "surrogate":
            return text + "\ud83d"
        case "previous":
            return "\n\n".join([*shown(ask.prompt, "previous-summary"), text])
        case "mark":
            return f"{text}\n\n---\n\n{MARK}\n\n{CONTEXT}"
        case "lists":
            return text + LISTS
    return text


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(ANSWERS, STOPS), max_size=30),
    st.sampled_from(STRATEGIES),
    st.sampled_from(FORMATS),
    st.integers(0, 2),
    st.sampled_from([None, H, f"{H}\n\n---\n\n{MARK}\n\n{CONTEXT}", CONTEXT + LISTS, "old words", "```\nopen"]),
    st.integers(0, 6),
    st.booleans(),
    st.sampled_from([600, 3_000, 16_000, 128_000]),
)
@example([("good", "stop")], "parallel-stitch", "nine-section", 1, None, 0, True, 128_000)
def test_whatever_the_model_does_a_valid_summary_comes_out(
    completions: list[tuple[str, Stop]],
    strategy: Strategy,
    form: Format,
    retries: int,
    previous: str | None,
    count: int,
    split: bool,
    window: int,
) -> None:
    replies = iter(completions)

    def model(ask: CompletionRequest) -> Completion:
        kind, stop = next(replies, ("good", "stop"))
        return Completion(answer(kind, ask), stop)

    history, prefix = turns(count, 800), turns(1, 3_000, start=9) if split else ()
    written, batches = write(
        prepared(history, prefix, previous, FILES),
        model,
        strategy=strategy,
        format=form,
        retries=retries,
        window=window,
        slices=SMALL,
    )
    said = ctxmgr(written)
    assert written.summary.strip()
    written.summary.encode("utf-8")
    assert written.summary.endswith(LISTS)
    assert written.summary.count("<read-files>") == 1
    assert written.summary.count(MARK) <= 1
    assert sections_of(written.summary)
    asked = sum(map(len, batches))
    assert said["calls"] <= asked  # those that were taken back are none
    assert said["calls"] == asked or any(stop == "cancelled" for _, stop in completions)
    assert all(batches)
    assert "extractive" not in (strategy, said["strategy"]) or "joined" not in said
    replaced = sum(message.utf16_units for message in (*history, *prefix)) // 4 + quarters(previous or "")
    assert quarters(written.summary) <= replaced * 1.3 + 2 * LEAST_TOKENS + quarters(LISTS)
