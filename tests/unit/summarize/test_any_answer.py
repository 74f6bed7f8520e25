"""Whatever the model does, a valid summary comes out."""

from typing import get_args

from hypothesis import example, given
from hypothesis import strategies as st

from ctxmgr.engine.memory.markdown import sections_of
from ctxmgr.model.compaction import Completion, CompletionRequest, Format, Stop, Strategy
from ctxmgr.summarize.parse import LEAST_TOKENS
from ctxmgr.summarize.previous_summary import TURN_MARK
from tests.notation import quarters
from tests.unit.summarize.scripted import filled, prepared, shape_in, shown, turns
from tests.unit.summarize.written import CONTEXT, FILES, FORMATS, LISTS, SMALL, STRATEGIES, H, ctxmgr, write

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
            return f"{text}\n\n---\n\n{TURN_MARK}\n\n{CONTEXT}"
        case "lists":
            return text + LISTS
    return text


@given(
    st.lists(st.tuples(ANSWERS, STOPS), max_size=30),
    st.sampled_from(STRATEGIES),
    st.sampled_from(FORMATS),
    st.integers(0, 2),
    st.sampled_from(
        [None, H, f"{H}\n\n---\n\n{TURN_MARK}\n\n{CONTEXT}", CONTEXT + LISTS, "old words", "```\nopen"]
    ),
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
    assert written.summary.count(TURN_MARK) <= 1
    assert sections_of(written.summary)
    asked = sum(map(len, batches))
    assert said["calls"] <= asked  # those that were taken back are none
    assert said["calls"] == asked or any(stop == "cancelled" for _, stop in completions)
    assert all(batches)
    assert "extractive" not in (strategy, said["strategy"]) or "joined" not in said
    replaced = sum(message.utf16_units for message in (*history, *prefix)) // 4 + quarters(previous or "")
    assert quarters(written.summary) <= replaced * 1.3 + 2 * LEAST_TOKENS + quarters(LISTS)
