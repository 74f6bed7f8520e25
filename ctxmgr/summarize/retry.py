"""Turns asks into accepted texts: runs them side by side and asks refused ones again, as often as is allowed.

Rules:
1. Only what was refused is asked again; what was accepted is kept.
2. A model is told what was wrong with its answer where it can do something about it. A call that failed is asked
   again as it was. One that was cancelled is not: whoever cancelled has no more time.
3. When one ask has no try left, all of them have failed: nobody waits for the others' tries.
"""

from collections.abc import Iterable, Sequence
from typing import NoReturn

import msgspec

from ctxmgr.model import Weigh
from ctxmgr.model.compaction import Asking, Completion, CompletionRequest
from ctxmgr.summarize.formats import Shape
from ctxmgr.summarize.parse import AcceptedAnswer, Reason, RejectedAnswer, verdict


class SummaryUsage:
    """What one summary took: calls and retries, tokens where they were reported, and what was not shown.

    `ladder` says in words what of the conversation was shortened for a model, each thing once; `left_out` counts
    messages that a model saw only as a digest; `joined`: why slices were put together without a model.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.retries = 0
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.ladder: list[str] = []
        self.left_out = 0
        self.joined = ""

    def add(self, completions: Sequence[Completion], *, again: bool) -> None:
        """Count the calls of a batch that came to an end by themselves; `again`: they were retries. Of the others
        it is chance whether they had been made yet when their deadline passed."""
        made = sum(completion.stop != "cancelled" for completion in completions)
        self.calls += made
        self.retries += made if again else 0
        for spent in (completion.usage for completion in completions if completion.usage is not None):
            self.input_tokens = (self.input_tokens or 0) + spent.input_tokens
            self.output_tokens = (self.output_tokens or 0) + spent.output_tokens

    def unshortened(self) -> None:
        """What was shortened for a call that was not made does not count."""
        self.ladder, self.left_out = [], 0

    def shortened(self, steps: Iterable[str]) -> None:
        """Note what was given up to make a conversation fit."""
        self.ladder += [step for step in dict.fromkeys(steps) if step not in self.ladder]


_HINTS: dict[Reason, str] = {
    "empty": "Your last answer said nothing. Fill in the sections from the conversation.",
    "no sections": "Your last answer lacked sections: {said}. Write every section, under exactly its heading.",
    "too long": "Your last answer was too long. Write it anew in at most {words} words; shorten the details first.",
    "truncated": "Your last answer was cut off at its limit. Write it anew in at most {words} words.",
    "called a tool": "Your last answer was a tool call. There are no tools. Answer with the text of the summary.",
}
HINT_SHARE = 0.5
"""Words a second try may use, as a share of its tokens: a word is about 1.3 tokens, and code is more."""


class ShapedRequest(msgspec.Struct, frozen=True):
    """An ask, the shape its answer must have, and the tokens of what the answer replaces."""

    request: CompletionRequest
    shape: Shape
    max_tokens: int


class CompletionFailure(msgspec.Struct, frozen=True):
    """Why there is no answer: of which ask, for what reason, and the words of whoever ran it. `prose`: what the
    model said in place of a summary, where that can be kept."""

    reason: Reason
    label: str = ""
    detail: str = ""
    prose: str = ""


class SummaryFailed(Exception):
    """No summary can be had from the model. Carries the failure."""

    def __init__(self, failure: CompletionFailure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def answers(
    questions: Sequence[ShapedRequest], *, retries: int, weigh: Weigh, account: SummaryUsage
) -> Asking[tuple[AcceptedAnswer, ...]]:
    """The accepted answer of each question, in their order; raises GaveUp where one has none."""
    accepted: dict[int, AcceptedAnswer] = {}
    prose: dict[int, str] = {}
    asks = {number: question.request for number, question in enumerate(questions)}
    for attempt in range(retries + 1 if asks else 0):
        completions = yield tuple(asks.values())
        completions += (Completion(stop="error"),) * (len(asks) - len(completions))
        account.add(completions, again=attempt > 0)
        again: dict[int, CompletionRequest] = {}
        for (number, ask), completion in zip(asks.items(), completions, strict=False):
            question = questions[number]
            read = verdict(completion, ask, question.shape, most=question.max_tokens, weigh=weigh)
            if isinstance(read, AcceptedAnswer):
                accepted[number] = read
                continue
            prose[number] = read.prose or prose.get(number, "")
            if attempt == retries or completion.settled or read.reason == "cancelled":
                give_up(msgspec.structs.replace(read, prose=prose[number]), ask.label)
            again[number] = _hinted(question, read)
        if not again:
            break
        asks = again
    return tuple(accepted[number] for number in range(len(questions)))


def give_up(refused: RejectedAnswer, label: str) -> NoReturn:
    raise SummaryFailed(CompletionFailure(refused.reason, label, refused.detail, refused.prose))


def _hinted(question: ShapedRequest, refused: RejectedAnswer) -> CompletionRequest:
    """The ask of the next try: always from the first one, so that hints do not pile up."""
    hint = _HINTS.get(refused.reason)
    if hint is None:
        return question.request
    room = min(question.request.max_tokens, max(question.max_tokens, 1))
    text = hint.format(words=max(1, int(room * HINT_SHARE)), said=refused.detail)
    return msgspec.structs.replace(question.request, prompt=f"{question.request.prompt}\n\n{text}")
