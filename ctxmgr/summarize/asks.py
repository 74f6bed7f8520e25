"""The requests of a summary: their content, and how they become accepted texts.

Rules:
1. A request never has more tokens than the window leaves beside its answer. Only the conversation is shortened
   (`truncation`); if the rest alone is too large, there is no request.
2. A digest reports what truncation removed. The usage notes what was shortened or removed.
3. Requests run concurrently. Refused ones are repeated as often as allowed, alone; accepted answers are kept.
4. A model is told what was wrong with its answer if it can do something about it. A failed call is repeated
   unchanged. A cancelled one is not repeated: whoever cancelled has no more time.
5. When one request has no attempt left, all have failed, without waiting for the others' attempts.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec

from ctxmgr.engine.compaction import scoring, truncation
from ctxmgr.engine.memory import summary
from ctxmgr.model.compaction import Asking, BranchMessage, Completion, CompletionRequest, Purpose
from ctxmgr.summarize.brief import PromptTask, SummaryInput
from ctxmgr.summarize.formats import Shape
from ctxmgr.summarize.parse import AcceptedAnswer, CompletionFailure, Reason, verdict
from ctxmgr.summarize.prompts import PromptParts, merge_prompt, prompt

INPUT_SHARE = 0.8
"""Of what the window leaves beside the answer, as we weigh it: providers count a quarter more than o200k_base does
(the start of the ratio that `ctxmgr.engine.pressure.meter` learns)."""

LEAST_ROOM = 256  # tokens of conversation; a request about less is not worth its money
DIGEST_SHARE = 0.1  # of the conversation's room, for what truncation removed
LABELS = {"history": "history", "turn-prefix": "first part of the turn", "branch": "branch"}  # of a whole job
MOST_DIGEST = 2_000  # tokens; a longer list of what is not shown helps nobody


class ShapedRequest(msgspec.Struct, frozen=True):
    """A request, the shape its answer must have, and the tokens of what the answer replaces."""

    request: CompletionRequest
    shape: Shape
    max_tokens: int


def input_room(brief: SummaryInput[Any], output: int) -> int:
    """Tokens of input, by our count, that the window leaves beside an answer."""
    return int((brief.window - output) * INPUT_SHARE)


def question(
    brief: SummaryInput[Any],
    job: PromptTask,
    messages: Sequence[BranchMessage],
    given: PromptParts,
    *,
    output: int,
    slice_number: tuple[int, int] | None = None,
) -> ShapedRequest:
    """The request about these messages, given what else is shown, for an answer of `output` tokens. Raises
    SummaryFailed if nothing fits.

    `given.conversation` is what is shown of them, if that is fixed and fits. `slice_number`: they are slice n of m,
    None: the whole job. The first request also covers what the job omitted.
    """
    label = LABELS[job.matter] if slice_number is None else f"slice {slice_number[0]} of {slice_number[1]}"
    left_out = job.left_out if slice_number is None or slice_number[0] == 1 else ()
    notes = job.given.scratchpad if slice_number is None or slice_number[0] == slice_number[1] else ""
    text, given = given.conversation, msgspec.structs.replace(given, conversation="", scratchpad=notes)

    def put(given: PromptParts) -> str:
        return prompt(job.matter, job.shape, given, job.instructions, slice_number=slice_number, most=output)

    free = input_room(brief, output) - brief.weigh(brief.system) - brief.weigh(put(given))
    if free < LEAST_ROOM:
        give_up(
            CompletionFailure("does not fit", f"{free} of {brief.window} tokens left for the conversation"), label
        )
    if text and not left_out and brief.weigh(text) <= free:
        digest = ""
    else:
        text, digest = _fitted(brief, messages, left_out, free)
    whole = msgspec.structs.replace(given, conversation=text, left_out=digest)
    replaced = sum(map(brief.weigh, (text, digest, given.previous, given.earlier, given.notes, notes)))
    purpose: Purpose = job.matter if slice_number is None else "slice"
    return ShapedRequest(CompletionRequest(purpose, brief.system, put(whole), output, label), job.shape, replaced)


def _fitted(
    brief: SummaryInput[Any], messages: Sequence[BranchMessage], left_out: Sequence[BranchMessage], free: int
) -> tuple[str, str]:
    """The conversation and the digest of what it omits, both within `free` tokens."""
    beside = free - _digest_room(free)
    fitted = truncation.fit(messages, beside if left_out else free, brief.weigh)
    if fitted.reductions:
        weights, has_digest = scoring.importances(messages), bool(left_out or fitted.left_out)
        fitted = truncation.fit(messages, beside if has_digest else free, brief.weigh, weights)
        if fitted.left_out and not has_digest:
            fitted = truncation.fit(messages, beside, brief.weigh, weights)
    missing = (*left_out, *fitted.left_out)
    brief.usage.shortened(fitted.reductions)
    brief.usage.left_out += len(missing)
    return fitted.text, summary.left_out(missing, _digest_room(free), brief.weigh) if missing else ""


def _digest_room(free: int) -> int:
    return min(MOST_DIGEST, int(free * DIGEST_SHARE))


def merge_question(brief: SummaryInput[Any], job: PromptTask, texts: tuple[str, ...]) -> ShapedRequest:
    """The request that merges the texts of slices. Raises SummaryFailed if they do not fit."""
    given = msgspec.structs.replace(job.given, scratchpad="")
    text = merge_prompt(job.matter, job.shape, texts, given, job.instructions, most=job.max_tokens)
    over = brief.weigh(brief.system) + brief.weigh(text) - input_room(brief, job.max_tokens)
    if over > 0:
        give_up(CompletionFailure("does not fit", f"{over} tokens too many"), "merge")
    replaced = sum(map(brief.weigh, (*texts, given.previous, given.earlier, given.notes)))
    return ShapedRequest(
        CompletionRequest("merge", brief.system, text, job.max_tokens, f"merge of {len(texts)} slices"),
        job.shape,
        replaced,
    )


_HINTS: dict[Reason, str] = {
    "empty": "Your last answer said nothing. Fill in the sections from the conversation.",
    "no sections": "Your last answer lacked sections: {said}. Write every section, under exactly its heading.",
    "too long": "Your last answer was too long. Write it anew in at most {words} words; shorten the details first.",
    "truncated": "Your last answer was cut off at its limit. Write it anew in at most {words} words.",
    "called a tool": "Your last answer was a tool call. There are no tools. Answer with the text of the summary.",
}
HINT_SHARE = 0.5
"""Words a second try may use, as a share of its tokens: a word is about 1.3 tokens, and code is more."""


class SummaryFailed(Exception):
    """The model gives no summary. Carries the failure."""

    def __init__(self, failure: CompletionFailure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def answers(brief: SummaryInput[Any], questions: Sequence[ShapedRequest]) -> Asking[tuple[AcceptedAnswer, ...]]:
    """The accepted answer of each request, in order. Raises SummaryFailed if one has none."""
    accepted: dict[int, AcceptedAnswer] = {}
    prose: dict[int, str] = {}
    retries = max(0, brief.retries)
    asks = {number: question.request for number, question in enumerate(questions)}
    for attempt in range(retries + 1 if asks else 0):
        completions = yield tuple(asks.values())
        completions += (Completion(stop="error"),) * (len(asks) - len(completions))
        brief.usage.add(completions, again=attempt > 0)
        again: dict[int, CompletionRequest] = {}
        for (number, ask), completion in zip(asks.items(), completions, strict=False):
            question = questions[number]
            read = verdict(completion, ask, question.shape, most=question.max_tokens, weigh=brief.weigh)
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


def answer(brief: SummaryInput[Any], question: ShapedRequest) -> Asking[AcceptedAnswer]:
    """The accepted answer of one request. Raises SummaryFailed."""
    (accepted,) = yield from answers(brief, (question,))
    return accepted


def give_up(refused: CompletionFailure, label: str) -> NoReturn:
    raise SummaryFailed(msgspec.structs.replace(refused, label=label))


def _hinted(question: ShapedRequest, refused: CompletionFailure) -> CompletionRequest:
    """The request of the next attempt: always based on the first one, so that hints do not accumulate."""
    hint = _HINTS.get(refused.reason)
    if hint is None:
        return question.request
    room = min(question.request.max_tokens, max(question.max_tokens, 1))
    text = hint.format(words=max(1, int(room * HINT_SHARE)), said=refused.detail)
    return msgspec.structs.replace(question.request, prompt=f"{question.request.prompt}\n\n{text}")
