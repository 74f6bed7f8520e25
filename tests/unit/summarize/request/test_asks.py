"""Asking again: what is asked, how often, with which words, and what it comes to."""

from ctxmgr.model.compaction import Completion, CompletionRequest, CompletionUsage
from ctxmgr.summarize.asks import ShapedRequest, SummaryFailed, answers
from ctxmgr.summarize.brief import SummaryInput, SummaryUsage
from ctxmgr.summarize.formats import STRUCTURED
from tests.notation import quarters
from tests.unit.summarize.scripted import filled, prepared

GOOD = Completion(filled(STRUCTURED), usage=CompletionUsage(100, 10))
LONG = Completion(filled(STRUCTURED) + "\n- word" * 5_000, usage=CompletionUsage(1, 1))


def question(name: str) -> ShapedRequest:
    return ShapedRequest(CompletionRequest("slice", "system", f"prompt {name}", 1_000, name), STRUCTURED, 3_000)


def asked(
    replies: dict[str, list[Completion]], retries: int = 1
) -> tuple[list[str], list[list[str]], SummaryUsage]:
    """The failure or the texts accepted, the labels of each batch, and the account."""
    left = {name: iter(some) for name, some in replies.items()}
    brief = SummaryInput(prepared(()), quarters, retries=retries)
    account = brief.usage
    batches: list[list[str]] = []
    asking = answers(brief, [question(name) for name in replies])

    def model(ask: CompletionRequest) -> Completion:
        return next(left[ask.label])

    try:
        batch = next(asking)
        while True:
            batches.append([ask.label for ask in batch])
            batch = asking.send(tuple(map(model, batch)))
    except StopIteration as done:
        return ["good" for _ in done.value], batches, account
    except SummaryFailed as gave_up:
        return [f"{gave_up.failure.label}: {gave_up.failure.reason}"], batches, account


FAILED, EMPTY, CUT, TOOL = (
    Completion(stop="error", fault="down"),
    Completion(),
    Completion("## Goal", "length"),
    Completion("", "toolUse"),
)
GONE = Completion(stop="cancelled")

# name, replies by ask, retries, outcome, batches
TABLE: list[tuple[str, dict[str, list[Completion]], int, list[str], list[list[str]]]] = [
    ("all good", {"a": [GOOD], "b": [GOOD]}, 1, ["good", "good"], [["a", "b"]]),
    ("only the refused", {"a": [GOOD], "b": [EMPTY, GOOD]}, 1, ["good", "good"], [["a", "b"], ["b"]]),
    (
        "each kind",
        {"a": [FAILED, CUT, GOOD], "b": [TOOL, GOOD]},
        2,
        ["good", "good"],
        [["a", "b"], ["a", "b"], ["a"]],
    ),
    ("once too often", {"a": [EMPTY, EMPTY]}, 1, ["a: empty"], [["a"], ["a"]]),
    ("no retries", {"a": [GOOD], "b": [LONG]}, 0, ["b: too long"], [["a", "b"]]),
    ("cancelled is the end", {"a": [GONE, GOOD]}, 5, ["a: cancelled"], [["a"]]),
    ("nothing to ask", {}, 1, [], []),
]


def test_table() -> None:
    for replies, retries, outcome, batches in [row[1:] for row in TABLE]:
        assert asked(replies, retries)[:2] == (outcome, batches), replies


def test_the_account() -> None:
    *_, account = asked({"a": [GOOD], "b": [FAILED, LONG, GOOD]}, 2)
    assert (account.calls, account.retries, account.input_tokens, account.output_tokens) == (4, 2, 201, 21)
    *_, silent = asked({"a": [Completion(GOOD.text)]})
    assert (silent.calls, silent.input_tokens, silent.output_tokens) == (1, None, None)


def test_a_second_try_says_what_was_wrong() -> None:
    for refused, words in (
        (EMPTY, "said nothing"),
        (LONG, "too long. Write it anew in at most 500 words"),
        (CUT, "cut off at its limit"),
        (TOOL, "There are no tools"),
        (Completion("All is well."), "lacked sections: Goal, Progress, Next Steps"),
    ):
        asking = answers(SummaryInput(prepared(()), quarters, retries=2), [question("a")])
        (first,) = next(asking)
        (second,) = asking.send((refused,))
        (third,) = asking.send((refused,))
        assert second.prompt.startswith(first.prompt), refused
        assert words in second.prompt, refused
        assert third == second  # hints do not pile up
        assert (second.system, second.max_tokens, second.label) == (first.system, first.max_tokens, first.label)
